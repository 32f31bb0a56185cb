package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathchoice"
	"metaroce/tandem/model/streamsched"
	"metaroce/tandem/model/wire"
)

// sendFirst sends a new packet by one of the paths of a mask. False: what was queued had nothing to cut.
func (n *NIC) sendFirst(c *conn, mask uint64, p *Packet) bool {
	t := c.tx
	slot, part, ok := n.cutNext(c)
	if !ok {
		return false
	}
	path := n.choose(c, mask)
	pt := &t.paths[path]
	n.records.Room(&pt.ring, &pt.xmit)
	out := n.xmit(c, path, event.XmitFirst, &event.XmitIn{Message: slot, Part: part})
	m := &t.out[slot]
	m.open++
	n.transmit(c, m.op, path, path, p)
	p.Psn, p.Tsn = out.Psn, out.Tsn
	rec := event.XmitPacket{Message: slot, Part: part}
	n.fill(c, &rec, p)
	size := n.wireBytes(p)
	t.credit -= int32(size)
	n.count.Data++
	sent := n.ccSend(c, path, p, true)
	p.FlagB = sent.Demand
	t.dirty |= 1 << path
	if !pt.timer.Armed {
		n.armTimer(c, path)
	}
	n.took(t)
	n.tail(c)
	return true
}

// choose is the station of R-CHOICE.
func (n *NIC) choose(c *conn, mask uint64) uint8 {
	policy := uint8(n.cfg.Tuning.PathPolicy)
	in := event.PathChoiceIn{Conn: c.index, Policy: policy, Burst: n.burst(c.tx), Active: mask, Room: mask}
	switch policy {
	case pathchoice.Largest:
		in.Path = n.largest(c, mask)
	case pathchoice.Oblivious:
		in.Draw = uint16(n.random.Uint64())
	}
	var out event.PathChoiceOut
	pathchoice.Step(&c.tx.choice, event.PathChoiceChoose, &in, &out)
	if n.trace != nil {
		n.record(&event.PathChoice{Head: n.txHead(event.PathChoiceChoose, c, out.Chosen), Out: out, In: in, Choice: c.tx.choice})
	}
	return out.Chosen
}

// burst is how many packets a path carries in a row. Few paths come round while an acknowledgement waits, and need none:
// on the planes that they use in turn it would make bursts of packets.
func (n *NIC) burst(t *sender) uint8 {
	return uint8(min(n.cfg.Tuning.PathBurst, max(1, uint32(bits.OnesCount64(t.feed))/pathsInTurn)))
}

const pathsInTurn = 8

// largest is the path of a mask with the most free window.
func (n *NIC) largest(c *conn, mask uint64) uint8 {
	var free [64]uint32
	for i := range c.tx.paths {
		free[i] = n.cfg.rules.cc.Free(&c.tx.paths[i].cc, &c.tx.cc)
	}
	return pathchoice.Best(free[:len(c.tx.paths)], mask, c.tx.choice.Pointer)
}

// cutNext takes the next packet of the connection: of its streams or of the answers it owes, in turn. It returns the slot
// of the message and the number of the packet in it.
func (n *NIC) cutNext(c *conn) (slot uint16, part uint32, ok bool) {
	t := c.tx
	if t.replying() {
		if t.replies.turn = !t.replies.turn; t.replies.turn || t.turn.Queued == 0 {
			return n.cutReply(c)
		}
	}
	for t.turn.Queued > 0 {
		s := n.headStream(t)
		in := event.StreamSchedIn{Conn: c.index, StreamRow: s.row, Payload: n.cfg.Mtu, Overhead: n.cfg.overhead}
		out := n.sched(c, s, event.StreamSchedPick, &in)
		if !out.None {
			return n.messageSlot(c, s, &out), out.Offset / uint32(n.cfg.Mtu), true
		}
	}
	return 0, 0, false
}

// headStream is the stream whose turn it is.
func (n *NIC) headStream(t *sender) *stream {
	if t.head == nil || t.headRow != t.turn.Head {
		t.head, t.headRow = n.streams[t.turn.Head], t.turn.Head
	}
	return t.head
}

// sched executes a transaction of R-SCHED and keeps the queue of the connection's streams.
func (n *NIC) sched(c *conn, s *stream, op uint8, in *event.StreamSchedIn) event.StreamSchedOut {
	t, q := c.tx, &s.send
	in.Conn, in.StreamRow = c.index, s.row
	msn := in.Msn
	switch op {
	case event.StreamSchedPost:
		msn = q.sched.Posted
	case event.StreamSchedPick:
		msn, _ = streamsched.Next(&q.sched)
	}
	var none event.StreamSchedMessage
	row := &none
	if len(q.rows) > 0 {
		row = q.row(msn)
	}
	var out event.StreamSchedOut
	n.cfg.rules.sched.Step(&q.sched, row, &t.turn, op, in, &out)
	switch {
	case out.Enter:
		streamsched.Enter(&t.turn, n.links, s.row)
	case out.Leave:
		streamsched.Leave(&t.turn, n.links)
	case out.Rotate:
		streamsched.Rotate(&t.turn, n.links)
	}
	if n.trace != nil {
		n.record(&event.StreamSched{Head: n.txHead(op, c, 0), Out: out, In: *in, Stream: q.sched, Message: *row, Turn: t.turn, Link: n.links[s.row]})
	}
	return out
}

// messageSlot is the slot of the message that a packet was cut from, taken with its first packet.
func (n *NIC) messageSlot(c *conn, s *stream, cut *event.StreamSchedOut) uint16 {
	t, slot := c.tx, s.send.cutting
	if cut.Offset == 0 {
		slot = n.openSlot(t, s, cut)
	} else if m := &t.out[slot]; m.msn != cut.Msn || m.attempt != cut.Attempt || m.row != s.row || !m.used {
		slot = s.send.at(cut.Msn).out // another message was cut meanwhile
	}
	s.send.cutting = slot
	if cut.Last {
		t.out[slot].whole = true
	}
	return slot
}

// openSlot takes the slot of an attempt.
func (n *NIC) openSlot(t *sender, s *stream, cut *event.StreamSchedOut) uint16 {
	e := s.send.at(cut.Msn)
	e.out = t.takeSlot(outMessage{
		remote: e.Remote, local: e.Local, msn: cut.Msn, length: e.Length, rkey: e.Rkey, recvIndex: e.recvIndex, imm: e.Imm,
		row: s.row, stream: s.number, attempt: cut.Attempt, op: e.Op,
	})
	e.outs++
	e.cut = true
	return e.out
}

func (t *sender) takeSlot(m outMessage) uint16 {
	m.used = true
	if k := len(t.outFree); k > 0 {
		i := t.outFree[k-1]
		t.outFree = t.outFree[:k-1]
		t.out[i] = m
		return i
	}
	t.out = append(t.out, m)
	return uint16(len(t.out) - 1)
}

// opcodeOf is the kind of the packet that a record stands for.
func (n *NIC) opcodeOf(c *conn, rec *event.XmitPacket) wire.Opcode { return c.tx.out[rec.Message].op }

// part is offset and payload of a packet of a message.
func (n *NIC) part(m *outMessage, part uint32) (offset uint32, payload uint16) {
	if !wire.Kinds[m.op].Payload {
		return 0, 0
	}
	offset = part * uint32(n.cfg.Mtu)
	return offset, uint16(min(uint32(n.cfg.Mtu), m.length-offset))
}

// fill makes the body that belongs to a record.
func (n *NIC) fill(c *conn, rec *event.XmitPacket, p *Packet) {
	m := &c.tx.out[rec.Message]
	offset, payload := n.part(m, rec.Part)
	p.PayloadLen = payload
	if m.op == wire.OpcodeReadResponse || m.op == wire.OpcodeAtomicResponse {
		n.fillReply(c, m, offset, p)
		return
	}
	p.Stream, p.Attempt, p.Msn, p.Length, p.Offset = m.stream, m.attempt, m.msn, m.length, offset
	p.Rkey, p.Addr = m.rkey, m.remote+uint64(offset)
	if m.op != wire.OpcodeWrite {
		p.RecvIndex, p.Imm = m.recvIndex, m.imm
		if !wire.Kinds[m.op].CarriesMessage {
			w := n.streams[m.row].send.at(m.msn)
			p.FlagL, p.Slot, p.LocalAddr, p.LocalKey = true, w.request, m.local, 0
			p.FetchAdd, p.Compare, p.Operand = w.Add, w.Compare, w.Operand
			return
		}
	}
	p.FlagL = offset+uint32(payload) == m.length
	n.load(p, m.local+uint64(offset))
}

// load reads the payload from the host.
func (n *NIC) load(p *Packet, addr uint64) {
	if n.mem == nil || p.PayloadLen == 0 {
		return
	}
	if cap(p.Data) < int(p.PayloadLen) {
		p.Data = make([]byte, n.cfg.Mtu)
	}
	p.Data = p.Data[:p.PayloadLen]
	n.mem.Read(addr, p.Data)
}

// wireBytes is what a packet takes of a link.
func (n *NIC) wireBytes(p *Packet) uint16 { return uint16(p.UDPBytes() + n.cfg.framing) }

// recordBytes is the same of the packet that a record stands for.
func (n *NIC) recordBytes(t *sender, rec *event.XmitPacket) uint32 {
	m := &t.out[rec.Message]
	_, payload := n.part(m, rec.Part)
	return uint32(wire.Kinds[m.op].HeaderLen+(int(payload)+3)&^3+4) + uint32(n.cfg.framing)
}

// ccSend tells R-CC of a packet that leaves.
func (n *NIC) ccSend(c *conn, path uint8, p *Packet, first bool) event.CcOut {
	t := c.tx
	n.listen(t)
	in := event.CcIn{Bytes: n.wireBytes(p), Waiting: n.waiting(t), Fresh: first}
	out := n.cc(c, path, event.CcSend, &in)
	n.roomFor(c, path, &out)
	return out
}

// waiting is how many payload bytes wait to be cut, saturating.
func (n *NIC) waiting(t *sender) uint32 {
	waiting := t.turn.Waiting
	if t.replies != nil {
		waiting += t.replies.waiting
	}
	return uint32(min(waiting, 1<<32-1))
}

// cc executes a transaction of R-CC.
func (n *NIC) cc(c *conn, path, op uint8, in *event.CcIn) event.CcOut {
	t := c.tx
	in.Now, in.Conn, in.PathRow = n.tick, c.index, n.pathRow(c.index, path)
	in.Active = t.countActive()
	in.NextTsn = t.paths[path].xmit.NextTsn
	var out event.CcOut
	n.cfg.rules.cc.Step(&t.paths[path].cc, &t.cc, op, in, &out)
	if n.trace != nil {
		n.record(&event.Cc{Head: n.txHead(op, c, path), Out: out, In: *in, Path: t.paths[path].cc, Conn: t.cc})
	}
	return out
}

// roomFor takes what R-CC says of a path and its connection.
func (n *NIC) roomFor(c *conn, path uint8, out *event.CcOut) {
	c.tx.connRoom = out.ConnRoom
	n.roomOf(c.tx, path, out.PathRoom)
}

// tail sends a flush behind the last data of each path when nothing is left to send (R-FLUSH): it shows what was lost at
// the end in one round trip.
func (n *NIC) tail(c *conn) {
	t := c.tx
	if t.dirty == 0 || t.turn.Queued > 0 || t.replying() || t.lost != 0 {
		return
	}
	for i := range t.paths {
		if bit := uint64(1) << i; t.dirty&^t.flush&bit != 0 {
			t.flush |= bit
			n.control(t.paths[i].timer.Plane, control{kind: controlFlush, conn: c.index, path: uint8(i)})
		}
	}
}
