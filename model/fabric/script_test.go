package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// stream sends k packets back to back from host 0 to the last.
func stream(w *world, k, dst, plane int) (refs []uint32) {
	for range k {
		refs = append(refs, w.send(0, plane, data(0, dst, 1)))
	}
	return refs
}

// TestKilledLink: what is on the link, what waits for it and what comes to it while it is down is lost, and nothing
// else; the link that returns begins empty.
func TestKilledLink(t *testing.T) {
	for i, k := range []fabric.ChangeKind{fabric.LinkDown, fabric.SwitchDown, fabric.PlaneDown} {
		cfg := plain(fabric.LeafSpine, 16)
		probe, err := fabric.New(cfg)
		require.NoError(t, err)
		up := probe.Path(0, 15, 0, 1)[1] // leaf to spine
		down := fabric.Change{Kind: k, Plane: up.Plane, Tier: up.Tier, Low: up.Low, Port: up.Port}
		if k == fabric.SwitchDown {
			down.Low = up.Port
		}
		back := down
		back.Kind++
		down.At, back.At = 10_000_000, 20_000_000
		cfg.Script = []fabric.Change{back, down} // sorted by time
		w := newWorld(t, cfg)
		refs := stream(w, 400, 15, 0)
		w.run()
		lost := 0
		for j, ref := range refs {
			// The packet is on a dead link or comes to one, on links 1 and 2 or, with the plane, on all four.
			leaves := packetTime*sim.Picos(j+1) + oneHop // the first link, into the queue of the second
			from, to := leaves, leaves
			switch k {
			case fabric.LinkDown:
				to += packetTime + oneHop
			case fabric.SwitchDown:
				to += 2 * (packetTime + oneHop)
			case fabric.PlaneDown:
				from -= packetTime + oneHop
				to += 2*(packetTime+oneHop) + packetTime + lastHop
			}
			dead := to > down.At && from < back.At
			require.Equal(t, dead, w.fates[ref].lost, "%d: packet %d", i, j)
			if dead {
				lost++
			}
		}
		require.Greater(t, lost, 100)
		require.Equal(t, fabric.Counts{Data: uint64(lost)}, w.n.Stats().Down)
		require.Zero(t, w.n.InFlight())
	}
}

// TestReasonsAddUp: a link is up when neither it nor a switch of its nor its plane is down.
func TestReasonsAddUp(t *testing.T) {
	cfg := plain(fabric.LeafSpine, 16)
	probe, err := fabric.New(cfg)
	require.NoError(t, err)
	up := probe.Path(0, 15, 0, 1)[1]
	at := func(t sim.Picos, k fabric.ChangeKind) fabric.Change {
		c := up.Of(fabric.Change{At: t * 1_000_000, Kind: k})
		if k == fabric.SwitchDown || k == fabric.SwitchUp {
			c.Low = up.Port
		}
		return c
	}
	cfg.Script = []fabric.Change{
		at(10, fabric.LinkDown), at(10, fabric.LinkDown), at(20, fabric.SwitchDown), at(30, fabric.LinkUp), at(40, fabric.PlaneDown),
		at(50, fabric.SwitchUp), at(60, fabric.PlaneUp), at(70, fabric.SwitchDown), at(70, fabric.SwitchUp),
	}
	w := newWorld(t, cfg)
	var refs []uint32
	for i := range sim.Picos(9) {
		refs = append(refs, w.send(5_000_000+10_000_000*i-1_500_000, 0, data(0, 15, 1)))
	}
	w.run()
	for i, ref := range refs {
		require.Equal(t, i >= 1 && i <= 5, w.fates[ref].lost, "%d", i)
	}
}

// TestOneWayDown: the other direction of the cable goes on, and so do the other planes.
func TestOneWayDown(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 2)
	cfg.Planes = 2
	cfg.Script = []fabric.Change{{Kind: fabric.LinkDown, Plane: 1, Low: 0, Way: fabric.Downwards}}
	w := newWorld(t, cfg)
	lost := []uint32{w.send(1, 1, data(1, 0, 1))}
	kept := []uint32{w.send(1, 0, data(1, 0, 1)), w.send(1, 0, data(0, 1, 1)), w.send(1, 1, data(0, 1, 1))}
	w.run()
	for _, ref := range lost {
		require.True(t, w.fates[ref].lost)
	}
	for _, ref := range kept {
		w.delivered(ref)
	}
	require.Equal(t, []fabric.Counts{{Data: 2 * 4196}, {Data: 2 * 4196}}, w.n.Stats().SentBytes)
	require.Equal(t, []fabric.Counts{{Data: 2 * 4196}, {Data: 4196}}, w.n.Stats().DeliveredBytes)
}

// TestDeadUplinkTakesPackets at its rate: nothing tells the NIC.
func TestDeadUplinkTakesPackets(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 2)
	cfg.Script = []fabric.Change{{Kind: fabric.PlaneDown}}
	w := newWorld(t, cfg)
	refs := stream(w, 10, 1, 0)
	w.run()
	for i, ref := range refs {
		require.True(t, w.fates[ref].lost)
		if i > 0 {
			require.GreaterOrEqual(t, w.fates[ref].at, packetTime*sim.Picos(i))
		}
	}
}

// TestReturnIsEmpty: the queue that a port had is gone with its link; a packet that comes after the return waits for
// nothing. What is at the side of the link, cut or late, is lost with it.
func TestReturnIsEmpty(t *testing.T) {
	const kill = 3 * 1_000_000
	for _, trim := range []uint16{0, 100} {
		cfg := plain(fabric.SingleSwitch, 101)
		cfg.Trim, cfg.Buffer = trim, 80*4196
		cfg.Reorder = fabric.Reorder{Ppm: 100_000, Delay: 500_000}
		down := fabric.Change{At: kill, Kind: fabric.LinkDown, Low: 100}
		up := down
		up.At, up.Kind = kill+1, fabric.LinkUp
		cfg.Script = []fabric.Change{down, up}
		w := newWorld(t, cfg)
		burst(w, 99, 100, 0)
		after := w.send(kill, 0, data(99, 100, 1))
		w.run()
		at := w.delivered(after)
		require.LessOrEqual(t, at, kill+packetTime+oneHop+packetTime+lastHop+cfg.Reorder.Delay)
		for ref, f := range w.fates {
			require.True(t, ref == after || f.lost || f.at < kill, "packet %d", ref)
		}
		if trim > 0 {
			require.NotZero(t, w.n.Stats().Trims)
		}
		require.NotZero(t, w.n.Stats().Late)
	}
}

// TestLaneIsEmptyAfterReturn: so are the heads of cut packets.
func TestLaneIsEmptyAfterReturn(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 101)
	cfg.Trim, cfg.Buffer = 100, 4196
	cfg.Script = []fabric.Change{{At: 1_290_000, Kind: fabric.LinkDown, Low: 100}, {At: 1_290_001, Kind: fabric.LinkUp, Low: 100}}
	w := newWorld(t, cfg)
	burst(w, 98, 100, 0)
	whole, cut := w.send(10_000, 0, data(98, 100, 1)), w.send(11_000, 0, data(99, 100, 1))
	w.run()
	require.Equal(t, 10_000+packetTime+oneHop+packetTime+lastHop, w.delivered(whole))
	require.Equal(t, 11_000+packetTime+oneHop+2000+lastHop, w.delivered(cut))
}

// TestDegraded: the packet that is being sent keeps its time, all behind it take the new rate, queued or to come.
func TestDegraded(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 9)
	change := packetTime + oneHop + 5*packetTime/2 // in the middle of the third
	cfg.Script = []fabric.Change{
		{At: change, Kind: fabric.LinkRate, Low: 8, Way: fabric.Downwards, Mbps: 100_000},
		{At: change + 10*packetTime, Kind: fabric.LinkRate, Low: 8, Mbps: 400_000}, // in the middle of a slow one
	}
	w := newWorld(t, cfg)
	burst(w, 8, 8, 0)
	w.run()
	due := packetTime + oneHop + lastHop
	for i, took := range []sim.Picos{1, 1, 1, 4, 4, 4, 1, 1} {
		due += took * packetTime
		require.Equal(t, due, w.times()[i], "packet %d", i)
	}
	require.Equal(t, uint64(7*4196), w.n.Stats().Downward[fabric.TierLeaf].MaxBytes)
}

// TestGrayLink: a link that loses at random, on top of what all lose.
func TestGrayLink(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 3)
	cfg.Loss.Data = 500_000
	cfg.Script = []fabric.Change{{Kind: fabric.LinkRate, Low: 2, Mbps: 400_000, Ppm: 500_000, Way: fabric.Downwards}}
	w := newWorld(t, cfg)
	for range 2000 {
		w.send(1, 0, data(0, 1, 1))
		w.send(1, 0, data(0, 2, 1))
	}
	w.run()
	lost := [3]int{}
	for _, f := range w.fates {
		if f.lost {
			lost[f.packet.Dst]++
		}
	}
	require.InDelta(t, 1000, lost[1], 110)
	require.InDelta(t, 1500, lost[2], 110)
}
