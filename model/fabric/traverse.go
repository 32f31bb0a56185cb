package fabric

import "metaroce/tandem/model/sim"

// pull takes the next packet from a host for its uplink, which is free, or lets the uplink rest until it is kicked.
func (n *Network) pull(li uint32) {
	l := &n.links[li]
	if n.pfc != nil && n.pfc[li].paused {
		l.state &^= linkPulling // what resumes it, kicks it
		return
	}
	host := n.hostOf(li)
	n.packet = Packet{}
	if !n.hosts[host].Pull(n.now, int(l.plane), &n.packet) {
		l.state &^= linkPulling
		return
	}
	p := &n.packet
	if p.Size == 0 || int(p.Src) != host || int(p.Dst) >= len(n.hosts) {
		panic("fabric BUG: a host sent a packet without size, under another host's number, or to none")
	}
	p.Plane, p.hash = l.plane, p.entropy()
	n.seen.inject(p)
	g := &n.grades[l.grade]
	l.busy = n.now + n.wireTime(li, g, p.Size)
	n.calendar.Push(l.busy, kindPull|li)
	if l.state&linkDown != 0 {
		n.lose(p, lostDown)
		return
	}
	n.append(li, l, l.busy+g.latency, p)
}

// append puts a packet on a link; the first one there has the link's event.
func (n *Network) append(li uint32, l *link, at sim.Picos, p *Packet) {
	if l.head == 0 {
		l.event = n.calendar.Push(at, kindArrive|li)
	}
	n.pool.push(l, at, p)
}

// arrive deals with the first packet on a link, which has come to the far end.
func (n *Network) arrive(li uint32) {
	l := &n.links[li]
	e := entry{Packet: *n.pool.packet(l.head)}
	n.pool.pop(l)
	l.event = 0
	if l.head != 0 && (n.pfc == nil || l.head != n.pfc[li].sent) {
		l.event = n.calendar.Push(*n.pool.at(l.head), kindArrive|li)
	}
	n.reach(li, &e)
}

// reach is the far end of a link: what may befall the packet there, then on.
func (n *Network) reach(li uint32, e *entry) {
	g := &n.grades[n.links[li].grade]
	if g.lossy {
		if rate := g.loss[e.class()]; rate > 0 && n.loss.Below(Million) < uint64(rate) {
			n.lose(&e.Packet, lostRandom)
			return
		}
		if g.reorder > 0 && n.late.Below(Million) < uint64(g.reorder) {
			n.seen.late++
			delay := 1 + sim.Picos(n.late.Below(uint64(n.cfg.Reorder.Delay)))
			n.side.push(n, li, e, n.now+delay, kindLate)
			return
		}
	}
	n.land(li, e)
}

// land hands a packet to the host at the end of a link, or takes it through the switch there.
func (n *Network) land(li uint32, e *entry) {
	n.seen.hops++
	to := n.links[li].to
	if to&toHost != 0 {
		n.seen.deliver(&e.Packet)
		n.packet = e.Packet
		n.hosts[to&^toHost].Deliver(n.now, int(e.Plane), &n.packet)
		return
	}
	e.from = li
	out := n.route(to, &e.Packet)
	switch {
	case n.links[out].state&linkDown != 0:
		n.lose(&e.Packet, lostDown)
	case n.pfc != nil:
		n.admit(out, e)
	case e.Flags&FlagTrimmed != 0:
		n.enqueueCut(out, e)
	default:
		n.enqueue(out, e)
	}
}

// enqueue puts a packet into the queue of a link: its departure is known at once.
func (n *Network) enqueue(li uint32, e *entry) {
	l := &n.links[li]
	g := &n.grades[l.grade]
	wait := sim.Picos(0)
	if l.busy > n.now {
		wait = l.busy - n.now
	}
	time := n.wireTime(li, g, e.Size)
	if wait > 0 && wait+time > g.buffer {
		n.overflow(li, e)
		return
	}
	n.meet(g, wait, e)
	l.busy = n.now + wait + time
	n.append(li, l, l.busy+g.latency, &e.Packet)
}

// meet counts the queue that a packet joins, and marks the packet by it: never below Lo, always from Hi on, between
// them the more likely the longer the queue is.
func (n *Network) meet(g *grade, wait sim.Picos, e *entry) {
	g.queue.Packets++
	g.queue.SumWait += wait
	if wait > g.queue.MaxWait {
		g.queue.MaxWait = wait
	}
	if !g.ecn || wait < g.ecnLo || e.Flags&FlagEct == 0 {
		return
	}
	over := wait - g.ecnLo
	if over >= g.ecnSpan || n.mark.Below(uint64(g.ecnSpan)) < uint64(over) {
		if e.Flags&FlagCe == 0 {
			n.seen.marks++
		}
		e.Flags |= FlagCe
	}
}

// overflow is a packet that finds no room: it is cut, where the network does that to data, or dropped.
func (n *Network) overflow(li uint32, e *entry) {
	if n.lane == nil || e.Flags&FlagControl != 0 || e.Size <= n.cfg.Trim {
		n.lose(&e.Packet, lostOverflow)
		return
	}
	n.seen.trims++
	e.Size = n.cfg.Trim
	e.Flags |= FlagTrimmed
	n.enqueueCut(li, e)
}

// enqueueCut sends a cut packet before all that waits: a lane of its own, which takes its time from the queue of whole
// packets. The lane has the room of a port again.
func (n *Network) enqueueCut(li uint32, e *entry) {
	l := &n.links[li]
	g := &n.grades[l.grade]
	start := max(n.now, n.lane[li])
	time := n.wireTime(li, g, e.Size)
	if start-n.now+time > g.buffer {
		n.lose(&e.Packet, lostOverflow)
		return
	}
	n.lane[li] = start + time
	l.busy = max(l.busy, n.now) + time
	n.side.push(n, li, e, start+time+g.latency, kindCut)
}

// lose tells the sender's pool, and nobody else.
func (n *Network) lose(p *Packet, reason lossReason) {
	n.seen.losses[reason][p.class()]++
	if p.Flags&FlagTrimmed != 0 {
		n.seen.gone++
	}
	n.packet = *p
	n.hosts[p.Src].Lost(&n.packet)
}
