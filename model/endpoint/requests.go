package endpoint

import (
	"encoding/binary"
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/slot"
	"metaroce/tandem/model/wire"
)

// requests are the Reads and atomics of a connection, both sides.
type requests struct {
	ask     [slot.Slots]event.SlotAsk
	free    uint64             // slots of the requester that are not in use
	restsTo [slot.Slots]uint32 // tick from which a slot whose request was given up may be used again
	resting uint64
	waiting sim.Ring[uint16] // streams that wait for a slot, by row

	serve  [slot.Slots]event.SlotServe
	held   [slot.Slots]reply // what a request asks for, until it executes
	parked uint64            // requests that wait for earlier messages
}

// reply is what a response needs, until all its packets are settled.
type reply struct {
	op      wire.Opcode // of the response
	slot    uint8
	fetch   bool
	out     uint16 // message slot
	length  uint32
	rkey    uint32
	addr    uint64 // own memory
	local   uint64 // requester's
	compare uint64
	value   uint64 // atomic: operand, then the value before
}

// replyQueue holds the responses of a connection, and in which order they are cut.
type replyQueue struct {
	all     []reply
	spare   []uint32
	q       sim.Ring[uint32] // to be cut, by place in all
	waiting uint64           // bytes to be cut
	turn    bool             // the next packet is a response
}

func (q *replyQueue) push(r reply) {
	i := uint32(len(q.all))
	if k := len(q.spare); k > 0 {
		i = q.spare[k-1]
		q.spare = q.spare[:k-1]
		q.all[i] = r
	} else {
		q.all = append(q.all, r)
	}
	*q.q.Push() = i
	q.waiting += uint64(r.length)
}

func (q *replyQueue) free(i uint32) { q.spare = append(q.spare, i) }

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
	for left := r.resting; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); int32(r.restsTo[i]-n.tick) <= 0 {
			r.resting &^= 1 << i
			r.free |= 1 << i
		}
	}
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

// dropRequests gives up what a failed stream asks for. Answers may still be on their way, so the slots rest.
func (n *NIC) dropRequests(c *conn, s *stream) {
	if c.asks == nil {
		return
	}
	for i := range c.asks.ask {
		if a := &c.asks.ask[i]; a.Used && a.StreamRow == s.row {
			n.slot(c, event.SlotFail, &event.SlotIn{Slot: uint8(i)})
			c.asks.resting |= 1 << i
			c.asks.restsTo[i] = n.tick + n.cfg.Rest
		}
	}
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

// park takes a request of the peer. It executes when every earlier message of its stream is complete.
func (n *NIC) park(it *item) {
	d, p, s, c := &it.d, it.p, it.s, it.c
	if !s.sticky.Open || s.sticky.Error != wire.SyndromeNone || d.Old {
		return // as message discards it
	}
	atomic := d.Opcode == wire.OpcodeAtomicRequest
	r := reply{op: wire.OpcodeReadResponse, slot: p.Slot, length: p.Length, rkey: p.Rkey, addr: p.Addr, local: p.LocalAddr}
	if atomic {
		r.op, r.length, r.fetch, r.compare, r.value = wire.OpcodeAtomicResponse, 8, p.FetchAdd, p.Compare, p.Operand
	}
	if syndrome := n.allows(c, &r); syndrome != wire.SyndromeNone {
		n.refuseRequest(it, syndrome)
		return
	}
	in := event.SlotIn{Slot: p.Slot, Atomic: atomic, StreamRow: s.row, Msn: d.Msn, Length: p.Length, Completed: s.order.Completed}
	out := n.slot(c, event.SlotPark, &in)
	if out.Wrong || p.Slot >= slot.Slots {
		n.refuseRequest(it, wire.SyndromeMalformed)
		return
	}
	c.asks.held[p.Slot] = r
	if out.Take {
		n.execute(c, s, d.Msn, &r)
		return
	}
	c.asks.parked |= 1 << p.Slot
}

// allows checks key, permission and bounds of a request. It is the check of R-KEY with the permission that is asked for
// in the place of that for writing.
func (n *NIC) allows(c *conn, r *reply) wire.Syndrome {
	row := n.keyAt(r.rkey)
	want := uint8(key.PermRead)
	if r.op == wire.OpcodeAtomicResponse {
		want = key.PermAtomic
		if r.addr&7 != 0 {
			return wire.SyndromeBounds
		}
	}
	row.Perm = row.Perm / want & key.PermWrite
	first := event.KeyIn{Rkey: r.rkey, Addr: r.addr, Length: r.length, Conn: c.index}
	var out event.KeyOut
	key.Step(&row, event.KeyCheck, &first, &out)
	if out.Syndrome != wire.SyndromeNone || r.length == 0 {
		return out.Syndrome
	}
	last := first
	last.Addr, last.PayloadLen = r.addr+uint64(r.length-1), 1
	if last.Addr < r.addr {
		return wire.SyndromeBounds
	}
	key.Step(&row, event.KeyCheck, &last, &out)
	return out.Syndrome
}

// refuseRequest puts the stream into error as message does for a Write (R-FATAL).
func (n *NIC) refuseRequest(it *item, syndrome wire.Syndrome) {
	s, d := it.s, &it.d
	s.sticky.Error, s.sticky.ErrMsn, s.sticky.ErrAttempt = syndrome, d.Msn, 0
	n.nak(it, &event.MessageOut{Syndrome: syndrome, SynMsn: d.Msn})
}

// unpark executes the requests of a stream whose turn has come.
func (n *NIC) unpark(c *conn, s *stream) {
	if c.asks == nil || c.asks.parked == 0 {
		return
	}
	for left := c.asks.parked; left != 0; left &= left - 1 {
		i := uint8(bits.TrailingZeros64(left))
		v := &c.asks.serve[i]
		if v.StreamRow != s.row || v.Msn != s.order.Completed {
			continue
		}
		c.asks.parked &^= 1 << i
		if s.sticky.Error != wire.SyndromeNone {
			n.slot(c, event.SlotDrop, &event.SlotIn{Slot: i})
			continue
		}
		msn := v.Msn
		if out := n.slot(c, event.SlotExecute, &event.SlotIn{Slot: i, Completed: s.order.Completed}); out.Take {
			n.execute(c, s, msn, &c.asks.held[i])
		}
		return // executing went on with what it released
	}
}

// execute answers a request: a Read by the packets that will be cut, an atomic by one change of memory.
func (n *NIC) execute(c *conn, s *stream, msn uint32, r *reply) {
	if r.op == wire.OpcodeAtomicResponse && !n.atomic(r) {
		n.slot(c, event.SlotDrop, &event.SlotIn{Slot: r.slot})
		n.stickError(c, s, wire.SyndromeRemoteOp, msn)
		return // the requester learns it by its status query
	}
	t := n.sender(c)
	if t.replies == nil {
		t.replies = &replyQueue{}
	}
	t.replies.push(*r)
	op := wire.OpcodeReadRequest
	if r.op == wire.OpcodeAtomicResponse {
		op = wire.OpcodeAtomicRequest
	}
	m := doneMessage{kept: kept{xid: n.xid, length: r.length, opcode: op, path: c.heard}, msn: msn, life: s.order.Life}
	n.done(c, s, s.slotFor(msn, false), m)
	n.wakeConn(c)
}

// atomic changes memory once and leaves the value before in r.
func (n *NIC) atomic(r *reply) bool {
	if n.mem == nil {
		return true
	}
	var b [8]byte
	if !n.mem.Read(r.addr, b[:]) {
		return false
	}
	before := binary.LittleEndian.Uint64(b[:])
	binary.LittleEndian.PutUint64(b[:], slot.Atomic(before, r.fetch, r.compare, r.value))
	r.value = before
	return n.mem.Write(r.addr, b[:])
}

// cutReply takes the next packet of the oldest response.
func (n *NIC) cutReply(c *conn) (uint16, uint32, bool) {
	t := c.tx
	at := *t.replies.q.Head()
	r := &t.replies.all[at]
	out := n.slot(c, event.SlotCut, &event.SlotIn{Slot: r.slot, PayloadLen: n.cfg.Mtu})
	if !out.Take { // its stream was closed
		t.replies.waiting -= uint64(r.length)
		t.replies.q.Drop()
		t.replies.free(at)
		return 0, 0, false
	}
	if out.Offset == 0 {
		r.out = t.takeSlot(outMessage{msn: at, length: r.length, op: r.op})
	}
	t.replies.waiting -= uint64(out.PayloadLen)
	if out.Done {
		t.out[r.out].whole = true
		t.replies.q.Drop()
	}
	return r.out, out.Offset / uint32(n.cfg.Mtu), true
}

// fillReply makes the body of a response.
func (n *NIC) fillReply(c *conn, m *outMessage, offset uint32, p *Packet) {
	r := &c.tx.replies.all[m.msn]
	p.Slot, p.Offset, p.LocalKey, p.LocalAddr, p.Operand = r.slot, offset, 0, r.local+uint64(offset), r.value
	p.FlagL = offset+uint32(p.PayloadLen) == m.length || r.op == wire.OpcodeAtomicResponse
	n.load(p, r.addr+uint64(offset))
}

// response takes a part of the answer to an own request, and completes it with the last one. Where it goes stands in the
// packet; it has to be where the request said.
func (n *NIC) response(it *item) {
	c, p := it.c, it.p
	if c.asks == nil || p.Slot >= slot.Slots || c.tx == nil {
		n.count.Wrong++
		return
	}
	if c.asks.resting>>p.Slot&1 != 0 {
		return // its request was given up
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
		n.offer(c, s)
	}
	n.wakeConn(c)
}
