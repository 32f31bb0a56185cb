package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// How late a device is, is measured on clocks that stand still while something else may hold the engine back: room in a
// queue behind it that another engine has to make. Whatever holds it is work of that other engine, with a clock and a
// bound of its own, so that in every cycle at least one bound runs down. What the bench does at a port is known no better than
// its profile: it lengthens the bounds at that port alone.
//
//	packet_out <- ack <- message <- recv <- key <- window <- admit        x <- y: x may hold y
//	completion, ack (notices) <- complete <- place <- mem_write <- message, message's fault
//	message, complete <- command_done
//	coalesce <- window                           ctimer, coalesce: held by nothing
type clock uint8

const (
	ckAdmit   clock = iota
	ckStage         // ckStage + s: a stage of the pipeline
	ckFault   = ckStage + clock(stages)
	ckDone    = ckFault + 1
	ckRun     = ckFault + 2
	ckAck     = ckFault + 3
	ckAnswer  = ckFault + 4
	ckConfirm = ckFault + 5
	ckFree    = ckFault + 6 // never stands
	clocks    = ckFault + 7
)

// line is a queue between engines, or of one with the edge.
type line uint8

const (
	lnFault line = iota
	lnDone
	lnRun
	lnWant
	lnRequest
	lnTimed
	lnNotice
	lnNak
	lnAnswer
	lnCompletion
	lnPacket
	lnConfirmed
	lines
)

// service is the longest that a device needs for an entry of a line when nothing holds it, in cycles of the line's clock.
const (
	service    = 16 // the look-up of a row, and the way there and back
	buildTurns = 5  // a build is of one source, and the others have their turns between
)

// lineInfo is what a line is measured by.
var lineInfo = [lines]struct {
	kind   event.Kind
	clock  clock
	each   uint64 // service time of an entry
	before uint64 // time that an entry waits of its own
}{
	lnFault:      {event.KindMessage, ckFault, service, 0},
	lnDone:       {event.KindComplete, ckDone, service, 0},
	lnRun:        {event.KindComplete, ckRun, service, 0},
	lnWant:       {event.KindCoalesce, ckFree, service, 0},
	lnRequest:    {event.KindAck, ckAck, buildTurns * service, 0},
	lnTimed:      {event.KindAck, ckAck, buildTurns * service, 0},
	lnNotice:     {event.KindAck, ckAck, buildTurns * service, preset.AckTimer},
	lnNak:        {event.KindAck, ckAck, buildTurns * service, 0},
	lnAnswer:     {event.KindAck, ckAnswer, buildTurns * service, 0},
	lnCompletion: {event.KindCompletion, ckFree, service, 0},
	lnPacket:     {event.KindPacketOut, ckFree, service, 0},
	lnConfirmed:  {event.KindCommandDone, ckConfirm, service, 0},
}

// linesOf are the lines that an engine takes from.
var linesOf = func() (t [256][]line) {
	for l := range lines {
		k := lineInfo[l].kind
		t[k] = append(t[k], l)
	}
	return t
}()

// stageOf is the stage of the pipeline that an engine is, plus one.
var stageOf = func() (t [256]uint8) {
	for s, k := range stageKinds {
		t[k] = uint8(s) + 1
	}
	return t
}()

// waits is the measure of all that is pending.
type waits struct {
	cycle uint64 // that the clocks show
	clock [clocks]uint64
	lines [lines]sim.Ring[uint64] // per entry: the time of the line's clock by which it is to be done
	heads [headCount]headWait     // heads of admit's two inputs and of the stages
}

// headWait is what an engine of the pipeline works on, and since when, on its clock.
type headWait struct {
	item  uint64 // number of the flight, plus one; 0: nothing
	since uint64
}

const (
	hdFrame = iota
	hdCommand
	hdStage
	headCount = hdStage + int(stages)
)

// tick brings all clocks to a cycle. Nothing changed since the transaction before, so what was held then was held all the
// time.
func (r *Receiver) tick(cycle uint64) {
	if cycle <= r.w.cycle {
		return
	}
	dt := cycle - r.w.cycle
	r.w.cycle = cycle
	for c := range clocks {
		if !r.held(c) {
			r.w.clock[c] += dt
		}
	}
}

// at is a clock's time in a cycle not before the last transaction.
func (r *Receiver) at(c clock, cycle uint64) uint64 {
	if cycle <= r.w.cycle || r.held(c) {
		return r.w.clock[c]
	}
	return r.w.clock[c] + cycle - r.w.cycle
}

// held tells whether something else may hold up an engine in the present state. Queues between engines hold desc_depth
// descriptors, so fewer in the whole rest of the pipeline hold nobody. Queues of replies and of wishes are as deep.
// Those beside complete are shorter: what waits there at all counts.
func (r *Receiver) held(c clock) bool {
	depth := r.p.DescDepth
	switch c {
	case ckAdmit:
		return r.flights.Len() >= depth
	case ckStage + clock(stWindow):
		return r.wants.Len() >= depth || r.before(stWindow) >= depth
	case ckStage + clock(stMessage):
		return r.answers.Len() >= depth/2 || r.messageHeld()
	case ckStage + clock(stPlace):
		return r.doneQ.Len() > 1 || r.faulted.Len() > 1 || r.settled != r.settling
	case ckFault:
		return r.naks.Len() >= depth/2
	case ckDone:
		return r.completions.Len() > 0 || r.runQ.Len() > 0 || r.notices.Len() >= r.p.Streams
	case ckRun: // the queue of notices has a place for each stream, and is full only when streams were opened again meanwhile
		return r.completions.Len() > 0 || r.notices.Len() >= r.p.Streams
	case ckAck:
		return r.packets.Len() > 0
	case ckAnswer: // a probe of a path leaves no record at message, where it may still stand behind others; answers hold none of their own
		return r.held(ckAck) || r.messageHeld()
	case ckConfirm:
		// A command without a record at message may still stand there behind others, and leaves place like a write: when
		// both queues behind place have room.
		q := r.confirmed.Head()
		return q == nil || q.behind > r.settled || r.held(ckStage+clock(stMessage)) || r.doneQ.Len() > 1
	case ckFree:
		return false
	}
	return r.before(stage(c-ckStage)) >= depth
}

// messageHeld tells whether something other than a full queue of answers may hold message.
func (r *Receiver) messageHeld() bool {
	return r.naks.Len() >= r.p.DescDepth/2 || r.faulted.Len() > 0 || r.before(stMessage) >= r.p.DescDepth
}

// before is how many descriptors that are not finished have passed a stage.
func (r *Receiver) before(s stage) int { return int(r.next[s] - r.flights.First()) }

// note measures what the transaction just executed has put into lines or before an engine.
func (r *Receiver) note() {
	r.sync(lnFault, r.faulted.First(), r.faulted.End())
	r.sync(lnDone, r.doneQ.First(), r.doneQ.End())
	r.sync(lnRun, r.runQ.First(), r.runQ.End())
	r.sync(lnWant, r.wants.First(), r.wants.End())
	r.sync(lnRequest, r.request.First(), r.request.End())
	r.sync(lnTimed, r.timed.First(), r.timed.End())
	r.sync(lnNotice, r.notices.First(), r.notices.End())
	r.sync(lnNak, r.naks.First(), r.naks.End())
	r.sync(lnAnswer, r.answers.First(), r.answers.End())
	r.sync(lnCompletion, r.completions.First(), r.completions.End())
	r.sync(lnPacket, r.packets.First(), r.packets.End())
	r.sync(lnConfirmed, r.confirmed.First(), r.confirmed.End())
	r.lookAt(hdFrame, ckAdmit, r.arrived.First(), r.arrived.End())
	r.lookAt(hdCommand, ckAdmit, r.commands.First(), r.commands.End())
	for s := range stages {
		r.lookAt(hdStage+int(s), ckStage+clock(s), r.next[s], r.limit(s))
	}
}

// sync makes the measure of a line follow it: entries first..end-1 are in it. An entry is to be done when it and all that
// stand before it have had their service; what left meanwhile is no longer before it.
func (r *Receiver) sync(l line, first, end uint64) {
	w := &r.w.lines[l]
	for w.First() < min(first, w.End()) {
		w.Drop()
	}
	for w.End() < end {
		i := &lineInfo[l]
		due := r.w.clock[i.clock] + i.before + uint64(w.Len()+1)*(i.each+r.portTime(i.kind, 1))
		*w.Push() = due
	}
}

func (r *Receiver) lookAt(h int, c clock, first, end uint64) {
	w, item := &r.w.heads[h], first+1
	if first == end {
		item = 0
	}
	if w.item != item {
		w.item, w.since = item, r.w.clock[c]
	}
}

// lineLate is by how much the head of a line is beyond what its rate allows.
func (r *Receiver) lineLate(l line, cycle uint64) uint64 {
	q := r.w.lines[l].Head()
	if q == nil {
		return 0
	}
	return beyond(r.at(lineInfo[l].clock, cycle), *q)
}

// headLate is how long an engine of the pipeline has not done what it could.
func (r *Receiver) headLate(h int, c clock, cycle uint64) uint64 {
	if r.w.heads[h].item == 0 {
		return 0
	}
	return beyond(r.at(c, cycle), r.w.heads[h].since)
}

func beyond(a, b uint64) uint64 {
	if a <= b {
		return 0
	}
	return a - b
}

// portTime is how much longer beats of an engine's port may take for what the bench does there.
func (r *Receiver) portTime(kind event.Kind, writes uint64) uint64 {
	switch kind {
	case event.KindPacketOut:
		return 2 * packetBeats * r.bounds.Ack.Beat
	case event.KindCompletion:
		return 2 * r.bounds.Completion.Beat
	case event.KindMemWrite:
		return 2 * writes * r.bounds.Memory.Beat
	}
	return 0
}

// packetBeats is the longest packet out, in beats of its port.
const packetBeats = 4

// limitOf is how late an engine may be.
func (r *Receiver) limitOf(kind event.Kind) uint64 {
	told := r.bounds.Told
	switch kind {
	case event.KindPacketOut:
		return told + r.bounds.Ack.Once
	case event.KindCompletion:
		return told + r.bounds.Completion.Once
	case event.KindMemWrite:
		if f := r.head(stIssue); f != nil {
			return told + r.bounds.Memory.Once + uint64(f.d.BufBeats) + r.portTime(kind, uint64(f.d.BufBeats))
		}
	case event.KindPlace:
		return told + r.bounds.Answer
	}
	return told
}

// tardy tells whether an engine is too late with something, whatever it does now.
func (r *Receiver) tardy(kind event.Kind) bool {
	limit := r.limitOf(kind)
	for _, l := range linesOf[kind] {
		if r.lineLate(l, r.now) > limit {
			return true
		}
	}
	if s := int(stageOf[kind]); s > 0 {
		return r.headLate(hdStage+s-1, ckStage+clock(s-1), r.now) > limit
	}
	if kind == event.KindAdmit {
		return r.headLate(hdFrame, ckAdmit, r.now) > limit || r.headLate(hdCommand, ckAdmit, r.now) > limit
	}
	return false
}
