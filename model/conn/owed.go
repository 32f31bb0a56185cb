package conn

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// owed is one kind of work that the device has before it: how much, and by how much its oldest part is late already.
type owed struct {
	kind  event.Kind
	op    uint8
	n     int    // pieces of work pending
	since uint64 // cycle from which the oldest could be done, were nothing before it
	late  uint64 // cycles beyond what the device may take, of its clock
	limit uint64
	xid   uint32
	conn  uint16
	path  uint8
	what  string
}

// Late returns an obligation that the device did not meet in time, or nil. cycle is the device's: no record of a later
// commit came before it. Stimulus that the bench has not given yet is no obligation.
func (r *Receiver) Late(cycle uint64) *Illegal {
	var bad *Illegal
	r.visit(cycle, func(o owed) {
		if bad == nil && o.n > 0 && o.late > o.limit {
			bad = o.illegal(cycle, fmt.Sprintf("%s since cycle %d, %d pending; %d cycles in which nothing held it, bound %d",
				o.what, o.since, o.n, o.late, o.limit))
		}
	})
	return bad
}

// Leftovers are what the device never did: everything that is pending when the run has ended, stimulus that never
// came included. One entry for each kind of work, the oldest piece named.
func (r *Receiver) Leftovers() []Illegal {
	var all []Illegal
	r.visitStimulus(func(o owed) { all = append(all, o.left(r.cycle)...) })
	r.visit(r.cycle, func(o owed) { all = append(all, o.left(r.cycle)...) })
	return all
}

// Pending is the number of pieces of work before the device, stimulus not counted; 0 when it should be idle.
func (r *Receiver) Pending() int {
	n := 0
	r.visit(r.cycle, func(o owed) { n += o.n })
	return n
}

// Unseen is the number of frames and register accesses that no record told of yet.
func (r *Receiver) Unseen() int { return r.frames.Len() + r.accesses.Len() }

func (o *owed) left(cycle uint64) []Illegal {
	if o.n == 0 {
		return nil
	}
	return []Illegal{*o.illegal(cycle, fmt.Sprintf("%s, %d never done", o.what, o.n))}
}

func (o *owed) illegal(cycle uint64, why string) *Illegal {
	return &Illegal{
		Rule: ruleOf(o.kind), Kind: o.kind, Op: o.op, Cycle: cycle, Xid: o.xid, Conn: o.conn, Path: o.path, Late: true, Why: why,
	}
}

func (r *Receiver) visitStimulus(see func(owed)) {
	if q := r.frames.Head(); q != nil {
		see(owed{kind: event.KindPacketIn, n: r.frames.Len(), xid: q.xid, what: "a frame of the stimulus did not arrive"})
	}
	if q := r.accesses.Head(); q != nil {
		see(owed{kind: event.KindRegister, n: r.accesses.Len(), what: fmt.Sprintf("a register access (address %#x) was not done", q.addr)})
	}
}

// visit shows every kind of pending work.
func (r *Receiver) visit(cycle uint64, see func(owed)) {
	r.visitPipeline(cycle, see)
	queue := func(l line, o owed) {
		o.kind = lineInfo[l].kind
		o.late, o.limit = r.lineLate(l, cycle), r.limitOf(o.kind)
		see(o)
	}
	r.visitQueues(cycle, queue, see)
	r.visitAck(queue)
	r.visitEdges(queue)
}

// stageWaits are made once: Late allocates nothing.
var stageWaits = func() (t [stages]string) {
	for s, kind := range stageKinds {
		t[s] = "a packet or command waits for " + kind.String()
	}
	return t
}()

func (r *Receiver) visitPipeline(cycle uint64, see func(owed)) {
	head := func(h int, c clock, o owed) {
		o.late, o.limit = r.headLate(h, c, cycle), r.limitOf(o.kind)
		see(o)
	}
	if a := r.arrived.Head(); a != nil {
		head(hdFrame, ckAdmit, owed{kind: event.KindAdmit, n: r.arrived.Len(), since: a.at, xid: a.d.Xid, what: "a frame was not admitted or dropped"})
	}
	if c := r.commands.Head(); c != nil {
		head(hdCommand, ckAdmit, owed{kind: event.KindAdmit, op: event.AdmitCommand, n: r.commands.Len(), since: c.at, xid: c.d.Xid, what: "a command was not admitted"})
	}
	for s := stWindow; s < stages; s++ {
		f := r.head(s)
		if f == nil {
			continue
		}
		head(hdStage+int(s), ckStage+clock(s), owed{
			kind: stageKinds[s], n: int(r.limit(s) - r.next[s]), since: f.at,
			xid: f.d.Xid, conn: f.d.Conn, path: f.d.Path, what: stageWaits[s],
		})
	}
}

func (r *Receiver) visitQueues(cycle uint64, queue func(line, owed), see func(owed)) {
	if q := r.faulted.Head(); q != nil {
		queue(lnFault, owed{op: event.MessageFault, n: r.faulted.Len(), since: q.at, xid: q.d.Xid, conn: q.d.Conn, path: q.d.Path, what: "a failed write was not brought to message"})
	}
	if q := r.doneQ.Head(); q != nil {
		queue(lnDone, owed{op: q.op, n: r.doneQ.Len(), since: q.at, xid: q.d.xid, conn: q.d.conn, what: "a done message or stream command waits for complete"})
	}
	if q := r.runQ.Head(); q != nil {
		queue(lnRun, owed{op: event.CompleteRun, n: r.runQ.Len(), since: q.at, what: "the next message of a run waits for its release"})
	}
	if q := r.wants.Head(); q != nil {
		queue(lnWant, owed{n: r.wants.Len(), since: q.at, xid: q.xid, conn: q.conn, path: q.path, what: "a wish for an acknowledgement waits for coalesce"})
	}
	if q := r.timers.Head(); q != nil {
		conn, path := r.pathOf(q.pathRow)
		due := q.at + preset.AckTimer
		see(owed{kind: event.KindCtimer, n: r.timers.Len(), since: due, late: beyond(cycle, due), limit: r.bounds.Told, conn: conn, path: path, what: "an armed timer did not fire"})
	}
}

func (r *Receiver) visitAck(queue func(line, owed)) {
	paths := func(l line, op uint8, q *pathEntry, n int) {
		conn, path := r.pathOf(q.pathRow)
		queue(l, owed{op: op, n: n, since: q.at, conn: conn, path: path, what: "an acknowledgement that was asked for was not built"})
	}
	replies := func(l line, op uint8, q *replyEntry, n int, what string) {
		queue(l, owed{op: op, n: n, since: q.at, xid: q.Xid, conn: q.Conn, path: q.Path, what: what})
	}
	if q := r.request.Head(); q != nil {
		paths(lnRequest, event.AckRequest, q, r.request.Len())
	}
	if q := r.timed.Head(); q != nil {
		paths(lnTimed, event.AckTimer, q, r.timed.Len())
	}
	if q := r.notices.Head(); q != nil {
		conn, path := r.pathOf(q.pathRow)
		queue(lnNotice, owed{op: event.AckNotice, n: r.notices.Len(), since: q.at + preset.AckTimer, conn: conn, path: path, what: "a completion notice was not sent"})
	}
	if q := r.naks.Head(); q != nil {
		replies(lnNak, event.AckNak, q, r.naks.Len(), "a NAK was not built")
	}
	if q := r.answers.Head(); q != nil {
		replies(lnAnswer, event.AckAnswer, q, r.answers.Len(), "an answer to a probe was not built")
	}
}

func (r *Receiver) visitEdges(queue func(line, owed)) {
	if c := r.completions.Head(); c != nil {
		queue(lnCompletion, owed{n: r.completions.Len(), since: c.at, xid: c.xid, conn: c.in.Conn, what: "a released completion did not leave"})
	}
	if p := r.packets.Head(); p != nil {
		queue(lnPacket, owed{n: r.packets.Len(), since: p.at, xid: p.xid, conn: p.conn, path: p.path, what: "a packet that was built did not leave"})
	}
	if c := r.confirmed.Head(); c != nil {
		queue(lnConfirmed, owed{n: r.confirmed.Len(), since: c.at, xid: c.xid, what: "a command was not confirmed"})
	}
}
