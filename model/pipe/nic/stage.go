package nic

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// packet is one packet in the device, of either direction.
type packet struct {
	endpoint.Item
	plane uint8
	bytes uint32 // of its frame
}

// stage is one part of the pipeline. All stages work alike; what differs is in Timing, effect and route.
type stage struct {
	id     Stage
	timing Timing
	unit   *unit
	bit    uint64 // in masks of stages
	in     []input
	queued int // in all inputs
	turn   int // input that goes first
	work   sim.Ring[started]
	random sim.Random

	instant bool // takes no time, so it waits for no edge
	load    Load
	blocked bool
	since   sim.Picos // blocked: from when on
}

// unit is what one start at a time uses. Reply and Pick share one.
type unit struct{ free sim.Picos }

// input is a queue before a stage.
type input struct {
	q        sim.Ring[waiting]
	promised int // places for packets that are on their way here
}

type waiting struct {
	x  *packet
	at sim.Picos // since when
}

// started is a packet between start and effect, and where a place is promised for it; nil: it goes nowhere. Effects are in
// the order of starts, so one that could come earlier waits for the one before.
type started struct {
	x  *packet
	at sim.Picos // effect
	to *stage
	by uint8 // input there
}

// room tells whether an input has a place that is not promised.
func (s *stage) room(by uint8) bool {
	q := &s.in[by]
	return q.q.Len()+q.promised < int(s.timing.Depth)
}

// push puts a packet into an input.
func (d *Device) push(s *stage, x *packet, by uint8) {
	*s.in[by].q.Push() = waiting{x, d.now}
	s.queued++
	d.waits |= s.bit
	s.load.Queued = max(s.load.Queued, s.in[by].q.Len())
}

// from is when a stage can start, as far as its own times go: at an edge of the clock, or now if it takes no time.
func (d *Device) from(s *stage) sim.Picos {
	if s.instant {
		return max(s.unit.free, d.now)
	}
	return max(s.unit.free, d.edge)
}

// move makes it a later time.
func (d *Device) move(now sim.Picos) {
	d.now = now
	d.edge = (now + d.cycle - 1) / d.cycle * d.cycle
}

// startable is the input whose head may go next, taking turns; false: nothing waits, or what waits has no room behind it.
func (d *Device) startable(s *stage) (by int, ok bool) {
	if n := s.timing.InFlight; n > 0 && s.work.Len() >= int(n) {
		return 0, false
	}
	for i := range s.in {
		by = s.turn + i
		if by >= len(s.in) {
			by -= len(s.in)
		}
		if w := s.in[by].q.Head(); w != nil {
			if to, at := d.route(s, w.x); to == nil || to.room(at) {
				return by, true
			}
		}
	}
	return 0, false
}

// start begins with a packet, if it can now. It tells whether it did.
func (d *Device) start(s *stage) bool {
	if s.queued == 0 || d.from(s) > d.now {
		return false
	}
	by, ok := d.startable(s)
	if !ok {
		if !s.blocked {
			s.blocked, s.since = true, d.now
		}
		return false
	}
	d.unblock(s)
	w := *s.in[by].q.Head()
	s.in[by].q.Drop()
	if s.queued--; s.queued == 0 {
		d.waits &^= s.bit
	}
	s.turn = by + 1
	if s.turn == len(s.in) {
		s.turn = 0
	}
	s.load.Waited += uint64((d.now - w.at) / d.cycle)
	d.begin(s, w.x)
	return true
}

func (d *Device) unblock(s *stage) {
	if s.blocked {
		s.blocked = false
		s.load.Blocked += uint64((d.now - s.since) / d.cycle)
	}
}

// begin starts with a packet: the stage is taken for its interval, a place behind it is promised, and its effect is set.
func (d *Device) begin(s *stage, x *packet) {
	bytes := d.bytes(s, x)
	took := s.timing.interval(bytes)
	s.unit.free = d.now + sim.Picos(took)*d.cycle
	latency := s.timing.latency(s.id, bytes)
	if latency > 0 && s.timing.Spread > 0 {
		latency += s.random.Between(0, uint64(s.timing.Spread))
	}
	to, by := d.route(s, x)
	if to != nil {
		to.in[by].promised++
	}
	*s.work.Push() = started{x, d.now + sim.Picos(latency)*d.cycle, to, by}
	d.works |= s.bit
	s.load.Packets++
	s.load.Bytes += uint64(bytes)
	s.load.Busy += took
}

// finish has the oldest packet between start and effect take effect, if it is time. It tells whether it did.
func (d *Device) finish(s *stage) bool {
	w := s.work.Head()
	if w == nil || w.at > d.now {
		return false
	}
	x, to, by := w.x, w.to, w.by
	s.work.Drop()
	if s.work.Len() == 0 {
		d.works &^= s.bit
	}
	if more := d.effect(s, x); more > 0 {
		took := more * uint64(s.timing.Each)
		s.unit.free = max(s.unit.free, d.now) + sim.Picos(took)*d.cycle
		s.load.Busy += took
	}
	if to != nil {
		to.in[by].promised--
	}
	switch {
	case s.id == Build:
		d.port(x)
	case s.id == Pick || s.id == Read || x.More && to != nil:
		d.push(to, x, by)
	case x.More:
		panic("nic BUG: a packet leaves before its last station")
	default:
		d.give(x)
	}
	return true
}
