package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// stage is a place of the pipeline behind admit. Flights pass all stages in order and never overtake, so a stage is
// no queue but a number: the flight that it has not passed yet.
//
//	flights:  first ............................ end
//	            |       |       |       |
//	          place   issue  message  window ...        next[stage], each not beyond the one before it
type stage int

const stNone stage = -1

const (
	stWindow stage = iota
	stKey
	stRecv
	stMessage
	stIssue // the write is accepted by the memory port
	stPlace // the write is answered, or there is none and all before it are
	stages
)

var stageKinds = [stages]event.Kind{
	event.KindWindow, event.KindKey, event.KindRecv, event.KindMessage, event.KindMemWrite, event.KindPlace,
}

// arrival is a frame between packet_in and admit.
type arrival struct {
	at      uint64
	d       event.Desc
	payload []byte
	held    int // most beats of the frames before it that were in use since its head can have come
	refused int // beatCount.refused when it ended
	ahead   int // frames before it that were not admitted when it ended
}

type commandIn struct {
	at uint64
	d  event.Desc
}

// flight is a packet or a command behind admit.
type flight struct {
	at      uint64 // cycle of its last step, or of the step of another that let it pass
	from    stage  // the stage that it left in that cycle; stNone: admit
	d       event.Desc
	payload []byte
	work    uint8 // stages that have a record to make of it: bit 1<<stage
	beats   int   // beats of the packet buffer that it holds
	failed  bool  // its write was answered with an error
	live    bool  // a command, or a frame that was not dropped
}

func (f *flight) has(s stage) bool { return f.work>>s&1 != 0 }
func (f *flight) want(s stage)     { f.work |= 1 << s }

// plan says which stages up to window, and message for what has no psn, an admitted descriptor has work at. The rest
// follows from what window and message decide.
func plan(f *flight) {
	f.work = 0
	d := &f.d
	if d.Op != event.CommandNone {
		planCommand(f)
		return
	}
	switch {
	case wire.Kinds[d.Opcode].Psn != wire.NoPsn:
		f.want(stWindow)
	case d.Opcode == wire.OpcodeProbe && d.Query:
		f.want(stMessage)
	}
}

func planCommand(f *flight) {
	if f.d.Old { // void
		return
	}
	switch f.d.Op {
	case event.CommandPathSet:
		f.want(stWindow)
	case event.CommandKeySet, event.CommandKeyClear:
		f.want(stKey)
	case event.CommandRecvPost, event.CommandRecvClear:
		f.want(stRecv)
	case event.CommandStreamSet, event.CommandStreamClose:
		f.want(stMessage)
	}
}

// planNew adds the stages of a packet that window found new.
func planNew(f *flight) {
	switch f.d.Opcode {
	case wire.OpcodeWrite:
		f.want(stKey)
	case wire.OpcodeWriteImm:
		f.want(stKey)
		f.want(stRecv)
	case wire.OpcodeSend, wire.OpcodeSendImm:
		f.want(stRecv)
	}
	f.want(stMessage)
}

// after is the engine that let the flight go in cycle f.at.
func (f *flight) after() event.Kind {
	if f.from == stNone {
		return event.KindAdmit
	}
	return stageKinds[f.from]
}

// limit is the flight that a stage cannot pass yet.
func (r *Receiver) limit(s stage) uint64 {
	if s == stWindow {
		return r.flights.End()
	}
	return r.next[s-1]
}

// head is the flight that a stage works on next, nil if there is none. Flights that it has no work for were passed
// already.
func (r *Receiver) head(s stage) *flight {
	if r.next[s] == r.limit(s) {
		return nil
	}
	return r.flights.At(r.next[s])
}

// pass moves the head of a stage on and then all that is free to move without a record.
func (r *Receiver) pass(s stage) {
	f := r.flights.At(r.next[s])
	f.at, f.from = r.now, s
	r.leave(s, f)
	r.advance(s)
}

// advance lets flights pass stages that have no work for them, from stage s on.
func (r *Receiver) advance(s stage) {
	for ; s < stages; s++ {
		for end := r.limit(s); r.next[s] < end; {
			f := r.flights.At(r.next[s])
			if f.has(s) {
				break
			}
			if f.at != r.now { // it was held up behind the one that moves now
				f.at, f.from = r.now, s
			}
			if s == stMessage {
				r.pathProbe(f)
			}
			r.leave(s, f)
		}
	}
}

// leave is what happens when a flight is through with a stage.
func (r *Receiver) leave(s stage, f *flight) {
	r.next[s]++
	switch s {
	case stIssue:
		r.beats.sure -= f.beats
		r.beats.buffered -= f.beats
		r.beats.release(r.now, f.beats)
	case stPlace:
		r.finish(f)
		r.flights.Drop()
	}
}

// finish is the end of a flight: everything before it was answered. A command may be confirmed, one of a stream when
// complete has executed it too: what is confirmed is in force.
func (r *Receiver) finish(f *flight) {
	d := &f.d
	if d.Op == event.CommandNone {
		return
	}
	if !d.Old {
		switch d.Op {
		case event.CommandStreamSet:
			r.pushDone(event.CompleteSet, f, d.Txn)
			r.settling++
		case event.CommandStreamClose:
			r.pushDone(event.CompleteClose, f, 0)
			r.settling++
		}
	}
	*r.confirmed.Push() = commandEntry{at: f.at, after: f.after(), xid: d.Xid, op: d.Op, behind: r.settling}
}
