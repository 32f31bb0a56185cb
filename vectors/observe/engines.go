package observe

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// path is what is known of a path without looking at any window: which psns were let in since it was started.
type path struct {
	life     int
	first    uint32 // psn it was started with
	come     map[uint32]bool
	low      uint32 // all psns from first up to here, not included, came
	reported uint32 // highest cum that an ACK reported
	tally    tally
}

func (o *Observer) path(h *event.Head) *path {
	k := pathKey{h.Conn, h.Path}
	p := o.paths[k]
	if p == nil {
		p = &path{come: map[uint32]bool{}, tally: newTally()}
		o.paths[k] = p
	}
	return p
}

func (o *Observer) admit(h *event.Head, rec []byte) {
	var r event.Admit
	o.fail(r.Decode(rec))
	if h.Op == event.AdmitCommand {
		o.count("commands")
		return
	}
	if r.Out.Reason != event.ReasonNone {
		o.count("drops")
		o.count("drops." + r.Out.Reason.String())
		return
	}
	o.count("admitted")
	if f := o.frame(h.Xid); f == nil || !f.Proper {
		o.breach(h, "a frame was admitted that is not a right one")
	}
}

func (o *Observer) window(h *event.Head, rec []byte) {
	var r event.Window
	o.fail(r.Decode(rec))
	o.keep(lastKey{event.KindWindow, uint32(h.Conn)<<8 | uint32(h.Path)}, rec)
	o.count("class." + r.Out.Class.String())
	p := o.path(h)
	if h.Op == event.WindowSet {
		*p = path{life: p.life + 1, first: r.In.Psn, low: r.In.Psn, reported: r.In.Psn, come: map[uint32]bool{}, tally: newTally()}
		return
	}
	if r.Out.GapShown {
		o.count("gaps")
	}
	if r.Out.GapFilled {
		o.count("fills")
	}
	if r.Out.AckNow {
		o.count("ack_now")
	}
	f := o.frame(h.Xid)
	if f == nil || r.Out.Class == event.ClassTooNew {
		return
	}
	p.tally.add(f, r.Out.Class)
	if h.Op != event.WindowPacket {
		return
	}
	if psn := f.Packet.Psn; r.Out.Class == event.ClassNew && (int32(psn-p.low) < 0 || p.come[psn]) {
		o.breach(h, "psn %#x is new a second time", psn)
	}
	p.arrive(f.Packet.Psn)
}

// arrive notes a psn that was let in. What is below the path's first psn is old and never acknowledged by bits.
func (p *path) arrive(psn uint32) {
	if int32(psn-p.low) < 0 {
		return
	}
	p.come[psn] = true
	for p.come[p.low] {
		delete(p.come, p.low)
		p.low++
	}
}

func (o *Observer) key(h *event.Head, rec []byte) {
	var r event.Key
	o.fail(r.Decode(rec))
	if h.Op == event.KeyCheck {
		o.count("key." + r.Out.Syndrome.String())
	}
}

func (o *Observer) recv(h *event.Head, rec []byte) {
	var r event.Recv
	o.fail(r.Decode(rec))
	if h.Op == event.RecvMatch && r.In.SyndromeIn == wire.SyndromeNone {
		o.count("recv." + r.Out.Syndrome.String())
	}
}

func (o *Observer) message(h *event.Head, rec []byte) {
	var r event.Message
	o.fail(r.Decode(rec))
	o.keep(lastKey{event.KindMessage, uint32(r.In.StreamRow)}, rec)
	if r.Out.Nak {
		o.count("naks")
		o.count("naks." + r.Out.Syndrome.String())
	}
	switch h.Op {
	case event.MessagePacket:
		o.count("verdict." + r.Out.Verdict.String())
		if r.Out.Verdict == event.VerdictPlace && r.In.PayloadLen > 0 {
			o.lives[h.Xid] = r.Out.Life
		}
	case event.MessageQuery:
		o.count("queries")
	case event.MessageFault:
		o.count("faults")
	}
}

// stream is what is known of a stream without looking at any table of the device.
type stream struct {
	open     bool
	life     uint8
	next     uint32 // message that has to be released next
	accepted map[attempt]uint32
}

// attempt names a message under one attempt in one life of its stream. A stream is opened in complete behind writes of
// its new life that memory has taken already, so bytes are counted by life.
type attempt struct {
	life    uint8
	msn     uint32
	attempt uint8
}

func (o *Observer) stream(row uint16) *stream {
	s := o.streams[row]
	if s == nil {
		s = &stream{accepted: map[attempt]uint32{}}
		o.streams[row] = s
	}
	return s
}

// begin opens a stream with a life; what belongs to those before it can complete nothing any more. Packets of one behind it
// may be in memory already: a stream may be opened twice in a row.
func (s *stream) begin(msn uint32, life uint8) {
	s.open, s.life, s.next = true, life, msn
	for k := range s.accepted {
		if int8(k.life-life) < 0 {
			delete(s.accepted, k)
		}
	}
}

func (o *Observer) place(_ *event.Head, rec []byte) {
	var r event.Place
	o.fail(r.Decode(rec))
	if r.Out.Done {
		o.count("done")
	}
}

func (o *Observer) complete(h *event.Head, rec []byte) {
	var r event.Complete
	o.fail(r.Decode(rec))
	o.keep(lastKey{event.KindComplete, uint32(r.In.StreamRow)}, rec)
	s := o.stream(r.In.StreamRow)
	switch h.Op {
	case event.CompleteSet:
		s.begin(r.In.Msn, r.In.Life)
	case event.CompleteClose:
		s.open = false
	}
	if r.Out.Notice {
		o.waiting = append(o.waiting, notice{r.In.StreamRow, s.life})
	}
	if !r.Out.Release {
		return
	}
	o.count("released")
	if h.Op == event.CompleteRun {
		o.count("runs")
	}
	in := &r.In
	o.released = append(o.released, event.CompletionIn{Conn: in.Conn, Stream: in.Stream, Msn: in.Msn, Opcode: in.Opcode, Length: in.Length,
		ImmValue: in.ImmValue, WrId: in.WrId})
	o.checkRelease(h, in, s)
}

// checkRelease holds a release against the packet that made the message whole and the bytes that memory took.
func (o *Observer) checkRelease(h *event.Head, in *event.CompleteIn, s *stream) {
	f := o.frame(h.Xid)
	if f == nil || !f.Packet.HasMessage() {
		o.breach(h, "a completion that no packet of a message stands behind")
		return
	}
	p := &f.Packet
	if f.Row != in.StreamRow || p.Msn != in.Msn || p.Op != in.Opcode || p.Length != in.Length || p.ConnIndex() != in.Conn || p.Stream != in.Stream {
		o.breach(h, "completion of msn %#x of stream row %d (%s, %d bytes): its packet is of msn %#x of row %d (%s, %d bytes)",
			in.Msn, in.StreamRow, in.Opcode, in.Length, p.Msn, f.Row, p.Op, p.Length)
		return
	}
	if p.HasImm() && p.Imm != in.ImmValue {
		o.breach(h, "completion with immediate %#x: the packet has %#x", in.ImmValue, p.Imm)
	}
	if !s.open {
		o.breach(h, "completion of msn %#x of row %d: the stream is closed", in.Msn, in.StreamRow)
	} else if in.Msn != s.next {
		o.breach(h, "completion of msn %#x of row %d: msn %#x is next", in.Msn, in.StreamRow, s.next)
	}
	s.next = in.Msn + 1
	k := attempt{in.Life, in.Msn, p.Attempt}
	if got := s.accepted[k]; got != in.Length {
		o.breach(h, "completion of msn %#x of row %d with %d of %d bytes in memory", in.Msn, in.StreamRow, got, in.Length)
	}
	delete(s.accepted, k)
	o.checkReceive(h, in, f)
}

func (o *Observer) checkReceive(h *event.Head, in *event.CompleteIn, f *compose.Frame) {
	if !f.Packet.IsSend() && !f.Packet.HasImm() {
		if in.WrId != 0 {
			o.breach(h, "completion of a plain Write with work request %#x", in.WrId)
		}
		return
	}
	for _, b := range o.prog.Posted[compose.Receive{Row: f.Row, Index: f.Packet.Recv}] {
		if b.WrID == in.WrId {
			return
		}
	}
	o.breach(h, "completion with work request %#x: no receive posted as index %#x of row %d has it", in.WrId, f.Packet.Recv, f.Row)
}

func (o *Observer) coalesce(h *event.Head, rec []byte) {
	var r event.Coalesce
	o.fail(r.Decode(rec))
	switch {
	case h.Op != event.CoalescePacket:
	case r.Out.Push:
		o.count("pushed")
	case r.In.AckNow:
		o.count("merged")
	}
	if r.Out.Arm {
		o.count("armed")
	}
}

func (o *Observer) ctimer(_ *event.Head, rec []byte) {
	var r event.Ctimer
	o.fail(r.Decode(rec))
	o.count("timers")
	if r.Out.Push {
		o.count("timers.pushed")
	}
}

func (o *Observer) ack(h *event.Head, rec []byte) {
	var r event.Ack
	o.fail(r.Decode(rec))
	o.count("built." + event.OpName(event.KindAck, h.Op))
	if r.Out.Notice {
		o.count("notices")
	}
	if r.Out.NoticeStale {
		o.count("notices.stale")
	}
	p := o.path(h)
	o.takeNotice(h, &r.In, &r.Out)
	o.building = append(o.building, built{p, p.life, h.Xid, r.Out.Notice, r.In.NoticeCompleted})
}
