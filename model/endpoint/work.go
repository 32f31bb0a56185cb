package endpoint

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Work is a work request. Op says what it is by the opcode of its packets: write, write_imm, send, send_imm,
// read_request or atomic_request.
type Work struct {
	ID      uint64 // returned with the completion
	Op      wire.Opcode
	Length  uint32 // bytes; 8 for an atomic
	Local   uint64 // own memory: source, or where a Read or an atomic puts its answer
	Remote  uint64 // Write, Read, atomic: peer's memory
	Rkey    uint32
	Imm     uint32
	Add     bool // atomic: fetch-add of Operand; else compare with Compare, swap in Operand
	Compare uint64
	Operand uint64
}

// Completion is what became of a work request, or at a responder of a message.
type Completion struct {
	ID        uint64 // of the work request, or of the receive that was consumed
	Conn      uint16
	Stream    uint16
	Op        wire.Opcode
	Status    Status
	Responder bool // a message of the peer is complete; false: an own work request
	Receive   bool // responder: it consumed a posted receive
	Msn       uint32
	Bytes     uint32
	Imm       uint32
	Value     uint64 // atomic: the value before
}

// Status says how a work request ended: a syndrome of the peer, or one of those that the requester finds out by itself.
type Status uint8

// Statuses beside the syndromes of the wire.
const (
	StatusOK      = Status(wire.SyndromeNone)
	StatusFlushed = Status(16 + iota) // given up because of an earlier error, or because the connection or stream closed
	StatusRetry                       // refused for want of a receive in every attempt
	StatusTimeout                     // no path of the connection was proven alive for too long
	StatusNoSlot                      // Read, atomic: every request slot of the connection waits for an answer of a failed stream
)

// String names a status as a report shows it.
func (s Status) String() string {
	switch s {
	case StatusOK:
		return "ok"
	case StatusFlushed:
		return "flushed"
	case StatusRetry:
		return "no receive in any attempt"
	case StatusTimeout:
		return "connection timeout"
	case StatusNoSlot:
		return "no request slot left"
	}
	return wire.Syndrome(s).String()
}

// ofPeer tells whether it is a syndrome, which the peer found.
func (s Status) ofPeer() bool { return s != StatusOK && s < StatusFlushed }

// sendStream is the send side of a stream.
type sendStream struct {
	sched   event.StreamSchedStream
	cutting uint16                      // message slot that was cut from last
	rows    []event.StreamSchedMessage  // length a power of two that covers the messages posted to the scheduler
	few     [2]event.StreamSchedMessage // the first rows

	work     []work // length a power of two; entry msn mod length
	first    uint32 // oldest msn kept
	next     uint32 // msn of the next work request
	reported uint32 // all below have their completion
	receives uint32 // receives of the peer consumed by what was posted
	slot     uint32 // of the wheel
	askAt    uint32 // tick of the next status query
	errMsn   uint32 // message that ended the stream
	asks     uint8  // queries of the open question
	txn      uint8  // of the newest query
	asking   bool
	queried  bool // a query is queued
	waits    bool // for a request slot
	failed   bool
	flushing bool // a completion told of it
	why      Status
}

// work is a work request that is not done with: no completion was given, or packets of it are in flight.
type work struct {
	Work
	recvIndex uint32
	request   uint8  // slot of a Read or atomic
	out       uint16 // message slot of the newest attempt
	outs      uint8  // message slots in use
	cut       bool   // out holds
	answered  bool   // Read, atomic: the answer is here
	pausing   bool   // refused; its pause runs
	again     uint32 // tick at which the pause is over
	value     uint64 // atomic: the value before
}

func (s *sendStream) at(msn uint32) *work { return &s.work[msn&uint32(len(s.work)-1)] }

func (s *sendStream) row(msn uint32) *event.StreamSchedMessage {
	return &s.rows[msn&uint32(len(s.rows)-1)]
}

// grow makes room for one more work request.
func (s *sendStream) grow() {
	if n := uint32(len(s.work)); s.next-s.first >= n {
		grown := make([]work, max(2, 2*n))
		for m := s.first; m != s.next; m++ {
			grown[m&uint32(len(grown)-1)] = *s.at(m)
		}
		s.work = grown
	}
}

// growRows makes room for one more message in the scheduler.
func (s *sendStream) growRows() {
	if n := uint32(len(s.rows)); s.sched.Posted-s.sched.Completed >= n && n < preset.MsgWindow {
		grown := make([]event.StreamSchedMessage, max(2, 2*n))
		for m := s.sched.Completed; m != s.sched.Posted; m++ {
			grown[m&uint32(len(grown)-1)] = *s.row(m)
		}
		s.rows = grown
	}
}

// Post hands over a work request and returns the number of its message in the stream.
func (n *NIC) Post(now sim.Picos, conn, number uint16, w Work) (uint32, error) {
	n.at(now)
	s, c, err := n.streamOf(conn, number)
	if err != nil {
		return 0, err
	}
	if err := w.check(); err != nil {
		return 0, err
	}
	n.sender(c)
	q := &s.send
	q.grow()
	msn := q.next
	q.next++
	e := q.at(msn)
	*e = work{Work: w}
	if consumes(w.Op) {
		e.recvIndex = q.receives
		q.receives++
	}
	if q.failed {
		n.report(c, s)
		return msn, nil
	}
	n.offer(c, s)
	n.wakeConn(c)
	return msn, nil
}

func consumes(op wire.Opcode) bool {
	return op == wire.OpcodeWriteImm || op == wire.OpcodeSend || op == wire.OpcodeSendImm
}

// ErrNoRoom says that a table of a stream is full: wait for completions.
var ErrNoRoom = errors.New("endpoint: as many receives are posted as a stream has room for")

// check returns everything that is wrong with a work request.
func (w *Work) check() error {
	var all []error
	switch w.Op {
	case wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest:
		if w.Length > MaxMessage {
			all = append(all, &Problem{"Length", fmt.Sprint(w.Length), fmt.Sprintf("want at most %d bytes", MaxMessage)})
		}
	case wire.OpcodeAtomicRequest:
		if w.Length != 8 {
			all = append(all, &Problem{"Length", fmt.Sprint(w.Length), "want 8 for an atomic"})
		}
		if w.Remote&7 != 0 {
			all = append(all, &Problem{"Remote", fmt.Sprintf("%#x", w.Remote), "want a multiple of 8 for an atomic"})
		}
	default:
		all = append(all, &Problem{"Op", w.Op.String(), "want a Write, Send, Read or atomic"})
	}
	return errors.Join(all...)
}

// MaxMessage is the longest message.
const MaxMessage = 1 << 31
