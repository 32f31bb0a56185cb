package rocev2

import (
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// uplink is what waits for one port. A queue pair is in each of the two lists at most once.
type uplink struct {
	control sim.Ring[uint32] // queue pairs that owe a CNP, NAK or acknowledgement: before all data
	ready   sim.Ring[uint32] // queue pairs that may send now: round robin by packet
	kick    bool             // Tick put something in
}

// host is one NIC.
type host struct {
	t      *Transport
	number int
	uplink []uplink // by plane
	timers timers
	wake   sim.Picos // what Network.Wake was asked for last; never: nothing
	count  counters
}

var _ fabric.Host = (*host)(nil)

// Pull gives the next packet of a plane.
func (h *host) Pull(now sim.Picos, plane int, p *fabric.Packet) bool {
	u := &h.uplink[plane]
	if id := u.control.Head(); id != nil {
		h.pullControl(u, h.t.qps[*id], p)
		return true
	}
	for u.ready.Len() > 0 {
		q := h.t.qps[*u.ready.Head()]
		u.ready.Drop()
		q.wait = waitNone
		if q.sendable() {
			h.pullData(now, q, p)
			h.queue(now, q)
			return true
		}
	}
	return false
}

func (h *host) pullControl(u *uplink, q *qp, p *fabric.Packet) {
	b, size := q.answer()
	if q.owed == 0 {
		u.control.Drop()
	}
	h.count.control++
	*p = fabric.Packet{Ref: h.t.pool.put(b), Size: uint16(size), Src: q.dst, Dst: q.src, Sport: q.sport, Plane: q.plane,
		Flags: fabric.FlagControl | h.t.class}
}

func (h *host) pullData(now sim.Picos, q *qp, p *fabric.Packet) {
	c := &h.t.cfg
	h.count.data++
	if q.nxt < q.sent {
		h.count.retransmitted++
	}
	n, payload, first, last := q.take(c.Mtu)
	size := dataBytes(payload, first)
	b := body{qp: q.id, psn: uint32(n) & psnMask, payload: uint16(payload), kind: kindData, first: first, last: last}
	*p = fabric.Packet{Ref: h.t.pool.put(b), Size: uint16(size), Src: q.src, Dst: q.dst, Sport: q.sport, Plane: q.plane,
		Flags: fabric.FlagEct | h.t.class}
	if c.Dcqcn != nil {
		h.pace(now, q, size)
	}
	if n == q.una {
		h.restart(now, q)
	}
	if !q.timing { // nothing was in flight, so n is una
		q.timing = true
		h.at(entry{at: q.dueAt, qp: q.id})
	}
}

// pace sets the time before which the queue pair must not send again. A packet that left late, for want of the
// uplink, lets the next one leave early, but not more than one.
func (h *host) pace(now sim.Picos, q *qp, size uint32) {
	c, line := h.t.cfg.Dcqcn, h.t.line
	q.pace.advance(c, line, now)
	q.pace.sent(c, line, size)
	if q.pace.limited {
		q.nextAt = max(now, q.nextAt+gap(size, q.pace.kbps))
	}
}

// gap is the time that size bytes take at a rate.
func gap(size uint32, kbps uint64) sim.Picos {
	return sim.Picos(uint64(size) * 8_000_000_000 / kbps)
}

// queue puts a queue pair where it waits for its next packet. The caller kicks the uplink where it may be idle.
func (h *host) queue(now sim.Picos, q *qp) {
	switch {
	case q.wait != waitNone || !q.sendable():
	case q.nextAt > now:
		q.wait = waitPace
		h.at(entry{at: q.nextAt, qp: q.id, pace: true})
	default:
		q.wait = waitReady
		*h.uplink[q.plane].ready.Push() = q.id
	}
}

// start queues a queue pair that something has just given a reason to send.
func (h *host) start(now sim.Picos, q *qp) {
	h.queue(now, q)
	if q.wait == waitReady {
		h.t.net.Kick(h.number, int(q.plane))
	}
}

// restart lets the timeout of a queue pair run from now. What pacing takes for the packets of one acknowledgement is
// no sign of a loss.
func (h *host) restart(now sim.Picos, q *qp) {
	q.dueAt = now + h.t.cfg.Timeout
	if q.pace.limited {
		q.dueAt += sim.Picos(h.t.cfg.AckEvery) * gap(dataBytes(h.t.cfg.Mtu, false), q.pace.kbps)
	}
}

// at adds a timer.
func (h *host) at(e entry) {
	h.timers.push(e)
	if e.at < h.wake {
		h.wake = e.at
		h.t.net.Wake(h.number, e.at)
	}
}

// Tick handles the timers that are due.
func (h *host) Tick(now sim.Picos) {
	h.wake = 0 // so that at asks for nothing: it is asked once, below
	for h.timers.next() <= now {
		e := h.timers.pop()
		q := h.t.qps[e.qp]
		if e.pace {
			q.wait = waitNone
			h.queue(now, q)
		} else {
			h.timeout(now, q)
		}
		h.uplink[q.plane].kick = true
	}
	if h.wake = h.timers.next(); h.wake != never {
		h.t.net.Wake(h.number, h.wake)
	}
	for plane := range h.uplink {
		if u := &h.uplink[plane]; u.kick {
			u.kick = false
			h.t.net.Kick(h.number, plane)
		}
	}
}

// timeout handles the timer entry of a queue pair: for nothing, too early, or because nothing came back.
func (h *host) timeout(now sim.Picos, q *qp) {
	if q.una == q.sent {
		q.timing = false
		return
	}
	if q.dueAt <= now {
		h.count.timeouts++
		h.lost(now, q)
		h.restart(now, q)
		h.queue(now, q)
	}
	h.timers.push(entry{at: q.dueAt, qp: q.id})
}

// lost goes back to the first packet that is not acknowledged.
func (h *host) lost(now sim.Picos, q *qp) {
	q.rewind()
	if c := h.t.cfg.Dcqcn; c != nil {
		q.pace.advance(c, h.t.line, now)
		q.pace.lost(c, h.t.line, now)
	}
}

// Lost frees the body of a packet that vanished. Nobody is told.
func (h *host) Lost(p *fabric.Packet) { h.t.pool.take(p.Ref) }

// Deliver handles a packet that arrived.
func (h *host) Deliver(now sim.Picos, _ int, p *fabric.Packet) {
	b := h.t.pool.take(p.Ref)
	q := h.t.qps[b.qp]
	switch {
	case p.Flags&fabric.FlagTrimmed != 0: // its ICRC is wrong: as good as lost
	case b.kind == kindData:
		h.receive(now, q, b, p.Flags&fabric.FlagCe != 0)
	case b.kind == kindCnp:
		if c := h.t.cfg.Dcqcn; c != nil {
			q.pace.advance(c, h.t.line, now)
			q.pace.cnp(c, h.t.line, now)
		}
	default:
		h.acknowledged(now, q, b)
	}
}

// receive is the responder: a data packet of q has arrived at this host.
func (h *host) receive(now sim.Picos, q *qp, b body, ce bool) {
	owed := q.owed
	if ce {
		h.count.marked++
		if c := h.t.cfg.Dcqcn; c != nil {
			q.congested(c, now)
		}
	}
	v, done := q.arrive(&h.t.cfg, b, now)
	if v == inOrder {
		h.count.bytes += uint64(b.payload)
	} else {
		h.count.duplicates++
	}
	if owed == 0 && q.owed != 0 {
		*h.uplink[q.plane].control.Push() = q.id
		h.t.net.Kick(h.number, int(q.plane))
	}
	if done != nil {
		h.t.complete(now, done.message)
	}
}

// acknowledged is the requester: an ACK or NAK for q has arrived at this host.
func (h *host) acknowledged(now sim.Picos, q *qp, b body) {
	n := widen(q.una, b.psn)
	if b.kind == kindAck {
		n++
	}
	if q.acked(n) {
		h.restart(now, q)
	}
	if b.kind == kindNak && n == q.una && q.nxt > n {
		h.lost(now, q)
	}
	h.start(now, q)
}
