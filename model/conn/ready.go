package conn

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// Due is a transaction that is pending: the first cycle in which it may be executed, as far as the rules go, and the
// engine or boundary that let it go in that cycle. Latency, arbitration and the order within a cycle are the caller's:
// this is what model/pipe schedules from.
type Due struct {
	From  uint64
	After event.Kind
}

// Ready tells whether a transaction of a kind is pending.
func (r *Receiver) Ready(kind event.Kind, op uint8) (Due, bool) {
	switch kind {
	case event.KindAdmit:
		return r.readyAdmit(op)
	case event.KindWindow:
		return r.readyFlight(stWindow, op, windowOp)
	case event.KindKey:
		return r.readyFlight(stKey, op, keyOp)
	case event.KindRecv:
		return r.readyFlight(stRecv, op, recvOp)
	case event.KindMessage:
		if op == event.MessageFault {
			if q := r.faulted.Head(); q != nil {
				return Due{q.at, event.KindPlace}, true
			}
			return Due{}, false
		}
		return r.readyFlight(stMessage, op, messageOp)
	case event.KindMemWrite:
		f := r.head(stIssue)
		if f == nil {
			return Due{}, false
		}
		return f.due(), true
	case event.KindPlace:
		return r.readyFlight(stPlace, op, placeOp)
	}
	return r.readyQueue(kind, op)
}

func (r *Receiver) readyAdmit(op uint8) (Due, bool) {
	if op == event.AdmitCommand {
		if c := r.commands.Head(); c != nil {
			return Due{c.at, event.KindRegister}, true
		}
	} else if a := r.arrived.Head(); a != nil {
		return Due{a.at, event.KindPacketIn}, true
	}
	return Due{}, false
}

func (r *Receiver) readyFlight(s stage, op uint8, opOf func(*flight) uint8) (Due, bool) {
	f := r.head(s)
	if f == nil || opOf(f) != op {
		return Due{}, false
	}
	return f.due(), true
}

func (f *flight) due() Due { return Due{f.at, f.after()} }

func (r *Receiver) readyQueue(kind event.Kind, op uint8) (Due, bool) {
	switch kind {
	case event.KindComplete:
		if op == event.CompleteRun {
			if q := r.runQ.Head(); q != nil {
				return Due{q.at, event.KindComplete}, true
			}
		} else if q := r.doneQ.Head(); q != nil && q.op == op {
			return Due{q.at, q.after}, true
		}
	case event.KindCoalesce:
		if q := r.wants.Head(); q != nil && q.set == (op == event.CoalesceSet) {
			return Due{q.at, event.KindWindow}, true
		}
	case event.KindCtimer:
		if q := r.timers.Head(); q != nil {
			return Due{q.at + preset.AckTimer, event.KindCoalesce}, true
		}
	case event.KindAck:
		return r.readyAck(op)
	case event.KindPacketIn:
		return Due{After: event.KindPacketIn}, r.frames.Len() > 0
	case event.KindRegister:
		return Due{After: event.KindRegister}, r.accesses.Len() > 0
	case event.KindPacketOut:
		if q := r.packets.Head(); q != nil {
			return Due{q.at, event.KindAck}, true
		}
	case event.KindCompletion:
		if q := r.completions.Head(); q != nil {
			return Due{q.at, event.KindComplete}, true
		}
	case event.KindCommandDone:
		if q := r.confirmed.Head(); q != nil && q.behind <= r.settled {
			if isStream(q.op) && r.settledAt > q.at {
				return Due{r.settledAt, event.KindComplete}, true
			}
			return Due{q.at, q.after}, true
		}
	}
	return Due{}, false
}

func (r *Receiver) readyAck(op uint8) (Due, bool) {
	switch op {
	case event.AckRequest:
		if q := r.request.Head(); q != nil {
			return Due{q.at, event.KindCoalesce}, true
		}
	case event.AckTimer:
		if q := r.timed.Head(); q != nil {
			return Due{q.at, event.KindCtimer}, true
		}
	case event.AckNotice:
		if q := r.notices.Head(); q != nil {
			return Due{q.at + preset.AckTimer, event.KindComplete}, true
		}
	case event.AckNak:
		if q := r.naks.Head(); q != nil {
			return Due{q.at, q.after}, true
		}
	case event.AckAnswer:
		if q := r.answers.Head(); q != nil {
			return Due{q.at, q.after}, true
		}
	}
	return Due{}, false
}

func isStream(op event.Command) bool {
	return op == event.CommandStreamSet || op == event.CommandStreamClose
}

// Load is how full the device is, for a scheduler that models depth and back-pressure.
type Load struct {
	Arrived int // frames behind packet_in and before admit
	Flights int // descriptors behind admit and before the memory port, dropped ones among them
	Beats   int // beats of the packet buffer in use, if beats are free as soon as their payload has left
	Packets int // packets built that did not leave
}

// Load returns how full the device is.
func (r *Receiver) Load() Load {
	return Load{Arrived: r.arrived.Len(), Flights: int(r.flights.End() - r.next[stIssue]), Beats: r.beats.buffered, Packets: r.packets.Len()}
}

// Backlog is the number of descriptors that wait before an engine of the pipeline, the one worked on included.
func (r *Receiver) Backlog(kind event.Kind) int {
	for s, k := range stageKinds {
		if k == kind {
			return int(r.limit(stage(s)) - r.next[s])
		}
	}
	return 0
}

// LastArrival is the number and the beats of the frame that packet_in took last.
func (r *Receiver) LastArrival() (xid uint32, beats int) {
	if r.arrived.Len() == 0 {
		return 0, 0
	}
	a := r.arrived.At(r.arrived.End() - 1)
	return a.d.Xid, int(a.d.BufBeats)
}

// NextWrite is the number of buffer beats that the write at the memory port's turn lies in, 0 if there is none.
func (r *Receiver) NextWrite() int {
	if f := r.head(stIssue); f != nil {
		return int(f.d.BufBeats)
	}
	return 0
}

// NextPacket is the length of the packet that leaves next, 0 if there is none.
func (r *Receiver) NextPacket() int {
	if p := r.packets.Head(); p != nil {
		return int(p.n)
	}
	return 0
}
