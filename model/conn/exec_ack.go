package conn

import (
	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/coalesce"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

func (r *Receiver) execCoalesce(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	q := r.wants.Head()
	if q == nil {
		return 0, r.illegal(event.KindCoalesce, op, "nothing is pending: window wanted no acknowledgement that was not merged already")
	}
	if q.set != (op == event.CoalesceSet) || op > event.CoalesceSet {
		return 0, r.illegal(event.KindCoalesce, op, "next in order is the window step of xid %#x, a path_set: %t", q.xid, q.set)
	}
	r.wants.Drop()
	e, row := &r.s.coalesce, &r.t.coalesce[q.pathRow]
	e.Head = r.headOf(op, q.xid, q.conn, q.path, q.stream)
	e.In = event.CoalesceIn{
		PathRow: q.pathRow, AckNow: q.ackNow, Builds: r.t.acks[q.pathRow].Builds, Pending: r.t.pending[q.pathRow],
	}
	coalesce.Step(row, op, &e.In, &e.Out)
	e.Path = *row
	if e.Out.Push {
		r.t.pending[q.pathRow] = true
		*r.request.Push() = pathEntry{at: r.now, pathRow: q.pathRow}
	}
	if e.Out.Arm {
		*r.timers.Push() = timerEntry{at: r.now, pathRow: q.pathRow, builds: e.In.Builds}
	}
	return e.Encode(dst), nil
}

// execCtimer is the firing of the oldest armed timer; when is told, within its limits.
func (r *Receiver) execCtimer(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	q := r.timers.Head()
	switch {
	case op != event.CtimerFire:
		return 0, r.illegal(event.KindCtimer, op, "no such op")
	case q == nil:
		return 0, r.illegal(event.KindCtimer, op, "no timer is armed")
	case r.now < q.at+preset.AckTimer:
		return 0, r.illegal(event.KindCtimer, op, "the oldest timer was armed at cycle %d and may fire from %d on", q.at, q.at+preset.AckTimer).on(r, q.pathRow)
	case r.now > q.at+preset.AckTimer+r.bounds.Told:
		bad := r.illegal(event.KindCtimer, op, "the timer armed at cycle %d had to fire by %d", q.at, q.at+preset.AckTimer+r.bounds.Told)
		bad.Late = true
		return 0, bad.on(r, q.pathRow)
	}
	r.timers.Drop()
	e := &r.s.ctimer
	conn, path := r.pathOf(q.pathRow)
	e.Head = r.headOf(op, 0, conn, path, 0)
	e.In = event.CtimerIn{
		PathRow: q.pathRow, ArmedBuilds: q.builds, Builds: r.t.acks[q.pathRow].Builds,
		Pending: r.t.pending[q.pathRow], Now: uint32(r.now),
	}
	coalesce.Fire(&e.In, &e.Out)
	if e.Out.Push {
		r.t.pending[q.pathRow] = true
		*r.timed.Push() = pathEntry{at: r.now, pathRow: q.pathRow}
	}
	return e.Encode(dst), nil
}

// on adds the path of a row to a divergence.
func (e *Illegal) on(r *Receiver, pathRow uint16) *Illegal {
	e.Conn, e.Path = r.pathOf(pathRow)
	return e
}

// execAck builds from the queue that the device took, whose head is the model's.
func (r *Receiver) execAck(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	var reply *ack.Reply
	var pathRow uint16
	switch {
	case op >= ackSources:
		return 0, r.illegal(event.KindAck, op, "no such op")
	case !r.filled(op):
		return 0, r.emptySource(op)
	}
	if bad := r.starved(op); bad != nil {
		return 0, bad
	}
	switch op {
	case event.AckRequest:
		pathRow = r.request.Head().pathRow
		r.request.Drop()
	case event.AckTimer:
		pathRow = r.timed.Head().pathRow
		r.timed.Drop()
	case event.AckNotice:
		pathRow = r.notices.Head().pathRow
	case event.AckNak:
		reply = &r.naks.Head().Reply
		r.naks.Drop()
		pathRow = reply.PathRow
	default:
		reply = &r.answers.Head().Reply
		r.answers.Drop()
		pathRow = reply.PathRow
	}
	return r.build(op, pathRow, reply, dst), nil
}

// build makes the step and the packet that follows from it.
func (r *Receiver) build(op uint8, pathRow uint16, reply *ack.Reply, dst *[event.MaxRecord]byte) int {
	e, row, win := &r.s.ack, &r.t.acks[pathRow], &r.t.paths[pathRow]
	conn, path := r.pathOf(pathRow)
	e.Head = r.headOf(op, 0, conn, path, 0)
	e.In = event.AckIn{
		PathRow: pathRow, Grant: op, Now: uint32(r.now), Hint: r.regs.hint, HintGen: r.regs.hintGen, LastNow: win.LastNow,
	}
	var notice ack.Notice
	if ack.Acknowledges(op) {
		if n := r.notices.Head(); n != nil && n.conn == conn {
			order := &r.t.orders[n.streamRow]
			e.In.NoticeValid, e.In.NoticeStreamRow, e.In.NoticeLife = true, n.streamRow, n.life
			e.In.NoticeCompleted, e.In.StreamOpen, e.In.StreamLife = order.Completed, order.Open, order.Life
			notice = ack.Notice{Stream: n.stream, Completed: order.Completed}
		}
	} else {
		e.Head.Xid, e.Head.Stream = reply.Xid, reply.Stream
	}
	ack.Step(row, op, &e.In, &e.Out)
	e.Path = *row
	if op == event.AckRequest || op == event.AckTimer {
		r.t.pending[pathRow] = false
	}
	notice.Valid = e.Out.Notice
	if e.Out.Notice || e.Out.NoticeStale {
		r.notices.Drop()
		r.taken++
	}
	p := r.packets.Push()
	p.at, p.xid, p.conn, p.path, p.stream = r.now, e.Head.Xid, conn, path, e.Head.Stream
	b := p.bytes[:0]
	switch op {
	case event.AckNak:
		p.sport = reply.Sport
		b = ack.AppendNak(b, win, reply, e.In.Now)
	case event.AckAnswer:
		p.sport = reply.Sport
		completed := uint32(0)
		if reply.Query {
			completed = r.t.orders[reply.StreamRow].Completed
		}
		b = ack.AppendAnswer(b, win, reply, e.In.Now, completed)
	default:
		p.sport = win.LastSport
		b = ack.AppendAck(b, win, path, &e.In, &e.Out, notice)
	}
	p.n = uint8(len(b))
	return e.Encode(dst)
}

// filled tells whether a source of ack has something to build now.
func (r *Receiver) filled(op uint8) bool {
	switch op {
	case event.AckRequest:
		return r.request.Len() > 0
	case event.AckTimer:
		return r.timed.Len() > 0
	case event.AckNotice:
		n := r.notices.Head()
		return n != nil && r.now >= n.at+preset.AckTimer
	case event.AckNak:
		return r.naks.Len() > 0
	}
	return r.answers.Len() > 0
}

func (r *Receiver) emptySource(op uint8) *Illegal {
	if n := r.notices.Head(); op == event.AckNotice && n != nil {
		return r.illegal(event.KindAck, op, "the oldest completion notice was queued at cycle %d and goes alone from %d on", n.at, n.at+preset.AckTimer).on(r, n.pathRow)
	}
	return r.illegal(event.KindAck, op, "the queue of %s is empty", event.OpName(event.KindAck, op))
}

// offers tells whether a source is filled in the device too. A probe of a path leaves no record at message: it may still
// stand there behind a write that waits for memory, until one behind it makes a record.
func (r *Receiver) offers(op uint8) bool {
	if op == event.AckAnswer && r.answers.Len() > 0 {
		return r.answers.Head().flight < r.recorded
	}
	return r.filled(op)
}

// starved counts, for every other source that offers, that it was passed over, and tells when that was too often.
func (r *Receiver) starved(op uint8) *Illegal {
	for o := range uint8(ackSources) {
		if o == op || !r.offers(o) {
			continue
		}
		if r.passed[o] >= r.bounds.Grant {
			bad := r.illegal(event.KindAck, op, "the queue of %s was passed over in %d grants", event.OpName(event.KindAck, o), r.passed[o])
			bad.Late = true
			return bad
		}
	}
	for o := range uint8(ackSources) {
		if o == op || !r.offers(o) {
			r.passed[o] = 0
		} else {
			r.passed[o]++
		}
	}
	return nil
}
