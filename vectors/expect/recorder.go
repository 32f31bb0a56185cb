package expect

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/stimulus"
)

// Seen is what a run showed.
type Seen struct {
	Set
	Acks    []SegmentAcks // by segment
	Commits bool          // engines were seen too: fates and states are whole
	Frames  uint32        // that entered
	Broken  []string      // records and packets that could not be read
}

// SegmentAcks are the acknowledgements of a segment, in order.
type SegmentAcks []Ack

// Points are the settles of a stimulus. The last one is its end.
func Points(items stimulus.List) []Point {
	var points []Point
	var now Point
	settle := func() {
		if n := len(points); n == 0 && now == (Point{}) || n > 0 && points[n-1] == now {
			return
		}
		points = append(points, now)
	}
	for i := range items {
		switch items[i].Kind {
		case stimulus.KindFrame:
			now.Frames++
		case stimulus.KindWrite, stimulus.KindRead:
			now.Accesses++
		case stimulus.KindWaitIdle, stimulus.KindFault:
			settle()
		}
	}
	settle()
	return points
}

// Recorder makes what was seen out of records. Observe must be given every record of the run, in order.
type Recorder struct {
	seen     Seen
	payload  func(xid uint32) []byte
	accesses uint32
	at       int // segment

	admit    event.Admit
	window   event.Window
	key      event.Key
	recv     event.Recv
	message  event.Message
	write    event.MemWrite
	cpl      event.Completion
	register event.Register
	done     event.CommandDone
	out      event.PacketOut
}

// NewRecorder makes one for a stimulus of so many frames with these settles. payload gives a frame's payload, nil where
// it has none.
func NewRecorder(frames int, points []Point, payload func(xid uint32) []byte) *Recorder {
	r := &Recorder{payload: payload}
	r.seen.Fates = make([]Fate, frames)
	for i := range r.seen.Fates {
		r.seen.Fates[i].Class = NoClass
	}
	r.seen.Segments = make([]Segment, len(points))
	for i, p := range points {
		r.seen.Segments[i].End = p
	}
	r.seen.Acks = make([]SegmentAcks, len(points))
	return r
}

// Seen is what was seen so far. It stays the recorder's.
func (r *Recorder) Seen() *Seen { return &r.seen }

// Observe takes one transaction: head and state records. The bytes are not kept.
func (r *Recorder) Observe(rec []byte) {
	if len(rec) < event.RecordSize || len(r.seen.Segments) == 0 {
		r.broken("a record of too few bytes, or of a run without stimulus")
		return
	}
	var err error
	switch event.Kind(rec[1]) {
	case event.KindPacketIn:
		r.enter()
	case event.KindAdmit:
		err = r.onAdmit(rec)
	case event.KindWindow:
		err = r.onWindow(rec)
	case event.KindKey:
		err = r.onKey(rec)
	case event.KindRecv:
		err = r.onRecv(rec)
	case event.KindMessage:
		err = r.onMessage(rec)
	case event.KindMemWrite:
		err = r.onWrite(rec)
	case event.KindCompletion:
		err = r.onCompletion(rec)
	case event.KindRegister:
		err = r.onRegister(rec)
	case event.KindCommandDone:
		err = r.onDone(rec)
	case event.KindPacketOut:
		err = r.onPacket(rec)
	}
	if err != nil {
		r.broken(err.Error())
	}
}

// mostBroken bounds what is kept of records that cannot be read: one cause makes many.
const mostBroken = 20

func (r *Recorder) broken(what string) {
	if len(r.seen.Broken) < mostBroken {
		r.seen.Broken = append(r.seen.Broken, what)
	}
}

// enter counts a frame; the first one behind a settle begins the next segment.
func (r *Recorder) enter() {
	r.seen.Frames++
	for r.at < len(r.seen.Segments)-1 && r.seen.Frames > r.segment().End.Frames {
		r.at++
	}
}

func (r *Recorder) segment() *Segment { return &r.seen.Segments[r.at] }

// fate is that of a frame; nil for commands.
func (r *Recorder) fate(xid uint32) *Fate {
	if xid == 0 || uint64(xid) > uint64(len(r.seen.Fates)) {
		return nil
	}
	return &r.seen.Fates[xid-1]
}

func (r *Recorder) onAdmit(rec []byte) error {
	r.seen.Commits = true
	err := r.admit.Decode(rec)
	if f := r.fate(r.admit.Head.Xid); f != nil {
		f.Reason = r.admit.Out.Reason
	}
	return err
}

func (r *Recorder) onWindow(rec []byte) error {
	err := r.window.Decode(rec)
	w := &r.window
	if f := r.fate(w.Head.Xid); f != nil {
		f.Class = w.Out.Class
	}
	if w.Out.Class == event.ClassTooNew {
		return err // nothing that an ACK could report
	}
	p := &w.Path
	g := r.segment()
	g.States = append(g.States, State{Path: Path{w.Head.Conn, w.Head.Path}, Xid: w.Head.Xid, Peer: p.Peer, Ack: Report{
		Epoch: p.Epoch, Detour: p.LastD, Sport: p.LastSport, HighValid: p.HighValid, Cum: p.Cum, HighTsn: p.HighTsn, EchoPsn: p.LastPsn,
		EchoTime: p.LastTime, Packets: p.Packets, Ce: p.Ce, Dups: p.Dups, Bytes: p.Bytes, Vector: p.Vector,
	}})
	return err
}

func (r *Recorder) onKey(rec []byte) error {
	err := r.key.Decode(rec)
	if f := r.fate(r.key.Head.Xid); f != nil && r.key.Head.Op == event.KeyCheck {
		f.Syndrome = r.key.Out.Syndrome
	}
	return err
}

func (r *Recorder) onRecv(rec []byte) error {
	err := r.recv.Decode(rec)
	if f := r.fate(r.recv.Head.Xid); f != nil && r.recv.Head.Op == event.RecvMatch {
		f.Syndrome = r.recv.Out.Syndrome // key's is handed through
	}
	return err
}

func (r *Recorder) onMessage(rec []byte) error {
	err := r.message.Decode(rec)
	if f := r.fate(r.message.Head.Xid); f != nil && r.message.Head.Op == event.MessagePacket {
		f.Verdict = r.message.Out.Verdict
	}
	return err
}

func (r *Recorder) onWrite(rec []byte) error {
	err := r.write.Decode(rec)
	in := &r.write.In
	f := r.fate(r.write.Head.Xid)
	if f == nil {
		r.broken("a write to memory of no frame")
		return err
	}
	body := r.payload(r.write.Head.Xid)
	f.Wrong = f.Write || int(in.Length) != len(body) || in.Hash != Digest(body)
	f.Write, f.Failed, f.Addr, f.Length = true, in.Error, in.Addr, in.Length
	return err
}

// Digest is that of bytes in boundary records: over words of 8 bytes, the last one filled with zeros.
func Digest(b []byte) uint64 {
	whole := len(b) &^ 7
	if whole == len(b) {
		return event.Digest(b)
	}
	return event.Digest(append(b[:len(b):len(b)], make([]byte, 8-len(b)&7)...))
}

func (r *Recorder) onCompletion(rec []byte) error {
	err := r.cpl.Decode(rec)
	g := r.segment()
	g.Completions = append(g.Completions, Completion{Xid: r.cpl.Head.Xid, CompletionIn: r.cpl.In})
	return err
}

func (r *Recorder) onRegister(rec []byte) error {
	err := r.register.Decode(rec)
	r.accesses++
	for r.at < len(r.seen.Segments)-1 && r.accesses > r.segment().End.Accesses {
		r.at++
	}
	if in := &r.register.In; !in.Write {
		g := r.segment()
		g.Reads = append(g.Reads, Read{in.Addr, in.Data})
	}
	return err
}

func (r *Recorder) onDone(rec []byte) error {
	err := r.done.Decode(rec)
	g := r.segment()
	g.Dones = append(g.Dones, Done{r.done.Head.Xid, r.done.In.Cmd})
	return err
}

func (r *Recorder) onPacket(rec []byte) error {
	if err := r.out.Decode(rec); err != nil {
		return err
	}
	in := &r.out.In
	b := in.Bytes[:min(int(in.Length), len(in.Bytes))]
	var base wire.Base
	if err := base.Decode(b); err != nil {
		return err
	}
	if len(b) < preset.IcrcBytes || wire.ICRC(b[:len(b)-preset.IcrcBytes]) != little(b[len(b)-preset.IcrcBytes:]) {
		r.broken("a reply with a wrong ICRC")
		return nil
	}
	body := b[wire.BaseSize : len(b)-preset.IcrcBytes]
	path := Path{r.out.Head.Conn, r.out.Head.Path}
	if base.Path != path.Index || base.Psn != 0 || base.Tsn != 0 || base.Version != preset.Version {
		r.broken("a reply with a base header of another path, or with serial numbers")
	}
	if base.Opcode == wire.OpcodeAck {
		return r.onAck(path, &base, body)
	}
	return r.onReply(path, &base, body)
}

func little(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (r *Recorder) onAck(path Path, base *wire.Base, body []byte) error {
	var a wire.Ack
	if err := a.Decode(body); err != nil {
		return err
	}
	r.seen.Acks[r.at] = append(r.seen.Acks[r.at], Ack{
		Path: path, Peer: base.DstConn, Held: a.Held, Hint: a.Hint, HintGen: a.HintGen, Frames: r.seen.Frames,
		NoticeValid: a.NoticeValid, Notice: Notice{a.NoticeStream, a.NoticeMsn},
		Report: Report{
			Epoch: base.Epoch, Detour: base.FlagD, Sport: r.out.In.Sport, HighValid: a.HighValid, Cum: a.Cum, HighTsn: a.HighTsn,
			EchoPsn: a.EchoPsn, EchoTime: a.EchoTime, Packets: a.Packets, Ce: a.Ce, Dups: a.Dups, Bytes: a.Bytes, Vector: a.Vector,
		},
	})
	return nil
}

func (r *Recorder) onReply(path Path, base *wire.Base, body []byte) error {
	p := Reply{Path: path, Xid: r.out.Head.Xid, Op: base.Opcode, Sport: r.out.In.Sport, Peer: base.DstConn}
	if base.Opcode == wire.OpcodeAnswer {
		var a wire.Answer
		if err := a.Decode(body); err != nil {
			return err
		}
		p.Completed, a.Completed = a.Completed, 0
		body = a.Append(nil)
	}
	copy(p.Body[:], body)
	g := r.segment()
	g.Replies = append(g.Replies, p)
	return nil
}
