package endpoint

import "math/bits"

// Uses tells whether the NIC may still read or write n bytes of own memory for a connection without being asked by its
// peer once more: work with packets in flight, which may go again after its completion, receives that are posted, and
// answers to Reads that came. What it tells of a connection that is gone is no.
func (n *NIC) Uses(conn uint16, addr uint64, length uint64) bool {
	if int(conn) >= len(n.conns) || !n.conns[conn].row.Valid {
		return false
	}
	c := n.conns[conn]
	m := span{addr, length}
	for i := range 1 << c.row.StreamLog2 {
		if s := n.streams[int(c.row.StreamBase)+i]; s != nil && s.uses(m) {
			return true
		}
	}
	return c.tx != nil && c.tx.answersFrom(m) || c.asks != nil && c.asks.parkedOn(m)
}

// span is a part of memory.
type span struct{ addr, length uint64 }

// meets tells whether two parts have a byte in common. No part that is looked at goes over the top of memory.
func (m span) meets(addr uint64, length uint32) bool {
	return length > 0 && m.length > 0 && addr-m.addr < m.length || length > 0 && m.length > 0 && m.addr-addr < uint64(length)
}

func (s *stream) uses(m span) bool {
	for i := s.send.first; i != s.send.next; i++ {
		if w := s.send.at(i); m.meets(w.Local, w.Length) {
			return true
		}
	}
	for i := s.consumed; i != s.posted; i++ {
		if r := s.recvAt(i); m.meets(r.Addr, r.Length) {
			return true
		}
	}
	return false
}

// answersFrom looks at the answers that wait to be cut and at those with packets in flight.
func (t *sender) answersFrom(m span) bool {
	q := t.replies
	if q == nil {
		return false
	}
	for i := q.q.First(); i != q.q.End(); i++ {
		if q.all[*q.q.At(i)].reads(m) {
			return true
		}
	}
	for i := range t.out {
		if o := &t.out[i]; o.used && isResponse(o.op) && q.all[o.msn].reads(m) {
			return true
		}
	}
	return false
}

func (r *requests) parkedOn(m span) bool {
	for left := r.parked; left != 0; left &= left - 1 {
		if r.held[bits.TrailingZeros64(left)].reads(m) {
			return true
		}
	}
	return false
}

// reads: the memory that an atomic changes is done with when it executes.
func (r *reply) reads(m span) bool { return m.meets(r.addr, r.length) }
