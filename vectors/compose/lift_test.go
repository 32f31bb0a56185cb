package compose

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/layers"
)

func anyPacket(t *rapid.T) Packet {
	u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	var known []wire.Opcode
	for op := range wire.Kinds {
		if wire.Kinds[op].Known {
			known = append(known, wire.Opcode(op))
		}
	}
	return Packet{Op: rapid.SampledFrom(known).Draw(t, "op"), Epoch: uint8(u32("epoch") & 15), A: flag("a"), D: flag("d"), R: flag("r"), B: flag("b"), L: flag("l"),
		Path: uint8(u32("path")), DstConn: u32("conn") & 0xffffff, Psn: u32("psn"), Tsn: u32("tsn"), Time: u32("time"), Stream: uint16(u32("stream")),
		Attempt: uint8(u32("attempt") & 15), Msn: u32("msn"), Length: u32("length"), Offset: u32("offset"), Rkey: u32("rkey"), Addr: rapid.Uint64().Draw(t, "addr"),
		Recv: u32("recv"), Imm: u32("imm"), Port: uint16(u32("port")), NewEpoch: uint8(u32("new") & 15), Query: flag("query"), Txn: uint8(u32("txn")),
		Bytes: rapid.IntRange(0, 300).Draw(t, "bytes"), Net: Net{VLAN: flag("vlan"), IPv6: flag("ipv6"), CE: flag("ce"), Sport: uint16(u32("sport")), PadTo: rapid.IntRange(0, 500).Draw(t, "pad")}}
}

// TestUDPTwin: the payload that is put together here is the one that nic/layers makes of the same headers.
func TestUDPTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPacket(t)
		kind := &wire.Kinds[p.Op]
		w := layers.Packet{Base: wire.Base{Version: preset.Version, Epoch: p.Epoch, Opcode: p.Op, FlagA: p.A, FlagD: p.D, FlagR: p.R, FlagB: p.B, FlagL: p.L,
			Path: p.Path, DstConn: p.DstConn, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.Time}}
		for _, id := range kind.Headers[1:] {
			w.Headers = append(w.Headers, plain(p.appendHeader(nil, id)))
		}
		if kind.Payload {
			for i := range p.Bytes { // byte by byte: the slow twin of Payload
				w.Payload = append(w.Payload, Payload(nil, p.payloadKey(), p.Offset+uint32(i), 1)[0])
			}
		}
		want, err := w.AppendUDP(nil)
		require.NoError(t, err)
		if uint64(p.Offset)+uint64(p.Bytes) < 1<<32 {
			require.Equal(t, want, p.appendUDP(nil))
		}
	})
}

type plain []byte

func (b plain) Append(to []byte) []byte { return append(to, b...) }

// TestLift: a frame that is made here comes back as a packet that makes it; its payload is found in it. A frame that was
// changed does not.
func TestLift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPacket(t)
		frame, payload := p.Frame()
		got, ok := Lift(frame)
		if !wire.Kinds[p.Op].CarriesMessage && p.Op != wire.OpcodeFlush && p.Op != wire.OpcodeProbe {
			return // headers with fields that a Packet does not have: they may come back or not
		}
		require.True(t, ok)
		again, _ := got.Frame()
		require.Equal(t, frame, again)
		require.Equal(t, string(payload), string(PayloadOf(frame)))
		at := rapid.IntRange(p.Net.udpAt()+udpBytes+wire.BaseSize, len(frame)-1).Draw(t, "at")
		frame[at] ^= 0x10
		if other, ok := Lift(frame); ok {
			made, _ := other.Frame()
			require.Equal(t, frame, made)
		}
	})
	for n := range 100 {
		got, ok := Lift(make([]byte, n))
		assert.False(t, ok, "%v", got)
		assert.Nil(t, PayloadOf(make([]byte, n)))
	}
}

// TestLiftEveryTruncation: a frame that is cut off is no packet, and nothing is read behind its end.
func TestLiftEveryTruncation(t *testing.T) {
	p := Packet{Op: wire.OpcodeWriteImm, Bytes: 70, Length: 70, Net: Net{VLAN: true, IPv6: true}}
	frame, _ := p.Frame()
	for n := range frame {
		_, ok := Lift(frame[:n])
		assert.False(t, ok)
	}
}
