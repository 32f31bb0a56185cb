package conn

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
)

// execAdmit executes the next frame or command; which of them is told by the op.
func (r *Receiver) execAdmit(op, room uint8, dst *[event.MaxRecord]byte) (int, *Illegal) {
	switch op {
	case event.AdmitPacket:
		a := r.arrived.Head()
		if a == nil {
			return 0, r.illegal(event.KindAdmit, op, "no frame is pending: every frame that ended was admitted or dropped")
		}
		if bad := r.checkRoom(a, room); bad != nil {
			return 0, bad
		}
		r.arrived.Drop()
		return r.admit(op, a, &a.d, room, dst), nil
	case event.AdmitCommand:
		c := r.commands.Head()
		if c == nil {
			return 0, r.illegal(event.KindAdmit, op, "no command is pending: every command that was started was admitted")
		}
		r.commands.Drop()
		return r.admit(op, nil, &c.d, 0, dst), nil
	}
	return 0, r.illegal(event.KindAdmit, op, "no such op")
}

// admit makes the step and, whatever it decides, the flight: a dropped frame travels on so that its beats are
// released in order. a is nil for a command.
func (r *Receiver) admit(op uint8, a *arrival, d *event.Desc, room uint8, dst *[event.MaxRecord]byte) int {
	e := &r.s.admit
	need := int(d.BufBeats)
	if room == admit.RoomOverrun {
		*d = event.Desc{Xid: d.Xid}
	}
	d.Room = room
	e.In = event.AdmitIn{
		Cmd: d.Op, ReasonIn: d.Reason, FrameLen: d.FrameLen, Room: d.Room, Opcode: d.Opcode, DstConn: d.DstConn,
		Path: d.Path, Stream: d.Stream, Msn: d.Msn, Length: d.Length, PayloadLen: d.PayloadLen, Query: d.Query,
		StreamRowIn: d.StreamRow, Txn: d.Txn, Rkey: d.Rkey,
	}
	index := int(d.DstConn & 0xffff)
	e.Conn = event.AdmitConn{}
	if index < len(r.t.conns) {
		e.Conn = r.t.conns[index]
	}
	if op == event.AdmitPacket {
		if row, ok := admit.StreamLookup(&e.Conn, &e.In); ok && int(row) < len(r.t.orders) {
			e.In.Open, e.In.Completed = r.t.orders[row].Open, r.t.orders[row].Completed
		}
	}
	admit.Step(&r.p, &e.Conn, op, &e.In, &e.Out)
	if op == event.AdmitCommand && index < len(r.t.conns) {
		r.t.conns[index] = e.Conn
	}
	d.Conn, d.PathRow, d.StreamRow, d.Old = e.Out.Conn, e.Out.PathRow, e.Out.StreamRow, e.Out.Old
	e.Head = r.descHead(op, d)

	f := r.flights.Push()
	*f = flight{at: r.now, from: stNone, d: *d}
	if a != nil {
		r.takeFrame(f, a, need, e.Out.Reason)
	} else {
		f.live = true
		plan(f)
	}
	r.advance(stWindow)
	return e.Encode(dst)
}

// takeFrame counts a frame and its beats.
func (r *Receiver) takeFrame(f *flight, a *arrival, need int, reason event.Reason) {
	r.counters.Drops[reason]++
	if f.d.Room != admit.RoomTaken {
		r.beats.refuse(need)
		r.beats.buffered -= need
	} else {
		f.beats = need
		r.beats.sure += need
	}
	if reason == event.ReasonNone {
		f.live, f.payload = true, a.payload
		plan(f)
	}
}
