package endpoint

import (
	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/losswalk"
	"metaroce/tandem/model/pathchoice"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// onAck is the way of an acknowledgement: what the peer said of the path, the records that it settles or shows to be lost,
// windows, timer, and the completion that it may carry.
func (n *NIC) onAck(_ int, p *Packet) {
	c := n.admitReply(p)
	if c == nil {
		return
	}
	t := c.tx
	path := p.Path
	pt := &t.paths[path]
	said := n.hear(c, path, p)
	if said.Bogus {
		n.count.Bogus++
		return
	}
	work := walked{}
	if said.Fresh {
		n.walk(c, path, xmit.Lost, p, &said, &work)
		n.walk(c, path, xmit.Away, p, &said, &work)
		n.walk(c, path, xmit.Live, p, &said, &work)
		n.maskLists(t, path)
	}
	in := event.CcIn{
		Acked: work.bytes, Packets: work.acked, Lost: work.lost, Ce: uint16(p.Ack.Ce), Fresh: said.Fresh,
		Limit: pt.heard.Limit, LimitValid: pt.heard.LimitValid,
	}
	marked := in.Ce - pt.cc.Ce
	out := n.cc(c, path, event.CcAck, &in)
	if out.Under {
		n.count.Under++
	}
	if said.Fresh && marked != 0 && marked < 1<<15 {
		n.penalise(c, path, n.cfg.Tuning.MarkPenalty)
	}
	n.roomFor(c, path, &out)
	n.hint(c, p)
	if said.Alive {
		n.alive(c, path)
	}
	if p.Ack.NoticeValid {
		n.told(c, p.Ack.NoticeStream, p.Ack.NoticeMsn)
	}
	if work.lost > 0 {
		n.wakeLost(c)
	}
	n.wakeConn(c)
	n.drained(c)
}

// walked is what a walk found.
type walked struct {
	bytes       uint32 // on the wire, of packets acknowledged
	acked, lost uint16 // packets
}

// hear is the station of R-ACKRECV.
func (n *NIC) hear(c *conn, path uint8, p *Packet) event.AckRecvOut {
	pt := &c.tx.paths[path]
	a := &p.Ack
	rec := n.records.At(&pt.ring, a.EchoPsn)
	in := event.AckRecvIn{
		Now: n.tick, PathRow: n.pathRow(c.index, path), Cum: a.Cum, HighTsn: a.HighTsn, HighValid: a.HighValid,
		Epoch: p.Epoch, FlagD: p.FlagD, EchoTime: a.EchoTime, Held: a.Held,
		Sample:   xmit.List(rec) == xmit.Live && rec.Sent == a.EchoTime,
		OwnEpoch: pt.timer.Epoch, NextPsn: pt.xmit.NextPsn, NextTsn: pt.xmit.NextTsn, Tolerance: uint8(n.cfg.Tuning.ReorderTolerance), Vector: a.Vector,
	}
	var out event.AckRecvOut
	ackrecv.Step(&pt.heard, event.AckRecvAck, &in, &out)
	if n.trace != nil {
		n.record(&event.AckRecv{Head: n.txHead(event.AckRecvAck, c, path), Out: out, In: in, Path: pt.heard})
	}
	return out
}

// walk is the station of R-WALK over one list of a path. Live is walked up to the first record that stays; of the others
// each record is looked at once, since they are in no order. Without a packet it is the time that is looked at.
func (n *NIC) walk(c *conn, path, list uint8, p *Packet, said *event.AckRecvOut, w *walked) {
	t := c.tx
	pt := &t.paths[path]
	for left := listLen(pt, list); left > 0; left-- {
		n.count.Walked++
		psn, _ := xmit.Head(&pt.xmit, list)
		rec := n.records.At(&pt.ring, psn)
		in := event.LossWalkIn{
			Now: n.tick, PathRow: n.pathRow(c.index, path), List: list, Psn: psn, Tsn: rec.Tsn, Sent: rec.Sent,
			LimitValid: pt.heard.LimitValid, Limit: said.Limit,
		}
		if p != nil {
			in.Acked = ackrecv.Covers(p.Ack.Cum, &p.Ack.Vector, psn)
		} else {
			in.Acked = wire.Less(psn, pt.heard.Cum)
		}
		if list == xmit.Away {
			carrier := xmit.Carrier(rec)
			in.Rto, in.Down = n.rto(t, carrier), t.active>>carrier&1 == 0
		}
		var out event.LossWalkOut
		losswalk.Step(&in, &out)
		if n.trace != nil {
			n.record(&event.LossWalk{Head: n.txHead(event.LossWalkWalk, c, path), Out: out, In: in})
		}
		switch out.Fate {
		case losswalk.Acked:
			w.acked++
			w.bytes += n.recordBytes(t, rec)
			message := rec.Message
			n.xmit(c, path, event.XmitFree, &event.XmitIn{List: list})
			n.settle(c, message)
		case losswalk.Lost, losswalk.Due:
			w.lost++
			n.xmit(c, path, event.XmitLose, &event.XmitIn{List: list})
			t.lost |= 1 << path
		default:
			if list == xmit.Live {
				return
			}
			n.xmit(c, path, event.XmitKeep, &event.XmitIn{List: list})
		}
	}
}

func listLen(p *txPath, list uint8) uint16 {
	switch list {
	case xmit.Live:
		return p.xmit.Live
	case xmit.Lost:
		return p.xmit.Lost
	}
	return p.xmit.Away
}

// maskLists keeps the masks of lists that are not empty.
func (n *NIC) maskLists(t *sender, path uint8) {
	pt := &t.paths[path]
	if pt.xmit.Lost == 0 {
		t.lost &^= 1 << path
	} else {
		t.lost |= 1 << path
	}
	if pt.xmit.Away == 0 {
		t.away &^= 1 << path
	} else {
		t.away |= 1 << path
	}
}

// settle notes that a packet of a message is settled. A message all of whose packets are acknowledged is asked about if it
// is not complete in time (R-QUERY).
func (n *NIC) settle(c *conn, slot uint16) {
	t := c.tx
	m := &t.out[slot]
	m.open--
	if m.open > 0 || !m.whole {
		return
	}
	n.unslot(c, slot)
}

// penalise is op mark of R-CHOICE.
func (n *NIC) penalise(c *conn, path uint8, add uint32) {
	in := event.PathChoiceIn{Conn: c.index, Path: path, Add: uint8(add)}
	var out event.PathChoiceOut
	pathchoice.Step(&c.tx.choice, event.PathChoiceMark, &in, &out)
	if n.trace != nil {
		n.record(&event.PathChoice{Head: n.txHead(event.PathChoiceMark, c, path), Out: out, In: in, Choice: c.tx.choice})
	}
}

// hint tells R-CC of the share that the peer allots.
func (n *NIC) hint(c *conn, p *Packet) {
	if p.Ack.HintGen == 0 {
		return
	}
	t := c.tx
	spread, ceiling := t.cc.Spread, t.cc.Ceiling
	in := event.CcIn{Hint: p.Ack.Hint, HintGen: p.Ack.HintGen, Phase: uint16(n.random.Uint64())}
	n.cc(c, p.Path, event.CcHint, &in)
	if t.cc.Spread != spread {
		n.refeed(t)
	}
	if t.cc.Ceiling != ceiling {
		n.reroom(t)
	}
}

// alive is op alive of R-TIMER.
func (n *NIC) alive(c *conn, path uint8) {
	c.tx.lastAlive = n.tick
	pt := &c.tx.paths[path]
	if pt.timer.State == pathtimer.Active && pt.timer.Expired == 0 && pt.timer.Known {
		return // what the step would find as well
	}
	in := n.timerIn(c, path)
	n.pathTimer(c, path, event.PathTimerAlive, &in)
}
