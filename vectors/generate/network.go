package generate

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
)

// flight is a packet that has its psn and was not let in yet, or comes once more.
type flight struct {
	k      compose.Packet
	p      *path
	m      *message // nil: nobody waits for it
	row    uint16
	due    int  // step in which it arrives
	lost   bool // is due to be sent again, not to arrive
	prior  bool // went out with an epoch that its path has left since
	copies bool // a duplicate: its arrival settles nothing
}

// network holds what is on its way.
type network struct{ list []*flight }

// first sends a packet for the first time.
func (n *network) first(g *gen, f *flight) {
	r := g.rnd("fate")
	g.stamp(f, false)
	switch {
	case r.Permille(g.p.Lose):
		f.lost = true
		n.later(g, f, 20)
	case r.Permille(g.p.Late):
		n.later(g, f, 12)
	case g.p.Hot && f.p == g.hot && r.Permille(6):
		n.later(g, f, 300) // a hole as long as the window
	default:
		n.arrive(g, f)
	}
	if r.Permille(g.p.Double) {
		twin := *f
		twin.lost, twin.copies, twin.m = false, true, nil
		n.later(g, &twin, 40)
	}
}

// later puts a packet on the way for up to so many steps.
func (n *network) later(g *gen, f *flight, most uint64) {
	f.due = g.step + 1 + int(g.rnd("delay").Below(most))
	n.list = append(n.list, f)
}

// due lets arrive whatever is due.
func (n *network) due(g *gen) {
	rest := n.list[:0]
	var now []*flight
	for _, f := range n.list {
		if f.due <= g.step {
			now = append(now, f)
		} else {
			rest = append(rest, f)
		}
	}
	n.list = rest
	for _, f := range now {
		n.land(g, f)
	}
}

// land is the end of a packet's way: it arrives, or its sender has found it lost.
func (n *network) land(g *gen, f *flight) {
	if f.lost {
		f.lost = g.rnd("fate").Permille(g.p.Lose)
		g.resend(f)
		if f.lost {
			n.later(g, f, 20)
			return
		}
	}
	n.arrive(g, f)
}

// hurry lets everything arrive that holds up windows.
func (n *network) hurry(g *gen) {
	g.step += 40
	n.due(g)
}

// drain lets everything arrive.
func (n *network) drain(g *gen) {
	for len(n.list) > 0 {
		g.step += 400
		n.due(g)
	}
}

// stamp gives what changes with each transmission: the next tsn, clock, epoch, port and mark. A detour keeps its tsn.
func (g *gen) stamp(f *flight, detour bool) {
	r := g.rnd("flags")
	k, p := &f.k, f.p
	if !detour {
		k.Tsn = p.Tsn
		p.Tsn++
	}
	carrier := p.Path
	if detour {
		carrier = p.conn.Paths[r.Below(uint64(len(p.conn.Paths)))]
	}
	k.D, k.A, k.B = detour, r.Permille(60), r.Permille(100)
	k.Path, k.DstConn, k.Time, k.Epoch = p.Index, p.conn.DstConn(), p.conn.Tick(), p.Epoch
	k.Net = compose.Net{Sport: carrier.Sport(p.conn.Index, p.Epoch), CE: r.Permille(g.p.Mark), IPv6: r.Permille(60), VLAN: r.Permille(60)}
	f.prior = false
}

// resend sends a packet again: on its path with the next tsn, or as a detour.
func (g *gen) resend(f *flight) {
	g.leave(f)
	f.k.R = true
	g.stamp(f, g.rnd("fate").Permille(g.p.Detour*3))
}

// leave takes a packet out of the count of those that went out in the epoch before.
func (g *gen) leave(f *flight) {
	if f.prior {
		f.p.prior--
		f.prior = false
	}
}

// arrive puts the packet's frame on the wire to the device. What is beyond the window now is not let in and comes
// again.
func (n *network) arrive(g *gen, f *flight) {
	g.leave(f)
	g.b.Send(g.gap(), &f.k, f.row)
	p := f.p
	off := f.k.Psn - p.cum
	beyond := off >= preset.WindowBits && off < 1<<31
	if !beyond {
		f.show()
	}
	if f.copies {
		return
	}
	if beyond {
		f.lost = true
		n.later(g, f, 30)
		return
	}
	p.remember(f)
	p.come[f.k.Psn] = true
	for p.come[p.cum] {
		delete(p.come, p.cum)
		p.cum++
	}
	if f.m != nil {
		f.m.settled()
	}
}

// remember keeps the last few packets that were let in, to send them once more.
func (p *path) remember(f *flight) {
	twin := *f
	twin.copies, twin.m = true, nil
	if len(p.last) < 6 {
		p.last = append(p.last, &twin)
		return
	}
	p.last[f.k.Psn%6] = &twin
}
