package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// offer posts to the scheduler what fits into the message window (R-MSG-WINDOW).
func (n *NIC) offer(c *conn, s *stream) {
	q := &s.send
	for q.sched.Posted != q.next {
		q.growRows()
		w := q.at(q.sched.Posted)
		length := w.Length
		if isRequest(w.Op) {
			if c.slotsGone() {
				n.failStream(c, s, q.sched.Posted, StatusNoSlot)
				return
			}
			if !n.takeSlot(c, s, w, q.sched.Posted) {
				break // all request slots are taken: the stream waits for an answer
			}
			length = 0 // one packet, without payload
		}
		out := n.sched(c, s, event.StreamSchedPost, &event.StreamSchedIn{Length: length})
		if out.Full {
			n.giveSlot(c, w)
			break
		}
	}
}

// resume tells R-CC that a connection which rested has something to send.
func (n *NIC) resume(c *conn) {
	t := c.tx
	in := event.CcIn{Phase: uint16(n.random.Uint64()), Waiting: n.waiting(t)}
	before := t.cc.Spread
	out := n.cc(c, 0, event.CcResume, &in)
	if out.Announce {
		if t.cc.Asked <= 1 {
			n.listen(t)
		}
		n.control(n.planeOf(t), control{kind: controlAnnounce, conn: c.index})
	}
	if t.cc.Spread != before {
		n.refeed(t)
	}
	n.reroom(t)
}

func isRequest(op wire.Opcode) bool {
	return op == wire.OpcodeReadRequest || op == wire.OpcodeAtomicRequest
}

// told takes the completed msn of a stream from the peer (R-DONE).
func (n *NIC) told(c *conn, number uint16, completed uint32) {
	if uint32(number)>>c.row.StreamLog2 != 0 {
		return
	}
	s := n.streams[c.row.StreamBase+number]
	if s == nil {
		return // nothing was ever posted there
	}
	q := &s.send
	if q.failed || !wire.Less(q.sched.Completed, completed) || wire.Less(q.sched.Posted, completed) {
		return
	}
	for msn := q.sched.Completed; msn != completed; msn++ {
		n.cutOff(c, q.at(msn))
	}
	n.sched(c, s, event.StreamSchedDone, &event.StreamSchedIn{Completed: completed})
	q.asking = false
	n.report(c, s)
	n.offer(c, s)
	n.askLater(c, s)
}

// report gives completions, in the order of the stream, to all that is done, and drops work that nothing refers to.
func (n *NIC) report(c *conn, s *stream) {
	q := &s.send
	for q.reported != q.next {
		w := q.at(q.reported)
		status := StatusOK
		if q.flushing || !wire.Less(q.reported, q.sched.Completed) || isRequest(w.Op) && !w.answered {
			if !q.failed {
				break
			}
			q.flushing = true // what is behind it has no better end
			status = StatusFlushed
			if q.reported == q.errMsn {
				status = q.why
			}
		}
		*n.completion() = Completion{
			ID: w.ID, Conn: c.index, Stream: s.number, Op: w.Op, Status: status, Msn: q.reported, Bytes: w.Length, Value: w.value,
		}
		q.reported++
	}
	n.drop(q)
	n.drained(c)
}

// drop forgets work that has its completion and no packet in flight.
func (n *NIC) drop(q *sendStream) {
	for q.first != q.reported && q.at(q.first).outs == 0 {
		q.first++
	}
}

// unslot gives back the slot of a message all of whose packets are settled.
func (n *NIC) unslot(c *conn, slot uint16) {
	t := c.tx
	m := &t.out[slot]
	m.used = false
	t.outFree = append(t.outFree, slot)
	if isResponse(m.op) {
		t.replies.free(m.msn)
		return
	}
	s := n.streams[m.row]
	w := s.send.at(m.msn)
	w.outs--
	if w.cut && w.out == slot {
		w.cut = false
	}
	n.drop(&s.send)
	n.askLater(c, s)
}

func isResponse(op wire.Opcode) bool {
	return op == wire.OpcodeReadResponse || op == wire.OpcodeAtomicResponse
}

// cutOff ends an attempt that is not cut whole: no more of it will be.
func (n *NIC) cutOff(c *conn, w *work) {
	if !w.cut {
		return
	}
	m := &c.tx.out[w.out]
	if m.whole = true; m.open == 0 {
		n.unslot(c, w.out)
	}
}

// askLater arms the status query of a stream whose oldest message is acknowledged whole and not complete (R-QUERY).
func (n *NIC) askLater(c *conn, s *stream) {
	q := &s.send
	if q.asking || q.failed || q.sched.Completed == q.sched.Posted {
		return
	}
	w := q.at(q.sched.Completed)
	if w.outs > 0 || w.pausing || !n.begun(q) {
		return
	}
	q.asking, q.asks = true, 0
	q.askAt = n.tick + n.rto(c.tx, 0)
	n.wheelStream(s, q.askAt)
}

// begun tells whether the oldest message without a completion was cut whole.
func (n *NIC) begun(q *sendStream) bool {
	return wire.Less(q.sched.Completed, q.sched.NextMsn) && !q.sched.AgainOn && q.sched.Again == 0
}

func (n *NIC) wheelStream(s *stream, tick uint32) {
	q := &s.send
	if q.slot == notInWheel || n.timers.before(tick, q.slot) {
		q.slot = n.addTimer(ownerStream|uint32(s.row), tick)
	}
}

// streamExpired asks, or sends again what was refused.
func (n *NIC) streamExpired(s *stream, slot uint32) {
	q := &s.send
	if q.slot != slot {
		return
	}
	q.slot = notInWheel
	c := n.conns[s.conn]
	if c.tx == nil || q.failed {
		return
	}
	n.sendAgainRefused(c, s)
	if !q.asking {
		return
	}
	if int32(q.askAt-n.tick) > 0 {
		n.wheelStream(s, q.askAt)
		return
	}
	if q.asks == maxDoublings && n.silent(c) {
		n.abort(c, StatusTimeout)
		return
	}
	if q.asks == 0 {
		n.listen(c.tx)
	}
	if !q.queried {
		q.queried = true
		q.txn++
		n.control(n.planeOf(c.tx), control{kind: controlQuery, conn: c.index, row: s.row})
	}
	q.asks = min(q.asks+1, maxDoublings)
	q.askAt = n.tick + n.doubled(uint64(n.rto(c.tx, 0)), q.asks)
	n.wheelStream(s, q.askAt)
}

// maxDoublings bounds the interval between status queries: 64 timeouts.
const maxDoublings = 6

// answered takes the answer to a status query: what is complete, and what was refused.
func (n *NIC) answered(c *conn, p *Packet) {
	if uint32(p.Stream)>>c.row.StreamLog2 != 0 {
		return
	}
	s := n.streams[c.row.StreamBase+p.Stream]
	if s == nil {
		return
	}
	n.told(c, p.Stream, p.Completed)
	switch p.Syndrome {
	case wire.SyndromeNone:
	case wire.SyndromeRnr:
		n.refused(c, s, p.Msn, p.Attempt)
	default:
		n.failStream(c, s, p.Msn, Status(p.Syndrome))
	}
	n.wakeConn(c)
}

// onNak takes the hint that a message was refused. A fatal one has no completed msn: the requester asks (R-FATAL).
func (n *NIC) onNak(_ int, p *Packet) {
	c := n.admitReply(p)
	if c == nil || uint32(p.Stream)>>c.row.StreamLog2 != 0 {
		return
	}
	s := n.streams[c.row.StreamBase+p.Stream]
	if s == nil || s.send.failed {
		return
	}
	q := &s.send
	if p.Syndrome == wire.SyndromeRnr {
		n.refused(c, s, p.Msn, p.Attempt)
		return
	}
	q.asking, q.asks, q.askAt = true, 0, n.tick
	n.wheelStream(s, n.tick)
	if !q.queried {
		q.queried = true
		q.txn++
		n.control(n.planeOf(c.tx), control{kind: controlQuery, conn: c.index, row: s.row})
		q.askAt = n.tick + n.rto(c.tx, 0)
	}
}

// refused is a message that found no receive: after a pause all of it goes again under the next attempt (R-RNR).
func (n *NIC) refused(c *conn, s *stream, msn uint32, attempt uint8) {
	q := &s.send
	if wire.Less(msn, q.sched.Completed) || !wire.Less(msn, q.sched.Posted) {
		return
	}
	out := n.sched(c, s, event.StreamSchedRefuse, &event.StreamSchedIn{Msn: msn, Attempt: attempt})
	if !out.Act {
		return
	}
	n.count.Refused++
	w := q.at(msn)
	n.cutOff(c, w)
	w.pausing, w.again = true, n.tick+n.cfg.RnrPause
	q.asking = false
	n.wheelStream(s, w.again)
}

// sendAgainRefused queues the messages whose pause is over.
func (n *NIC) sendAgainRefused(c *conn, s *stream) {
	q := &s.send
	for msn := q.sched.Completed; msn != q.sched.Posted; msn++ {
		w := q.at(msn)
		if !w.pausing {
			continue
		}
		if int32(w.again-n.tick) > 0 {
			n.wheelStream(s, w.again)
			continue
		}
		w.pausing = false
		out := n.sched(c, s, event.StreamSchedAgain, &event.StreamSchedIn{Msn: msn})
		if out.GiveUp {
			n.failStream(c, s, msn, StatusRetry)
			return
		}
		n.wakeConn(c)
	}
}

// failStream ends a stream: everything from the peer's completed msn on is flushed, msn with the reason.
func (n *NIC) failStream(c *conn, s *stream, msn uint32, why Status) {
	q := &s.send
	if q.failed {
		return
	}
	n.sched(c, s, event.StreamSchedStop, &event.StreamSchedIn{})
	q.failed, q.why, q.errMsn, q.asking = true, why, msn, false
	for m := q.first; m != q.next; m++ {
		n.cutOff(c, q.at(m))
	}
	n.dropRequests(c, s)
	n.report(c, s)
	n.regroup(c)
}
