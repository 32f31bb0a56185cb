package endpoint

import (
	"reflect"

	"metaroce/tandem/model/event"
)

// size is that of a type in memory.
func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// Memory is the bytes that a connection holds at this end and those of its streams, and how many packets it has in flight.
// What a NIC has anyway does not count.
func (n *NIC) Memory(index uint16) (bytes, streams, inFlight int) {
	c := n.conns[index]
	for i := range 1 << c.row.StreamLog2 {
		if s := n.streams[int(c.row.StreamBase)+i]; s != nil {
			streams += streamBytes(s)
		}
	}
	return connBytes(n, c), streams, c.inFlight()
}

// inFlight is the packets that are not settled.
func (c *conn) inFlight() (sum int) {
	if c.tx == nil {
		return 0
	}
	for i := range c.tx.paths {
		x := &c.tx.paths[i].xmit
		sum += int(x.Live + x.Lost + x.Away)
	}
	return sum
}

// connBytes is the memory that a connection holds at one end: everything but its streams, whose message slots are a pool
// of their own, and beyond what the NIC has anyway.
func connBytes(n *NIC, c *conn) int {
	sum := size[conn]() + size[event.ShareSender]() + cap(c.rx)*size[rxPath]()
	if t := c.tx; t != nil {
		sum += size[sender]() + cap(t.paths)*size[txPath]() +
			cap(t.out)*size[outMessage]() + 2*cap(t.outFree) + cap(t.tally)*size[pathTally]()
		for i := range t.paths {
			sum += t.paths[i].ring.Len() * size[event.XmitPacket]()
		}
	}
	return sum
}

// streamBytes is what a stream holds at one end.
func streamBytes(s *stream) int {
	return size[stream]() + cap(s.slots)*size[msgSlot]() + cap(s.recvs)*size[event.RecvRecv]() +
		cap(s.send.work)*size[work]() + cap(s.send.rows)*size[event.StreamSchedMessage]()
}
