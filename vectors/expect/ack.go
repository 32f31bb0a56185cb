package expect

import (
	"fmt"
	"maps"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// ackCheck holds acknowledgements against the predicates of the package comment.
type ackCheck struct {
	paths   map[Path]*ackPath
	notices map[noticeKey]bool // released so far
}

type ackPath struct {
	states []State // of the segments so far, from the earliest that an ACK may still report
	last   *Report // that an ACK reported last
	fresh  bool    // the last state is of a packet, of this segment: it has to be reported
}

type streamKey struct{ conn, stream uint16 }

type noticeKey struct {
	streamKey
	msn uint32
}

func newAckCheck() *ackCheck {
	return &ackCheck{paths: map[Path]*ackPath{}, notices: map[noticeKey]bool{}}
}

func (k *ackCheck) segment(c *comparison, i int) {
	w := &c.want.Segments[i]
	for j := range w.States {
		s := &w.States[j]
		p := k.paths[s.Path]
		if p == nil {
			p = &ackPath{}
			k.paths[s.Path] = p
		}
		p.states = append(p.states, *s)
		p.fresh = s.Xid < CommandBit
	}
	for j := range w.Completions {
		p := &w.Completions[j]
		k.notices[noticeKey{streamKey{p.Conn, p.Stream}, p.Msn + 1}] = true
	}
	for j := range c.got.Acks[i] {
		k.ack(c, &c.got.Acks[i][j])
	}
	k.final(c)
}

func (k *ackCheck) ack(c *comparison, a *Ack) {
	c.res.Acks++
	say := func(rule, class, field, want, got string) {
		c.differ(Mismatch{Rule: rule, Class: class, Xid: 0, Field: field, Want: want, Got: got})
	}
	where := fmt.Sprintf("path %d.%d", a.Conn, a.Index)
	if a.NoticeValid && !k.notices[noticeKey{streamKey{a.Conn, a.Notice.Stream}, a.Notice.Msn}] {
		say("R-NOTICE", "notice.ahead", where, "a message that was released", fmt.Sprintf("stream %d complete below %d", a.Notice.Stream, a.Notice.Msn))
	}
	if h := (Hint{a.Hint, a.HintGen}); !slices.Contains(c.want.Hints, h) {
		say("R-HINT", "ack.hint", where, fmt.Sprintf("one of %v", c.want.Hints), fmt.Sprint(h))
	}
	p := k.paths[a.Path]
	if p == nil {
		say("R-ACK", "ack.state", where, "no ACK: no packet came", fmt.Sprintf("%+v", a.Report))
		return
	}
	at := slices.IndexFunc(p.states, func(s State) bool { return s.Ack == a.Report && s.Peer == a.Peer })
	switch {
	case at < 0 && p.last != nil && behind(&a.Report, p.last):
		say("R-ACK", "ack.monotone", where, fmt.Sprintf("nothing before cum %#x, packets %d", p.last.Cum, p.last.Packets), fmt.Sprintf("cum %#x, packets %d", a.Report.Cum, a.Report.Packets))
	case at < 0:
		near := &p.states[len(p.states)-1]
		for i := range p.states { // the state with as many packets says best what is wrong
			if p.states[i].Ack.Packets == a.Report.Packets && p.states[i].Xid < CommandBit {
				near = &p.states[i]
				break
			}
		}
		field, want, got := near.Ack.diff(&a.Report)
		if field == "" {
			field, want, got = "dst_conn", fmt.Sprintf("%#x", near.Peer), fmt.Sprintf("%#x", a.Peer)
		}
		say("R-ACK", "ack.state", where+" "+field, want, got)
	default:
		if xid := p.states[at].Xid; xid < CommandBit && xid > a.Frames {
			say("R-ACK", "ack.ahead", where, fmt.Sprintf("a state before frame %d", a.Frames+1), fmt.Sprintf("that of frame %d", xid))
		}
		p.states = p.states[at:]
		r := a.Report
		p.last = &r
	}
}

// behind says whether a report is one from before another.
func behind(r, last *Report) bool {
	return int32(r.Cum-last.Cum) < 0 || int32(r.Packets-last.Packets) < 0 || int64(r.Bytes-last.Bytes) < 0
}

// final: the device is idle, so the last state of every path that a packet moved has been reported.
func (k *ackCheck) final(c *comparison) {
	for _, path := range slices.SortedFunc(maps.Keys(k.paths), comparePath) {
		p := k.paths[path]
		n := len(p.states)
		if n == 0 {
			continue
		}
		last := &p.states[n-1]
		if p.fresh && (p.last == nil || *p.last != last.Ack) {
			c.differ(Mismatch{Rule: "R-ACK", Class: "ack.final", Xid: last.Xid, Field: fmt.Sprintf("path %d.%d", path.Conn, path.Index),
				Want: fmt.Sprintf("an ACK of the state behind %s", XidName(last.Xid)), Got: "none when the device was idle"})
		}
		p.states, p.fresh = append([]State(nil), *last), false
	}
}

// diff names the first field that differs.
func (r *Report) diff(o *Report) (field, a, b string) {
	for _, f := range reportFields {
		if x, y := f.value(r), f.value(o); x != y {
			return f.name, fmt.Sprintf("%#x", x), fmt.Sprintf("%#x", y)
		}
	}
	return "", "", ""
}

var reportFields = []struct {
	name  string
	value func(*Report) any
}{
	{"cum", func(r *Report) any { return r.Cum }},
	{"vector", func(r *Report) any { return r.Vector }},
	{"high_tsn", func(r *Report) any { return r.HighTsn }},
	{"high_valid", func(r *Report) any { return flag(r.HighValid) }},
	{"epoch", func(r *Report) any { return r.Epoch }},
	{"flag_d", func(r *Report) any { return flag(r.Detour) }},
	{"packets", func(r *Report) any { return r.Packets }},
	{"bytes", func(r *Report) any { return r.Bytes }},
	{"ce", func(r *Report) any { return r.Ce }},
	{"dups", func(r *Report) any { return r.Dups }},
	{"echo_psn", func(r *Report) any { return r.EchoPsn }},
	{"echo_time", func(r *Report) any { return r.EchoTime }},
	{"sport", func(r *Report) any { return r.Sport }},
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Hints are the rate hints that registers held at some time, the one after reset first.
func Hints(items stimulus.List) []Hint {
	now := Hint{}
	list := []Hint{now}
	for i := range items {
		if items[i].Kind != stimulus.KindWrite {
			continue
		}
		switch items[i].Addr {
		case event.RegHint:
			now.Value = items[i].Value & (1<<20 - 1)
		case event.RegHintGen:
			now.Gen = uint8(items[i].Value)
		default:
			continue
		}
		list = append(list, now)
	}
	return list
}
