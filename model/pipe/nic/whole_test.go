package nic

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// settled holds what must be so in a device at rest: all packets have left, each stage passed on what it took.
func settled(t require.TestingT, d *Device, came uint64) {
	require.Zero(t, d.Inside())
	n := map[Stage]uint64{}
	for _, l := range d.Loads() {
		n[l.Stage] += l.Packets
	}
	require.Equal(t, came, n[Parse]+d.Overruns())
	require.Equal(t, n[Parse], n[Admit]+n[Reply])
	for _, s := range []Stage{Window, Key, Recv, Message, Place} {
		require.LessOrEqual(t, n[s], n[Admit])
	}
	require.Equal(t, n[Key], n[Recv])
	require.Equal(t, n[Pick], n[Build])
	for i := range d.all {
		s := &d.all[i]
		require.Zero(t, s.work.Len())
		for k := range s.in {
			require.Zero(t, s.in[k].q.Len()+s.in[k].promised)
		}
	}
	for i := range d.planes {
		require.Zero(t, d.planes[i].bytes)
		require.Zero(t, d.planes[i].count)
	}
}

// counted is a device that counts what comes.
type counted struct {
	*Device
	came uint64
}

func (c *counted) OnPacket(now sim.Picos, plane int, p *endpoint.Packet) {
	c.came++
	c.Device.OnPacket(now, plane, p)
}

func anyConfig(t *rapid.T) Config {
	c := Immediate()
	c.CyclePs = uint32(rapid.SampledFrom([]int{700, 1000, 4000}).Draw(t, "cycle"))
	c.Ahead = uint32(rapid.SampledFrom([]int{0, 1, 5000, 50_000}).Draw(t, "ahead"))
	c.Seed = rapid.Uint64().Draw(t, "spreads")
	for id := range stages {
		x := anyTiming(t, id)
		if id == Pick {
			x.Depth = 0
		}
		if id == Read || id == Write {
			x.Latency *= 20
			x.Spread = uint32(rapid.IntRange(0, 300).Draw(t, id.String()+" spread"))
		}
		if id == Reply || id == Complete {
			x.Each = uint32(rapid.IntRange(0, 3).Draw(t, id.String()+" each"))
		}
		c.Stages[id] = x
	}
	return c
}

// TestNothingIsLost: with any times, short queues and a network that loses, every request completes once, in order, with
// the right bytes in memory; and every packet that comes into a device leaves it.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySetup(t)
		c := anyConfig(t)
		c.Stages[Parse].Depth = uint32(rapid.SampledFrom([]int{4, 1 << 16}).Draw(t, "parse depth"))
		s.cycles, s.silent = &c, true
		w := newWorld(t, s)
		for i := range w.m {
			w.m[i] = &counted{w.m[i].(*Device), 0}
		}
		w.run()
		for i := range w.m {
			m := w.m[i].(*counted)
			settled(t, m.Device, m.came)
			if c.Stages[Parse].Depth > 4 {
				require.Zero(t, m.Overruns())
			}
		}
	})
}

// TestSameSeedSameBytes: a run is a function of its configuration.
func TestSameSeedSameBytes(t *testing.T) {
	c := Default(2)
	s := lossy
	s.cycles = &c
	a, b := newWorld(t, s).run(), newWorld(t, s).run()
	require.True(t, sameTrace(a, b))
	c.Seed++
	require.False(t, sameTrace(a, newWorld(t, s).run()), "spreads come from the seed")
}

// oneFlow is a message of so many bytes from one device to another, alone; it returns how long it took from its start to
// its release, and the devices.
func oneFlow(t require.TestingT, c Config, mtu uint16, bytes uint32) (took sim.Picos, w *world) {
	w = newWorld(t, setup{seed: 1, planes: 1, mtu: mtu, cycles: &c, jobs: 1, most: bytes, silent: true})
	_, err := w.nic[0].Post(0, w.conn[0], 0, endpoint.Work{Op: wire.OpcodeWrite, Length: bytes, Rkey: testKey})
	require.NoError(t, err)
	w.jobs[0] = append(w.jobs[0], job{Work: endpoint.Work{Op: wire.OpcodeWrite, Length: bytes}})
	w.after(0)
	for len(w.ended[1]) == 0 {
		w.step()
	}
	return w.now, w
}

// TestSendIsBounded: what leaves is bounded by the slowest stage on the way out, by the width of the memory, by what may be
// under way to the memory, and by what is chosen ahead of the uplink.
func TestSendIsBounded(t *testing.T) {
	const mtu, bytes = 1024, 400 << 10
	const packets = bytes / mtu
	for name, x := range map[string]struct {
		set  func(c *Config)
		want uint64 // cycles a packet
	}{
		"pick":         {func(c *Config) { c.Stages[Pick].Interval = 100 }, 100},
		"build":        {func(c *Config) { c.Stages[Build].Width = 8 }, (mtu + 48 + 4 + 42 + 7) / 8},
		"memory":       {func(c *Config) { c.Stages[Read].Width = 8 }, 128},
		"reads":        {func(c *Config) { c.Stages[Read].InFlight = 4 }, (500 + 16) / 4},
		"the link":     {func(*Config) {}, 24},
		"chosen ahead": {func(c *Config) { c.Ahead = 5 * 1118 }, (500 + 16 + 12 + 6 + 24) / 5},
	} {
		c := Default(1)
		c.Stages[Read].Spread, c.Stages[Write].Spread = 0, 0
		x.set(&c)
		took, w := oneFlow(t, c, mtu, bytes)
		cycles := uint64(took) / 1000
		require.GreaterOrEqual(t, cycles, x.want*packets, name)
		require.LessOrEqual(t, cycles, x.want*packets*5/4+10_000, "%s %s", name, w.describe()) // a start of some round trips
		require.Zero(t, w.nic[0].Count().Retransmitted, name)
	}
}

// TestAcknowledgementsDoNotWaitForMemory: what needs nothing of the memory goes by what does.
func TestAcknowledgementsDoNotWaitForMemory(t *testing.T) {
	c := Default(1)
	c.Stages[Read].Latency = 100_000
	b := newBench(t, c, 1024)
	_, err := b.d.NIC().Post(0, 0, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: 1024, Rkey: 1 << 8})
	require.NoError(t, err)
	b.d.Kicks()
	b.d.OnPacket(0, 0, b.part(0))
	for len(b.seen[event.KindAck]) == 0 {
		at, ok := b.d.next()
		require.True(t, ok)
		b.d.OnTime(at)
	}
	at := b.seen[event.KindAck][0] + ackBuilt(&c)
	b.d.OnTime(at)
	var p endpoint.Packet
	require.True(t, b.d.Pull(at, 0, &p))
	require.Equal(t, wire.OpcodeAck, p.Opcode)
	require.Less(t, at, sim.Picos(1_000_000))
}

// TestClosedWhileInside: of a connection that ends, nothing is touched by what of it is still in the device.
func TestClosedWhileInside(t *testing.T) {
	for steps := range 60 {
		c := Default(1)
		b := newBench(t, c, 256)
		for i := range 10 {
			b.d.OnPacket(0, 0, b.part(i))
		}
		for range steps {
			if at, ok := b.d.next(); ok {
				b.d.OnTime(at)
			}
		}
		require.NoError(t, b.d.NIC().Abort(b.d.now, 0))
		p := endpoint.Packet{Control: wire.Control{Action: wire.ControlActionClosed, Txn: 1}}
		p.Opcode, p.DstConn = wire.OpcodeControl, b.first.DstConn
		b.d.OnPacket(b.d.now, 0, &p)
		for {
			if e, ok := b.d.NIC().Event(); ok {
				require.Equal(t, endpoint.LifeClosed, e.Kind)
				break
			}
			at, ok := b.d.next()
			require.True(t, ok)
			b.d.OnTime(at)
		}
		touched := func() int {
			return len(b.seen[event.KindWindow]) + len(b.seen[event.KindMessage]) + len(b.seen[event.KindPlace])
		}
		before := touched()
		b.rest()
		require.Equal(t, before, touched())
		require.Zero(t, b.d.Inside()-b.atPorts())
	}
}

// TestHandshake: a connection is opened and closed by control packets through the devices.
func TestHandshake(t *testing.T) {
	c := Default(1)
	w := newWorld(t, setup{seed: 1, planes: 1, mtu: 1024, cycles: &c, trouble: trouble{lose: 200}})
	conn, err := w.nic[0].Open(0, 1, 4, 1)
	require.NoError(t, err)
	w.after(0)
	expect := func(host int, kind endpoint.LifeKind) {
		for {
			if e, ok := w.nic[host].Event(); ok {
				require.Equal(t, kind, e.Kind)
				return
			}
			require.NotEmpty(t, w.queue)
			w.step()
		}
	}
	expect(0, endpoint.LifeOpened)
	expect(1, endpoint.LifeAccepted)
	require.NoError(t, w.nic[0].Close(w.now, conn))
	w.after(0)
	expect(0, endpoint.LifeClosed)
	expect(1, endpoint.LifeClosed)
}

// inAndOut brings a packet in and takes the acknowledgement out.
func (b *bench) inAndOut(m machine, p, out *endpoint.Packet, now sim.Picos) {
	m.OnPacket(now, 0, p)
	if m == machine(b.d) {
		for at, ok := b.d.next(); ok; at, ok = b.d.next() {
			b.d.OnTime(at)
			now = at
		}
	}
	for m.Pull(now, 0, out) {
	}
}

// duplicates is a bench whose device knows what comes to it already, and has to say so at once.
func duplicates(t require.TestingT) (b *bench, p *endpoint.Packet) {
	b = &bench{}
	b.open(t, Default(1), 1024, nil)
	p = b.part(0)
	p.FlagA = true
	b.d.nic.OnPacket(0, 0, p)
	return b, p
}

// TestSteadyStateDoesNotAllocate: packets in, acknowledgements out.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	b, p := duplicates(t)
	out := endpoint.Packet{}
	once := func() { b.inAndOut(b.d, p, &out, b.d.now) }
	for range 100 {
		once()
	}
	require.Zero(t, testing.AllocsPerRun(100, once))
}

// BenchmarkPacket is a packet in and its acknowledgement out, in cycles and without.
func BenchmarkPacket(b *testing.B) {
	x, p := duplicates(b)
	out := endpoint.Packet{}
	for _, c := range []struct {
		name string
		m    machine
	}{{"cycles", x.d}, {"endpoint", x.d.nic}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.inAndOut(c.m, p, &out, x.d.now)
			}
		})
	}
}
