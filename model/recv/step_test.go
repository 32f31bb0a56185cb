package recv_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/recv"
	"metaroce/tandem/model/wire"
)

func TestMatch(t *testing.T) {
	posted := event.RecvRecv{Valid: true, Index: 20, Addr: 0xfffffff0, Length: 100, WrId: 7}
	for _, c := range []struct {
		name string
		row  event.RecvRecv
		in   event.RecvIn
		want event.RecvOut
	}{
		{"send", posted, event.RecvIn{RecvIndex: 20, Length: 100, Offset: 64}, event.RecvOut{AddrOut: 0x1_0000_0030, WrIdOut: 7}},
		{"message longer than the receive", posted, event.RecvIn{RecvIndex: 20, Length: 101, Offset: 3}, event.RecvOut{Syndrome: wire.SyndromeLength}},
		{"another receive of the row", posted, event.RecvIn{RecvIndex: 36, Length: 1}, event.RecvOut{Syndrome: wire.SyndromeRnr}},
		{"nothing posted", event.RecvRecv{}, event.RecvIn{}, event.RecvOut{Syndrome: wire.SyndromeRnr}},
		{"write with immediate keeps its address, whatever the length", posted, event.RecvIn{RecvIndex: 20, Write: true, Length: 5000, Offset: 64, Addr: 99}, event.RecvOut{AddrOut: 99, WrIdOut: 7}},
		{"write with immediate without a receive", posted, event.RecvIn{RecvIndex: 21, Write: true, Addr: 99}, event.RecvOut{Syndrome: wire.SyndromeRnr, AddrOut: 99}},
		{"key's refusal goes before", event.RecvRecv{}, event.RecvIn{Write: true, Addr: 99, SyndromeIn: wire.SyndromeBounds}, event.RecvOut{Syndrome: wire.SyndromeBounds, AddrOut: 99}},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := c.row
			var out event.RecvOut
			recv.Step(&row, event.RecvMatch, &c.in, &out)
			require.Equal(t, c.want, out)
			require.Equal(t, c.row, row, "a match leaves the row: the index is the guard")
		})
	}
}

// TestTwin holds a ring of rows against a map from index to receive.
func TestTwin(t *testing.T) {
	const rows = 4
	rapid.Check(t, func(t *rapid.T) {
		var ring [rows]event.RecvRecv
		posted := map[uint32]event.RecvIn{} // what the rows hold
		base := rapid.Uint32().Draw(t, "base")
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			in := event.RecvIn{
				RecvIndex: base + uint32(rapid.IntRange(0, 12).Draw(t, "index")), Addr: rapid.Uint64().Draw(t, "addr"),
				Length: uint32(rapid.IntRange(0, 50).Draw(t, "length")), WrId: rapid.Uint32().Draw(t, "id"), Offset: uint32(rapid.IntRange(0, 50).Draw(t, "offset")),
			}
			op := uint8(rapid.IntRange(0, 2).Draw(t, "op"))
			var out event.RecvOut
			recv.Step(&ring[in.RecvIndex%rows], op, &in, &out)
			switch op {
			case event.RecvMatch:
				p, ok := posted[in.RecvIndex]
				switch {
				case !ok:
					require.Equal(t, wire.SyndromeRnr, out.Syndrome)
				case in.Length > p.Length:
					require.Equal(t, wire.SyndromeLength, out.Syndrome)
				default:
					require.Equal(t, event.RecvOut{AddrOut: p.Addr + uint64(in.Offset), WrIdOut: p.WrId}, out)
				}
			default: // a post or a clear takes the row from whatever was in it
				for i := range posted {
					if i%rows == in.RecvIndex%rows {
						delete(posted, i)
					}
				}
				if op == event.RecvPost {
					posted[in.RecvIndex] = in
				}
			}
		}
	})
}
