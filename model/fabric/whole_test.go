package fabric_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// anyChange draws a change that is possible in a network.
func anyChange(t *rapid.T, n *fabric.Network, c fabric.Config) fabric.Change {
	host := rapid.IntRange(0, c.Hosts-1)
	path := n.Path(host.Draw(t, "from"), host.Draw(t, "to"), rapid.IntRange(0, c.Planes-1).Draw(t, "plane"), rapid.Uint16().Draw(t, "sport"))
	hop := rapid.SampledFrom(path).Draw(t, "hop")
	ch := hop.Of(fabric.Change{
		At:   sim.Picos(rapid.Uint32Range(0, 30_000_000).Draw(t, "at")),
		Kind: fabric.ChangeKind(rapid.IntRange(0, int(fabric.PlaneUp)).Draw(t, "change")),
		Way:  fabric.Way(rapid.IntRange(0, 2).Draw(t, "way")),
		Mbps: rapid.SampledFrom([]uint32{100_000, 200_000, 400_000}).Draw(t, "rate"),
		Ppm:  rapid.SampledFrom([]uint32{0, 0, 100_000}).Draw(t, "ppm"),
	})
	if ch.Kind == fabric.SwitchDown || ch.Kind == fabric.SwitchUp {
		ch.Low, ch.Tier = 0, rapid.SampledFrom(path).Draw(t, "switch").Tier
	}
	return ch
}

func anyScript(t *rapid.T, c fabric.Config, most int) (script []fabric.Change) {
	n, err := fabric.New(c)
	require.NoError(t, err)
	for range rapid.IntRange(0, most).Draw(t, "changes") {
		script = append(script, anyChange(t, n, c))
	}
	return script
}

// anyTrouble draws a network in which everything may go wrong that can.
func anyTrouble(t *rapid.T) fabric.Config {
	c := anyShape(t)
	rare := rapid.SampledFrom([]uint32{0, 0, 1000, 200_000})
	c.Buffer = rapid.SampledFrom([]uint32{1, 10_000, 50_000, 1 << 31}).Draw(t, "buffer")
	c.EcnLo, c.EcnHi = c.Buffer/5, c.Buffer/2
	where := func(name string) fabric.Where { return fabric.Where(rapid.IntRange(0, 1).Draw(t, name)) }
	c.Loss = fabric.Loss{Data: rare.Draw(t, "data"), Control: rare.Draw(t, "control"), Where: where("where")}
	c.Reorder = fabric.Reorder{Ppm: rare.Draw(t, "reorder"), Delay: 500_000, Where: where("late")}
	switch rapid.IntRange(0, 2).Draw(t, "extra") {
	case 1:
		c.Trim = 100
	case 2:
		c.Pfc = fabric.Pfc{Xoff: 20_000, Xon: 10_000, Headroom: rapid.SampledFrom([]uint32{0, 10_000, 1 << 20}).Draw(t, "headroom")}
	}
	c.Script = anyScript(t, c, 12)
	return c
}

// flood sends packets of all kinds, the most of them to few hosts.
func flood(w *world, c fabric.Config, packets int) {
	draw := sim.NewRandom(c.Seed, "flood")
	at := sim.Picos(0)
	for range packets {
		at += sim.Picos(draw.Below(20_000)) // several times what the receivers can take
		p := data(int(draw.Below(uint64(c.Hosts))), int(draw.Below(2)), uint16(draw.Below(8)))
		p.Size, p.Flags = uint16(draw.Between(64, 4196)), uint8(draw.Uint64())&^(fabric.FlagCe|fabric.FlagTrimmed)
		w.send(at, int(draw.Below(uint64(c.Planes))), p)
	}
}

// TestNothingIsLostUnseen: at every moment what was injected is delivered, lost or in flight; at the end nothing is in
// flight, and every packet had exactly one fate (world.settle). What comes is what was sent, but for marks and cuts.
func TestNothingIsLostUnseen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyTrouble(t)
		w := newWorld(t, c)
		packets := rapid.IntRange(1, 400).Draw(t, "packets")
		flood(w, c, packets)
		for i := 0; w.n.Step(); i++ {
			if i%64 == 0 {
				s := w.n.Stats()
				require.Equal(t, int(s.Injected.Sum()), len(w.order)+w.n.InFlight())
				require.GreaterOrEqual(t, w.n.InFlight(), 0)
			}
		}
		s := w.n.Stats()
		require.Zero(t, w.n.InFlight())
		require.Len(t, w.order, packets)
		require.Equal(t, uint64(packets), s.Injected.Sum())
		require.Equal(t, s.Injected.Sum(), s.Delivered.Sum()+s.Lost.Sum())
		require.Equal(t, s.Lost.Sum(), s.Random.Sum()+s.Overflow.Sum()+s.Down.Sum())
		require.Zero(t, s.Pending)
		var seen fabric.Stats
		for _, f := range w.fates {
			tally(&seen, f)
		}
		require.Equal(t, seen.Lost, s.Lost)
		require.Equal(t, seen.Delivered, s.Delivered)
		require.LessOrEqual(t, seen.Trims, s.Trims)
		require.Equal(t, seen.Gone, s.Gone)
		require.LessOrEqual(t, seen.Marks, s.Marks)
	})
}

func tally(s *fabric.Stats, f fate) {
	to := &s.Delivered
	if f.lost {
		to = &s.Lost
	}
	if f.packet.Flags&fabric.FlagControl != 0 {
		to.Control++
	} else {
		to.Data++
	}
	if f.packet.Flags&fabric.FlagCe != 0 {
		s.Marks++
	}
	if f.packet.Flags&fabric.FlagTrimmed != 0 {
		s.Trims++
		if f.lost {
			s.Gone++
		}
	}
}

// TestSameSeedSameRun: fates, times and statistics; and the seed matters.
func TestSameSeedSameRun(t *testing.T) {
	run := func(c fabric.Config) (map[uint32]fate, []uint32, fabric.Stats) {
		w := newWorld(t, c)
		flood(w, fabric.Config{Seed: 1, Hosts: c.Hosts, Planes: c.Planes}, 2000)
		w.run()
		return w.fates, w.order, w.n.Stats()
	}
	c := fabric.Default(fabric.LeafSpine, 16)
	c.Buffer, c.EcnLo, c.EcnHi, c.Trim, c.Planes = 50_000, 1, 40_000, 100, 2
	c.Loss, c.Reorder = fabric.Loss{Data: 10_000, Where: fabric.EveryLink}, fabric.Reorder{Ppm: 10_000, Delay: 1000}
	fates, order, stats := run(c)
	again, orderAgain, statsAgain := run(c)
	require.Equal(t, fates, again)
	require.Equal(t, order, orderAgain)
	require.Equal(t, stats, statsAgain)
	c.Seed = 2
	other, _, _ := run(c)
	require.NotEqual(t, fates, other)
}

// TestStepsAndRunsAreTheSame: a driver that stops at any time changes nothing.
func TestStepsAndRunsAreTheSame(t *testing.T) {
	c := fabric.Default(fabric.LeafSpine, 16)
	c.Loss.Data = 10_000
	a, b := newWorld(t, c), newWorld(t, c)
	flood(a, c, 1000)
	flood(b, c, 1000)
	a.run()
	draw := sim.NewRandom(1, "stops")
	for b.n.Stats().Pending > 0 {
		b.n.Run(b.n.Now() + sim.Picos(draw.Below(100_000)))
	}
	require.Equal(t, a.fates, b.fates)
	require.Equal(t, a.order, b.order)
}

// TestNothingIsAllocatedAfterWarmUp, with everything on that a data path can meet.
func TestNothingIsAllocatedAfterWarmUp(t *testing.T) {
	for _, pfc := range []bool{false, true} {
		c := fabric.Default(fabric.LeafSpine, 9)
		c.Loss, c.Reorder = fabric.Loss{Data: 1000, Control: 1000}, fabric.Reorder{Ppm: 1000, Delay: 1_000_000}
		c.Buffer, c.Trim = 50_000, 100
		if pfc {
			c.Trim, c.Pfc = 0, fabric.Pfc{Xoff: 50_000, Xon: 40_000, Headroom: 1 << 20}
		}
		n := talk(t, c, false)
		n.Run(40_000_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n.Run(120_000_000) // a leak would double what there is
		runtime.ReadMemStats(&after)
		require.Less(t, after.Mallocs-before.Mallocs, uint64(5), "the runtime has a few of its own")
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5000))
		require.Greater(t, n.Stats().Hops, uint64(10_000))
	}
}

// TestBareLoopIsThatOfTheRun: it is sized by what the run had to come.
func TestBareLoopIsThatOfTheRun(t *testing.T) {
	few, many := talk(t, fabric.Default(fabric.SingleSwitch, 4), false), talk(t, fabric.Default(fabric.SingleSwitch, 128), false)
	few.Run(10_000_000)
	many.Run(10_000_000)
	require.Greater(t, many.Stats().MaxPending, 8*few.Stats().MaxPending)
	require.Equal(t, many.BareLoop(1, 1000), many.BareLoop(1, 1000))
	require.Equal(t, sim.BareLoop(1, 1000, few.Stats().MaxPending, packetTime, packetTime+oneHop), few.BareLoop(1, 1000))
	idle, err := fabric.New(fabric.Default(fabric.SingleSwitch, 2))
	require.NoError(t, err)
	require.NotZero(t, idle.BareLoop(1, 10))
}
