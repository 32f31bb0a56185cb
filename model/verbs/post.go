package verbs

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// SGE is the own memory of a work request, one piece.
type SGE struct {
	Addr   uint64
	Length uint32
	Lkey   uint32
}

// WROpcode says what a work request does.
type WROpcode uint8

// Opcodes of work requests.
const (
	WRRdmaWrite WROpcode = iota
	WRRdmaWriteWithImm
	WRSend
	WRSendWithImm
	WRRdmaRead
	WRAtomicCmpAndSwp
	WRAtomicFetchAndAdd
	numWR
)

// kinds says of each opcode what it is on the wire and in a completion.
var kinds = [numWR]struct {
	wire wire.Opcode
	wc   WCOpcode
	name string
}{
	WRRdmaWrite:         {wire.OpcodeWrite, WCRdmaWrite, "RDMA write"},
	WRRdmaWriteWithImm:  {wire.OpcodeWriteImm, WCRdmaWrite, "RDMA write with immediate"},
	WRSend:              {wire.OpcodeSend, WCSend, "send"},
	WRSendWithImm:       {wire.OpcodeSendImm, WCSend, "send with immediate"},
	WRRdmaRead:          {wire.OpcodeReadRequest, WCRdmaRead, "RDMA read"},
	WRAtomicCmpAndSwp:   {wire.OpcodeAtomicRequest, WCCompSwap, "compare-swap"},
	WRAtomicFetchAndAdd: {wire.OpcodeAtomicRequest, WCFetchAdd, "fetch-add"},
}

// String is the name of the opcode.
func (o WROpcode) String() string {
	if o >= numWR {
		return fmt.Sprintf("opcode %d", uint8(o))
	}
	return kinds[o].name
}

func (o WROpcode) atomic() bool { return o == WRAtomicCmpAndSwp || o == WRAtomicFetchAndAdd }

// answered tells whether the peer answers with data, which is written to own memory.
func (o WROpcode) answered() bool { return o == WRRdmaRead || o.atomic() }

// SendFlags of a work request.
type SendFlags uint8

// Bits of SendFlags.
const (
	SendSignaled SendFlags = 1 << iota // it has a completion also when it succeeds
	SendFence                          // it begins when all earlier Reads and atomics of the queue pair are complete
)

// SendWR is a work request for the send queue.
type SendWR struct {
	WrID       uint64
	Opcode     WROpcode
	Flags      SendFlags
	Sge        SGE    // source, or where the answer goes: 8 bytes for an atomic
	Imm        uint32 // Write and Send with immediate
	RemoteAddr uint64 // Write, Read, atomic
	Rkey       uint32
	CompareAdd uint64 // compare-swap: what is expected; fetch-add: what is added
	Swap       uint64 // compare-swap
}

// RecvWR is a work request for the receive queue.
type RecvWR struct {
	WrID uint64
	Sge  SGE
}

// check returns everything that is wrong with a request by itself. Which memory it may use is seen when it is its turn.
func (w *SendWR) check() error {
	var all []error
	if w.Opcode >= numWR {
		return &Problem{"Opcode", w.Opcode.String(), "want one of the WR constants"}
	}
	if w.Sge.Length > endpoint.MaxMessage {
		all = append(all, &Problem{"Sge.Length", fmt.Sprint(w.Sge.Length), fmt.Sprintf("want at most %d bytes", endpoint.MaxMessage)})
	}
	if w.Flags&^(SendSignaled|SendFence) != 0 {
		all = append(all, &Problem{"Flags", fmt.Sprintf("%#x", uint8(w.Flags)), "want a sum of the bits of SendFlags"})
	}
	if w.Opcode.atomic() && w.Sge.Length != 8 {
		all = append(all, &Problem{"Sge.Length", fmt.Sprint(w.Sge.Length), "want 8 for an atomic"})
	}
	if w.Opcode.atomic() && w.RemoteAddr&7 != 0 {
		all = append(all, &Problem{"RemoteAddr", fmt.Sprintf("%#x", w.RemoteAddr), "want a multiple of 8 for an atomic"})
	}
	return errors.Join(all...)
}

// work is the request as the NIC takes it.
func (w *SendWR) work(id uint64) endpoint.Work {
	x := endpoint.Work{
		ID: id, Op: kinds[w.Opcode].wire, Length: w.Sge.Length, Local: w.Sge.Addr, Remote: w.RemoteAddr, Rkey: w.Rkey, Imm: w.Imm,
		Add: w.Opcode == WRAtomicFetchAndAdd, Compare: w.CompareAdd, Operand: w.Swap,
	}
	if x.Add {
		x.Operand = w.CompareAdd
	}
	return x
}

// ready tells whether anything may be posted: to a queue pair in error as well.
func (q *QP) ready() error {
	switch {
	case q.state == QPSDestroyed:
		return ErrDestroyed
	case q.state == QPSRts && q.Conn.state != connEstablished:
		return ErrNotConnected
	}
	return nil
}

// PostSend appends a request to the send queue. An error means that it was not posted; everything else is told by its
// completion.
func (q *QP) PostSend(now sim.Picos, w SendWR) error {
	if err := errors.Join(q.ready(), w.check()); err != nil {
		return err
	}
	if q.sq.posted-q.sq.freed == uint32(q.attr.MaxSendWR) {
		return ErrFull
	}
	q.Conn.dev.now = now
	*q.sq.at(q.sq.posted) = sendEntry{w}
	q.sq.posted++
	q.advance()
	q.Conn.dev.collect(now)
	return nil
}

// PostRecv appends a receive to the receive queue. An error means that it was not posted.
func (q *QP) PostRecv(w RecvWR) error {
	if err := q.ready(); err != nil {
		return err
	}
	if q.rq.posted-q.rq.freed == uint32(q.attr.MaxRecvWR) {
		return ErrFull
	}
	index := q.rq.posted
	*q.rq.at(index) = recvEntry{w.WrID}
	q.rq.posted++
	d := q.Conn.dev
	if q.state == QPSErr {
		q.finishRecv(WC{Status: WCWrFlushErr, VendorErr: endpoint.StatusFlushed})
		d.collect(d.now)
		return nil
	}
	addr := w.Sge.Addr
	if !d.usable(q.Conn, w.Sge, true) {
		addr = nowhere // what is written there fails: here as WCLocProtErr, at the peer as WCRemOpErr
	}
	if _, err := d.nic.PostRecv(q.Conn.index, q.Num, index, addr, w.Sge.Length); err != nil {
		panic("verbs BUG: a receive queue that fits the NIC: " + err.Error())
	}
	return nil
}

// recvKinds says, by the opcode of a message, how the receive completes that it consumed.
var recvKinds = func() (t [256]struct {
	wc  WCOpcode
	imm bool
}) {
	t[wire.OpcodeSend].wc = WCRecv
	t[wire.OpcodeSendImm].wc, t[wire.OpcodeSendImm].imm = WCRecv, true
	t[wire.OpcodeWriteImm].wc, t[wire.OpcodeWriteImm].imm = WCRecvRdmaWithImm, true
	return t
}()
