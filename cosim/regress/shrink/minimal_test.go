package shrink

import (
	"hash/fnv"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// oneByOne is Minimal without big steps: it begins again after every one that it leaves out.
func oneByOne(n int, test func([]int) bool) []int {
	keep := make([]int, n)
	for i := range keep {
		keep[i] = i
	}
again:
	for i := range keep {
		rest := slices.Delete(slices.Clone(keep), i, i+1)
		if test(rest) {
			keep = rest
			goto again
		}
	}
	return keep
}

// TestMinimalFindsWhatIsNeeded: where some are needed and nothing else matters, these are found, as the slow way does.
func TestMinimalFindsWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 80).Draw(t, "n")
		need := []int{}
		for i := range n {
			if rapid.IntRange(0, 9).Draw(t, "needed") == 0 {
				need = append(need, i)
			}
		}
		tests := 0
		test := func(keep []int) bool {
			tests++
			for _, x := range need {
				if !slices.Contains(keep, x) {
					return false
				}
			}
			return true
		}
		got := Minimal(n, test)
		assert.Equal(t, need, append([]int{}, got...))
		few := tests
		assert.Equal(t, need, append([]int{}, oneByOne(n, test)...))
		if n > 40 && len(need) < 3 {
			assert.Less(t, few, tests-few, "halves save tests")
		}
	})
}

// TestMinimalIsMinimal: of any test that is a function of what stays, the end holds, and without any one of it does not.
func TestMinimalIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, odds, salt := rapid.IntRange(0, 60).Draw(t, "n"), rapid.IntRange(2, 9).Draw(t, "odds"), rapid.Byte().Draw(t, "salt")
		test := func(keep []int) bool {
			h := fnv.New32a()
			h.Write([]byte{salt})
			for _, k := range keep {
				h.Write([]byte{byte(k)})
			}
			return len(keep) == n || h.Sum32()%uint32(odds) == 0
		}
		got := Minimal(n, test)
		require.True(t, test(got))
		require.True(t, slices.IsSorted(got))
		for i := range got {
			assert.False(t, test(slices.Delete(slices.Clone(got), i, i+1)), "without %d", got[i])
		}
	})
}

// TestMinimalOfWhatFlips: the end is a part for which the test held once, whatever it says, and there is an end.
func TestMinimalOfWhatFlips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		var held []int
		for i := range n {
			held = append(held, i)
		}
		got := Minimal(n, func(keep []int) bool {
			yes := rapid.IntRange(0, 3).Draw(t, "flip") == 0
			if yes {
				held = slices.Clone(keep)
			}
			return yes
		})
		assert.Equal(t, append([]int{}, held...), append([]int{}, got...))
	})
}
