package conn

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// owed is one kind of work that the device has before it: how much, and since when its oldest part could be done.
type owed struct {
	kind  event.Kind
	op    uint8
	n     int    // pieces of work pending
	since uint64 // cycle from which the oldest could be done
	exact bool   // nothing can hold it back: its bound is Bounds.Told alone
	xid   uint32
	conn  uint16
	path  uint8
	what  string
}

// Late returns an obligation that the device did not meet in time, or nil. cycle is the device's: no record of a later
// commit came before it. Stimulus that the bench has not given yet is no obligation.
func (r *Receiver) Late(cycle uint64) *Illegal {
	var bad *Illegal
	r.visit(func(o owed) {
		limit := r.bounds.Told
		if !o.exact {
			limit += r.bounds.Stall
		}
		if bad == nil && o.n > 0 && cycle > o.since && cycle-o.since > limit {
			bad = o.illegal(cycle, fmt.Sprintf("%s since cycle %d, %d pending; bound %d cycles", o.what, o.since, o.n, limit))
		}
	})
	return bad
}

// Leftovers are what the device never did: everything that is pending when the run has ended, stimulus that never
// came included. One entry for each kind of work, the oldest piece named.
func (r *Receiver) Leftovers() []Illegal {
	var all []Illegal
	r.visitStimulus(func(o owed) { all = append(all, o.left(r.cycle)...) })
	r.visit(func(o owed) { all = append(all, o.left(r.cycle)...) })
	return all
}

// Pending is the number of pieces of work before the device, stimulus not counted; 0 when it should be idle.
func (r *Receiver) Pending() int {
	n := 0
	r.visit(func(o owed) { n += o.n })
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

// visit shows every kind of pending work. An entry is due from the later of the cycle that queued it and the engine's
// last transaction: one engine does one thing at a time, and what is held back is so by one transaction behind it.
func (r *Receiver) visit(see func(owed)) {
	r.visitPipeline(see)
	r.visitQueues(see)
	r.visitAck(see)
	r.visitEdges(see)
}

func (r *Receiver) due(kind event.Kind, at uint64) uint64 { return max(at, r.last[kind]) }

// stageWaits are made once: Late allocates nothing.
var stageWaits = func() (t [stages]string) {
	for s, kind := range stageKinds {
		t[s] = "a packet or command waits for " + kind.String()
	}
	return t
}()

func (r *Receiver) visitPipeline(see func(owed)) {
	if a := r.arrived.Head(); a != nil {
		see(owed{kind: event.KindAdmit, n: r.arrived.Len(), since: r.due(event.KindAdmit, a.at), xid: a.d.Xid, what: "a frame was not admitted or dropped"})
	}
	if c := r.commands.Head(); c != nil {
		see(owed{kind: event.KindAdmit, op: event.AdmitCommand, n: r.commands.Len(), since: r.due(event.KindAdmit, c.at), xid: c.d.Xid, what: "a command was not admitted"})
	}
	for s := stWindow; s < stages; s++ {
		f := r.head(s)
		if f == nil {
			continue
		}
		kind := stageKinds[s]
		see(owed{
			kind: kind, n: int(r.limit(s) - r.next[s]), since: r.due(kind, f.at),
			xid: f.d.Xid, conn: f.d.Conn, path: f.d.Path, what: stageWaits[s],
		})
	}
}

func (r *Receiver) visitQueues(see func(owed)) {
	if q := r.faulted.Head(); q != nil {
		see(owed{kind: event.KindMessage, op: event.MessageFault, n: r.faulted.Len(), since: r.due(event.KindMessage, q.at), xid: q.d.Xid, conn: q.d.Conn, path: q.d.Path, what: "a failed write was not brought to message"})
	}
	if q := r.doneQ.Head(); q != nil {
		see(owed{kind: event.KindComplete, op: q.op, n: r.doneQ.Len(), since: r.due(event.KindComplete, q.at), xid: q.d.xid, conn: q.d.conn, what: "a done message or stream command waits for complete"})
	}
	if q := r.runQ.Head(); q != nil {
		see(owed{kind: event.KindComplete, op: event.CompleteRun, n: r.runQ.Len(), since: r.due(event.KindComplete, q.at), what: "the next message of a run waits for its release"})
	}
	if q := r.wants.Head(); q != nil {
		see(owed{kind: event.KindCoalesce, n: r.wants.Len(), since: r.due(event.KindCoalesce, q.at), xid: q.xid, conn: q.conn, path: q.path, what: "a wish for an acknowledgement waits for coalesce"})
	}
	if q := r.timers.Head(); q != nil {
		conn, path := r.pathOf(q.pathRow)
		see(owed{kind: event.KindCtimer, n: r.timers.Len(), since: q.at + preset.AckTimer, exact: true, conn: conn, path: path, what: "an armed timer did not fire"})
	}
}

func (r *Receiver) visitAck(see func(owed)) {
	paths := func(op uint8, q *pathEntry, n int) {
		conn, path := r.pathOf(q.pathRow)
		see(owed{kind: event.KindAck, op: op, n: n, since: r.due(event.KindAck, q.at), conn: conn, path: path, what: "an acknowledgement that was asked for was not built"})
	}
	replies := func(op uint8, q *replyEntry, n int, what string) {
		see(owed{kind: event.KindAck, op: op, n: n, since: r.due(event.KindAck, q.at), xid: q.Xid, conn: q.Conn, path: q.Path, what: what})
	}
	if q := r.request.Head(); q != nil {
		paths(event.AckRequest, q, r.request.Len())
	}
	if q := r.timed.Head(); q != nil {
		paths(event.AckTimer, q, r.timed.Len())
	}
	if q := r.notices.Head(); q != nil {
		conn, path := r.pathOf(q.pathRow)
		see(owed{kind: event.KindAck, op: event.AckNotice, n: r.notices.Len(), since: r.due(event.KindAck, q.at+preset.AckTimer), conn: conn, path: path, what: "a completion notice was not sent"})
	}
	if q := r.naks.Head(); q != nil {
		replies(event.AckNak, q, r.naks.Len(), "a NAK was not built")
	}
	if q := r.answers.Head(); q != nil {
		replies(event.AckAnswer, q, r.answers.Len(), "an answer to a probe was not built")
	}
}

func (r *Receiver) visitEdges(see func(owed)) {
	if c := r.completions.Head(); c != nil {
		see(owed{kind: event.KindCompletion, n: r.completions.Len(), since: r.due(event.KindCompletion, c.at), xid: c.xid, conn: c.in.Conn, what: "a released completion did not leave"})
	}
	if p := r.packets.Head(); p != nil {
		see(owed{kind: event.KindPacketOut, n: r.packets.Len(), since: r.due(event.KindPacketOut, p.at), xid: p.xid, conn: p.conn, path: p.path, what: "a packet that was built did not leave"})
	}
	if c := r.confirmed.Head(); c != nil {
		see(owed{kind: event.KindCommandDone, n: r.confirmed.Len(), since: r.due(event.KindCommandDone, c.at), xid: c.xid, what: "a command was not confirmed"})
	}
}
