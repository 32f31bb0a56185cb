package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/recv"
)

// stream is one ordered stream of a connection, both directions: what verbs call a queue pair.
type stream struct {
	row    uint16 // in the device
	number uint16 // in its connection
	conn   uint16
	sticky event.MessageStream
	order  event.CompleteStream

	slots    []msgSlot        // length a power of two that covers all messages that were touched
	recvs    []event.RecvRecv // likewise, of receives that are posted
	posted   uint32           // receives posted
	consumed uint32           // receives whose message is complete
	_        [8]byte          // what sending needs begins a cache line

	send sendStream
}

// msgSlot is what is known of a message that is being received.
type msgSlot struct {
	message event.MessageSlot
	tally   event.PlaceTally
	kept    kept
}

// slotFor is the slot of a message. Tables are grown to what a stream uses: most have a message or two open. Growing
// changes nothing that a step can see, since messages below completed are never looked at by number, and those above
// keep their entries. An old message reads whatever stands in its place.
func (s *stream) slotFor(msn uint32, old bool) *msgSlot {
	ahead := msn - s.order.Completed
	if n := uint32(len(s.slots)); ahead >= n && !old {
		s.growSlots(ahead + 1)
	} else if n == 0 {
		s.growSlots(1)
	}
	return &s.slots[msn&uint32(len(s.slots)-1)]
}

func (s *stream) growSlots(want uint32) {
	n := uint32(max(2, len(s.slots)))
	for n < want {
		n *= 2
	}
	grown := make([]msgSlot, n)
	for i := range s.slots {
		e := &s.slots[i]
		msn := e.message.Msn
		// an entry that was never made has number 0, which may be another slot's
		if msn-s.order.Completed < uint32(len(s.slots)) && msn&uint32(len(s.slots)-1) == uint32(i) {
			grown[msn&(n-1)] = *e
		}
	}
	s.slots = grown
}

// recvAt is the row of a posted receive.
func (s *stream) recvAt(index uint32) *event.RecvRecv {
	if len(s.recvs) == 0 {
		return &event.RecvRecv{}
	}
	return &s.recvs[index&uint32(len(s.recvs)-1)]
}

// postRecv is op post of R-RECV.
func (n *NIC) postRecv(s *stream, id uint32, addr uint64, length uint32) uint32 {
	s.growRecvs()
	index := s.posted
	s.posted++
	in := event.RecvIn{RecvIndex: index, StreamRow: s.row, Addr: addr, Length: length, WrId: id}
	var out event.RecvOut
	row := s.recvAt(index)
	recv.Step(row, event.RecvPost, &in, &out)
	if n.trace != nil {
		n.record(&event.Recv{Head: event.Head{Op: event.RecvPost, Cycle: n.cycle(), Conn: s.conn, Stream: s.number}, Out: out, In: in, Recv: *row})
	}
	return index
}

// growRecvs makes room for one more posted receive.
func (s *stream) growRecvs() {
	open := s.posted - s.consumed
	if open < uint32(len(s.recvs)) {
		return
	}
	grown := make([]event.RecvRecv, max(4, 2*len(s.recvs)))
	for i := s.consumed; i != s.posted; i++ {
		grown[i&uint32(len(grown)-1)] = *s.recvAt(i)
	}
	s.recvs = grown
}
