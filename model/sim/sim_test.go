package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
)

// TestRingTwin holds the ring against a slice, across growth and wrap of its buffer.
func TestRingTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r sim.Ring[int]
		var twin []int
		first := 0
		for i := range rapid.IntRange(0, 300).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "drop") == 0 {
				r.Drop()
				if len(twin) > 0 {
					twin = twin[1:]
					first++
				}
			} else {
				*r.Push() = i
				twin = append(twin, i)
			}
			require.Equal(t, len(twin), r.Len())
			require.Equal(t, uint64(first), r.First())
			require.Equal(t, uint64(first+len(twin)), r.End())
			for j, v := range twin {
				require.Equal(t, v, *r.At(uint64(first + j)))
			}
			if len(twin) == 0 {
				require.Nil(t, r.Head())
			} else {
				require.Equal(t, twin[0], *r.Head())
			}
		}
	})
}

func TestRingDoesNotAllocateOnceGrown(t *testing.T) {
	var r sim.Ring[[4]uint64]
	for range 16 {
		r.Push()
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.Drop()
		r.Push()
	}))
}

// TestStreamsAreApart: a stream depends on its seed and name only, and names give other numbers.
func TestStreamsAreApart(t *testing.T) {
	draw := func(seed uint64, name string) (v [8]uint64) {
		r := sim.NewRandom(seed, name)
		for i := range v {
			v[i] = r.Uint64()
		}
		return v
	}
	require.Equal(t, draw(1, "a"), draw(1, "a"))
	require.NotEqual(t, draw(1, "a"), draw(1, "b"))
	require.NotEqual(t, draw(1, "a"), draw(2, "a"))
}

func TestRandomStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := sim.NewRandom(rapid.Uint64().Draw(t, "seed"), "range")
		lo, hi := rapid.Uint64Range(0, 1000).Draw(t, "lo"), rapid.Uint64Range(0, 1000).Draw(t, "hi")
		v := r.Between(lo, hi)
		require.GreaterOrEqual(t, v, lo)
		require.LessOrEqual(t, v, max(lo, hi))
		require.Less(t, r.Below(hi+1), hi+1)
	})
	r := sim.NewRandom(1, "edges")
	require.Zero(t, r.Below(0))
	require.Zero(t, r.Below(1))
	require.False(t, r.Permille(0))
	require.True(t, r.Permille(1000))
}

// TestRandomIsSpread: every value of a small range comes about equally often.
func TestRandomIsSpread(t *testing.T) {
	r := sim.NewRandom(7, "spread")
	var n [10]int
	for range 10000 {
		n[r.Below(10)]++
	}
	for i, k := range n {
		require.InDelta(t, 1000, k, 150, "value %d", i)
	}
}

func TestTime(t *testing.T) {
	require.Equal(t, sim.Picos(12000), sim.Cycle(3).Picos(4000))
	require.Equal(t, sim.Cycle(2), sim.Picos(11999).Cycles(4000))
	require.Zero(t, sim.Picos(5).Cycles(0))
}
