package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// lossless is a leaf-spine with flow control: two leaves of three hosts, one spine.
func lossless() fabric.Config {
	cfg := plain(fabric.LeafSpine, 6)
	cfg.HostsPerLeaf, cfg.Spines, cfg.Buffer = 3, 1, 4196
	cfg.Pfc = fabric.Pfc{Xoff: 10 * 4196, Xon: 5 * 4196}
	cfg.Pfc.Headroom = cfg.Headroom(4196)
	return cfg
}

func lossy(p fabric.Packet) fabric.Packet {
	p.Flags = 0
	return p
}

func safe(src, dst int) fabric.Packet {
	p := data(src, dst, 1)
	p.Flags = fabric.FlagLossless
	return p
}

// TestPauseSpreads: an incast fills the last leaf, whose pause stops the spine, whose pause stops the first leaf, whose
// pause stops hosts; a flow to an idle host behind the same spine waits with them. Nothing is lost.
func TestPauseSpreads(t *testing.T) {
	w := newWorld(t, lossless())
	for range 300 {
		for src := range 3 {
			w.send(0, 0, safe(src, 5))
		}
		w.send(0, 0, safe(3, 5))
		w.send(0, 0, safe(4, 5))
	}
	victim := w.send(20_000_000, 0, safe(0, 4)) // its way shares all links but the last with the incast
	w.run()
	s := w.n.Stats()
	require.Zero(t, s.Lost)
	require.Equal(t, uint64(1501), s.Delivered.Sum())
	require.Greater(t, s.Pauses, uint64(10))
	require.NotZero(t, s.Paused)
	require.Greater(t, w.delivered(victim), sim.Picos(100_000_000), "head of line")
	end := w.times()[len(w.order)-1]
	require.Less(t, end, 1501*packetTime+10_000_000, "and the bottleneck never idles for long")
}

// TestPauseStopsHosts: the ingress of a host never holds more than Xoff and the headroom that its cable needs, although
// the host would send far more.
func TestPauseStopsHosts(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 3)
	cfg.Pfc = fabric.Pfc{Xoff: 20 * 4196, Xon: 10 * 4196}
	need := cfg.Headroom(4196)
	for _, c := range []struct {
		headroom uint32
		drops    bool
	}{{need, false}, {need / 2, true}} {
		cfg.Pfc.Headroom = c.headroom
		w := newWorld(t, cfg)
		for range 500 {
			w.send(0, 0, safe(0, 2))
			w.send(0, 0, safe(1, 2))
		}
		w.run()
		s := w.n.Stats()
		require.Equal(t, c.drops, s.Overflow.Sum() > 0, "headroom of %d", c.headroom)
		require.LessOrEqual(t, s.Downward[fabric.TierLeaf].MaxBytes, uint64(2*(cfg.Pfc.Xoff+c.headroom)))
		require.NotZero(t, s.Pauses)
	}
}

// TestPauseLastsFromXoffToXon: ten packets, at half the rate of the port that two hosts share.
func TestPauseLastsFromXoffToXon(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 3)
	cfg.LinkDelay, cfg.SwitchDelay = 0, 0
	cfg.Pfc = fabric.Pfc{Xoff: 20 * 4196, Xon: 10 * 4196}
	cfg.Pfc.Headroom = cfg.Headroom(4196)
	w := newWorld(t, cfg)
	for range 500 {
		w.send(0, 0, safe(0, 2))
		w.send(0, 0, safe(1, 2))
	}
	w.run()
	s := w.n.Stats()
	require.Zero(t, s.Lost)
	mean := s.Paused / sim.Picos(s.Pauses)
	require.Greater(t, mean, 16*packetTime)
	require.Less(t, mean, 28*packetTime)
}

// TestPauseAndItsEndKeepTheirOrder, where they are sent at the same time.
func TestPauseAndItsEndKeepTheirOrder(t *testing.T) {
	for seed := range uint64(20) {
		cfg := plain(fabric.SingleSwitch, 2)
		cfg.Seed, cfg.Pfc = seed, fabric.Pfc{Xoff: 4196, Xon: 4196, Headroom: 1 << 20}
		w := newWorld(t, cfg)
		for range 100 {
			w.send(0, 0, safe(0, 1)) // one comes as the one before departs
		}
		w.run()
		require.Len(t, w.order, 100)
		require.NotZero(t, w.n.Stats().Pauses)
	}
}

// TestFlapUnderPause: a link that was paused is so when it returns, and the ends agree when the pause is over.
func TestFlapUnderPause(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 3)
	cfg.Pfc = fabric.Pfc{Xoff: 20 * 4196, Xon: 10 * 4196}
	cfg.Pfc.Headroom = cfg.Headroom(4196)
	for i := range sim.Picos(20) {
		at, low := 10_000_000+i*1_100_000, int(i)%2*2 // of a sender, of the receiver, turn about
		cfg.Script = append(cfg.Script, fabric.Change{At: at, Kind: fabric.LinkDown, Low: low}, fabric.Change{At: at + i*50_000, Kind: fabric.LinkUp, Low: low})
	}
	w := newWorld(t, cfg)
	for range 500 {
		w.send(0, 0, safe(0, 2))
		w.send(0, 0, safe(1, 2))
	}
	w.run()
	s := w.n.Stats()
	require.Len(t, w.order, 1000)
	require.Zero(t, s.Overflow)
	require.NotZero(t, s.Down)
	require.NotZero(t, s.Pauses)
}

// TestOthersAreNotProtected: packets without the flag drop at a full port, and are not held by a pause.
func TestOthersAreNotProtected(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 9)
	cfg.Buffer = 3 * 4196
	cfg.Pfc = fabric.Pfc{Xoff: 4196, Xon: 4196, Headroom: 1 << 20}
	w := newWorld(t, cfg)
	burst(w, 8, 8, 0)
	w.run()
	require.Equal(t, fabric.Counts{Data: 5}, w.n.Stats().Overflow)
	require.Zero(t, w.n.Stats().Pauses)
	cfg.Buffer = 1 // and an idle port takes any
	w = newWorld(t, cfg)
	burst(w, 8, 8, 0)
	w.run()
	require.Equal(t, fabric.Counts{Data: 7}, w.n.Stats().Overflow)

	two := lossless()
	w = newWorld(t, two)
	for range 300 {
		w.send(0, 0, safe(3, 5))
		w.send(0, 0, safe(4, 5))
		w.send(0, 0, safe(0, 5))
		w.send(0, 0, lossy(data(1, 4, 1)))
	}
	w.run()
	for i, at := range w.times() {
		if f := w.fates[w.order[i]]; f.packet.Src == 1 {
			require.Less(t, at, 700*packetTime, "held up as if it were lossless")
		}
	}
}

// TestReturnIsEmptyUnderFlowControl: the bytes that a dead port had do not count against what comes after.
func TestReturnIsEmptyUnderFlowControl(t *testing.T) {
	cfg := plain(fabric.SingleSwitch, 9)
	cfg.Buffer = 3 * 4196
	cfg.Pfc = fabric.Pfc{Xoff: 4196, Headroom: 1 << 20}
	cfg.Script = []fabric.Change{{At: 1_300_000, Kind: fabric.LinkDown, Low: 8}, {At: 1_300_001, Kind: fabric.LinkUp, Low: 8}}
	w := newWorld(t, cfg)
	burst(w, 7, 8, 0)
	first, second := w.send(200_000, 0, data(7, 8, 1)), w.send(200_000, 0, data(7, 8, 1))
	w.run()
	require.Equal(t, 200_000+2*packetTime+oneHop+lastHop, w.delivered(first))
	require.Equal(t, w.delivered(first)+packetTime, w.delivered(second))
	require.Equal(t, fabric.Counts{Data: 4}, w.n.Stats().Overflow)
	require.Equal(t, fabric.Counts{Data: 3}, w.n.Stats().Down)
}

// TestFlowControlIsInvisibleWithoutCongestion: departures with events of their own are where they are computed ahead.
func TestFlowControlIsInvisibleWithoutCongestion(t *testing.T) {
	run := func(cfg fabric.Config, flags uint8) []sim.Picos {
		w := newWorld(t, cfg)
		draw := sim.NewRandom(5, "times")
		at := sim.Picos(0)
		for range 300 {
			at += sim.Picos(draw.Below(50_000))
			p := data(int(draw.Below(6)), int(draw.Below(6)), uint16(draw.Below(8)))
			p.Size, p.Flags = uint16(draw.Between(100, 4196)), flags
			w.send(at, 0, p)
		}
		w.run()
		return w.times()
	}
	open := plain(fabric.LeafSpine, 6)
	closed := open
	closed.Pfc = fabric.Pfc{Xoff: 1 << 30, Headroom: 1 << 20}
	require.Equal(t, run(open, 0), run(closed, fabric.FlagLossless))
}

// TestEnoughHeadroomNeverOverflows: any shape, thresholds, rates and traffic; all of it arrives in the end.
func TestEnoughHeadroomNeverOverflows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyShape(t)
		cfg.LinkMbps = rapid.SampledFrom([]uint32{100_000, 300_000, 800_000}).Draw(t, "mbps")
		cfg.LinkDelay = sim.Picos(rapid.Uint32Range(0, 3_000_000).Draw(t, "delay"))
		cfg.Pfc.Xoff = rapid.Uint32Range(1, 50_000).Draw(t, "xoff")
		cfg.Pfc.Xon = rapid.Uint32Range(0, cfg.Pfc.Xoff).Draw(t, "xon")
		cfg.Pfc.Headroom = cfg.Headroom(4196)
		w := newWorld(t, cfg)
		packets := rapid.IntRange(1, 500).Draw(t, "packets")
		draw := sim.NewRandom(cfg.Seed, "traffic")
		dsts := draw.Between(1, 2)
		for range packets {
			p := safe(int(draw.Below(uint64(cfg.Hosts))), int(draw.Below(dsts)))
			p.Size = uint16(draw.Between(64, 4196))
			w.send(0, int(draw.Below(uint64(cfg.Planes))), p)
		}
		w.run()
		require.Zero(t, w.n.Stats().Lost)
		require.Equal(t, uint64(packets), w.n.Stats().Delivered.Sum(), "the rest waits for ever")
	})
}
