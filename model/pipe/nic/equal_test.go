package nic

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// engines are those that a NIC of both directions has records of.
var engines = []event.Kind{
	event.KindAdmit, event.KindWindow, event.KindKey, event.KindRecv, event.KindMessage, event.KindPlace, event.KindComplete,
	event.KindCoalesce, event.KindCtimer, event.KindAck, event.KindXmit, event.KindPathChoice, event.KindStreamSched, event.KindCc,
	event.KindAckRecv, event.KindLossWalk, event.KindPathTimer, event.KindSlot, event.KindShare,
}

func anySetup(t *rapid.T) setup {
	return setup{
		seed:   rapid.Uint64().Draw(t, "seed"),
		planes: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "planes"),
		mtu:    rapid.SampledFrom([]uint16{512, 1024, 4096}).Draw(t, "mtu"),
		jobs:   rapid.IntRange(1, 12).Draw(t, "jobs"), most: 6000,
		trouble: trouble{
			lose:   rapid.SampledFrom([]uint16{0, 20, 100}).Draw(t, "lose"),
			double: rapid.SampledFrom([]uint16{0, 100}).Draw(t, "double"),
			late:   rapid.SampledFrom([]uint16{0, 100}).Draw(t, "late"),
		},
	}
}

// sameTrace tells whether both hosts of two worlds wrote the same records.
func sameTrace(a, b *world) bool {
	for i := range a.trace {
		if len(a.trace[i]) != len(b.trace[i]) {
			return false
		}
		for k := range a.trace[i] {
			if a.trace[i][k] != b.trace[i][k] {
				return false
			}
		}
	}
	return true
}

// TestImmediateIsTheEndpoint: without any time, the records of all engines of both hosts are those of endpoints without
// cycles, one by one, and so are the completions.
func TestImmediateIsTheEndpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySetup(t)
		pure := newWorld(t, s).run()
		c := Immediate()
		s.cycles = &c
		cycles := newWorld(t, s).run()
		require.NotEmpty(t, pure.trace[0])
		require.True(t, sameTrace(pure, cycles))
		require.Equal(t, pure.ended, cycles.ended)
		require.Equal(t, pure.now, cycles.now)
	})
}

// lossy is traffic that every engine and every stage has to do with.
var lossy = setup{seed: 3, planes: 2, mtu: 1024, jobs: 25, most: 8000, trouble: trouble{lose: 50, double: 50, late: 50}}

func TestLossyReachesEveryEngine(t *testing.T) {
	seen := map[event.Kind]int{}
	for seed := range uint64(5) {
		s := lossy
		s.seed = seed
		for k, n := range newWorld(t, s).run().kinds {
			seen[k] += n
		}
	}
	for _, k := range engines {
		require.NotZero(t, seen[k], "%v", k)
	}
}

// TestOneCycleIsSeen plants a cycle in each stage in turn: the traces differ, so every stage is on the way of the traffic
// that TestImmediateIsTheEndpoint compares, and the comparison notices the least that a stage can do.
func TestOneCycleIsSeen(t *testing.T) {
	pure := newWorld(t, lossy).run()
	for id := range stages {
		s, c := lossy, Immediate()
		c.Stages[id].Latency = 1
		s.cycles = &c
		require.False(t, sameTrace(pure, newWorld(t, s).run()), "%v", id)
	}
}

// spoiled is a device with a fault at one of the data packets that come to it.
type spoiled struct {
	*Device
	left int
	do   func(d *Device, now sim.Picos, plane int, p *endpoint.Packet)
}

func (s *spoiled) OnPacket(now sim.Picos, plane int, p *endpoint.Packet) {
	if p.IsData() {
		if s.left--; s.left == 0 {
			s.do(s.Device, now, plane, p)
			return
		}
	}
	s.Device.OnPacket(now, plane, p)
}

// TestFaultsAreSeen plants what a device must not do.
func TestFaultsAreSeen(t *testing.T) {
	c := Immediate()
	s := lossy
	s.cycles = &c
	run := func(do func(d *Device, now sim.Picos, plane int, p *endpoint.Packet)) *world {
		w := newWorld(t, s)
		w.m[1] = &spoiled{w.m[1].(*Device), 20, do}
		return w.run()
	}
	good := run(func(d *Device, now sim.Picos, plane int, p *endpoint.Packet) { d.OnPacket(now, plane, p) })
	for name, do := range map[string]func(d *Device, now sim.Picos, plane int, p *endpoint.Packet){
		"lost": func(*Device, sim.Picos, int, *endpoint.Packet) {},
		"doubled": func(d *Device, now sim.Picos, plane int, p *endpoint.Packet) {
			d.OnPacket(now, plane, p)
			d.OnPacket(now, plane, p)
		},
		"mark lost": func(d *Device, now sim.Picos, plane int, p *endpoint.Packet) {
			p.Ce = !p.Ce
			d.OnPacket(now, plane, p)
		},
		"on the wrong plane": func(d *Device, now sim.Picos, plane int, p *endpoint.Packet) { d.OnPacket(now, 1-plane, p) },
		"later":              func(d *Device, now sim.Picos, plane int, p *endpoint.Packet) { d.OnPacket(now+preset.TickPs, plane, p) },
	} {
		require.False(t, sameTrace(good, run(do)), name)
	}
}
