package metaroce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// run carries a workload over a network.
func run(t *testing.T, f fabric.Config, c metaroce.Config, w workload.Workload) (cluster.Result, *metaroce.Transport) {
	t.Helper()
	return runWith(t, f, c, w, cluster.Options{}, nil)
}

func runWith(t *testing.T, f fabric.Config, c metaroce.Config, w workload.Workload, opt cluster.Options, probe func(now sim.Picos, tr *metaroce.Transport)) (cluster.Result, *metaroce.Transport) {
	t.Helper()
	net, err := fabric.New(f)
	require.NoError(t, err)
	var tr *metaroce.Transport
	if probe != nil {
		opt.Probe = func(now sim.Picos, _ cluster.Transport) { probe(now, tr) }
	}
	r, err := cluster.Run(net, func(net *fabric.Network, ev cluster.Events) (cluster.Transport, error) {
		tr, err = metaroce.New(net, &f, ev, c)
		return tr, err
	}, w, opt)
	require.NoError(t, err)
	require.Zero(t, tr.Outstanding())
	for i := range f.Hosts {
		n := tr.NIC(i).Count()
		require.Zero(t, n.Under+n.Bogus+n.Wrong, "host %d", i)
	}
	return r, tr
}

// line is the share of one link that a goodput is, in parts of 1000.
func line(f *fabric.Config, mbps uint64) uint64 {
	return mbps * 1000 / (uint64(f.LinkMbps) * uint64(f.Planes))
}

// TestOneFlow: one flow fills the line, less headers, and random loss costs what is lost (ann:r-loss).
func TestOneFlow(t *testing.T) {
	for _, c := range []struct {
		ppm   uint32
		least uint64 // goodput, 1/1000 of the line
	}{{0, 965}, {10_000, 955}, {100_000, 860}} {
		f := fabric.Default(fabric.LeafSpine, 16)
		f.Loss = fabric.Loss{Data: c.ppm, Control: c.ppm}
		w, err := workload.Flows(16, []workload.Flow{{Src: 0, Dst: 15, Bytes: 300 << 20}})
		require.NoError(t, err)
		r, tr := run(t, f, metaroce.Default(), w)
		require.GreaterOrEqual(t, line(&f, r.Goodput()), c.least, "%d per million lost: %+v", c.ppm, tr.Counters())
		if c.ppm == 0 {
			require.Zero(t, tr.Counters().Retransmitted)
		}
	}
}

// TestIncast: started together, every sender has its share within two round trips, and all end together (ann:incast).
func TestIncast(t *testing.T) {
	const senders = 127
	for _, deep := range []uint32{1, 50} {
		f := fabric.Default(fabric.SingleSwitch, senders+1)
		f.Buffer *= deep
		w, err := workload.Incast{Senders: senders, Bytes: 1 << 20}.Graph()
		require.NoError(t, err)
		seen := false
		r, tr := runWith(t, f, metaroce.Default(), w, cluster.Options{Every: 2 * fabric.DefaultRTT}, func(now sim.Picos, tr *metaroce.Transport) {
			if seen {
				return
			}
			seen = true
			fair, in := uint32(1<<20/senders), 0
			tr.Rates(func(_, _ uint16, hint uint32) {
				if hint > fair*9/10 && hint < fair*11/10 {
					in++
				}
			})
			require.Equal(t, senders, in, "within 10 %% of fair after two round trips")
		})
		require.True(t, seen)
		require.GreaterOrEqual(t, r.Durations(nil).FastToSlow(), uint64(970_000))
		require.GreaterOrEqual(t, line(&f, r.Goodput()), uint64(945))
		require.Zero(t, tr.Counters().Timeouts)
	}
}

// TestPlaneKilled: a plane of four is killed under full load; the rest carries what it can within three timeouts, and all of
// it comes back when the plane does (ann:r-failover).
func TestPlaneKilled(t *testing.T) {
	const us = sim.Microsecond
	f := fabric.Default(fabric.SingleSwitch, 2)
	f.Planes = 4
	f.Script = []fabric.Change{{At: 200 * us, Kind: fabric.PlaneDown, Plane: 1}, {At: 500 * us, Kind: fabric.PlaneUp, Plane: 1}}
	w, err := workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: 130 << 20}})
	require.NoError(t, err)
	r, tr := runWith(t, f, metaroce.Default(), w, cluster.Options{Bin: 25 * us}, nil)
	for i := range r.Bins[:len(r.Bins)-1] {
		begin, least := sim.Picos(i)*r.Bin, uint64(950)
		switch {
		case begin < 50*us, begin >= 200*us && begin < 275*us:
			continue // starts, or finds out
		case begin >= 275*us && begin < 600*us:
			least = 950 * 3 / 4
		}
		require.GreaterOrEqual(t, line(&f, r.BinRate(i)), least, "from %v on", begin)
	}
	require.NotZero(t, tr.Counters().PathFailures)
	require.Equal(t, tr.Counters().PathFailures, tr.Counters().PathReturns)
}

// TestSameSeedSameRun: runs are equal to the last event, and another seed gives another one.
func TestSameSeedSameRun(t *testing.T) {
	once := func(seed uint64) (cluster.Result, cluster.Counters) {
		f := fabric.Default(fabric.LeafSpine, 16)
		f.Seed, f.Loss = seed, fabric.Loss{Data: 20_000, Control: 20_000, Where: fabric.EveryLink}
		w, err := workload.AllToAll{Hosts: 16, Bytes: 100_000}.Graph()
		require.NoError(t, err)
		c := metaroce.Default()
		c.Seed = seed
		r, tr := run(t, f, c, w)
		return r, tr.Counters()
	}
	a, ca := once(1)
	b, cb := once(1)
	require.Equal(t, a, b)
	require.Equal(t, ca, cb)
	c, _ := once(2)
	require.NotEqual(t, a.End, c.End)
}

// TestStreamsShareAConnection: messages of many streams between two hosts, both ways, complete once and in order of their
// streams; cluster.Run holds that they do.
func TestStreamsShareAConnection(t *testing.T) {
	f := fabric.Default(fabric.SingleSwitch, 3)
	f.Loss = fabric.Loss{Data: 50_000, Control: 50_000}
	var flows []workload.Flow
	for s := range 16 {
		flows = append(flows, workload.Flow{Src: 0, Dst: 1, Stream: s, Bytes: uint64(1 + 9000*s), Count: 20, Depth: 20},
			workload.Flow{Src: 1, Dst: 0, Stream: s, Bytes: 5000, Count: 100, Depth: 100})
	}
	w, err := workload.Flows(3, flows)
	require.NoError(t, err)
	r, _ := run(t, f, metaroce.Default(), w)
	require.Equal(t, 16*120, r.Completed)
}

// TestStreamThatIsNot: a message of a stream that connections do not have is a fault of the caller that says which.
func TestStreamThatIsNot(t *testing.T) {
	f := fabric.Default(fabric.LeafSpine, 16)
	net, err := fabric.New(f)
	require.NoError(t, err)
	tr, err := metaroce.New(net, &f, nil, metaroce.Default())
	require.NoError(t, err)
	require.PanicsWithValue(t, "metaroce BUG: message 9 on stream 16, connections have 1<<4", func() {
		tr.Post(0, workload.Message{Src: 0, Dst: 1, Stream: 16, Bytes: 1, Tag: 9})
	})
}
