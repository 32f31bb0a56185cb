package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// play carries a workload over a fabric, and checks what holds behind every run: cluster.Run's own checks, and that
// what has a body is under way and nothing else.
func play(t require.TestingT, f fabric.Config, c Config, g *workload.Graph) (cluster.Result, *Transport) {
	n, err := fabric.New(f)
	require.NoError(t, err)
	var made *Transport
	r, err := cluster.Run(n, func(n *fabric.Network, e cluster.Events) (cluster.Transport, error) {
		made, err = New(n, &f, e, c)
		return made, err
	}, g, cluster.Options{Deadline: 20_000 * millis})
	require.NoError(t, err)
	require.Equal(t, n.InFlight(), made.pool.used)
	require.Equal(t, r.Fabric.Injected.Data, r.Counters.Data)
	require.Equal(t, r.Fabric.Injected.Control, r.Counters.Control)
	return r, made
}

// withPfc gives a fabric flow control under which nothing is dropped for want of room.
func withPfc(f fabric.Config) fabric.Config {
	f.Pfc = fabric.Pfc{Xoff: f.Buffer / 2, Xon: f.Buffer / 4, Headroom: f.Headroom(int(dataBytes(maxMtu, true)))}
	return f
}

func graph(t require.TestingT, w interface {
	Graph() (*workload.Graph, error)
}) *workload.Graph {
	g, err := w.Graph()
	require.NoError(t, err)
	return g
}

// TestLoneFlowFillsItsLink: one window keeps a link busy over the longest way; what is not its bytes is one way.
func TestLoneFlowFillsItsLink(t *testing.T) {
	const packets = 2000
	for _, kind := range []fabric.Kind{fabric.SingleSwitch, fabric.LeafSpine, fabric.FatTree} {
		f := fabric.Default(kind, 16)
		g, err := workload.Flows(16, []workload.Flow{{Src: 0, Dst: 15, Bytes: packets * maxMtu}})
		require.NoError(t, err)
		r, _ := play(t, f, Default(&f, false), g)
		n, err := fabric.New(f)
		require.NoError(t, err)
		bytes := uint64((packets-1)*4178 + reth) // the last packet is in the round trip
		late := n.BaseRTT(0, 15, 4178, ackBytes) - n.BaseRTT(0, 15, ackBytes, ackBytes)/2
		require.InEpsilon(t, uint64(late)+bytes*8_000_000/uint64(f.LinkMbps), uint64(r.Makespan()), 0.0001, "%s", kind)
		require.Zero(t, r.Counters.Retransmitted+r.Counters.Timeouts+r.Counters.Marked)
	}
}

// TestSpreadUsesAllPlanes: as many queue pairs as planes carry as much more.
func TestSpreadUsesAllPlanes(t *testing.T) {
	for _, planes := range []int{1, 2, 4, 8} {
		f := fabric.Default(fabric.SingleSwitch, 2)
		f.Planes = planes
		c := Default(&f, false)
		c.Spread = planes
		g := graph(t, workload.Incast{Senders: 1, Bytes: uint64(planes) * 8_000_000})
		r, _ := play(t, f, c, g)
		require.InEpsilon(t, planes*400_000*4096/4178, int(r.Goodput()), 0.04)
	}
}

// TestIncastBecomesFair: under DCQCN on a lossless network, equal long flows into one port get nearly equal shares of it.
func TestIncastBecomesFair(t *testing.T) {
	f := withPfc(fabric.Default(fabric.SingleSwitch, 9))
	incast := workload.Incast{Senders: 8, Bytes: 20_000_000}
	r, _ := play(t, f, Default(&f, true), graph(t, incast))
	require.Greater(t, jain(&r), 0.95)
	require.Greater(t, r.Goodput(), uint64(250_000), "it keeps most of the port busy")

	c := Default(&f, true)
	c.Dcqcn = nil
	without, _ := play(t, f, c, graph(t, incast))
	require.Greater(t, without.Fabric.Pauses, 10*r.Fabric.Pauses, "DCQCN is there to need few pauses")
}

// jain is Jain's index of the flows' goodput: 1 when all are equal, 1/n when one has everything.
func jain(r *cluster.Result) float64 {
	sum, squares := 0.0, 0.0
	for i := range r.Flows {
		x := float64(r.Flows[i].Bytes) / float64(r.Flows[i].Duration())
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(r.Flows)) * squares)
}

// TestFlowControlLosesNothing: any lossless network of any shape, with more traffic than it can take.
func TestFlowControlLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyShape(t)
		f.Buffer = rapid.Uint32Range(20_000, 500_000).Draw(t, "buffer")
		f = withPfc(f)
		f.EcnLo, f.EcnHi = f.Buffer/8, f.Buffer/4
		c := Default(&f, true)
		c.Seed = rapid.Uint64().Draw(t, "seed")
		if rapid.Bool().Draw(t, "no rate control") {
			c.Dcqcn, c.Window = nil, 0
		}
		r, _ := play(t, f, c, graph(t, workload.AllToAll{Hosts: f.Hosts, Bytes: rapid.Uint64Range(1, 80_000).Draw(t, "bytes")}))
		require.Zero(t, r.Fabric.Lost)
		require.Zero(t, r.Counters.Retransmitted+r.Counters.Duplicates+r.Counters.Timeouts)
	})
}

func anyShape(t *rapid.T) fabric.Config {
	kind := rapid.SampledFrom([]fabric.Kind{fabric.SingleSwitch, fabric.LeafSpine, fabric.FatTree}).Draw(t, "kind")
	f := fabric.Default(kind, rapid.IntRange(2, 12).Draw(t, "hosts"))
	f.Seed = rapid.Uint64().Draw(t, "fabric seed")
	f.Planes = rapid.IntRange(1, 3).Draw(t, "planes")
	f.LinkMbps = rapid.SampledFrom([]uint32{25_000, 400_000}).Draw(t, "Mb/s")
	if kind != fabric.SingleSwitch {
		f.Spines = rapid.IntRange(1, 3).Draw(t, "spines")
	}
	return f
}

// TestAllWorkCompletes: any network with any trouble that is not for ever, and any NICs on it.
func TestAllWorkCompletes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyShape(t)
		ppm := rapid.SampledFrom([]uint32{0, 1000, 50_000})
		f.Buffer = rapid.Uint32Range(5_000, 500_000).Draw(t, "buffer")
		f.EcnLo, f.EcnHi = f.Buffer/4, f.Buffer/2
		f.Loss = fabric.Loss{Data: ppm.Draw(t, "loss"), Control: ppm.Draw(t, "loss of control"), Where: fabric.EveryLink}
		f.Reorder = fabric.Reorder{Ppm: ppm.Draw(t, "late"), Delay: 3 * micros, Where: fabric.LastLink}
		if rapid.Bool().Draw(t, "trim") {
			f.Trim = 128
		}
		host := rapid.IntRange(0, f.Hosts-1).Draw(t, "link of host")
		at := sim.Picos(rapid.Uint64Range(1, 50).Draw(t, "down")) * micros
		f.Script = []fabric.Change{
			{At: at, Kind: fabric.LinkDown, Low: host},
			{At: at + 200*micros, Kind: fabric.LinkUp, Low: host},
		}
		c := anyConfig(t, &f)
		dcqcn := PaperDcqcn(uint64(f.LinkMbps))
		c.Dcqcn, dcqcn.LossCuts = &dcqcn, true // without rate control, or below a round trip, repeats can keep a small buffer full for ever
		c.Timeout = c.longest(&f) * sim.Picos(rapid.IntRange(1, 4).Draw(t, "times"))
		g := graph(t, workload.AllToAll{Hosts: f.Hosts, Bytes: rapid.Uint64Range(1, 15_000).Draw(t, "bytes"), Depth: rapid.IntRange(1, f.Hosts-1).Draw(t, "depth")})
		play(t, f, c, g)
	})
}

// TestSameSeedSameResult on a fabric: to the last counter.
func TestSameSeedSameResult(t *testing.T) {
	run := func(seed uint64) cluster.Result {
		f := fabric.Default(fabric.LeafSpine, 16)
		f.Loss = fabric.Loss{Data: 5000, Control: 5000}
		c := Default(&f, false)
		c.Seed = seed
		r, _ := play(t, f, c, graph(t, workload.AllToAll{Hosts: 16, Bytes: 100_000}))
		return r
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
}
