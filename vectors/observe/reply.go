package observe

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// tally is what came on a path since it was started, and what ACKs said of it: running counts that never go back and
// are never ahead of what came.
type tally struct {
	psns, tsns     map[uint32]bool
	came, reported counters
}

type counters struct {
	packets, ce, dups uint32
	bytes             uint64
}

func newTally() tally { return tally{psns: map[uint32]bool{}, tsns: map[uint32]bool{}} }

// add counts a packet or a flush that the window took notice of.
func (t *tally) add(f *compose.Frame, class event.Class) {
	t.tsns[f.Packet.Tsn] = true
	if class == event.ClassFlush {
		return
	}
	t.psns[f.Packet.Psn] = true
	t.came.packets++
	if f.Packet.Net.CE {
		t.came.ce++
	}
	if class == event.ClassNew {
		t.came.bytes += uint64(len(f.Payload))
	} else {
		t.came.dups++
	}
}

// checkCounts holds an ACK's counts and echoes against the packets that came.
func (o *Observer) checkCounts(h *event.Head, a *wire.Ack, t *tally) {
	said := counters{a.Packets, a.Ce, a.Dups, a.Bytes}
	if said.packets > t.came.packets || said.ce > t.came.ce || said.dups > t.came.dups || said.bytes > t.came.bytes {
		o.breach(h, "ACK with counts %+v: %+v came", said, t.came)
	}
	if r := t.reported; said.packets < r.packets || said.ce < r.ce || said.dups < r.dups || said.bytes < r.bytes {
		o.breach(h, "ACK with counts %+v after one with %+v", said, r)
	}
	t.reported = said
	if a.HighValid && !t.tsns[a.HighTsn] {
		o.breach(h, "ACK with high_tsn %#x: no packet came with it", a.HighTsn)
	}
	if a.Packets > 0 && !t.psns[a.EchoPsn] {
		o.breach(h, "ACK that echoes psn %#x, which did not come", a.EchoPsn)
	}
}

// notice is a completion notice that waits: of which stream row, and of which life.
type notice struct {
	row  uint16
	life uint8
}

// takeNotice holds what an ACK takes from the notice queue against the stream as it stands.
func (o *Observer) takeNotice(h *event.Head, in *event.AckIn, out *event.AckOut) {
	if !out.Notice && !out.NoticeStale {
		return
	}
	if len(o.waiting) == 0 {
		o.breach(h, "a completion notice that no release queued")
		return
	}
	n := o.waiting[0]
	o.waiting = o.waiting[1:]
	s := o.stream(n.row)
	switch {
	case n.row != in.NoticeStreamRow:
		o.breach(h, "notice of stream row %d: the oldest one is of row %d", in.NoticeStreamRow, n.row)
	case !out.Notice:
	case !s.open || s.life != n.life:
		o.breach(h, "notice of stream row %d, which was closed or opened again since", n.row)
	case int32(in.NoticeCompleted-s.next) > 0:
		o.breach(h, "notice that row %d is complete up to %#x: released up to %#x", n.row, in.NoticeCompleted, s.next)
	}
}

// checkNotice: what leaves is what was taken.
func (o *Observer) checkNotice(h *event.Head, a *wire.Ack, from *built) {
	if a.NoticeValid != from.notice || a.NoticeValid && a.NoticeMsn != from.completed {
		o.breach(h, "ACK with notice %t of msn %#x: taken was %t of %#x", a.NoticeValid, a.NoticeMsn, from.notice, from.completed)
	}
}

// nakOut: a NAK is about the packet that it answers, and names a reason.
func (o *Observer) nakOut(h *event.Head, b []byte, from *built) {
	var n wire.Nak
	if n.Decode(b) != nil {
		o.breach(h, "a NAK cut short")
		return
	}
	o.count("nak_replies." + n.Syndrome.String())
	f := o.frame(from.xid)
	if o.prog == nil || f == nil {
		return
	}
	p := &f.Packet
	if n.Syndrome == wire.SyndromeNone || n.Stream != p.Stream || n.Msn != p.Msn || p.HasMessage() && n.Attempt != p.Attempt {
		o.breach(h, "NAK %s of stream %d msn %#x attempt %d: its packet is of stream %d msn %#x attempt %d", n.Syndrome, n.Stream, n.Msn, n.Attempt,
			p.Stream, p.Msn, p.Attempt)
	}
}

// answerOut: an answer gives back what its probe brought; one to a path probe speaks of no stream's state.
func (o *Observer) answerOut(h *event.Head, b []byte, from *built) {
	var a wire.Answer
	if a.Decode(b) != nil {
		o.breach(h, "an answer cut short")
		return
	}
	f := o.frame(from.xid)
	if o.prog == nil || f == nil {
		return
	}
	p := &f.Packet
	if p.Op != wire.OpcodeProbe || a.Query != p.Query || a.Txn != p.Txn || a.Port != p.Port || a.NewEpoch != p.NewEpoch&15 || a.EchoTime != p.Time {
		o.breach(h, "answer %+v does not give back its probe %+v", a, *p)
	}
	if !a.Query && (a.Completed != 0 || a.Syndrome != wire.SyndromeNone) {
		o.breach(h, "answer to a path probe with completed %#x, syndrome %s", a.Completed, a.Syndrome)
	}
}
