package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/share"
	"metaroce/tandem/model/sim"
)

// shares is the station of R-SHARE: what the port's inbound bandwidth is worth to each sender, with its two queues.
type shares struct {
	port  event.SharePort
	all   share.Classes
	rows  []event.ShareSender // by connection, side by side: a sweep goes over them
	sweep sim.Ring[uint16]    // senders that count
	join  sim.Ring[uint16]    // senders that were told nothing yet
}

// step executes a transaction for a sender, or for the port where c is nil.
func (s *shares) step(n *NIC, c *conn, op uint8, in *event.ShareIn) event.ShareOut {
	var none event.ShareSender
	sender := &none
	if c != nil {
		in.Conn, sender = c.index, &s.rows[c.index]
	}
	in.Now = n.tick
	var out event.ShareOut
	n.cfg.rules.share.Step(sender, &s.port, &s.all, op, in, &out)
	if n.trace != nil {
		n.record(&event.Share{Head: event.Head{Op: op, Cycle: n.cycle(), Xid: n.xid, Conn: in.Conn}, Out: out, In: *in,
			Sender: *sender, Port: s.port, Class: s.all[sender.Class]})
	}
	if c == nil {
		return out
	}
	if out.Keep {
		*s.sweep.Push() = c.index
	}
	if out.Join {
		*s.join.Push() = c.index
	}
	if out.Keep || out.Join {
		if at, armed := s.due(); armed {
			n.soon(at)
		}
	}
	if out.SendNow {
		n.tellHint(c)
	}
	return out
}

// tellHint has an acknowledgement built for the hint in it alone, of the path that was heard last.
func (n *NIC) tellHint(c *conn) {
	if !c.row.Valid {
		return // closed since
	}
	if row := n.rxPath(c, c.heard); !row.pending {
		n.wish(row, wish{c.index, c.heard, event.AckRequest})
	}
}

// shareSees counts a packet with psn for its sender.
func (n *NIC) shareSees(it *item) {
	it.c.heard = it.d.Path
	in := event.ShareIn{Demand: it.p.FlagB, Plane: it.plane, Bytes: n.wireBytes(it.p)}
	n.share.step(n, it.c, event.SharePacket, &in)
}

// onAnnounce takes the announcement of a sender.
func (n *NIC) onAnnounce(plane int, p *Packet) {
	c := n.known(p)
	if c == nil {
		return
	}
	row := n.rxPath(c, p.Path)
	row.plane = uint8(plane)
	c.heard, c.announced = p.Path, p.Sport
	n.share.step(n, c, event.ShareAnnounce, &event.ShareIn{Demand: p.FlagB, Plane: uint8(plane)})
}

// hintFor is the hint that an acknowledgement to a sender carries.
func (n *NIC) hintFor(c *conn) (hint uint32, gen uint8) {
	out := n.share.step(n, c, event.ShareTell, &event.ShareIn{})
	return out.Hint, out.HintGen
}

// due is when the next sweep or level is.
func (s *shares) due() (uint32, bool) { return share.Next(&s.port) }

// onTime sweeps, computes the level and answers those who joined, when it is time.
func (s *shares) onTime(n *NIC) {
	at, armed := s.due()
	if !armed || int32(at-n.tick) > 0 {
		return
	}
	if int32(s.port.Due-n.tick) <= 0 {
		s.sweepAll(n)
	}
	out := s.step(n, nil, event.ShareLevel, &event.ShareIn{})
	if out.Moved {
		s.sweepAll(n)
	}
	for left := s.join.Len(); out.Joined && left > 0; left-- {
		c := n.conns[*s.join.Head()]
		s.join.Drop()
		s.step(n, c, event.ShareAnswer, &event.ShareIn{})
	}
}

func (s *shares) sweepAll(n *NIC) {
	in := event.ShareIn{Now: n.tick}
	for left := s.sweep.Len(); left > 0; left-- {
		in.Conn = *s.sweep.Head()
		s.sweep.Drop()
		if n.trace != nil {
			s.step(n, n.conns[in.Conn], event.ShareSweep, &event.ShareIn{})
			continue
		}
		var out event.ShareOut
		n.cfg.rules.share.Step(&s.rows[in.Conn], &s.port, &s.all, event.ShareSweep, &in, &out)
		if out.Keep {
			*s.sweep.Push() = in.Conn
		}
		if out.SendNow {
			n.tellHint(n.conns[in.Conn])
		}
	}
}
