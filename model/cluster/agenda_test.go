package cluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// TestAgendaTwin holds the heap against a list that is sorted by time and, at equal times, left in the order of giving out.
func TestAgendaTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a agenda
		var twin []post
		for tag := range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(twin) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				at, ok := a.next()
				require.True(t, ok)
				require.Equal(t, twin[0].at, at)
				require.Equal(t, twin[0].m, a.pop())
				twin = twin[1:]
				continue
			}
			p := post{at: sim.Picos(rapid.IntRange(0, 5).Draw(t, "at")), m: workload.Message{Tag: uint32(tag)}}
			a.push(p.at, p.m)
			twin = append(twin, p)
			slices.SortStableFunc(twin, func(x, y post) int { return int(x.at) - int(y.at) })
		}
		_, ok := a.next()
		require.Equal(t, len(twin) > 0, ok)
	})
}
