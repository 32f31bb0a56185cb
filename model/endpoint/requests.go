package endpoint

import (
	"encoding/binary"
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/slot"
	"metaroce/tandem/model/wire"
)

// requests are the Reads and atomics of a connection, both sides.
type requests struct {
	ask     [slot.Slots]event.SlotAsk
	free    uint64           // slots of the requester that are not in use
	retired uint64           // their requests were given up, and their answers may come yet
	waiting sim.Ring[uint16] // streams that wait for a slot, by row

	serve  [slot.Slots]event.SlotServe
	held   [slot.Slots]reply // what a request asks for, until it executes
	parked uint64            // requests that wait for earlier messages
}

func (c *conn) requests() *requests {
	if c.asks == nil {
		c.asks = &requests{free: ^uint64(0)}
	}
	return c.asks
}

// slot executes a transaction of R-SLOT.
func (n *NIC) slot(c *conn, op uint8, in *event.SlotIn) event.SlotOut {
	r := c.requests()
	in.Conn = c.index
	i := in.Slot & (slot.Slots - 1)
	var out event.SlotOut
	slot.Step(&r.ask[i], &r.serve[i], op, in, &out)
	if n.trace != nil {
		n.record(&event.Slot{Head: n.txHead(op, c, 0), Out: out, In: *in, Ask: r.ask[i], Serve: r.serve[i]})
	}
	if out.Wrong {
		n.count.Wrong++
	}
	return out
}

// takeSlot takes a request slot for a Read or atomic. Without one the stream waits.
func (n *NIC) takeSlot(c *conn, s *stream, w *work, msn uint32) bool {
	r := c.requests()
	if r.free == 0 {
		if !s.send.waits {
			s.send.waits = true
			*r.waiting.Push() = s.row
		}
		return false
	}
	i := uint8(bits.TrailingZeros64(r.free))
	r.free &^= 1 << i
	w.request = i
	n.slot(c, event.SlotRequest, &event.SlotIn{Slot: i, Atomic: w.Op == wire.OpcodeAtomicRequest, StreamRow: s.row, Msn: msn, Length: w.Length})
	return true
}

// giveSlot gives back a slot whose request was not sent.
func (n *NIC) giveSlot(c *conn, w *work) {
	if isRequest(w.Op) {
		n.slot(c, event.SlotFail, &event.SlotIn{Slot: w.request})
		c.asks.free |= 1 << w.request
	}
}

// dropRequests gives up what a failed stream asks for. An answer names its slot and nothing else of its request, so a slot
// is given again at once only if no answer can come: the request was never sent, or the peer has the stream in error and
// did not execute it. Any other slot is retired until its answer came whole, each part of which the window lets through
// once; if that never happens, until the connection ends.
func (n *NIC) dropRequests(c *conn, s *stream) {
	r, q := c.asks, &s.send
	if r == nil {
		return
	}
	for i := range r.ask {
		a := &r.ask[i]
		switch {
		case !a.Used || a.StreamRow != s.row:
		case !wire.Less(a.Msn, q.sched.NextMsn) || q.why.ofPeer() && !wire.Less(a.Msn, q.sched.Completed):
			n.slot(c, event.SlotFail, &event.SlotIn{Slot: uint8(i)})
			r.free |= 1 << i
		default:
			r.retired |= 1 << i
		}
	}
}

// slotsGone tells whether no request of a connection may ever get a slot, unless an answer that is overdue comes after all.
func (c *conn) slotsGone() bool { return c.asks != nil && c.asks.retired == ^uint64(0) }

// regroup lets streams go on behind a stream that failed: with the slots that it left, or without any, to their end.
func (n *NIC) regroup(c *conn) {
	if c.asks == nil {
		return
	}
	if c.slotsGone() {
		for c.asks.waiting.Len() > 0 {
			s := n.streams[*c.asks.waiting.Head()]
			c.asks.waiting.Drop()
			s.send.waits = false
			n.failStream(c, s, s.send.sched.Posted, StatusNoSlot)
		}
		return
	}
	n.slotFree(c)
}

// request is the station of R-SLOT: new requests of the peer, and answers to own ones.
func (n *NIC) request(it *item) {
	switch it.d.Opcode {
	case wire.OpcodeReadRequest, wire.OpcodeAtomicRequest:
		n.park(it)
	default:
		n.response(it)
	}
}

// response takes a part of the answer to an own request, and completes it with the last one. Where it goes stands in the
// packet; it has to be where the request said.
func (n *NIC) response(it *item) {
	c, p := it.c, it.p
	if c.asks == nil || p.Slot >= slot.Slots || c.tx == nil {
		n.count.Wrong++
		return
	}
	a := c.asks.ask[p.Slot]
	atomic := p.Opcode == wire.OpcodeAtomicResponse
	in := event.SlotIn{Slot: p.Slot, Offset: p.Offset, PayloadLen: p.PayloadLen}
	if atomic {
		in.Offset, in.PayloadLen = 0, 8
	}
	if !a.Used || a.Atomic != atomic {
		n.count.Wrong++
		return
	}
	if c.asks.retired>>p.Slot&1 != 0 {
		n.lateAnswer(c, &in)
		return
	}
	s := n.streams[a.StreamRow]
	w := s.send.at(a.Msn)
	if !atomic && p.LocalAddr != w.Local+uint64(p.Offset) {
		n.count.Wrong++
		return
	}
	out := n.slot(c, event.SlotResponse, &in)
	if !out.Take {
		return
	}
	it.s, it.last = s, out.Done
	it.d.Msn = a.Msn
	if atomic {
		it.d.Addr = w.Local
	}
	n.to(StationMemory, it)
}

// lateAnswer takes a part of an answer that nobody waits for any more. With the last one the slot is free again.
func (n *NIC) lateAnswer(c *conn, in *event.SlotIn) {
	if out := n.slot(c, event.SlotResponse, in); out.Done {
		c.asks.retired &^= 1 << in.Slot
		c.asks.free |= 1 << in.Slot
		n.slotFree(c)
	}
}

// store writes a part of an answer to the host.
func (n *NIC) store(it *item) {
	d, p := &it.d, it.p
	switch {
	case n.mem == nil:
	case d.Opcode == wire.OpcodeAtomicResponse:
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], p.Operand)
		n.mem.Write(d.Addr, b[:])
	case d.PayloadLen > 0:
		n.mem.Write(d.Addr, p.Data[:d.PayloadLen])
	}
}

// answeredRequest completes an own request whose answer is in memory.
func (n *NIC) answeredRequest(it *item) {
	if !it.last {
		return
	}
	c, q := it.c, &it.s.send
	c.asks.free |= 1 << it.p.Slot
	if !q.failed { // as it may have while memory took the answer
		w := q.at(it.d.Msn)
		w.answered, w.value = true, it.p.Operand
		n.told(c, it.s.number, it.d.Msn+1) // it executed behind all earlier messages
		n.report(c, it.s)
	}
	n.slotFree(c)
}

// slotFree lets a stream go on that waits for a request slot.
func (n *NIC) slotFree(c *conn) {
	for left := c.asks.waiting.Len(); left > 0 && c.asks.free != 0; left-- {
		s := n.streams[*c.asks.waiting.Head()]
		c.asks.waiting.Drop()
		s.send.waits = false
		if !s.send.failed {
			n.offer(c, s)
		}
	}
	n.wakeConn(c)
}
