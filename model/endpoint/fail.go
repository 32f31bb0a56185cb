package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// noReceive is an index that no receive has.
const noReceive = -1

// matched is the index of the receive that a packet matched, noReceive for what takes none of its own memory.
func matched(d *event.Desc) int64 {
	if d.Opcode == wire.OpcodeSend || d.Opcode == wire.OpcodeSendImm {
		return int64(d.RecvIndex)
	}
	return noReceive
}

// failArrivals is what a refusal for good does at the responder: its receives come back, and its owner is told.
func (n *NIC) failArrivals(c *conn, s *stream, why Status, at int64) {
	n.failReceives(s, why, at)
	n.dropParked(c, s)
	*n.events.Push() = Event{Kind: StreamFailed, Conn: c.index, Stream: s.number, Host: c.host, Status: why}
}

// stickError puts the receive side of a stream into error without a packet that could be answered: the requester learns it
// by its status query (R-QUERY).
func (n *NIC) stickError(c *conn, s *stream, why wire.Syndrome, msn uint32) {
	s.sticky.Error, s.sticky.ErrMsn, s.sticky.ErrAttempt = why, msn, 0
	n.failArrivals(c, s, Status(why), noReceive)
}

// failReceives gives back the receives of a stream that ends or is in error, in the order in which they were posted: the
// one at fault with the reason, all others as flushed.
func (n *NIC) failReceives(s *stream, why Status, at int64) {
	for ; s.consumed != s.posted; s.consumed++ {
		r := s.recvAt(s.consumed)
		status := StatusFlushed
		if int64(s.consumed) == at {
			status = why
		}
		*n.completion() = Completion{
			ID: uint64(r.WrId), Conn: s.conn, Stream: s.number, Status: status, Responder: true, Receive: true,
		}
		*r = event.RecvRecv{}
	}
}

// Fail ends a stream at this side, both directions, as its owner wishes: work and receives that are posted come back
// flushed. The peer finds its messages refused with the syndrome remote_op. On a stream that has failed it does what is
// left to do, which may be nothing. A connection that closes still has its streams.
func (n *NIC) Fail(now sim.Picos, conn, number uint16) error {
	n.at(now)
	if int(conn) >= len(n.conns) || !n.conns[conn].row.Valid {
		return ErrNotOpen
	}
	c := n.conns[conn]
	if uint32(number)>>c.row.StreamLog2 != 0 {
		return ErrNoStream
	}
	s := n.stream(c, number)
	n.sender(c)
	n.failStream(c, s, s.send.reported, StatusFlushed)
	if s.sticky.Error == wire.SyndromeNone {
		s.sticky.Error, s.sticky.ErrMsn, s.sticky.ErrAttempt = wire.SyndromeRemoteOp, s.order.Completed, 0
	}
	n.failReceives(s, StatusFlushed, noReceive)
	n.dropParked(c, s)
	return nil
}

// dropParked forgets the requests of a stream in error that wait for earlier messages: those will never be complete, and
// the requester uses its slots again.
func (n *NIC) dropParked(c *conn, s *stream) {
	if c.asks == nil {
		return
	}
	for left := c.asks.parked; left != 0; left &= left - 1 {
		i := uint8(bits.TrailingZeros64(left))
		if c.asks.serve[i].StreamRow == s.row {
			c.asks.parked &^= 1 << i
			n.slot(c, event.SlotDrop, &event.SlotIn{Slot: i})
		}
	}
}

// Failed tells whether a stream has failed in either direction.
func (n *NIC) Failed(conn, number uint16) bool {
	s, _, err := n.streamOf(conn, number)
	return err == nil && (s.send.failed || s.sticky.Error != wire.SyndromeNone)
}
