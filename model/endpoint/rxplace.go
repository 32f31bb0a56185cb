package endpoint

import (
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/place"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// memory is the station that writes a payload to the host: the memory port. Its answer goes to place.
func (n *NIC) memory(it *item) {
	if isResponse(it.d.Opcode) {
		n.store(it)
		n.to(StationAnswer, it)
		return
	}
	if d := &it.d; n.mem != nil && d.PayloadLen > 0 {
		it.failed = !n.mem.Write(d.Addr, it.p.Data[:d.PayloadLen])
	}
	n.to(StationPlace, it)
}

// place is the station of R-PLACE: a byte counts when memory has it.
func (n *NIC) place(it *item) {
	d := &it.d
	op := event.PlaceWrite
	if d.PayloadLen == 0 {
		op = event.PlaceEmpty
	}
	in := event.PlaceIn{
		StreamRow: d.StreamRow, Life: d.Life, Msn: d.Msn, Attempt: d.Attempt, Fresh: d.Fresh, Length: d.Length,
		PayloadLen: d.PayloadLen, Addr: d.Addr, Error: it.failed,
	}
	var out event.PlaceOut
	slot := it.s.slotFor(d.Msn, d.Old)
	place.Step(&slot.tally, op, &in, &out)
	if n.trace != nil {
		n.record(&event.Place{Head: n.head(op, d), Out: out, In: in, Tally: slot.tally})
	}
	switch {
	case out.Fault:
		n.fault(it)
	case out.Done:
		n.to(StationComplete, it)
	}
}

// fault is the operation of message for a write that memory refused.
func (n *NIC) fault(it *item) {
	d := &it.d
	in := event.MessageIn{StreamRow: d.StreamRow, Msn: d.Msn, Attempt: d.Attempt, LifeIn: d.Life}
	var out event.MessageOut
	slot := it.s.slotFor(d.Msn, d.Old)
	message.Step(&slot.message, &it.s.sticky, event.MessageFault, &in, &out)
	if n.trace != nil {
		n.record(&event.Message{Head: n.head(event.MessageFault, d), Out: out, In: in, Slot: slot.message, Stream: it.s.sticky})
	}
	if out.Nak {
		n.nak(it, &out)
	}
}

// doneMessage is a message that has all its bytes, on its way to complete.
type doneMessage struct {
	kept
	msn  uint32
	life uint8
}

// kept is what complete keeps of a message from done to its release.
type kept struct {
	xid     uint32
	length  uint32
	imm     uint32
	wrID    uint32
	pathRow uint16
	path    uint8
	opcode  wire.Opcode
}

func doneOf(d *event.Desc) doneMessage {
	return doneMessage{
		kept: kept{d.Xid, d.Length, d.ImmValue, d.WrId, d.PathRow, d.Path, d.Opcode},
		msn:  d.Msn, life: d.Life,
	}
}

// done is the station of R-COMPLETE: it releases the message and the run of done ones behind it.
func (n *NIC) done(c *conn, s *stream, slot *msgSlot, m doneMessage) {
	before := s.order
	out := n.complete(c, s, event.CompleteDone, &m)
	if complete.Kept(&before, &s.order, event.CompleteDone, &out) {
		slot.kept = m.kept
	}
	for out.Release {
		n.released(c, s, &m)
		if !out.RunNext {
			break
		}
		msn := s.order.Completed
		m = doneMessage{kept: s.slotFor(msn, false).kept, msn: msn, life: s.order.Life}
		out = n.complete(c, s, event.CompleteRun, &m)
	}
	n.unpark(c, s)
}

// complete executes one transaction of R-COMPLETE.
func (n *NIC) complete(c *conn, s *stream, op uint8, m *doneMessage) event.CompleteOut {
	in := event.CompleteIn{
		StreamRow: s.row, Msn: m.msn, PathRow: m.pathRow, Conn: c.index, Stream: s.number, Opcode: m.opcode,
		Length: m.length, ImmValue: m.imm, WrId: m.wrID, Life: m.life, NoticeHead: n.notices.taken(), NoticeTail: n.notices.queued(),
	}
	var out event.CompleteOut
	complete.Step(&s.order, op, &in, &out)
	if n.trace != nil {
		n.record(&event.Complete{Head: event.Head{Op: op, Cycle: n.cycle(), Xid: m.xid, Conn: c.index, Path: m.path, Stream: s.number},
			Out: out, In: in, Stream: s.order})
	}
	if out.Notice {
		n.soon(n.tick + preset.AckTimer)
		n.notices.push(notice{at: n.tick, conn: c.index, stream: s.row, path: m.path, life: s.order.Life})
	}
	return out
}

// released tells the owner of the responder that a message is complete.
func (n *NIC) released(c *conn, s *stream, m *doneMessage) {
	consumes := m.opcode != wire.OpcodeWrite && wire.Kinds[m.opcode].CarriesMessage
	if consumes {
		s.consumed++
	}
	n.count.Released++
	*n.completion() = Completion{
		Conn: c.index, Stream: s.number, Msn: m.msn, Op: m.opcode, Bytes: m.length, Imm: m.imm,
		ID: uint64(m.wrID), Responder: true, Receive: consumes,
	}
}
