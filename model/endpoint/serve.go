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
