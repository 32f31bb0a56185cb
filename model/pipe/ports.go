package pipe

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
)

// stallState is the bench's side of one port.
type stallState struct {
	random sim.Random
	left   uint64 // cycles that the stall still lasts, this one included
}

// step begins a cycle.
func (s *stallState) step(c Stall) {
	if s.left > 0 {
		s.left--
	}
	if s.left == 0 && c.Permille > 0 && s.random.Permille(c.Permille) {
		s.left = s.random.Between(1, uint64(c.Run))
	}
}

// on tells whether the port is held up in this cycle.
func (s *stallState) on() bool { return s.left > 0 }

func beatsOf(n int) int { return max(1, (n+admit.BeatBytes-1)/admit.BeatBytes) }

type frameItem struct {
	beats int
	gap   uint64
	at    uint64 // cycle of the last beat, 0: as soon as the port is free
}

// framePort drives one beat a cycle and has no way to hold the bench back.
type framePort struct {
	busy bool
	left int
	gap  uint64
	at   uint64
}

func (d *Device) stepFrame() {
	p := &d.frame
	if !p.busy {
		q := d.frames.Head()
		if q == nil {
			return
		}
		*p = framePort{busy: true, left: q.beats, gap: q.gap, at: q.at}
		d.frames.Drop()
	}
	switch {
	case p.at > 0: // the cycle of the last beat is given
		if d.cycle < p.at {
			return
		}
	case p.gap > 0:
		p.gap--
		return
	case d.stall[PortFrame].on():
		return
	case p.left > 1:
		p.left--
		return
	}
	p.busy = false
	d.exec(event.KindPacketIn, 0, 0)
	d.decideRoom()
}

// parserDepth is the depth of the queue behind the parser in desc_depth.
const parserDepth = 4

// decideRoom is what the parser does with a frame that ended: an overrun when its queue is full, no room when the
// packet buffer is.
func (d *Device) decideRoom() {
	load := d.r.Load()
	_, beats := d.r.LastArrival()
	room := uint8(admit.RoomTaken)
	switch {
	case load.Arrived > parserDepth*d.cfg.Params.DescDepth:
		room = admit.RoomOverrun
	case beats > 0 && load.Beats-d.turnedAway > d.cfg.Params.BufBeats:
		room = admit.RoomNone
	}
	if room != admit.RoomTaken {
		d.turnedAway += beats
	}
	*d.rooms.Push() = roomOf{room, beats}
}

// memoryPort takes one beat a cycle and answers in order.
type memoryPort struct {
	busy    bool
	left    int
	answers sim.Ring[uint64] // cycle of the answer to each accepted write
}

func (d *Device) stepMemory() {
	m := &d.memory
	if !m.busy {
		due, ok := d.r.Ready(event.KindMemWrite, 0)
		full := !d.ideal && m.answers.Len() >= d.cfg.InFlight
		latency := d.hops.between(due.After, event.KindMemWrite)
		m.left = d.r.NextWrite()
		if m.left == 1 {
			latency += d.cfg.Latency.Single
		}
		if !ok || full || !d.reached(event.KindMemWrite, due, latency) {
			return
		}
		m.busy = true
	}
	if d.stall[PortMemory].on() {
		return
	}
	if m.left > 1 {
		m.left--
		return
	}
	m.busy = false
	d.exec(event.KindMemWrite, 0, 0)
	at := d.cycle + d.latency.Between(d.cfg.MemoryLo, d.cfg.MemoryHi)
	if m.answers.Len() > 0 {
		at = max(at, *m.answers.At(m.answers.End() - 1))
	}
	*m.answers.Push() = at
}

func (d *Device) stepPlace() {
	if due, ok := d.r.Ready(event.KindPlace, event.PlaceEmpty); ok {
		if d.reached(event.KindPlace, due, d.hops.between(due.After, event.KindPlace)) {
			d.exec(event.KindPlace, event.PlaceEmpty, 0)
		}
		return
	}
	if _, ok := d.r.Ready(event.KindPlace, event.PlaceWrite); !ok {
		return
	}
	if at := d.memory.answers.Head(); d.cycle >= *at+d.cfg.Latency.Answer {
		d.memory.answers.Drop()
		d.exec(event.KindPlace, event.PlaceWrite, 0)
	}
}

// packetPort sends one beat a cycle.
type packetPort struct {
	busy bool
	left int
}

func (d *Device) stepPacket() {
	p := &d.out
	if !p.busy {
		due, ok := d.r.Ready(event.KindPacketOut, 0)
		if !ok || !d.reached(event.KindPacketOut, due, d.cfg.Latency.Packet) {
			return
		}
		p.busy, p.left = true, beatsOf(d.r.NextPacket())
	}
	if d.stall[PortAck].on() {
		return
	}
	if p.left > 1 && d.cfg.Latency.Packet > 0 {
		p.left--
		return
	}
	p.busy = false
	d.exec(event.KindPacketOut, 0, 0)
}

// stepRegister makes the next access. All wait while a command finds no room in the pipeline.
func (d *Device) stepRegister() {
	at := d.regs.Head()
	if at == nil || d.cycle < *at || d.stall[PortRegister].on() {
		return
	}
	if due, waiting := d.r.Ready(event.KindAdmit, event.AdmitCommand); waiting && d.reached(event.KindAdmit, due, d.cfg.Latency.Command) {
		return
	}
	d.regs.Drop()
	d.exec(event.KindRegister, 0, 0)
}
