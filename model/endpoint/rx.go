package endpoint

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/recv"
	"metaroce/tandem/model/window"
	"metaroce/tandem/model/wire"
)

// item is one packet on its way through the stations of the receive side.
type item struct {
	d     event.Desc
	p     *Packet // its body; stations behind place must not need it
	plane uint8   // on which it came
	c     *conn   // from admit
	s     *stream // from admit, nil where the packet is of no stream; of an answer, from slot: the request's

	held   *Item // set: it stands still between stations until its owner moves it
	failed bool  // from memory: it refused the write
	last   bool  // from slot: the answer is whole with this part
}

// describe fills the descriptor from a packet that is well formed.
func (it *item) describe(p *Packet, plane int, xid uint32) {
	it.d = event.Desc{
		Xid: xid, Room: admit.RoomTaken, Sport: p.Sport, Ce: p.Ce, Opcode: p.Opcode, Epoch: p.Epoch,
		FlagA: p.FlagA, FlagD: p.FlagD, FlagL: p.FlagL,
		DstConn: p.DstConn, Path: p.Path, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.TxTime,
		PayloadLen: p.payload(), FrameLen: uint16(p.UDPBytes()),
	}
	it.p, it.plane = p, uint8(plane)
	d := &it.d
	switch p.Opcode {
	case wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm:
		d.Stream, d.Attempt, d.Msn, d.Length, d.Offset = p.Stream, p.Attempt, p.Msn, p.Length, p.Offset
		switch p.Opcode {
		case wire.OpcodeWriteImm:
			d.Rkey, d.Addr, d.RecvIndex, d.ImmValue = p.Rkey, p.Addr, p.RecvIndex, p.Imm
		case wire.OpcodeWrite:
			d.Rkey, d.Addr = p.Rkey, p.Addr
		case wire.OpcodeSend:
			d.RecvIndex = p.RecvIndex
		default:
			d.RecvIndex, d.ImmValue = p.RecvIndex, p.Imm
		}
	case wire.OpcodeReadRequest, wire.OpcodeAtomicRequest:
		d.Stream, d.Msn, d.Rkey, d.Addr, d.Length = p.Stream, p.Msn, p.Rkey, p.Addr, p.Length
	case wire.OpcodeReadResponse:
		d.Offset, d.Rkey, d.Addr = p.Offset, p.LocalKey, p.LocalAddr
	case wire.OpcodeProbe:
		d.Port, d.NewEpoch, d.Query, d.Txn, d.Stream, d.Msn = p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn
	}
}

// admit is the station of R-ADMIT: what may vanish is decided here.
func (n *NIC) admit(it *item) {
	d := &it.d
	c := n.connAt(d.DstConn)
	var none event.AdmitConn
	row := &none
	if c != nil {
		row = &c.row
	}
	in := event.AdmitIn{
		FrameLen: d.FrameLen, Room: d.Room, Opcode: d.Opcode, DstConn: d.DstConn, Path: d.Path,
		Stream: d.Stream, Msn: d.Msn, Length: d.Length, PayloadLen: d.PayloadLen, Query: d.Query,
	}
	if _, ok := admit.StreamLookup(row, &in); ok {
		it.s = n.stream(c, d.Stream)
		in.Open, in.Completed = it.s.order.Open, it.s.order.Completed
	}
	var out event.AdmitOut
	admit.Step(&n.cfg.params, row, event.AdmitPacket, &in, &out)
	d.Conn, d.PathRow, d.StreamRow, d.Old = out.Conn, out.PathRow, out.StreamRow, out.Old
	if n.trace != nil {
		n.record(&event.Admit{Head: n.head(event.AdmitPacket, d), Out: out, In: in, Conn: *row})
	}
	if out.Reason != event.ReasonNone {
		n.count.Drops[out.Reason]++
		return
	}
	it.c = c
	if d.Opcode == wire.OpcodeProbe {
		n.share.step(n, nil, event.ShareProbe, &event.ShareIn{Plane: it.plane})
		n.probed(it)
		return
	}
	n.to(StationWindow, it)
}

// window is the station of R-WINDOW.
func (n *NIC) window(it *item) {
	d := &it.d
	row := n.rxPath(it.c, d.Path)
	op := event.WindowPacket
	if d.Opcode == wire.OpcodeFlush {
		op = event.WindowFlush
	}
	in := event.WindowIn{
		Now: n.tick, Psn: d.Psn, Tsn: d.Tsn, Epoch: d.Epoch, FlagA: d.FlagA, FlagD: d.FlagD, FlagL: d.FlagL,
		Ce: d.Ce, PayloadLen: d.PayloadLen, TxTime: d.TxTime, Sport: d.Sport,
	}
	var out event.WindowOut
	window.Step(&row.window, op, &in, &out)
	if n.trace != nil {
		n.record(&event.Window{Head: n.head(op, d), Out: out, In: in, Path: row.window})
	}
	if out.Class != event.ClassTooNew {
		row.plane = it.plane
	}
	if op == event.WindowPacket {
		if d.Ce {
			n.count.Marked++
		}
		n.shareSees(it)
	} else {
		n.share.step(n, nil, event.ShareProbe, &event.ShareIn{Plane: it.plane})
	}
	if out.AckNow || out.AckCount {
		n.coalesce(it, row, out.AckNow)
	}
	switch out.Class {
	case event.ClassNew:
		d.Place = true
		n.count.Bytes += uint64(d.PayloadLen)
		n.to(keyOrSlot(d.Opcode), it)
	case event.ClassTooOld, event.ClassDuplicate:
		n.count.Duplicates++
	}
}

// keyOrSlot is where a new packet goes behind the window: parts of messages to the checks of memory and match, requests
// and answers to the request slots.
func keyOrSlot(op wire.Opcode) Station {
	switch op {
	case wire.OpcodeWrite, wire.OpcodeWriteImm:
		return StationKey
	case wire.OpcodeSend, wire.OpcodeSendImm:
		return StationRecv
	}
	return StationSlot
}

// key is the station of R-KEY.
func (n *NIC) key(it *item) {
	d := &it.d
	in := event.KeyIn{Rkey: d.Rkey, Addr: d.Addr, PayloadLen: d.PayloadLen, Length: d.Length, Conn: d.Conn}
	row := n.keyAt(d.Rkey)
	var out event.KeyOut
	key.Step(&row, event.KeyCheck, &in, &out)
	if n.trace != nil {
		n.record(&event.Key{Head: n.head(event.KeyCheck, d), Out: out, In: in, Key: row})
	}
	d.Syndrome = out.Syndrome
	if d.Opcode == wire.OpcodeWriteImm {
		n.to(StationRecv, it)
		return
	}
	n.to(StationMessage, it)
}

// keyAt is the region of a key, all zero beyond the table.
func (n *NIC) keyAt(rkey uint32) event.KeyKey {
	if i := rkey >> 8; i < uint32(len(n.keys)) {
		return n.keys[i]
	}
	return event.KeyKey{}
}

// recv is the station of R-RECV.
func (n *NIC) recv(it *item) {
	d := &it.d
	row := it.s.recvAt(d.RecvIndex)
	in := event.RecvIn{
		RecvIndex: d.RecvIndex, StreamRow: d.StreamRow, Write: d.Opcode == wire.OpcodeWriteImm,
		Length: d.Length, Offset: d.Offset, Addr: d.Addr, SyndromeIn: d.Syndrome,
	}
	var out event.RecvOut
	recv.Step(row, event.RecvMatch, &in, &out)
	if n.trace != nil {
		n.record(&event.Recv{Head: n.head(event.RecvMatch, d), Out: out, In: in, Recv: *row})
	}
	d.Syndrome, d.Addr, d.WrId = out.Syndrome, out.AddrOut, out.WrIdOut
	n.to(StationMessage, it)
}

// message is the station of R-MESSAGE.
func (n *NIC) message(it *item) {
	d := &it.d
	in := event.MessageIn{
		StreamRow: d.StreamRow, Msn: d.Msn, Attempt: d.Attempt, Opcode: d.Opcode, Length: d.Length, Offset: d.Offset,
		PayloadLen: d.PayloadLen, Old: d.Old, SyndromeIn: d.Syndrome,
	}
	var out event.MessageOut
	slot := it.s.slotFor(d.Msn, d.Old)
	message.Step(&slot.message, &it.s.sticky, event.MessagePacket, &in, &out)
	if n.trace != nil {
		n.record(&event.Message{Head: n.head(event.MessagePacket, d), Out: out, In: in, Slot: slot.message, Stream: it.s.sticky})
	}
	d.Life, d.Fresh = out.Life, out.Fresh
	if out.Nak {
		n.nak(it, &out)
	}
	if out.Verdict != event.VerdictPlace {
		n.count.Verdicts[out.Verdict]++
	} else {
		n.to(StationMemory, it)
	}
}
