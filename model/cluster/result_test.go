package cluster_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// TestRankTwin: by its definition, counting.
func TestRankTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Uint64Range(0, 20), 1, 30).Draw(t, "values")
		permille := rapid.IntRange(0, 1000).Draw(t, "permille")
		var d cluster.Durations
		for _, v := range values {
			d = append(d, sim.Picos(v))
		}
		slices.Sort(d)
		want := d[len(d)-1]
		for i := len(d) - 1; i >= 0; i-- {
			atMost := 0
			for _, v := range d {
				if v <= d[i] {
					atMost++
				}
			}
			if atMost*1000 >= permille*len(d) {
				want = d[i]
			}
		}
		require.Equal(t, want, d.Rank(permille))
	})
}

func TestDurations(t *testing.T) {
	d := cluster.Durations{10, 20, 30, 40}
	require.Equal(t, []sim.Picos{10, 10, 20, 30, 40, 40}, []sim.Picos{d.Rank(0), d.Rank(250), d.Rank(500), d.Rank(501), d.Rank(990), d.Rank(1000)})
	require.Equal(t, []sim.Picos{10, 40}, []sim.Picos{d.Rank(-5), d.Rank(5000)})
	require.Equal(t, sim.Picos(25), d.Mean())
	require.Equal(t, uint64(250_000), d.FastToSlow())
	require.Equal(t, uint64(1_000_000), cluster.Durations{7, 7}.FastToSlow())
	var none cluster.Durations
	require.Zero(t, none.Rank(500))
	require.Zero(t, none.Mean())
	require.Zero(t, none.FastToSlow())
}

func TestDurationsOfSome(t *testing.T) {
	r := cluster.Result{Flows: []cluster.Flow{
		{Message: workload.Message{Stream: 1, Bytes: 5}, Posted: 100, Done: 150},
		{Message: workload.Message{Stream: 2, Bytes: 6}, Posted: 100, Done: 120},
		{Message: workload.Message{Stream: 2, Bytes: 7}, Posted: 100},
	}}
	require.Equal(t, cluster.Durations{20, 50}, r.Durations(nil))
	require.Equal(t, cluster.Durations{20}, r.Durations(func(f *cluster.Flow) bool { return f.Stream == 2 }))
	require.Equal(t, uint64(11), r.Bytes())
}

func TestRate(t *testing.T) {
	require.Equal(t, uint64(400_000), cluster.Rate(50_000, sim.Microsecond))
	require.Zero(t, cluster.Rate(5, 0))
	require.Equal(t, uint64(8_000_000_000), cluster.Rate(1<<40*1000, 1<<40), "no overflow")
}
