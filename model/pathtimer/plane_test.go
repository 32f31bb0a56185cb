package pathtimer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathtimer"
)

// rows makes paths at home.
func rows(planes, paths int) []event.PathTimerPath {
	all := make([]event.PathTimerPath, paths)
	for i := range all {
		all[i].Plane = pathtimer.Home(i, planes)
	}
	return all
}

func count(planes int, all []event.PathTimerPath) pathtimer.Planes {
	return pathtimer.Count(planes, len(all), func(i int) *event.PathTimerPath { return &all[i] })
}

// TestDeadPlane: one path stays, the others spread over what is left, and go home when it returns.
func TestDeadPlane(t *testing.T) {
	all := rows(4, 16)
	for _, i := range []int{1, 5, 9, 13} {
		all[i].State = pathtimer.Failed
	}
	var got []uint8
	for _, i := range []int{1, 5, 9, 13} {
		c := count(4, all)
		require.True(t, c.Dead(1))
		plane := c.Propose(i)
		got = append(got, plane)
		if plane != 1 {
			all[i].Plane, all[i].State = plane, pathtimer.Active // it is answered
		}
	}
	require.Equal(t, uint8(1), got[0])
	require.ElementsMatch(t, []uint8{0, 2, 3}, got[1:])

	c := count(4, all)
	require.False(t, c.Strayed(5, &all[5]), "home is dead yet")
	all[1].State = pathtimer.Active
	c = count(4, all)
	for i := range all {
		require.Equal(t, i == 5 || i == 9 || i == 13, c.Strayed(i, &all[i]), i)
	}
}

// TestPlaneThatLives: a single path that fails looks for another port in its plane.
func TestPlaneThatLives(t *testing.T) {
	all := rows(2, 8)
	all[3].State = pathtimer.Failed
	c := count(2, all)
	require.False(t, c.Dead(1))
	require.Equal(t, uint8(1), c.Propose(3))
	all[3].Plane = 0 // it was away when home died, and failed there
	c = count(2, all)
	require.Equal(t, uint8(1), c.Propose(3))
	require.False(t, c.Strayed(3, &all[3]), "a failed path does not move, it proposes")
}

func TestAllPlanesDead(t *testing.T) {
	all := rows(3, 6)
	for i := range all {
		all[i].State = pathtimer.Suspect
	}
	c := count(3, all)
	for i := range all {
		require.Equal(t, pathtimer.Home(i, 3), c.Propose(i))
	}
}

// TestSomebodyAsks: whatever the states, each dead plane has a path that proposes it, and no path proposes a dead plane
// that is not its own.
func TestSomebodyAsks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.IntRange(1, 8).Draw(t, "planes")
		all := rows(planes, planes*rapid.IntRange(1, 4).Draw(t, "per plane"))
		for i := range all {
			all[i].State = uint8(rapid.IntRange(0, 2).Draw(t, "state"))
			if i >= planes {
				all[i].Plane = uint8(rapid.IntRange(0, planes-1).Draw(t, "plane"))
			}
		}
		c := count(planes, all)
		asked := map[uint8]bool{}
		for i := range all {
			if all[i].State == pathtimer.Active {
				asked[all[i].Plane] = true
				continue
			}
			plane := c.Propose(i)
			asked[plane] = true
			if c.Dead(plane) {
				require.Equal(t, pathtimer.Home(i, planes), plane)
			}
		}
		for plane := range planes {
			require.True(t, asked[uint8(plane)], "nobody would see plane %d return", plane)
		}
	})
}
