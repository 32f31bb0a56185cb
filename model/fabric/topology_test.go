package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// anyShape draws a small network of any shape, last leaf and pod full or not.
func anyShape(t *rapid.T) fabric.Config {
	few := rapid.IntRange(1, 4)
	c := plain(fabric.Kind(rapid.IntRange(0, 2).Draw(t, "kind")), rapid.IntRange(2, 24).Draw(t, "hosts"))
	c.Seed = rapid.Uint64().Draw(t, "seed")
	c.Planes = rapid.IntRange(1, 3).Draw(t, "planes")
	if c.Kind != fabric.SingleSwitch {
		c.HostsPerLeaf, c.Spines = few.Draw(t, "perLeaf"), few.Draw(t, "spines")
	}
	if c.Kind == fabric.FatTree {
		c.LeavesPerPod, c.CoresPerSpine = few.Draw(t, "leavesPerPod"), few.Draw(t, "coresPerSpine")
	}
	return c
}

// TestPathsAreUpAndDown: the path between any two hosts goes up as far as it must and down to the receiver, over links
// whose ends meet.
func TestPathsAreUpAndDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyShape(t)
		n, err := fabric.New(c)
		require.NoError(t, err)
		src, dst := rapid.IntRange(0, c.Hosts-1).Draw(t, "src"), rapid.IntRange(0, c.Hosts-1).Draw(t, "dst")
		plane, sport := rapid.IntRange(0, c.Planes-1).Draw(t, "plane"), rapid.Uint16().Draw(t, "sport")
		path := n.Path(src, dst, plane, sport)
		require.Equal(t, path, n.Path(src, dst, plane, sport))
		tiers := 1
		if c.Kind != fabric.SingleSwitch && src/c.HostsPerLeaf != dst/c.HostsPerLeaf {
			tiers = 2
		}
		if c.Kind == fabric.FatTree && src/c.HostsPerLeaf/c.LeavesPerPod != dst/c.HostsPerLeaf/c.LeavesPerPod {
			tiers = 3
		}
		require.Len(t, path, 2*tiers)
		for i, h := range path {
			tier, way := fabric.Tier(i), fabric.Upwards
			if i >= tiers {
				tier, way = fabric.Tier(2*tiers-1-i), fabric.Downwards
			}
			require.Equal(t, plane, h.Plane)
			require.Equal(t, tier, h.Tier)
			require.Equal(t, way, h.Way)
		}
		require.Equal(t, src, path[0].Low)
		require.Equal(t, dst, path[2*tiers-1].Low)
		require.Equal(t, topOf(c, path[tiers-1]), topOf(c, path[tiers]), "up to a switch, and down from the same")
		if tiers > 1 {
			require.Equal(t, src/c.HostsPerLeaf, path[1].Low)
			require.Equal(t, dst/c.HostsPerLeaf, path[2*tiers-2].Low)
		}
		if tiers > 2 { // the spine that a link goes up to is the one that the next goes up from
			require.Equal(t, topOf(c, path[1]), path[2].Low)
			require.Equal(t, topOf(c, path[4]), path[3].Low)
		}
	})
}

// topOf is the number of the upper end of a link, in its tier.
func topOf(c fabric.Config, h fabric.Hop) int {
	switch h.Tier {
	case fabric.TierLeaf:
		if c.Kind == fabric.SingleSwitch {
			return 0
		}
		return h.Low / c.HostsPerLeaf
	case fabric.TierSpine:
		if c.Kind == fabric.LeafSpine {
			return h.Port
		}
		return h.Low/c.LeavesPerPod*c.Spines + h.Port
	}
	return h.Low%c.Spines*c.CoresPerSpine + h.Port
}

// TestEcmpSpreads: entropies of one pair of hosts spread over the uplinks of a leaf, those of one uplink spread again
// over the cores, and planes and seeds choose apart.
func TestEcmpSpreads(t *testing.T) {
	c := plain(fabric.FatTree, 128)
	c.Planes = 2
	n, err := fabric.New(c)
	require.NoError(t, err)
	c.Seed = 1
	other, err := fabric.New(c)
	require.NoError(t, err)
	const flows = 16_000
	var joint [4][4]int
	var planes, seeds int
	for sport := range uint16(flows) {
		path := n.Path(0, 127, 0, sport)
		joint[path[1].Port][path[2].Port]++
		if n.Path(0, 127, 1, sport)[1].Port == path[1].Port {
			planes++
		}
		if other.Path(0, 127, 0, sport)[1].Port == path[1].Port {
			seeds++
		}
	}
	for _, row := range joint {
		for _, k := range row {
			require.InDelta(t, flows/16, k, 150) // five deviations
		}
	}
	require.InDelta(t, flows/4, planes, 300)
	require.InDelta(t, flows/4, seeds, 300)
}

// TestBaseRTT: what the formula says is what a packet and its answer take, over each number of tiers; the default
// profile has 10 us over two.
func TestBaseRTT(t *testing.T) {
	uneven := plain(fabric.LeafSpine, 64)
	uneven.SpineDelay = []sim.Picos{9000, 5000, 7000, 6000, 9000, 5000, 7000, 6000}
	for _, c := range []struct {
		cfg      fabric.Config
		src, dst int
	}{
		{plain(fabric.SingleSwitch, 4), 0, 3},
		{plain(fabric.LeafSpine, 64), 0, 1},
		{plain(fabric.LeafSpine, 64), 0, 63},
		{plain(fabric.FatTree, 128), 0, 1},
		{plain(fabric.FatTree, 128), 0, 9},
		{plain(fabric.FatTree, 128), 0, 127},
		{uneven, 0, 1},
		{uneven, 0, 63},
	} {
		w := newWorld(t, c.cfg)
		least, most := ^sim.Picos(0), sim.Picos(0)
		for sport := range uint16(64) {
			at := w.n.Now()
			there := w.send(at, 0, data(c.src, c.dst, sport))
			w.run()
			p := data(c.dst, c.src, sport)
			p.Size = 128
			back := w.send(w.delivered(there), 0, p)
			w.run()
			least, most = min(least, w.delivered(back)-at), max(most, w.delivered(back)-at)
		}
		require.Equal(t, w.n.BaseRTT(c.src, c.dst, 4196, 128), least)
		require.LessOrEqual(t, most, w.n.Diameter(4196, 128))
		if c.dst == c.cfg.Hosts-1 {
			require.Equal(t, w.n.Diameter(4196, 128), most)
		}
	}
	for kind, rtt := range map[fabric.Kind]sim.Picos{fabric.SingleSwitch: 5_027_040, fabric.LeafSpine: fabric.DefaultRTT, fabric.FatTree: 14_972_960} {
		n, err := fabric.New(fabric.Default(kind, 128))
		require.NoError(t, err)
		require.Equal(t, rtt, n.BaseRTT(0, 127, 4196, 128)) // as docs/fabric.md has it
	}
}
