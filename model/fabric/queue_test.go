package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

const (
	packetTime = sim.Picos(83_920) // of 4196 B at 400 Gb/s
	oneHop     = 1_000_000 + 200_000
	lastHop    = 1_000_000 + 227_040
)

// burst sends one packet from each of k hosts to the last one, so that all are in the switch at once.
func burst(w *world, k, dst int, flags uint8) (refs []uint32) {
	for i := range k {
		p := data(i, dst, 1)
		p.Flags = flags
		refs = append(refs, w.send(0, 0, p))
	}
	return refs
}

// times are those of what was delivered, in order.
func (w *world) times() (at []sim.Picos) {
	for _, ref := range w.order {
		if f := w.fates[ref]; !f.lost {
			at = append(at, f.at)
		}
	}
	return at
}

func TestQueueIsServedAtTheRateOfTheLink(t *testing.T) {
	w := newWorld(t, plain(fabric.SingleSwitch, 9))
	burst(w, 8, 8, 0)
	w.run()
	for i, at := range w.times() {
		require.Equal(t, packetTime+oneHop+packetTime*sim.Picos(i+1)+lastHop, at)
	}
	q := w.n.Stats().Downward[fabric.TierLeaf]
	require.Equal(t, fabric.Queue{Packets: 8, MaxBytes: 7 * 4196, MaxWait: 7 * packetTime, SumWait: 28 * packetTime}, q)
	require.Equal(t, 28*packetTime/8, q.MeanWait())
	require.Zero(t, w.n.Stats().Upward)
	require.Zero(t, fabric.Queue{}.MeanWait())
}

// TestTieIsDrawn: of hosts whose packets come to a switch at one time, none is always first.
func TestTieIsDrawn(t *testing.T) {
	first := map[uint16]bool{}
	for seed := range uint64(64) {
		c := plain(fabric.SingleSwitch, 5)
		c.Seed = seed
		w := newWorld(t, c)
		burst(w, 4, 4, 0)
		w.run()
		first[w.fates[w.order[0]].packet.Src] = true
	}
	require.Len(t, first, 4)
}

// TestTailDrop: a port holds what its buffer says, the packet that is being sent with it; an idle port takes any packet.
func TestTailDrop(t *testing.T) {
	for _, c := range []struct{ buffer, fits int }{{1, 1}, {4195, 1}, {4196, 1}, {2*4196 - 1, 1}, {2 * 4196, 2}, {5*4196 + 100, 5}, {8 * 4196, 8}} {
		cfg := plain(fabric.SingleSwitch, 9)
		cfg.Buffer = uint32(c.buffer)
		w := newWorld(t, cfg)
		burst(w, 8, 8, 0)
		w.run()
		s := w.n.Stats()
		require.Equal(t, fabric.Counts{Data: uint64(c.fits)}, s.Delivered, "buffer of %d", c.buffer)
		require.Equal(t, fabric.Counts{Data: uint64(8 - c.fits)}, s.Overflow)
		require.Equal(t, s.Overflow, s.Lost)
	}
}

// TestMarks: none up to Lo, all from Hi on, in between as often as the queue is long; only packets that may be marked.
func TestMarks(t *testing.T) {
	const hosts = 101
	marked := make([]int, hosts)
	const seeds = 200
	for seed := range uint64(seeds) {
		cfg := plain(fabric.SingleSwitch, hosts)
		cfg.Seed, cfg.EcnLo, cfg.EcnHi = seed, 20*4196, 80*4196
		w := newWorld(t, cfg)
		burst(w, hosts-1, hosts-1, fabric.FlagEct)
		w.run()
		marks := uint64(0)
		for i, ref := range w.order {
			if w.fates[ref].packet.Flags&fabric.FlagCe != 0 {
				marked[i]++
				marks++
			}
		}
		require.Equal(t, marks, w.n.Stats().Marks)
	}
	for i := range 21 {
		require.Zero(t, marked[i], "%d packets wait", i)
	}
	for i := 80; i < hosts-1; i++ {
		require.Equal(t, seeds, marked[i], "%d packets wait", i)
	}
	for i := 21; i < 80; i++ { // five deviations of 200 draws are at most 36
		require.InDelta(t, seeds*(i-20)/60, marked[i], 38, "%d packets wait", i)
	}
	for flags, marks := range map[uint8]uint64{0: 0, fabric.FlagEct: hosts - 1 - 7} {
		cfg := plain(fabric.SingleSwitch, hosts)
		cfg.EcnLo, cfg.EcnHi = 7*4196, 7*4196 // a step: the one that seven packets wait before is marked
		w := newWorld(t, cfg)
		burst(w, hosts-1, hosts-1, flags)
		w.run()
		require.Equal(t, marks, w.n.Stats().Marks)
	}
}

// TestRandomLoss: rates by class, on the last link or on each of four.
func TestRandomLoss(t *testing.T) {
	for _, c := range []struct {
		loss          fabric.Loss
		data, control int // of 2000 each
	}{
		{fabric.Loss{}, 0, 0},
		{fabric.Loss{Data: 100_000}, 200, 0},
		{fabric.Loss{Control: 100_000}, 0, 200},
		{fabric.Loss{Data: 10_000, Control: 200_000}, 20, 400},
		{fabric.Loss{Data: 100_000, Control: 10_000, Where: fabric.EveryLink}, 688, 79},
		{fabric.Loss{Data: 1_000_000}, 2000, 0},
	} {
		cfg := plain(fabric.LeafSpine, 16)
		cfg.Loss = c.loss
		w := newWorld(t, cfg)
		for i := range 2000 {
			w.send(0, 0, data(0, 15, uint16(i)))
			p := data(0, 15, uint16(i))
			p.Flags = fabric.FlagControl
			w.send(0, 0, p)
		}
		w.run()
		s := w.n.Stats()
		require.Equal(t, s.Random, s.Lost)
		if c.data%2000 == 0 {
			require.Equal(t, c.data, int(s.Lost.Data))
		}
		if c.control == 0 {
			require.Zero(t, s.Lost.Control)
		}
		require.InDelta(t, c.data, s.Lost.Data, 110)
		require.InDelta(t, c.control, s.Lost.Control, 110)
	}
}

// TestCut: data that finds no room loses its payload and goes before what waits; control is dropped, and so is what
// finds no room for its head.
func TestCut(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 9)
	cfg.Buffer, cfg.Trim = 4*4196, 100
	w := newWorld(t, cfg)
	burst(w, 8, 8, 0)
	w.run()
	s := w.n.Stats()
	require.Equal(t, uint64(4), s.Trims)
	require.Equal(t, fabric.Counts{Data: 8}, s.Delivered)
	for i, at := range w.times()[:4] { // a lane of their own: they do not wait for the packets before
		f := w.fates[w.order[i]]
		require.Equal(t, uint8(fabric.FlagTrimmed), f.packet.Flags)
		require.Equal(t, uint16(100), f.packet.Size)
		require.Equal(t, packetTime+oneHop+sim.Picos(2000*(i+1))+lastHop, at)
	}
	for _, ref := range w.order[4:] {
		require.Equal(t, uint16(4196), w.fates[ref].packet.Size)
	}

	w = newWorld(t, cfg)
	burst(w, 8, 8, fabric.FlagControl)
	w.run()
	require.Equal(t, fabric.Counts{Control: 4}, w.n.Stats().Overflow)

	cfg = plain(fabric.SingleSwitch, 3)
	cfg.Buffer, cfg.Trim = 4196, 100
	w = newWorld(t, cfg)
	burst(w, 1, 2, 0)
	short := data(1, 2, 1)
	short.Size = 100
	w.send(82_000, 0, short) // is not made any shorter
	w.run()
	require.Equal(t, fabric.Counts{Data: 1}, w.n.Stats().Overflow)

	cfg = plain(fabric.SingleSwitch, 101)
	cfg.Buffer, cfg.Trim = 4196, 100 // room for 41 heads
	w = newWorld(t, cfg)
	burst(w, 100, 100, 0)
	w.run()
	require.Equal(t, uint64(99), w.n.Stats().Trims)
	require.Equal(t, uint64(58), w.n.Stats().Gone)
	require.Equal(t, fabric.Counts{Data: 1 + 41}, w.n.Stats().Delivered)
	require.Equal(t, fabric.Counts{Data: 58}, w.n.Stats().Overflow)
}

// TestCutTakesItsTime: the lane of heads costs the queue of whole packets what it takes.
func TestCutTakesItsTime(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 10)
	cfg.Buffer, cfg.Trim = 4*4196, 100
	w := newWorld(t, cfg)
	burst(w, 8, 9, 0)
	after := w.send(100_000, 0, data(8, 9, 1)) // comes when 4 whole packets and 4 heads did
	w.run()
	start := packetTime + oneHop
	require.Equal(t, start+4*packetTime+4*2000+packetTime+lastHop, w.delivered(after))
}

// TestReorder: packets of one path overtake each other only where that is asked for.
func TestReorder(t *testing.T) {
	for _, ppm := range []uint32{0, 100_000} {
		cfg := plain(fabric.LeafSpine, 16)
		cfg.Reorder = fabric.Reorder{Ppm: ppm, Delay: 1_000_000}
		w := newWorld(t, cfg)
		var refs []uint32
		for range 1000 {
			refs = append(refs, w.send(0, 0, data(0, 15, 1)))
		}
		w.run()
		late := 0
		for i := range refs {
			due := packetTime*sim.Picos(i+4) + 3*oneHop + lastHop
			at := w.delivered(refs[i])
			require.GreaterOrEqual(t, at, due)
			require.LessOrEqual(t, at, due+1_000_000)
			if at > due {
				late++
			}
		}
		require.Equal(t, uint64(late), w.n.Stats().Late)
		require.InDelta(t, int(ppm)/1000, late, 50)
		if ppm == 0 {
			require.Equal(t, refs, w.order)
		}
	}
}

// TestOddRatesAreExactInTheLongRun: 300 Gb/s is no whole number of ps a byte.
func TestOddRatesAreExactInTheLongRun(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 2)
	cfg.LinkMbps = 300_000
	w := newWorld(t, cfg)
	var last uint32
	for range 3000 {
		p := data(0, 1, 1)
		p.Size = 100 // 2666 2/3 ps
		last = w.send(0, 0, p)
	}
	w.run()
	require.InDelta(t, 3000*100*8_000_000/300_000+2666+oneHop+lastHop, int(w.delivered(last)), 2)
}
