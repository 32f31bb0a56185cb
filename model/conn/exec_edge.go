package conn

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
)

// execPacketIn takes the next frame: it is read as it will be admitted.
func (r *Receiver) execPacketIn(dst *[event.MaxRecord]byte) (int, *Illegal) {
	q := r.frames.Head()
	if q == nil {
		return 0, r.illegal(event.KindPacketIn, 0, "no frame is left: every frame of the stimulus was taken")
	}
	r.frames.Drop()
	a := r.arrived.Push()
	admit.Parse(q.frame, r.regs.udpPort, &a.d)
	a.d.Xid = q.xid
	a.at, a.payload = r.now, admit.Payload(q.frame, &a.d)
	a.held, a.refused, a.ahead = r.beats.mostSince(r.headSince()), r.beats.refused, r.arrived.Len()-1
	r.beats.arrive(r.now, int(a.d.BufBeats))
	r.beats.buffered += int(a.d.BufBeats)
	e := &r.s.packetIn
	e.Head = r.headOf(0, q.xid, 0, 0, 0)
	e.In = event.PacketInIn{FrameLen: uint16(min(len(q.frame), 0xffff)), Hash: DigestBytes(q.frame)}
	q.frame = nil
	return e.Encode(dst), nil
}

func (r *Receiver) execPacketOut(dst *[event.MaxRecord]byte) (int, *Illegal) {
	p := r.packets.Head()
	if p == nil {
		return 0, r.illegal(event.KindPacketOut, 0, "no packet is pending: ack built none that did not leave")
	}
	r.packets.Drop()
	e := &r.s.packetOut
	e.Head = r.headOf(0, p.xid, p.conn, p.path, 0)
	b := p.bytes[:p.n]
	e.In = event.PacketOutIn{Length: uint16(p.n), Sport: p.sport, Hash: DigestBytes(b)}
	clear(e.In.Bytes[copy(e.In.Bytes[:], b):])
	return e.Encode(dst), nil
}

func (r *Receiver) execCompletion(dst *[event.MaxRecord]byte) (int, *Illegal) {
	c := r.completions.Head()
	if c == nil {
		return 0, r.illegal(event.KindCompletion, 0, "no completion is pending: complete released none that did not leave")
	}
	r.completions.Drop()
	e := &r.s.completion
	e.Head = r.headOf(0, c.xid, c.in.Conn, 0, c.in.Stream)
	e.In = c.in
	return e.Encode(dst), nil
}

func (r *Receiver) execCommandDone(dst *[event.MaxRecord]byte) (int, *Illegal) {
	c := r.confirmed.Head()
	if c == nil {
		return 0, r.illegal(event.KindCommandDone, 0, "no command can be confirmed: none is pending behind answered writes only")
	}
	if c.behind > r.settled {
		bad := r.illegal(event.KindCommandDone, 0, "complete did not execute it yet")
		bad.Xid = c.xid
		return 0, bad
	}
	r.confirmed.Drop()
	r.regs.done++
	e := &r.s.commandDone
	e.Head = r.headOf(0, c.xid, 0, 0, 0)
	e.In = event.CommandDoneIn{Cmd: c.op}
	return e.Encode(dst), nil
}

func (r *Receiver) execRegister(dst *[event.MaxRecord]byte) (int, *Illegal) {
	a := r.accesses.Head()
	if a == nil {
		return 0, r.illegal(event.KindRegister, 0, "no register access is left: every one of the stimulus was done")
	}
	r.accesses.Drop()
	e := &r.s.register
	e.Head = r.headOf(0, 0, 0, 0, 0)
	e.In = event.RegisterIn{Addr: a.addr, Write: a.write, Data: a.value}
	if a.write {
		r.writeRegister(a.addr, a.value)
	} else {
		e.In.Data = r.readRegister(a.addr)
	}
	return e.Encode(dst), nil
}
