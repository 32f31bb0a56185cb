package compose

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/stimulus"
)

func reason(frame []byte) event.Reason {
	var d event.Desc
	return admit.Parse(frame, preset.UDPPort, &d)
}

// TestMutations holds every mutation to the reason it says, and to changing nothing but that: without it the same
// packet is right.
func TestMutations(t *testing.T) {
	for i, m := range Mutations {
		require.Equal(t, Bad(i+1), m.Bad, "the table is in the order of Bad")
		for _, vlan := range []bool{false, true} {
			for _, ipv6 := range []bool{false, true} {
				p := Packet{Op: wire.OpcodeWrite, Bytes: 77, Length: 77, Net: Net{VLAN: vlan, IPv6: ipv6}}
				good, payload := p.Frame()
				require.Equal(t, event.ReasonNone, reason(good))
				require.Len(t, payload, 77)
				p.Net.Bad = m.Bad
				frame, payload := p.Frame()
				want := m.IPv4
				if ipv6 {
					want = m.IPv6
				}
				assert.Equal(t, want, reason(frame), "%s vlan=%v ipv6=%v", m.Name, vlan, ipv6)
				assert.Nil(t, payload)
				if want == event.ReasonNone {
					assert.Equal(t, good, frame)
				}
			}
		}
		b, ok := BadByName(m.Name)
		assert.True(t, ok && b == m.Bad)
	}
	assert.Equal(t, int(badEnd)-1, len(Mutations))
}

// TestFramesSayWhatPacketsSay parses frames of random packets and finds every field again.
func TestFramesSayWhatPacketsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u32 := rapid.Uint32()
		p := Packet{Op: wire.Opcode(rapid.SampledFrom([]int{1, 2, 3, 4, 5, 7, 0x10, 0x13}).Draw(t, "op")), Epoch: rapid.Uint8Range(0, 15).Draw(t, "epoch"),
			A: rapid.Bool().Draw(t, "a"), D: rapid.Bool().Draw(t, "d"), L: rapid.Bool().Draw(t, "l"), Path: rapid.Uint8().Draw(t, "path"),
			DstConn: rapid.Uint32Range(0, 1<<24-1).Draw(t, "conn"), Psn: u32.Draw(t, "psn"), Tsn: u32.Draw(t, "tsn"), Time: u32.Draw(t, "time"),
			Stream: rapid.Uint16().Draw(t, "stream"), Attempt: rapid.Uint8Range(0, 15).Draw(t, "attempt"), Msn: u32.Draw(t, "msn"), Length: u32.Draw(t, "length"),
			Offset: u32.Draw(t, "offset"), Rkey: u32.Draw(t, "rkey"), Addr: rapid.Uint64().Draw(t, "addr"), Recv: u32.Draw(t, "recv"), Imm: u32.Draw(t, "imm"),
			Port: rapid.Uint16().Draw(t, "port"), NewEpoch: rapid.Uint8Range(0, 15).Draw(t, "new"), Query: rapid.Bool().Draw(t, "query"), Txn: rapid.Uint8().Draw(t, "txn"),
			Bytes: rapid.IntRange(0, 300).Draw(t, "bytes"), Net: Net{VLAN: rapid.Bool().Draw(t, "vlan"), IPv6: rapid.Bool().Draw(t, "ipv6"), CE: rapid.Bool().Draw(t, "ce"), Sport: rapid.Uint16().Draw(t, "sport")}}
		frame, payload := p.Frame()
		var d event.Desc
		require.Equal(t, event.ReasonNone, admit.Parse(frame, preset.UDPPort, &d))
		require.Equal(t, []any{p.Op, p.Epoch, p.A, p.D, p.L, p.Path, p.DstConn, p.Psn, p.Tsn, p.Time, p.Net.CE, p.Net.Sport},
			[]any{d.Opcode, d.Epoch, d.FlagA, d.FlagD, d.FlagL, d.Path, d.DstConn, d.Psn, d.Tsn, d.TxTime, d.Ce, d.Sport})
		if p.HasMessage() {
			require.Equal(t, []any{p.Stream, p.Attempt, p.Msn, p.Length, p.Offset, uint16(p.Bytes)}, []any{d.Stream, d.Attempt, d.Msn, d.Length, d.Offset, d.PayloadLen})
			require.Equal(t, Payload(nil, p.payloadKey(), p.Offset, p.Bytes), append([]byte(nil), payload...))
		}
		if p.Op == wire.OpcodeProbe {
			require.Equal(t, []any{p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn}, []any{d.Port, d.NewEpoch, d.Query, d.Txn, d.Stream, d.Msn})
		}
	})
}

// TestPayloadIsOfTheMessage: parts of a message, cut anywhere, are parts of the same bytes.
func TestPayloadIsOfTheMessage(t *testing.T) {
	whole := Payload(nil, 7, 0, 1000)
	for from := 0; from < 1000; from += 37 {
		for n := range 60 {
			if from+n <= 1000 {
				require.Equal(t, whole[from:from+n], Payload([]byte{}, 7, uint32(from), n))
			}
		}
	}
	assert.NotEqual(t, whole, Payload(nil, 8, 0, 1000))
}

func TestGarbageGoesAsFarAsItSays(t *testing.T) {
	r := sim.NewRandom(3, "test")
	for _, like := range []struct {
		name string
		past event.Reason
	}{{"", event.ReasonRunt}, {"ethernet", event.ReasonEthertype}, {"ip", event.ReasonNotUdp}, {"udp", event.ReasonUdpPort}, {"icrc", event.ReasonIcrc}, {"outer", event.ReasonIcrc}} {
		for i := range 100 {
			b := Garbage(&r, 300, like.name, i%2 == 0, i%3 == 0)
			require.Len(t, b, 300)
			got := reason(b)
			if got == event.ReasonNone && like.past == event.ReasonIcrc {
				continue // random headers that happen to be right
			}
			require.Greater(t, got, like.past, like.name)
		}
	}
	for n := 1; n < 220; n++ {
		require.Len(t, Garbage(&r, n, "icrc", false, false), n)
		require.Len(t, Garbage(&r, n, "outer", false, false), n)
	}
	require.Len(t, Garbage(&r, 70000, "udp", false, false), 70000)
}

func TestForeignKindsAreDropped(t *testing.T) {
	n := 0
	for op := range wire.Kinds {
		if k := wire.Kinds[op]; k.Known && !k.Side.Receiver() {
			p := Packet{Op: wire.Opcode(op), Bytes: 20}
			frame, _ := p.Frame()
			assert.Equal(t, event.ReasonNotReceiver, reason(frame), k.Name)
			n++
		}
	}
	assert.Equal(t, 7, n)
}

// TestInOrder: between a frame and a command, and the reverse, the ports are kept in step.
func TestInOrder(t *testing.T) {
	kinds := func(inOrder bool) (k []stimulus.Kind) {
		b := NewBuilder("x", preset.Tiny)
		b.InOrder = inOrder
		b.Raw(0, []byte{1})
		b.Stall(stimulus.PortAck, 1, 1)
		b.Read(0)
		b.Read(0)
		b.Wait(5)
		b.Raw(0, []byte{1})
		b.Raw(0, []byte{1})
		b.Read(0)
		for _, i := range b.Program.Items {
			k = append(k, i.Kind)
		}
		return k
	}
	f, s, r, w := stimulus.KindFrame, stimulus.KindStall, stimulus.KindRead, stimulus.KindWaitCycles
	assert.Equal(t, []stimulus.Kind{f, w, s, r, r, w, f, f, w, r}, kinds(true))
	assert.Equal(t, []stimulus.Kind{f, s, r, r, w, f, f, r}, kinds(false))
}

func TestOpenKeepsToTheTables(t *testing.T) {
	b := NewBuilder("x", preset.Tiny)
	for _, c := range []ConnConfig{{Index: 4, Paths: 1, Streams: 1}, {Paths: 5, Streams: 1}, {Paths: 0, Streams: 1}, {Paths: 1, Streams: 3}, {Paths: 1, Streams: 32}} {
		_, err := b.Open(c)
		assert.Error(t, err, "%+v", c)
	}
	_, err := b.Open(ConnConfig{Paths: 1, Streams: 1})
	require.NoError(t, err)
	second, err := b.Open(ConnConfig{Index: 1, Paths: 1, Streams: 8})
	require.NoError(t, err)
	assert.EqualValues(t, 8, second.Base, "a multiple of its size")
	_, err = b.Open(ConnConfig{Index: 2, Paths: 1, Streams: 1})
	assert.ErrorContains(t, err, "are taken")
}

func TestFramesAreWritten(t *testing.T) {
	p := Packet{Op: wire.OpcodeSend, Bytes: 4, Length: 4, Net: Net{PadTo: 200, Cut: 70}}
	frame, payload := p.Frame()
	assert.Len(t, frame, 70)
	assert.Nil(t, payload)
	p.Net.Cut = 0
	frame, payload = p.Frame()
	assert.Len(t, frame, 200)
	assert.True(t, bytes.Contains(frame, payload))
}
