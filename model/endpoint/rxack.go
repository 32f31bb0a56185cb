package endpoint

import (
	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/coalesce"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// wish is a path that waits for its acknowledgement to be built.
type wish struct {
	conn uint16
	path uint8
	op   uint8 // event.AckRequest or event.AckTimer
}

// armed is a timer of coalescing. All run equally long, so the oldest is the first to fire.
type armed struct {
	at     uint32 // tick when it was armed
	conn   uint16
	path   uint8
	builds uint8
	row    *rxPath
}

// notice is a completion that the requester was not told of.
type notice struct {
	at     uint32 // tick when it was queued
	conn   uint16
	stream uint16 // row
	path   uint8
	life   uint8
}

// coalesce is the station of R-COALESCE.
func (n *NIC) coalesce(it *item, row *rxPath, now bool) {
	d := &it.d
	in := event.CoalesceIn{PathRow: d.PathRow, AckNow: now, Builds: row.ack.Builds, Pending: row.pending}
	var out event.CoalesceOut
	coalesce.Step(&row.coalesce, event.CoalescePacket, &in, &out)
	if n.trace != nil {
		n.record(&event.Coalesce{Head: n.head(event.CoalescePacket, d), Out: out, In: in, Path: row.coalesce})
	}
	if out.Push {
		n.wish(row, wish{d.Conn, d.Path, event.AckRequest})
	}
	if out.Arm {
		*n.armed.Push() = armed{n.tick, d.Conn, d.Path, in.Builds, row}
		n.soon(n.tick + preset.AckTimer)
	}
}

// wish queues a path to be acknowledged on the plane that its newest packet came by.
func (n *NIC) wish(row *rxPath, w wish) {
	row.pending = true
	*n.planes[row.plane].wishes.Push() = w
	n.wait(row.plane, hasWishes)
}

// fireTimers is the station of R-CTIMER: everything that is due fires.
func (n *NIC) fireTimers() {
	for n.armed.Len() > 0 {
		a := *n.armed.Head()
		if n.tick-a.at < preset.AckTimer {
			return
		}
		n.armed.Drop()
		in := event.CtimerIn{
			PathRow: n.pathRow(a.conn, a.path), ArmedBuilds: a.builds, Builds: a.row.ack.Builds, Pending: a.row.pending, Now: n.tick,
		}
		var out event.CtimerOut
		coalesce.Fire(&in, &out)
		if n.trace != nil {
			n.record(&event.Ctimer{Head: event.Head{Cycle: n.cycle(), Conn: a.conn, Path: a.path}, Out: out, In: in})
		}
		if out.Push && n.conns[a.conn].rx != nil { // else it was closed since: what it waited for is gone
			n.wish(a.row, wish{a.conn, a.path, event.AckTimer})
		}
	}
}

// buildAck is the station of R-ACK for acknowledgements: the state of the path as it is now.
func (n *NIC) buildAck(c *conn, path, op uint8, p *Packet) {
	row := &c.rx[path]
	w := &row.window
	in := event.AckIn{PathRow: n.pathRow(c.index, path), Grant: op, Now: n.tick, LastNow: w.LastNow}
	in.Hint, in.HintGen = n.hintFor(c)
	var told *stream
	if head := n.notices.head(); head != nil && head.conn == c.index {
		told = n.streams[head.stream]
		in.NoticeValid, in.NoticeStreamRow, in.NoticeLife = true, head.stream, head.life
		in.NoticeCompleted, in.StreamOpen, in.StreamLife = told.order.Completed, told.order.Open, told.order.Life
	}
	var out event.AckOut
	ack.Step(&row.ack, op, &in, &out)
	if n.trace != nil {
		n.record(&event.Ack{Head: event.Head{Op: op, Cycle: n.cycle(), Conn: c.index, Path: path}, Out: out, In: in, Path: row.ack})
	}
	if op != event.AckNotice {
		row.pending = false
	}
	if out.Notice || out.NoticeStale {
		n.dropNotice()
	}
	sport := w.LastSport
	if sport == 0 {
		sport = c.announced // no packet yet: it answers an announcement
	}
	n.reply(c, wire.OpcodeAck, path, sport, p)
	p.FlagD = w.LastD
	a := &p.Ack
	*a = wire.Ack{
		EchoPsn: w.LastPsn, EchoTime: w.LastTime, Held: out.Held, HighValid: w.HighValid, Cum: w.Cum, Vector: w.Vector,
		HighTsn: w.HighTsn, Packets: w.Packets, Bytes: w.Bytes, Ce: w.Ce, Dups: w.Dups, Hint: in.Hint, HintGen: in.HintGen,
	}
	if out.Notice {
		a.NoticeValid, a.NoticeStream, a.NoticeMsn = true, told.number, in.NoticeCompleted
	}
}

// answer is a NAK or the answer to a probe, waiting to be built.
type answer struct {
	ack.Reply
	op uint8 // event.AckNak or event.AckAnswer
}

// buildReply is the station of R-ACK for NAKs and answers.
func (n *NIC) buildReply(c *conn, r *answer, p *Packet) {
	row := n.rxPath(c, r.Path)
	in := event.AckIn{PathRow: r.PathRow, Grant: r.op, Now: n.tick, LastNow: row.window.LastNow}
	in.Hint, in.HintGen = n.hintFor(c)
	var out event.AckOut
	ack.Step(&row.ack, r.op, &in, &out)
	if n.trace != nil {
		n.record(&event.Ack{Head: event.Head{Op: r.op, Cycle: n.cycle(), Xid: r.Xid, Conn: r.Conn, Path: r.Path, Stream: r.Stream},
			Out: out, In: in, Path: row.ack})
	}
	op := wire.OpcodeNak
	if r.op == event.AckAnswer {
		op = wire.OpcodeAnswer
	}
	n.reply(c, op, r.Path, r.Sport, p)
	p.FlagD = false
	p.Stream, p.Attempt, p.Syndrome, p.Msn = r.Stream, r.Attempt, r.Syndrome, r.Msn
	p.Port, p.NewEpoch, p.Query, p.Txn, p.EchoTime, p.Completed = r.Port, r.NewEpoch, r.Query, r.Txn, r.TxTime, 0
	if r.Query {
		p.Completed = n.streams[r.StreamRow].order.Completed
	}
}

// reply fills the base header of what goes back on a path: to the peer, with no serial numbers of its own.
func (n *NIC) reply(c *conn, op wire.Opcode, path uint8, sport uint16, p *Packet) {
	p.Base = wire.Base{Opcode: op, Epoch: c.rx[path].window.Epoch, Path: path, DstConn: c.peer, TxTime: n.tick}
	p.Src, p.Dst, p.Sport = n.host, c.host, sport
	p.Ce, p.PayloadLen = false, 0
}

// nak queues the NAK that message calls for.
func (n *NIC) nak(it *item, out *event.MessageOut) {
	if out.Syndrome != wire.SyndromeRnr {
		n.failArrivals(it.c, it.s, Status(out.Syndrome), matched(&it.d))
	}
	q := n.answerTo(it, event.AckNak)
	q.Syndrome, q.Msn, q.Attempt = out.Syndrome, out.SynMsn, out.SynAttempt
}

// answerTo queues a reply to a packet, on the plane that it came by.
func (n *NIC) answerTo(it *item, op uint8) *answer {
	d := &it.d
	q := n.planes[it.plane].answers.Push()
	*q = answer{op: op}
	q.Xid, q.Conn, q.Path, q.PathRow, q.Stream, q.StreamRow, q.Sport = d.Xid, d.Conn, d.Path, d.PathRow, d.Stream, d.StreamRow, d.Sport
	n.wait(it.plane, hasAnswers)
	return q
}

// probed answers a probe: what it said comes back, and for a status query what stands at message (R-QUERY).
func (n *NIC) probed(it *item) {
	d := &it.d
	q := n.answerTo(it, event.AckAnswer)
	q.TxTime, q.Port, q.NewEpoch, q.Query, q.Txn = d.TxTime, d.Port, d.NewEpoch, d.Query, d.Txn
	if d.Query {
		out := n.query(it)
		q.Syndrome, q.Msn, q.Attempt = out.Syndrome, out.SynMsn, out.SynAttempt
	}
}

// query is op query of R-MESSAGE: what stands there, unchanged.
func (n *NIC) query(it *item) event.MessageOut {
	d := &it.d
	in := event.MessageIn{StreamRow: d.StreamRow, Msn: d.Msn, Opcode: d.Opcode, Old: d.Old}
	var none msgSlot
	at := &none
	if k := uint32(len(it.s.slots)); k > 0 {
		at = &it.s.slots[d.Msn&(k-1)]
	}
	var out event.MessageOut
	message.Step(&at.message, &it.s.sticky, event.MessageQuery, &in, &out)
	if n.trace != nil {
		n.record(&event.Message{Head: n.head(event.MessageQuery, d), Out: out, In: in, Slot: at.message, Stream: it.s.sticky})
	}
	return out
}
