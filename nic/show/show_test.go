package show

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

func TestEveryKind(t *testing.T) {
	r := NewReader()
	n := 0
	for op := range wire.Kinds {
		k := &wire.Kinds[op]
		if !k.Known {
			continue
		}
		n++
		p := compose.Packet{Op: wire.Opcode(op), Bytes: 10, DstConn: 0x070003, Path: 2, Psn: 5, Tsn: 9, A: true, L: true, Net: compose.Net{CE: true, IPv6: n%2 == 0, VLAN: n%3 == 0, Sport: 777}}
		frame, _ := p.Frame()
		got := r.Read(frame)
		assert.Equal(t, n, got.Number)
		assert.Equal(t, k.Name, got.Kind)
		assert.Empty(t, got.Why)
		assert.True(t, got.CE)
		assert.EqualValues(t, 777, got.Sport)
		want := 0
		for _, id := range k.Headers {
			for _, f := range wire.Headers[id].Fields {
				if !f.Reserved {
					want++
				}
			}
		}
		assert.Len(t, got.Fields, want)
		assert.Contains(t, got.Line(), k.Name)
		assert.Contains(t, got.Line(), " conn 3.7 path 2")
		assert.Contains(t, got.Line(), " A L CE")
		assert.Equal(t, want+1, strings.Count(got.Text(), "\n"), "a line for each field")
		parts := r.Parts(frame)
		whole(t, frame, parts)
		assert.Equal(t, "Ethernet", parts[0].Name)
		last := parts[len(parts)-1]
		assert.Equal(t, "icrc", last.Name)
		assert.Len(t, last.Text, 8, "right")
		fields := 0
		for _, x := range parts {
			fields += len(x.Fields)
		}
		assert.Equal(t, want, fields)
		if k.Payload {
			assert.Equal(t, 10, got.Payload)
		}
	}
	assert.Equal(t, 15, n)
}

// whole holds that parts are the frame, cut and nothing else.
func whole(t testing.TB, frame []byte, parts []Part) {
	t.Helper()
	at := 0
	for _, x := range parts {
		require.Equal(t, at, x.At)
		require.NotEmpty(t, x.Bytes, x.Name)
		require.Equal(t, frame[at:at+len(x.Bytes)], x.Bytes)
		at += len(x.Bytes)
	}
	require.Equal(t, len(frame), at)
}

func TestPartsOfABadFrame(t *testing.T) {
	bad, _ := compose.BadByName("icrc")
	p := compose.Packet{Op: wire.OpcodeWrite, Bytes: 10, Net: compose.Net{Bad: bad}}
	frame, _ := p.Frame()
	parts := NewReader().Parts(frame)
	whole(t, frame, parts)
	assert.Contains(t, parts[len(parts)-1].Text, "should be")
	bad, _ = compose.BadByName("ethertype")
	p.Net.Bad = bad
	frame, _ = p.Frame()
	parts = NewReader().Parts(frame)
	whole(t, frame, parts)
	assert.Equal(t, "rest", parts[len(parts)-1].Name)
}

func TestWrongFrames(t *testing.T) {
	for name, want := range map[string]string{"icrc": "ICRC", "opcode": "opcode unknown", "headers": "message header cut short", "tiny": "UDP payload of 20 bytes",
		"ethertype": "not MetaRoCE", "tcp": "not MetaRoCE", "double_vlan": ""} {
		bad, ok := compose.BadByName(name)
		require.True(t, ok)
		p := compose.Packet{Op: wire.OpcodeWrite, Bytes: 10, Net: compose.Net{Bad: bad}}
		frame, _ := p.Frame()
		assert.Contains(t, NewReader().Read(frame).Line(), want, name)
	}
	other := compose.Packet{Op: wire.OpcodeWrite, Net: compose.Net{Dport: 4791}}
	frame, _ := other.Frame()
	assert.Contains(t, NewReader().Read(frame).Line(), "not MetaRoCE")
}

func FuzzRead(f *testing.F) {
	p := compose.Packet{Op: wire.OpcodeSendImm, Bytes: 10}
	frame, _ := p.Frame()
	f.Add(frame)
	f.Fuzz(func(t *testing.T, frame []byte) {
		r := NewReader().Read(frame)
		if r.Line() == "" || r.Text() == "" {
			t.Fatal("nothing to say")
		}
		whole(t, frame, NewReader().Parts(frame))
	})
}
