package coverage

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func executions(t *rapid.T) []Execution {
	n := rapid.IntRange(0, 9).Draw(t, "executions")
	all := make([]Execution, n)
	for i := range all {
		all[i] = Execution{fmt.Sprintf("t@%d", i), SetOf(rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 63, 64, 65, 130}), 0, 7).Draw(t, "hit"))}
	}
	return all
}

func union(all []Execution, chosen func(i int) bool) Set {
	var s Set
	for i := range all {
		if chosen(i) {
			s = s.with(all[i].Hit)
		}
	}
	return s
}

// smallest tries every choice.
func smallest(all []Execution) int {
	whole := union(all, func(int) bool { return true }).Len()
	best := len(all)
	for mask := range 1 << len(all) {
		if n := bits.OnesCount(uint(mask)); n < best && union(all, func(i int) bool { return mask>>i&1 == 1 }).Len() == whole {
			best = n
		}
	}
	return best
}

// greedy is the choice without a queue, and without leaving out what became superfluous.
func greedy(all []Execution) []int {
	var have Set
	var chosen []int
	for {
		best, most := -1, 0
		for i := range all {
			if n := all[i].Hit.beyond(have); n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return chosen
		}
		chosen, have = append(chosen, best), have.with(all[best].Hit)
	}
}

// TestRank: everything stays covered, nothing chosen is superfluous, and there are no more of them than the greedy choice
// has, nor more than its bound over the smallest set there is: H(d) for sets of at most d.
func TestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := executions(t)
		list := Rank(all)
		chosen := map[string]bool{}
		sum := 0
		for _, r := range list {
			require.Positive(t, r.Adds)
			sum += r.Adds
			assert.Equal(t, sum, r.Sum)
			chosen[r.ID] = true
		}
		in := func(i int) bool { return chosen[all[i].ID] }
		whole := union(all, func(int) bool { return true })
		assert.Equal(t, whole.Len(), union(all, in).Len())
		for i := range all {
			if in(i) {
				assert.Less(t, union(all, func(k int) bool { return k != i && in(k) }).Len(), whole.Len(), "%s is superfluous", all[i].ID)
			}
		}
		assert.LessOrEqual(t, len(list), len(greedy(all)))
		largest, h := 0, 0.0
		for i := range all {
			largest = max(largest, all[i].Hit.Len())
		}
		for d := range largest {
			h += 1 / float64(d+1)
		}
		assert.LessOrEqual(t, float64(len(list)), h*float64(smallest(all))+1e-9)
		if len(greedy(all)) == len(list) {
			for i, at := range greedy(all) {
				assert.Equal(t, all[at].ID, list[i].ID)
			}
		}
		assert.Equal(t, list, Rank(all))
	})
}

// TestRankLeavesOut: the greedy choice begins with the largest, which the two others make superfluous.
func TestRankLeavesOut(t *testing.T) {
	all := []Execution{{"big", SetOf([]int{1, 2, 3, 4})}, {"left", SetOf([]int{0, 1, 2})}, {"right", SetOf([]int{3, 4, 5})}}
	assert.Len(t, greedy(all), 3)
	assert.Equal(t, []Ranked{{"left", 3, 3, 6}, {"right", 3, 6, 6}}, Rank(all))
	assert.Empty(t, Rank(nil))
}
