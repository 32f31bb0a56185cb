package slot_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/slot"
)

func step(ask *event.SlotAsk, serve *event.SlotServe, op uint8, in event.SlotIn) event.SlotOut {
	out := event.SlotOut{PayloadLen: 9}
	slot.Step(ask, serve, op, &in, &out)
	return out
}

// TestReadFromEndToEnd: a request executes behind the messages before it, its answer is cut into parts that cover it once,
// and the requester is done with the last part, in whatever order they come.
func TestReadFromEndToEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ask event.SlotAsk
		var serve event.SlotServe
		in := event.SlotIn{StreamRow: 5, Msn: rapid.Uint32().Draw(t, "msn"), Atomic: rapid.Bool().Draw(t, "atomic"),
			Length: uint32(rapid.IntRange(0, 20000).Draw(t, "length"))}
		want := in.Length
		if in.Atomic {
			want = 8
		}
		require.Equal(t, event.SlotOut{Take: true}, step(&ask, &serve, event.SlotRequest, in))

		behind := uint32(rapid.IntRange(0, 3).Draw(t, "messages before"))
		in.Completed = in.Msn - behind
		require.Equal(t, behind == 0, step(&ask, &serve, event.SlotPark, in).Take)
		for ; behind > 0; behind-- {
			in.Completed = in.Msn - behind
			require.False(t, step(&ask, &serve, event.SlotExecute, in).Take, "before an earlier message")
			require.True(t, step(&ask, &serve, event.SlotCut, event.SlotIn{PayloadLen: 1}).Wrong)
			if behind == 1 {
				in.Completed = in.Msn
				require.True(t, step(&ask, &serve, event.SlotExecute, in).Take)
			}
		}
		in.Completed = in.Msn + 1
		require.False(t, step(&ask, &serve, event.SlotExecute, in).Take, "executes once")

		var parts []event.SlotIn
		most := uint16(rapid.IntRange(1, 4096).Draw(t, "most"))
		for end := uint32(0); ; {
			out := step(&ask, &serve, event.SlotCut, event.SlotIn{PayloadLen: most})
			require.True(t, out.Take)
			require.Equal(t, end, out.Offset)
			require.LessOrEqual(t, out.PayloadLen, most)
			end += uint32(out.PayloadLen)
			parts = append(parts, event.SlotIn{Offset: out.Offset, PayloadLen: out.PayloadLen})
			require.Equal(t, end == want, out.Done)
			if out.Done {
				break
			}
		}
		require.Equal(t, event.SlotServe{}, serve)
		order := rapid.Permutation(parts).Draw(t, "order")
		for i, part := range order {
			out := step(&ask, &serve, event.SlotResponse, part)
			require.Equal(t, event.SlotOut{Take: true, Done: i == len(order)-1}, out)
		}
		require.Equal(t, event.SlotAsk{}, ask)
	})
}

// TestWrong: what cannot be changes nothing.
func TestWrong(t *testing.T) {
	taken := event.SlotAsk{Used: true, Msn: 4, Length: 100, Arrived: 60}
	parked := event.SlotServe{Used: true, Parked: true, Msn: 4, Length: 100}
	running := event.SlotServe{Used: true, Msn: 4, Length: 100, Cut: 50}
	for _, c := range []struct {
		name  string
		ask   event.SlotAsk
		serve event.SlotServe
		op    uint8
		in    event.SlotIn
	}{
		{"slot is taken", taken, event.SlotServe{}, event.SlotRequest, event.SlotIn{Length: 5}},
		{"nobody asked", event.SlotAsk{}, event.SlotServe{}, event.SlotResponse, event.SlotIn{}},
		{"behind the answer", taken, event.SlotServe{}, event.SlotResponse, event.SlotIn{Offset: 90, PayloadLen: 20}},
		{"far behind it", taken, event.SlotServe{}, event.SlotResponse, event.SlotIn{Offset: 0xffffffff, PayloadLen: 20}},
		{"more than is left", taken, event.SlotServe{}, event.SlotResponse, event.SlotIn{Offset: 0, PayloadLen: 41}},
		{"responder's slot is taken", event.SlotAsk{}, parked, event.SlotPark, event.SlotIn{Length: 5, Msn: 9, Completed: 9}},
		{"cut of a parked request", event.SlotAsk{}, parked, event.SlotCut, event.SlotIn{PayloadLen: 10}},
		{"cut of no request", event.SlotAsk{}, event.SlotServe{}, event.SlotCut, event.SlotIn{PayloadLen: 10}},
		{"cut into nothing", event.SlotAsk{}, running, event.SlotCut, event.SlotIn{}},
		{"failure of no request", event.SlotAsk{}, event.SlotServe{}, event.SlotFail, event.SlotIn{}},
		{"drop of no request", event.SlotAsk{}, event.SlotServe{}, event.SlotDrop, event.SlotIn{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask, serve := c.ask, c.serve
			require.Equal(t, event.SlotOut{Wrong: true}, step(&ask, &serve, c.op, c.in))
			require.Equal(t, c.ask, ask)
			require.Equal(t, c.serve, serve)
		})
	}
}

func TestFailAndDrop(t *testing.T) {
	ask, serve := event.SlotAsk{Used: true, Length: 4}, event.SlotServe{Used: true, Parked: true}
	require.Zero(t, step(&ask, &serve, event.SlotFail, event.SlotIn{}))
	require.Equal(t, event.SlotAsk{}, ask)
	require.True(t, serve.Used)
	require.Zero(t, step(&ask, &serve, event.SlotDrop, event.SlotIn{}))
	require.Equal(t, event.SlotServe{}, serve)
	require.Zero(t, step(&ask, &serve, event.SlotExecute, event.SlotIn{Completed: 7}), "nothing to execute is nothing wrong")
}

func TestAtomic(t *testing.T) {
	require.Equal(t, uint64(12), slot.Atomic(5, true, 99, 7))
	require.Equal(t, uint64(2), slot.Atomic(^uint64(0), true, 0, 3), "wraps")
	require.Equal(t, uint64(7), slot.Atomic(5, false, 5, 7))
	require.Equal(t, uint64(5), slot.Atomic(5, false, 6, 7))
}

func BenchmarkResponse(b *testing.B) {
	var ask event.SlotAsk
	var serve event.SlotServe
	var out event.SlotOut
	b.ReportAllocs()
	for i := range b.N {
		if i&63 == 0 {
			ask = event.SlotAsk{}
			slot.Step(&ask, &serve, event.SlotRequest, &event.SlotIn{Length: 64 * 4096}, &out)
		}
		slot.Step(&ask, &serve, event.SlotResponse, &event.SlotIn{Offset: uint32(i&63) * 4096, PayloadLen: 4096}, &out)
	}
}
