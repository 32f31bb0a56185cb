package conn

import (
	"encoding/binary"
	"fmt"

	"metaroce/tandem/model/event"
)

// rank is the place of a kind among the records of one cycle (receive.md, section 5): a reader of a table before its
// owner. 0: not a kind of the receive side.
var rank = func() (t [256]int) {
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Built && !e.Boundary {
			t[e.Kind] = 10 * (e.Order + 1)
		}
	}
	t[event.KindPacketIn] = 10
	t[event.KindMemWrite] = t[event.KindPlace] - 1
	const behind = 1000
	t[event.KindCompletion] = behind
	t[event.KindPacketOut] = behind + 1
	t[event.KindCommandDone] = behind + 2
	t[event.KindRegister] = behind + 3
	return t
}()

// Rank is the place of a kind among the records of one cycle, 0 if the receive side makes no such records.
func Rank(k event.Kind) int { return rank[k] }

// roomOffset is where admit's record holds room, the one value that is told besides the head.
var roomOffset = func() int {
	for _, f := range event.Info(event.KindAdmit).Fields {
		if f.Group == event.GroupIn && f.Name == "room" {
			return f.Offset
		}
	}
	panic("conn: the admit record has no field room")
}()

// ExecRecord executes the transaction that a record of the device tells of and writes the expected record to dst. It
// reads kind, op, cycle and room of rec and nothing else, so a head is enough.
func (r *Receiver) ExecRecord(rec []byte, dst *[event.MaxRecord]byte) (int, *Illegal) {
	if len(rec) < event.RecordSize {
		return 0, &Illegal{Rule: "R-RECORD", Why: fmt.Sprintf("record of %d bytes, a head has %d", len(rec), event.RecordSize)}
	}
	kind := event.Kind(rec[1])
	told := Told{Cycle: binary.LittleEndian.Uint64(rec[8:])}
	if kind == event.KindAdmit {
		told.Room = rec[roomOffset]
	}
	return r.Exec(kind, rec[2], told, dst)
}

// Exec executes the next transaction of a kind under what is told and writes the expected record, whole, to dst. The
// first result is its length.
func (r *Receiver) Exec(kind event.Kind, op uint8, told Told, dst *[event.MaxRecord]byte) (int, *Illegal) {
	place := rank[kind]
	if place == 0 {
		return 0, &Illegal{Rule: "R-RECORD", Kind: kind, Op: op, Cycle: told.Cycle, Why: "no such engine or boundary on the receive side"}
	}
	if told.Cycle < r.cycle || told.Cycle == r.cycle && place <= r.rank {
		return 0, r.misplaced(kind, op, told.Cycle)
	}
	r.now = told.Cycle
	measured := r.bounds.Told < unbounded
	if measured {
		if r.tardy(kind) {
			bad := r.Late(told.Cycle)
			r.now = r.cycle
			return 0, bad
		}
		r.tick(told.Cycle)
	}
	taken := r.taken
	n, bad := r.dispatch(kind, op, told, dst)
	if bad != nil {
		r.now = r.cycle
		return 0, bad
	}
	r.seq++
	r.cycle, r.rank = told.Cycle, place
	if measured {
		r.note()
	}
	if r.taken != taken { // the notice that is head now was not passed over yet
		r.passed[event.AckNotice] = 0
	}
	r.counters.Transactions++
	r.counters.ByKind[kind]++
	return n, nil
}

func (r *Receiver) dispatch(kind event.Kind, op uint8, told Told, dst *[event.MaxRecord]byte) (int, *Illegal) {
	switch kind {
	case event.KindAdmit:
		return r.execAdmit(op, told.Room, dst)
	case event.KindWindow:
		return r.execWindow(op, dst)
	case event.KindKey:
		return r.execKey(op, dst)
	case event.KindRecv:
		return r.execRecv(op, dst)
	case event.KindMessage:
		return r.execMessage(op, dst)
	case event.KindPlace:
		return r.execPlace(op, dst)
	case event.KindComplete:
		return r.execComplete(op, dst)
	case event.KindCoalesce:
		return r.execCoalesce(op, dst)
	case event.KindCtimer:
		return r.execCtimer(op, dst)
	case event.KindAck:
		return r.execAck(op, dst)
	case event.KindPacketIn:
		return r.execPacketIn(dst)
	case event.KindPacketOut:
		return r.execPacketOut(dst)
	case event.KindMemWrite:
		return r.execMemWrite(dst)
	case event.KindCompletion:
		return r.execCompletion(dst)
	case event.KindRegister:
		return r.execRegister(dst)
	default:
		return r.execCommandDone(dst)
	}
}

// headOf fills the head of a record; kind, lengths and digest are set when it is encoded.
func (r *Receiver) headOf(op uint8, xid uint32, conn uint16, path uint8, stream uint16) event.Head {
	return event.Head{Op: op, Seq: r.seq, Cycle: r.now, Xid: xid, Conn: conn, Path: path, Stream: stream}
}

func (r *Receiver) descHead(op uint8, d *event.Desc) event.Head {
	return r.headOf(op, d.Xid, d.Conn, d.Path, d.Stream)
}

// illegal makes the divergence of a transaction that the device may not do now.
func (r *Receiver) illegal(kind event.Kind, op uint8, format string, args ...any) *Illegal {
	return &Illegal{Rule: ruleOf(kind), Kind: kind, Op: op, Cycle: r.now, Why: fmt.Sprintf(format, args...)}
}

// about adds what a descriptor knows to a divergence.
func (e *Illegal) about(d *event.Desc) *Illegal {
	e.Xid, e.Conn, e.Path = d.Xid, d.Conn, d.Path
	return e
}

func ruleOf(kind event.Kind) string {
	if i := event.Info(kind); i != nil {
		return i.Rule
	}
	return "R-RECORD"
}

func (r *Receiver) misplaced(kind event.Kind, op uint8, cycle uint64) *Illegal {
	why := fmt.Sprintf("two records of cycle %d in the wrong order: a reader of a table stands before its owner, an engine makes one record a cycle", cycle)
	if cycle < r.cycle {
		why = fmt.Sprintf("the cycle runs backwards: the record before it is of cycle %d", r.cycle)
	}
	return &Illegal{Rule: "R-ORDER", Kind: kind, Op: op, Cycle: cycle, Why: why}
}

// next is the flight that a stage works on, or a divergence when the device worked on something that is not there or
// on another kind of transaction.
func (r *Receiver) nextFlight(s stage, op uint8, want func(*flight) uint8) (*flight, *Illegal) {
	kind := stageKinds[s]
	f := r.head(s)
	if f == nil {
		return nil, r.illegal(kind, op, "nothing is pending: every packet and command before it was handled")
	}
	if expect := want(f); expect != op {
		return nil, r.illegal(kind, op, "next in order is op %s (%d)", event.OpName(kind, expect), expect).about(&f.d)
	}
	return f, nil
}
