package verbs

import (
	"metaroce/tandem/model/endpoint"
)

// sendQueue is a ring of requests. Its length is a power of two, so that numbers may wrap:
//
//	freed         done         handed         posted
//	  | not polled  | at the NIC  | waiting      |
//
// A request waits for a fence, or behind one that waits; what waits is handed over in order.
type sendQueue struct {
	ring   []sendEntry
	freed  uint32
	done   uint32
	handed uint32
	posted uint32
	asked  int // Reads and atomics at the NIC
}

type sendEntry struct{ SendWR }

func (s *sendQueue) at(n uint32) *sendEntry { return &s.ring[n&uint32(len(s.ring)-1)] }

// recvQueue is a ring of receives likewise; what is posted is at the NIC at once.
type recvQueue struct {
	ring   []recvEntry
	freed  uint32
	done   uint32
	posted uint32
}

type recvEntry struct{ wrID uint64 }

func (r *recvQueue) at(n uint32) *recvEntry { return &r.ring[n&uint32(len(r.ring)-1)] }

// advance hands requests to the NIC until one has to wait. A request that names memory that it may not use waits for all
// before it, is completed here, and ends the queue pair. In error everything that waits is flushed, behind what the NIC has.
func (q *QP) advance() {
	s, d := &q.sq, q.Conn.dev
	for s.handed != s.posted {
		e := s.at(s.handed)
		switch {
		case q.state != QPSRts:
			if s.done != s.handed {
				return
			}
			s.handed++
			q.finishSend(WCWrFlushErr, endpoint.StatusFlushed)
		case e.Flags&SendFence != 0 && s.asked > 0:
			return
		case !d.usable(q.Conn, e.Sge, e.Opcode.answered()):
			if s.done != s.handed {
				return
			}
			s.handed++
			q.finishSend(WCLocProtErr, endpoint.StatusOK)
			q.fail()
		default:
			if _, err := d.nic.Post(d.now, q.Conn.index, q.Num, e.work(uint64(s.handed))); err != nil {
				panic("verbs BUG: a request that was checked: " + err.Error())
			}
			s.handed++
			if e.Opcode.answered() {
				s.asked++
			}
		}
	}
	q.Conn.drained()
}

// sent takes the completion of the oldest request at the NIC.
func (q *QP) sent(c *endpoint.Completion) {
	s := &q.sq
	if uint32(c.ID) != s.done || s.done == s.handed {
		panic("verbs BUG: requests complete out of order")
	}
	if s.at(s.done).Opcode.answered() {
		s.asked--
	}
	status := sendStatus(c.Status)
	q.finishSend(status, c.Status)
	if status != WCSuccess {
		q.fail()
	}
	q.advance()
}

// finishSend completes the oldest request that is not. It takes its place in the queue until a completion of it or of a
// later one is polled.
func (q *QP) finishSend(status WCStatus, why endpoint.Status) {
	s := &q.sq
	e := s.at(s.done)
	s.done++
	if q.state == QPSDestroyed || status == WCSuccess && e.Flags&SendSignaled == 0 && !q.attr.SqSigAll {
		return
	}
	w := WC{WrID: e.WrID, Status: status, Opcode: kinds[e.Opcode].wc, VendorErr: why, QP: q, slot: s.done}
	if status == WCSuccess {
		w.ByteLen = e.Sge.Length
	}
	q.attr.SendCQ.push(w)
}

// received takes a receive that the NIC is done with. One that failed is followed by an event, which ends the queue pair.
func (q *QP) received(c *endpoint.Completion) {
	if uint32(c.ID) != q.rq.done || q.rq.done == q.rq.posted {
		panic("verbs BUG: receives complete out of order")
	}
	w := WC{Status: recvStatus(c.Status), VendorErr: c.Status}
	if w.Status == WCSuccess {
		kind := &recvKinds[c.Op]
		w.Opcode, w.WithImm, w.ByteLen = kind.wc, kind.imm, c.Bytes
		if w.WithImm {
			w.Imm = c.Imm
		}
	}
	q.finishRecv(w)
}

// finishRecv completes the oldest receive that is not.
func (q *QP) finishRecv(w WC) {
	r := &q.rq
	w.WrID, w.QP = r.at(r.done).wrID, q
	r.done++
	w.slot = r.done
	if w.Status != WCSuccess {
		w.Opcode = WCRecv
	}
	if q.state != QPSDestroyed {
		q.attr.RecvCQ.push(w)
	}
}

// polled frees the places of what a completion covers.
func (q *QP) polled(w *WC) {
	if w.Opcode >= WCRecv {
		q.rq.freed = w.slot
	} else {
		q.sq.freed = w.slot
	}
}
