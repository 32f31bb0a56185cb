package conn

import (
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/place"
)

// execMemWrite is the acceptance of the next write, in the order of issue.
func (r *Receiver) execMemWrite(dst *[event.MaxRecord]byte) (int, *Illegal) {
	f := r.head(stIssue)
	if f == nil {
		return 0, r.illegal(event.KindMemWrite, 0, "no write is pending: message let none through that was not accepted")
	}
	d, e := &f.d, &r.s.memWrite
	f.failed = r.hasFault(d.Xid, d.Addr, d.PayloadLen)
	e.Head = r.headOf(0, d.Xid, 0, 0, 0)
	e.In = event.MemWriteIn{Addr: d.Addr, Length: d.PayloadLen, Error: f.failed, Hash: DigestBytes(f.payload)}
	if r.memory != nil && !f.failed {
		r.memory.Write(d.Addr, f.payload)
	}
	r.pass(stIssue)
	return e.Encode(dst), nil
}

func placeOp(f *flight) uint8 {
	if f.has(stIssue) {
		return event.PlaceWrite
	}
	return event.PlaceEmpty
}

// execPlace is the answer of the memory port to the next write, or the turn of a message of no bytes.
func (r *Receiver) execPlace(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	f, bad := r.nextFlight(stPlace, op, placeOp)
	if bad != nil {
		if w := r.head(stIssue); r.head(stPlace) == nil && w != nil {
			bad.Why = "the next write was not accepted by the memory port yet"
			bad.about(&w.d)
		}
		return 0, bad
	}
	d, e := &f.d, &r.s.place
	row := &r.t.tallies[r.slotIndex(d.StreamRow, d.Msn)]
	e.Head = r.descHead(op, d)
	e.In = event.PlaceIn{
		StreamRow: d.StreamRow, Life: d.Life, Msn: d.Msn, Attempt: d.Attempt, Fresh: d.Fresh, Length: d.Length,
		PayloadLen: d.PayloadLen, Addr: d.Addr, Error: f.failed,
	}
	place.Step(row, op, &e.In, &e.Out)
	e.Tally = *row
	if e.Out.Done {
		r.pushDone(event.CompleteDone, f, d.Life)
	}
	if e.Out.Fault {
		if r.faulted.Len() == 0 {
			r.overtaken = 0
		}
		q := r.faulted.Push()
		q.at, q.d = r.now, *d
	}
	r.pass(stPlace)
	return e.Encode(dst), nil
}

// pushDone queues a transaction for complete. A command that place makes no record of was let go by the engine before.
func (r *Receiver) pushDone(op uint8, f *flight, life uint8) {
	d := &f.d
	at, after := r.now, event.KindPlace
	if op != event.CompleteDone {
		at, after = f.at, f.after()
	}
	*r.doneQ.Push() = doneEntry{
		at: at, after: after, op: op, row: d.StreamRow, msn: d.Msn, life: life,
		d: keptInfo{
			xid: d.Xid, opcode: d.Opcode, length: d.Length, imm: d.ImmValue, wrID: d.WrId,
			conn: d.Conn, stream: d.Stream, pathRow: d.PathRow,
		},
	}
}

// execComplete executes what place reported next, or the next of a run.
func (r *Receiver) execComplete(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	var q doneEntry
	if op == event.CompleteRun {
		run := r.runQ.Head()
		if run == nil {
			return 0, r.illegal(event.KindComplete, op, "no run of done messages is pending")
		}
		q = doneEntry{op: op, row: run.row, msn: run.msn, life: run.life, d: r.t.kept[r.slotIndex(run.row, run.msn)]}
		r.runQ.Drop()
	} else {
		head := r.doneQ.Head()
		if head == nil {
			return 0, r.illegal(event.KindComplete, op, "nothing is pending: no message got its last byte, no stream command came through place")
		}
		if head.op != op {
			return 0, r.illegal(event.KindComplete, op, "next in order is op %s (%d)", event.OpName(event.KindComplete, head.op), head.op)
		}
		q = *head
		r.doneQ.Drop()
	}
	return r.complete(&q, dst), nil
}

func (r *Receiver) complete(q *doneEntry, dst *[event.MaxRecord]byte) int {
	e, row := &r.s.complete, &r.t.orders[q.row]
	_, path := r.pathOf(q.d.pathRow)
	e.Head = r.headOf(q.op, q.d.xid, q.d.conn, path, q.d.stream)
	e.In = event.CompleteIn{
		StreamRow: q.row, Msn: q.msn, PathRow: q.d.pathRow, Conn: q.d.conn, Stream: q.d.stream, Opcode: q.d.opcode,
		Length: q.d.length, ImmValue: q.d.imm, WrId: q.d.wrID, Life: q.life,
		NoticeHead: r.taken, NoticeTail: r.queued,
	}
	if q.op == event.CompleteSet || q.op == event.CompleteClose {
		r.settled++
		r.settledAt = r.now
	}
	before := *row
	complete.Step(row, q.op, &e.In, &e.Out)
	e.Stream = *row
	if complete.Kept(&before, row, q.op, &e.Out) {
		r.t.kept[r.slotIndex(q.row, q.msn)] = q.d
	}
	if e.Out.Release {
		*r.completions.Push() = completionEntry{at: r.now, xid: q.d.xid, in: event.CompletionIn{
			Conn: q.d.conn, Stream: q.d.stream, Msn: q.msn, Opcode: q.d.opcode, Length: q.d.length,
			ImmValue: q.d.imm, WrId: q.d.wrID,
		}}
	}
	if e.Out.RunNext {
		*r.runQ.Push() = runEntry{at: r.now, row: q.row, msn: q.msn + 1, life: row.Life}
	}
	if e.Out.Notice {
		*r.notices.Push() = noticeEntry{at: r.now, streamRow: q.row, stream: q.d.stream, conn: q.d.conn, pathRow: q.d.pathRow, life: row.Life}
		r.queued++
	}
	return e.Encode(dst)
}
