package cluster_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// graph makes a workload that is known to be right.
func graph(t require.TestingT, of interface {
	Graph() (*workload.Graph, error)
}) *workload.Graph {
	g, err := of.Graph()
	require.NoError(t, err)
	return g
}

// run carries a workload by the plain transport on one switch.
func run(g *workload.Graph, opt cluster.Options) (cluster.Result, error) {
	return cluster.Run(quiet(fabric.SingleSwitch, g.Hosts()), buildPlain(g.Hosts(), g.Messages(), nil), g, opt)
}

func TestIncastTakesWhatItMust(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 7, Bytes: 409_600})
	result, err := run(g, cluster.Options{})
	require.NoError(t, err)
	require.Equal(t, 7, result.Completed)
	require.Equal(t, uint64(7*409_600), result.Bytes())
	require.Equal(t, result.Bytes(), result.Counters.Bytes)
	require.Equal(t, uint64(700), result.Counters.Data)
	require.Equal(t, uint64(1400), result.Fabric.Hops)
	link := workload.Link{Mbps: fabric.DefaultMbps, Payload: plainMtu, Wire: plainMtu + plainHeader}
	least := g.Limit(link) // no latency
	require.Greater(t, result.Makespan(), least)
	require.Less(t, result.Makespan(), least+fabric.DefaultRTT)
	require.Equal(t, result.Bytes()*8_000_000/uint64(result.Makespan()), result.Goodput())
	for i, f := range result.Flows {
		require.Equal(t, uint32(i), f.Tag)
		require.Zero(t, f.Posted)
	}
	d := result.Durations(nil)
	require.Len(t, d, 7)
	require.Equal(t, d.Rank(1000), result.End)
}

// TestWorkloadsRunToTheirEnd: what starts is what is due, on time, and all of it completes.
func TestWorkloadsRunToTheirEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 8).Draw(t, "hosts")
		ring := workload.Ring{Hosts: hosts, Slices: rapid.IntRange(1, 3).Draw(t, "slices"), Bytes: 10_000, Pause: 77, Spread: sim.Microsecond, Seed: 5}
		g := graph(t, rapid.SampledFrom([]interface {
			Graph() (*workload.Graph, error)
		}{
			workload.Incast{Senders: hosts, Bytes: 5000, Count: 3, Spread: sim.Microsecond},
			workload.AllToAll{Hosts: hosts, Bytes: 5000, Depth: 2},
			workload.RingAllReduce{Ring: ring},
			workload.TreeAllReduce{Hosts: hosts, Bytes: 7, Slices: 2, Trees: 2, Pause: 99},
			workload.Storage{Clients: 2, Servers: hosts, Bytes: 9000, Rounds: 2, Think: 1000},
		}).Draw(t, "workload"))
		result, err := run(g, cluster.Options{})
		require.NoError(t, err)
		for tag := range g.Messages() {
			want := g.At(uint32(tag))
			for _, before := range g.After(uint32(tag)) {
				want = max(want, result.Flows[before].Done+g.Delay(uint32(tag)))
			}
			require.Equal(t, want, result.Flows[tag].Posted, "message %d starts at its time", tag)
		}
		again, err := run(g, cluster.Options{})
		require.NoError(t, err)
		require.Equal(t, result, again, "equal inputs, equal results")
	})
}

func TestBins(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 3, Bytes: 1 << 20})
	result, err := run(g, cluster.Options{Bin: 10 * sim.Microsecond})
	require.NoError(t, err)
	require.Len(t, result.Bins, int((result.Makespan()+result.Bin-1)/result.Bin))
	sum := uint64(0)
	for i, bytes := range result.Bins {
		sum += bytes
		if i > 0 && i < len(result.Bins)-1 {
			require.InDelta(t, fabric.DefaultMbps*plainMtu/(plainMtu+plainHeader), result.BinRate(i), 4000, "bin %d", i)
		}
	}
	require.Equal(t, result.Bytes(), sum)
	require.Equal(t, result.End, result.BinsEnd)
	last := len(result.Bins) - 1
	require.Equal(t, cluster.Rate(result.Bins[last], result.End-sim.Picos(last)*result.Bin), result.BinRate(last), "the last bin is shorter")
}

func TestProbe(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 3, Bytes: 1 << 20})
	var at []sim.Picos
	var seen []uint64
	result, err := run(g, cluster.Options{Every: 7 * sim.Microsecond, Probe: func(now sim.Picos, tr cluster.Transport) {
		at = append(at, now)
		seen = append(seen, tr.Counters().Bytes)
	}})
	require.NoError(t, err)
	require.Len(t, at, int((result.Makespan()-1)/(7*sim.Microsecond)))
	for i := range at {
		require.Equal(t, sim.Picos(i+1)*7*sim.Microsecond, at[i])
		require.True(t, i == 0 || seen[i] > seen[i-1])
	}
	without, err := run(g, cluster.Options{})
	require.NoError(t, err)
	require.Equal(t, without, result, "a probe changes nothing")
}

// TestLateStart: the clock goes to a post that nothing else leads to.
func TestLateStart(t *testing.T) {
	g, err := workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: 1, At: 3 * sim.Second}})
	require.NoError(t, err)
	result, err := run(g, cluster.Options{})
	require.NoError(t, err)
	require.Equal(t, 3*sim.Second, result.Flows[0].Posted)
}

func TestInterrupted(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 3, Bytes: 1 << 30})
	calls := 0
	result, err := run(g, cluster.Options{Bin: sim.Microsecond, Interrupted: func() bool { calls++; return calls == 2 }})
	require.ErrorIs(t, err, cluster.ErrInterrupted)
	require.Equal(t, 2, calls)
	require.NotZero(t, result.Counters.Bytes)
	require.Len(t, result.Bins, int(result.BinsEnd/sim.Microsecond))
	require.NotZero(t, result.BinRate(len(result.Bins)-1))
}

func TestImpossibleOptions(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 1, Bytes: 1})
	_, err := run(g, cluster.Options{Deadline: 1 << 60, Stall: 1 << 60, Drain: 1 << 60, Bin: 1, Every: 5})
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	var fields []string
	for _, e := range joined.Unwrap() {
		var p *cluster.Problem
		require.True(t, errors.As(e, &p))
		fields = append(fields, p.Field)
	}
	require.Equal(t, []string{"Deadline", "Stall", "Drain", "Bin", "Every"}, fields)
	require.ErrorContains(t, err, "run: Every is 5ps: want it above 0 where there is a Probe, and only there")
}

func TestBuildFails(t *testing.T) {
	g := graph(t, workload.Incast{Senders: 1, Bytes: 1})
	refused := errors.New("no such preset")
	_, err := cluster.Run(quiet(fabric.SingleSwitch, 2), func(*fabric.Network, cluster.Events) (cluster.Transport, error) { return nil, refused }, g, cluster.Options{})
	require.Equal(t, refused, err)
}

func TestEmptyWorkload(t *testing.T) {
	_, err := cluster.Run(quiet(fabric.SingleSwitch, 2), buildPlain(2, 0, nil), &odd{}, cluster.Options{})
	require.EqualError(t, err, "run: workload is empty: want at least one message")
}
