package endpoint

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPaceHeapTwin holds the heap against a list that is searched, across the wrap of ticks.
func TestPaceHeapTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h paceHeap
		var twin []paced
		base := rapid.Uint32().Draw(t, "base")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(twin) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				got := h.pop()
				i := slices.IndexFunc(twin, func(e paced) bool { return e == got })
				require.GreaterOrEqual(t, i, 0)
				for _, e := range twin {
					require.GreaterOrEqual(t, int32(e.at-got.at), int32(0), "the earliest comes first")
				}
				twin = slices.Delete(twin, i, i+1)
				continue
			}
			e := paced{base + rapid.Uint32Range(0, 5000).Draw(t, "at"), rapid.Uint16().Draw(t, "connection")}
			h.push(e.at, e.conn)
			twin = append(twin, e)
		}
		require.Len(t, h.e, len(twin))
	})
}

// TestWheelTwin: nothing is popped before its time or more than a slot late, everything once, across the wrap of ticks
// and beyond the horizon.
func TestWheelTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w wheel
		type entry struct{ tick, slot uint32 }
		twin := map[uint32]entry{}
		now := rapid.Uint32().Draw(t, "start")
		_, _, ok := w.pop(now)
		require.False(t, ok)
		for id := range uint32(rapid.IntRange(1, 150).Draw(t, "steps")) {
			tick := now + uint32(rapid.IntRange(-2000, 300_000).Draw(t, "ahead"))
			slot := w.add(id, tick)
			require.NotEqual(t, uint32(notInWheel), slot)
			require.False(t, w.before(tick, slot), "it stands there already")
			if int32(tick-now) < 0 {
				tick = now // overdue: as soon as possible
			}
			twin[id] = entry{tick, slot}
			now += rapid.Uint32Range(0, 3000).Draw(t, "passes")
			if next, any := w.next(); any {
				for _, e := range twin {
					require.LessOrEqual(t, int32(next-e.tick), int32(slotTicks), "asked for in time")
				}
			}
			for {
				id, slot, ok := w.pop(now)
				if !ok {
					break
				}
				e, known := twin[id]
				require.True(t, known, "once")
				require.Equal(t, e.slot, slot)
				if ahead := int32(e.tick - now); ahead > 0 {
					require.GreaterOrEqual(t, ahead+int32(slotTicks), int32((wheelSlots-2)*slotTicks)-300_000, "early only from beyond the horizon")
				}
				delete(twin, id)
			}
			for id, e := range twin {
				require.Less(t, int32(now-e.tick), int32(slotTicks), "%d is overdue", id)
			}
		}
		require.Equal(t, len(twin), w.count)
	})
}
