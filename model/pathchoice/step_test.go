package pathchoice_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathchoice"
)

// twin is the pointer policy with a counter a path and a loop.
type twin struct {
	pointer int
	penalty [64]int
	turn    int // packets that the path last chosen may yet carry
}

func (w *twin) choose(eligible uint64, burst int) int {
	if last := (w.pointer + 63) % 64; w.turn > 0 && eligible>>last&1 != 0 && w.penalty[last] == 0 {
		w.turn--
		return last
	}
	w.turn = burst - 1
	least, chosen := 99, -1
	for i := range 64 {
		p := (w.pointer + i) % 64
		if eligible>>p&1 == 0 {
			continue
		}
		if w.penalty[p] == 0 {
			chosen = p
			break
		}
		if w.penalty[p] < least {
			least, chosen = w.penalty[p], p
		}
		w.penalty[p]--
	}
	w.pointer = (chosen + 1) % 64
	return chosen
}

func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w twin
		var row event.PathChoiceChoice
		paths := rapid.SampledFrom([]int{1, 2, 8, 16, 17, 64}).Draw(t, "paths")
		all := ^uint64(0) >> (64 - paths)
		burst := rapid.SampledFrom([]uint8{0, 1, 2, 3, 16}).Draw(t, "burst")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			var out event.PathChoiceOut
			if rapid.IntRange(0, 3).Draw(t, "mark") == 0 {
				p := rapid.IntRange(0, paths-1).Draw(t, "path")
				add := rapid.SampledFrom([]int{1, 1, 15}).Draw(t, "add")
				pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: uint8(p), Add: uint8(add)}, &out)
				w.penalty[p] = min(15, w.penalty[p]+add)
				require.Zero(t, out)
			} else {
				in := event.PathChoiceIn{Active: rapid.Uint64().Draw(t, "active") & all, Room: rapid.Uint64().Draw(t, "room"), Burst: burst}
				pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
				eligible := in.Active & in.Room
				require.Equal(t, eligible == 0, out.None)
				if eligible != 0 {
					require.Equal(t, w.choose(eligible, max(1, int(burst))), int(out.Chosen))
				}
			}
			require.Equal(t, w.pointer, int(row.Pointer))
			for p := range paths {
				require.Equal(t, w.penalty[p], int(pathchoice.Penalty(&row, uint8(p))))
			}
		}
	})
}

// TestEveryPathInTurn: without penalties the eligible paths follow each other, each as often as any other.
func TestEveryPathInTurn(t *testing.T) {
	var row event.PathChoiceChoice
	var out event.PathChoiceOut
	count := map[uint8]int{}
	for range 32 {
		pathchoice.Step(&row, event.PathChoiceChoose, &event.PathChoiceIn{Active: 1<<63 | 0b10110, Room: ^uint64(0)}, &out)
		count[out.Chosen]++
	}
	require.Equal(t, map[uint8]int{1: 8, 2: 8, 4: 8, 63: 8}, count)
}

// TestPacketsInARow: a path carries so many in a row, and fewer when it has no room or a mark.
func TestPacketsInARow(t *testing.T) {
	var row event.PathChoiceChoice
	var out event.PathChoiceOut
	choose := func(room uint64) uint8 {
		in := event.PathChoiceIn{Active: 0b1011, Room: room, Burst: 3}
		pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
		return out.Chosen
	}
	got := []uint8{}
	for range 8 {
		got = append(got, choose(^uint64(0)))
	}
	require.Equal(t, []uint8{0, 0, 0, 1, 1, 1, 3, 3}, got)
	require.Equal(t, uint8(0), choose(0b0111), "no room")
	require.Equal(t, uint8(0), choose(^uint64(0)), "what a path lost of its turn is not made up")
	pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: 0, Add: 1}, &out)
	require.Equal(t, uint8(1), choose(^uint64(0)), "a mark ends a turn")
}

// TestPenaltyCostsTurns: a path with penalty n misses n turns while others can go, and none when it is alone.
func TestPenaltyCostsTurns(t *testing.T) {
	var row event.PathChoiceChoice
	var out event.PathChoiceOut
	pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: 2, Add: 15}, &out)
	pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: 2, Add: 1}, &out)
	require.Equal(t, uint8(15), pathchoice.Penalty(&row, 2), "saturates")
	turns := 0
	for {
		pathchoice.Step(&row, event.PathChoiceChoose, &event.PathChoiceIn{Active: 0b101, Room: ^uint64(0)}, &out)
		if out.Chosen == 2 {
			break
		}
		turns++
	}
	require.Equal(t, 16, turns, "15 turns that it was passed over, and the one before its first")
	pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: 2, Add: 9}, &out)
	pathchoice.Step(&row, event.PathChoiceChoose, &event.PathChoiceIn{Active: 0b101, Room: 0b100}, &out)
	require.Equal(t, uint8(2), out.Chosen, "nothing waits for a penalty")
	require.Equal(t, uint8(8), pathchoice.Penalty(&row, 2))
}

func TestLargest(t *testing.T) {
	free := make([]uint32, 64)
	free[3], free[9], free[60] = 5000, 7000, 7000
	require.Equal(t, uint8(9), pathchoice.Best(free, 1<<3|1<<9|1<<60, 0))
	require.Equal(t, uint8(60), pathchoice.Best(free, 1<<3|1<<9|1<<60, 10), "first from the pointer among equals")
	require.Equal(t, uint8(3), pathchoice.Best(free, 1<<3|1<<4, 10))
	require.Equal(t, uint8(4), pathchoice.Best(free, 1<<4, 10), "no window free, but eligible")

	row, out := event.PathChoiceChoice{}, event.PathChoiceOut{}
	in := event.PathChoiceIn{Policy: pathchoice.Largest, Path: 9, Active: 1<<3 | 1<<9, Room: ^uint64(0)}
	pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
	require.Equal(t, event.PathChoiceOut{Chosen: 9}, out)
	require.Equal(t, uint8(10), row.Pointer)
	in.Room = 1 << 3
	pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
	require.Equal(t, uint8(3), out.Chosen, "a path that is not eligible is not chosen")
}

// TestOblivious: the draw alone decides, each eligible path has an equal part of it, whatever its penalty.
func TestOblivious(t *testing.T) {
	row, out := event.PathChoiceChoice{}, event.PathChoiceOut{}
	pathchoice.Step(&row, event.PathChoiceMark, &event.PathChoiceIn{Path: 7, Add: 15}, &out)
	mask := uint64(1<<0 | 1<<7 | 1<<33 | 1<<63)
	count := map[uint8]int{}
	for draw := range 1 << 16 {
		in := event.PathChoiceIn{Policy: pathchoice.Oblivious, Draw: uint16(draw), Active: mask, Room: ^uint64(0)}
		pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
		count[out.Chosen]++
	}
	require.Equal(t, map[uint8]int{0: 1 << 14, 7: 1 << 14, 33: 1 << 14, 63: 1 << 14}, count)
	require.Equal(t, uint8(15), pathchoice.Penalty(&row, 7))
}

// TestNoneChangesNothing, by any policy.
func TestNoneChangesNothing(t *testing.T) {
	for policy := range uint8(3) {
		row := event.PathChoiceChoice{Pointer: 5}
		row.Penalty.Set(3)
		before, out := row, event.PathChoiceOut{Chosen: 4}
		pathchoice.Step(&row, event.PathChoiceChoose, &event.PathChoiceIn{Policy: policy, Active: 0b1100, Room: 0b11}, &out)
		require.Equal(t, event.PathChoiceOut{None: true}, out)
		require.Equal(t, before, row)
	}
}

// TestChosenIsEligible: whatever the row holds.
func TestChosenIsEligible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := event.PathChoiceChoice{Pointer: uint8(rapid.IntRange(0, 63).Draw(t, "pointer")), Turn: uint8(rapid.IntRange(0, 15).Draw(t, "turn"))}
		for i := range row.Penalty {
			row.Penalty[i] = rapid.Uint64().Draw(t, "penalty")
		}
		in := event.PathChoiceIn{Policy: uint8(rapid.IntRange(0, 2).Draw(t, "policy")), Path: rapid.Uint8().Draw(t, "path"),
			Draw: rapid.Uint16().Draw(t, "draw"), Active: rapid.Uint64().Draw(t, "active"), Room: rapid.Uint64().Draw(t, "room")}
		var out event.PathChoiceOut
		pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
		if !out.None {
			require.Less(t, out.Chosen, uint8(64))
			require.NotZero(t, in.Active&in.Room>>out.Chosen&1)
			require.Less(t, row.Pointer, uint8(64))
			require.Less(t, row.Turn, uint8(16))
		}
		require.Equal(t, bits.OnesCount64(in.Active&in.Room) == 0, out.None)
	})
}

func BenchmarkChoose(b *testing.B) {
	for _, c := range []struct {
		name string
		add  uint8
	}{{"no penalty", 0}, {"penalties", 15}} {
		b.Run(c.name, func(b *testing.B) {
			var row event.PathChoiceChoice
			var out event.PathChoiceOut
			in := event.PathChoiceIn{Active: 0xff, Room: 0xff, Add: c.add}
			b.ReportAllocs()
			for i := range b.N {
				if i&15 == 0 && c.add > 0 {
					in.Path = uint8(i>>4) & 7
					pathchoice.Step(&row, event.PathChoiceMark, &in, &out)
				}
				pathchoice.Step(&row, event.PathChoiceChoose, &in, &out)
			}
		})
	}
}
