package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/recv"
	"metaroce/tandem/model/window"
	"metaroce/tandem/model/wire"
)

func windowOp(f *flight) uint8 {
	switch {
	case f.d.Op == event.CommandPathSet:
		return event.WindowSet
	case f.d.Opcode == wire.OpcodeFlush:
		return event.WindowFlush
	}
	return event.WindowPacket
}

func (r *Receiver) execWindow(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	f, bad := r.nextFlight(stWindow, op, windowOp)
	if bad != nil {
		return 0, bad
	}
	d, e, row := &f.d, &r.s.window, &r.t.paths[f.d.PathRow]
	e.Head = r.descHead(op, d)
	e.In = event.WindowIn{
		Now: uint32(r.now), Psn: d.Psn, Tsn: d.Tsn, Epoch: d.Epoch, FlagA: d.FlagA, FlagD: d.FlagD, FlagL: d.FlagL,
		Ce: d.Ce, PayloadLen: d.PayloadLen, TxTime: d.TxTime, Sport: d.Sport,
	}
	window.Step(row, op, &e.In, &e.Out)
	e.Path = *row
	if e.Out.Class == event.ClassNew {
		d.Place = true
		planNew(f)
	}
	if e.Out.AckNow || e.Out.AckCount || op == event.WindowSet {
		*r.wants.Push() = wantEntry{
			at: r.now, set: op == event.WindowSet, ackNow: e.Out.AckNow, pathRow: d.PathRow,
			xid: d.Xid, conn: d.Conn, path: d.Path, stream: d.Stream,
		}
	}
	r.pass(stWindow)
	return e.Encode(dst), nil
}

func keyOp(f *flight) uint8 {
	switch f.d.Op {
	case event.CommandKeySet:
		return event.KeySet
	case event.CommandKeyClear:
		return event.KeyClear
	}
	return event.KeyCheck
}

func (r *Receiver) execKey(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	f, bad := r.nextFlight(stKey, op, keyOp)
	if bad != nil {
		return 0, bad
	}
	d, e := &f.d, &r.s.key
	e.Head = r.descHead(op, d)
	e.In = event.KeyIn{Rkey: d.Rkey, Addr: d.Addr, PayloadLen: d.PayloadLen, Length: d.Length, Conn: d.Conn}
	if op == event.KeySet {
		e.In.LengthHi, e.In.Perm = d.Offset, d.Txn&7
	}
	index := int(d.Rkey >> 8)
	e.Key = event.KeyKey{}
	if index < len(r.t.keys) {
		e.Key = r.t.keys[index]
	}
	key.Step(&e.Key, op, &e.In, &e.Out)
	if op == event.KeyCheck {
		d.Syndrome = e.Out.Syndrome
	} else {
		r.t.keys[index] = e.Key // admit made a command beyond the table void
	}
	r.pass(stKey)
	return e.Encode(dst), nil
}

func recvOp(f *flight) uint8 {
	switch f.d.Op {
	case event.CommandRecvPost:
		return event.RecvPost
	case event.CommandRecvClear:
		return event.RecvClear
	}
	return event.RecvMatch
}

func (r *Receiver) execRecv(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	f, bad := r.nextFlight(stRecv, op, recvOp)
	if bad != nil {
		return 0, bad
	}
	d, e := &f.d, &r.s.recv
	row := &r.t.recvs[r.recvIndex(d.StreamRow, d.RecvIndex)]
	e.Head = r.descHead(op, d)
	e.In = event.RecvIn{
		RecvIndex: d.RecvIndex, StreamRow: d.StreamRow, Write: d.Opcode == wire.OpcodeWriteImm,
		Length: d.Length, Offset: d.Offset, Addr: d.Addr, SyndromeIn: d.Syndrome,
	}
	if op == event.RecvPost {
		e.In.WrId = d.WrId
	}
	recv.Step(row, op, &e.In, &e.Out)
	e.Recv = *row
	if op == event.RecvMatch {
		d.Syndrome, d.Addr, d.WrId = e.Out.Syndrome, e.Out.AddrOut, e.Out.WrIdOut
	}
	r.pass(stRecv)
	return e.Encode(dst), nil
}

func messageOp(f *flight) uint8 {
	switch {
	case f.d.Op == event.CommandStreamSet:
		return event.MessageSet
	case f.d.Op == event.CommandStreamClose:
		return event.MessageClose
	case f.d.Opcode == wire.OpcodeProbe:
		return event.MessageQuery
	}
	return event.MessagePacket
}

// faultPatience is how many descriptors may pass message while a fault waits: those that were inside already.
const faultPatience = 16

func (r *Receiver) execMessage(op uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	if op == event.MessageFault {
		return r.execFault(dst)
	}
	f, bad := r.nextFlight(stMessage, op, messageOp)
	if bad != nil {
		return 0, bad
	}
	if r.faulted.Len() > 0 && r.overtaken >= faultPatience {
		bad := r.illegal(event.KindMessage, op, "a fault of place waited while %d descriptors passed: it goes before the next one", r.overtaken)
		bad.Late = true
		return 0, bad.about(&f.d)
	}
	d, e := &f.d, &r.s.message
	e.Head = r.descHead(op, d)
	e.In = event.MessageIn{
		StreamRow: d.StreamRow, Msn: d.Msn, Attempt: d.Attempt, Opcode: d.Opcode, Length: d.Length, Offset: d.Offset,
		PayloadLen: d.PayloadLen, Old: d.Old, SyndromeIn: d.Syndrome,
	}
	if op == event.MessageSet {
		e.In.LifeIn = d.Txn
	}
	r.stepMessage(op)
	d.Life, d.Fresh = e.Out.Life, e.Out.Fresh
	switch {
	case op == event.MessagePacket:
		r.counters.Verdicts[e.Out.Verdict]++
		if e.Out.Verdict == event.VerdictPlace {
			f.want(stPlace)
			if d.PayloadLen > 0 {
				f.want(stIssue)
			}
		}
		if e.Out.Nak {
			r.pushNak(d)
		}
	case op == event.MessageQuery:
		r.pushAnswer(d, Due{r.now, event.KindMessage}, e.Out.Syndrome, e.Out.SynMsn, e.Out.SynAttempt)
	}
	r.overtaken++
	r.recorded = r.next[stMessage] + 1
	r.pass(stMessage)
	return e.Encode(dst), nil
}

// execFault executes the failure of a write at message.
func (r *Receiver) execFault(dst *[event.MaxRecord]byte) (int, *Illegal) {
	q := r.faulted.Head()
	if q == nil {
		return 0, r.illegal(event.KindMessage, event.MessageFault, "no fault of place is pending")
	}
	r.faulted.Drop()
	r.overtaken = 0
	d, e := &q.d, &r.s.message
	e.Head = r.descHead(event.MessageFault, d)
	e.In = event.MessageIn{StreamRow: d.StreamRow, Msn: d.Msn, Attempt: d.Attempt, LifeIn: d.Life}
	r.stepMessage(event.MessageFault)
	if e.Out.Nak {
		r.pushNak(d)
	}
	return e.Encode(dst), nil
}

// stepMessage makes the step of the record in scratch on the rows it names.
func (r *Receiver) stepMessage(op uint8) {
	e := &r.s.message
	slot := &r.t.slots[r.slotIndex(e.In.StreamRow, e.In.Msn)]
	stream := &r.t.streams[e.In.StreamRow]
	message.Step(slot, stream, op, &e.In, &e.Out)
	e.Slot, e.Stream = *slot, *stream
}

// pushNak queues the NAK that the message record in scratch calls for.
func (r *Receiver) pushNak(d *event.Desc) {
	o := &r.s.message.Out
	q := r.naks.Push()
	*q = replyEntry{at: r.now, after: event.KindMessage}
	q.of(d)
	q.Syndrome, q.Msn, q.Attempt = o.Syndrome, o.SynMsn, o.SynAttempt
}

// pushAnswer queues the answer to a probe.
func (r *Receiver) pushAnswer(d *event.Desc, due Due, syndrome wire.Syndrome, msn uint32, attempt uint8) {
	q := r.answers.Push()
	*q = replyEntry{at: due.From, after: due.After, flight: r.next[stMessage]}
	q.of(d)
	q.TxTime, q.Port, q.NewEpoch, q.Query, q.Txn = d.TxTime, d.Port, d.NewEpoch, d.Query, d.Txn
	q.Syndrome, q.Msn, q.Attempt = syndrome, msn, attempt
}

// of fills in whom a reply goes to.
func (q *replyEntry) of(d *event.Desc) {
	q.Xid, q.Conn, q.Path, q.PathRow = d.Xid, d.Conn, d.Path, d.PathRow
	q.Stream, q.StreamRow, q.Sport = d.Stream, d.StreamRow, d.Sport
}

// pathProbe answers a probe of a path as it passes message, which makes no record of it.
func (r *Receiver) pathProbe(f *flight) {
	d := &f.d
	if d.Op == event.CommandNone && d.Opcode == wire.OpcodeProbe && !d.Query && f.live {
		r.pushAnswer(d, f.due(), wire.SyndromeNone, 0, 0)
	}
}
