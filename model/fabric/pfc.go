package fabric

import "metaroce/tandem/model/sim"

// valve is what flow control adds to a link. A pause may come at any time, so a departure cannot be known before it
// happens: it has an event of its own, and the queue of the link has a third place.
//
//	head                     sent                 tail
//	 |<---- on the wire ----->|<----- waiting ----->|
type valve struct {
	sent   place      // first packet that has not departed; 0: none waits
	depart sim.Handle // of that packet, while it is being sent; 0: the transmitter rests
	queued uint64     // bytes waiting, with the one being sent
	paused bool
	since  sim.Picos // it is paused

	held  uint64    // bytes that came by this link and wait in the switch at its end: the ingress
	asked bool      // that switch asked for a pause, and not yet for an end of it
	frame sim.Picos // arrival of its newest pause frame: they do not overtake each other
}

// admit is enqueue in a network with flow control. What is lossless is bounded by its ingress, the rest by its port.
func (n *Network) admit(li uint32, e *entry) {
	v := &n.pfc[li]
	size := uint64(e.Size)
	if e.Flags&FlagLossless != 0 {
		if n.pfc[e.from].held+size > uint64(n.cfg.Pfc.Xoff)+uint64(n.cfg.Pfc.Headroom) {
			n.lose(&e.Packet, lostOverflow)
			return
		}
		n.take(e.from, size)
	} else if v.queued > 0 && v.queued+size > uint64(n.cfg.Buffer) {
		n.lose(&e.Packet, lostOverflow)
		return
	}
	l := &n.links[li]
	g := &n.grades[l.grade]
	n.meet(g, sim.Picos(v.queued*psBits/uint64(g.mbps)), e)
	v.queued += size
	n.pool.push(l, sim.Picos(e.from), &e.Packet)
	if v.sent == 0 {
		v.sent = l.tail
	}
	if v.depart == 0 {
		n.transmit(li)
	}
}

// take counts bytes at an ingress, and pauses its link above Xoff.
func (n *Network) take(from uint32, size uint64) {
	in := &n.pfc[from]
	in.held += size
	if !in.asked && in.held > uint64(n.cfg.Pfc.Xoff) {
		in.asked = true
		n.seen.pauses++
		n.sendFrame(from, kindPause)
	}
}

// release is the opposite for what waited at a place of the pool, down to Xon.
func (n *Network) release(i place) {
	p, from := n.pool.packet(i), uint32(*n.pool.at(i))
	if p.Flags&FlagLossless == 0 {
		return
	}
	in := &n.pfc[from]
	in.held -= uint64(p.Size)
	if in.asked && in.held <= uint64(n.cfg.Pfc.Xon) {
		in.asked = false
		n.sendFrame(from, kindResume)
	}
}

// sendFrame takes a pause frame back over a cable. It needs no room on the link that it takes.
func (n *Network) sendFrame(li uint32, kind uint32) {
	v := &n.pfc[li]
	v.frame = max(n.now+n.grades[n.links[li].grade].latency-n.cfg.SwitchDelay, v.frame+1)
	n.calendar.Push(v.frame, kind|li)
}

// transmit begins to send what waits first, unless that is paused. The queue is one: what waits behind it waits too.
func (n *Network) transmit(li uint32) {
	l, v := &n.links[li], &n.pfc[li]
	v.depart = 0
	if v.sent == 0 {
		return
	}
	if p := n.pool.packet(v.sent); !v.paused || p.Flags&FlagLossless == 0 {
		v.depart = n.calendar.Push(n.now+n.wireTime(li, &n.grades[l.grade], p.Size), kindDepart|li)
	}
}

// depart is the last bit of a packet on the wire.
func (n *Network) depart(li uint32) {
	l, v := &n.links[li], &n.pfc[li]
	i := v.sent
	n.release(i)
	v.queued -= uint64(n.pool.packet(i).Size)
	at := n.now + n.grades[l.grade].latency
	*n.pool.at(i) = at
	if l.head == i {
		l.event = n.calendar.Push(at, kindArrive|li)
	}
	v.sent = n.pool.after(l, i)
	n.transmit(li)
}

// hold is a pause frame at the sending end of a link. It counts on a link that is down, too, so that both ends always
// agree in the end.
func (n *Network) hold(li uint32, pause bool) {
	v := &n.pfc[li]
	v.paused = pause
	if pause {
		v.since = n.now
		return
	}
	n.seen.paused += n.now - v.since
	if host := n.hostOf(li); host < n.plan.hosts {
		n.Kick(host, int(n.links[li].plane))
	} else if v.depart == 0 {
		n.transmit(li)
	}
}

// shut brings the transmitter of a link that goes down to rest; what was on the link or waited for it is lost by the
// caller.
func (n *Network) shut(li uint32) {
	v := &n.pfc[li]
	if v.depart != 0 {
		n.calendar.Cancel(v.depart)
		v.depart = 0
	}
	v.queued, v.sent = 0, 0
}
