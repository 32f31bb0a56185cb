package expect

import (
	"cmp"
	"fmt"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Mismatch is one difference between what was expected and what was seen.
type Mismatch struct {
	Rule    string `json:"rule"`    // of docs/protocol.md
	Class   string `json:"class"`   // of events, or the named predicate
	Segment int    `json:"segment"` // from 0
	Xid     uint32 `json:"xid,omitempty"`
	Field   string `json:"field"`
	Want    string `json:"want"`
	Got     string `json:"got"`
}

// String is one line.
func (m *Mismatch) String() string {
	s := fmt.Sprintf("segment %d", m.Segment)
	if m.Xid != 0 {
		s += ", " + XidName(m.Xid)
	}
	return fmt.Sprintf("%s: %s %s: %s is expected, %s was seen (%s)", s, m.Class, m.Field, m.Want, m.Got, m.Rule)
}

// XidName is how a frame or command is called.
func XidName(xid uint32) string {
	if xid >= CommandBit {
		return fmt.Sprintf("command %d", xid-CommandBit)
	}
	return fmt.Sprintf("frame %d", xid)
}

// Result of a comparison.
type Result struct {
	Mismatches []Mismatch `json:"mismatches,omitempty"`
	More       int        `json:"more,omitempty"` // mismatches that are not listed
	Compared   int        `json:"compared"`       // events that both sides have
	Acks       int        `json:"acks"`           // held against the predicates
}

// Holds says whether nothing differs.
func (r *Result) Holds() bool { return len(r.Mismatches) == 0 }

// MostMismatches is where the list of Compare stops: one cause makes many.
const MostMismatches = 20

type comparison struct {
	want *Set
	most int
	got  *Seen
	res  Result
	seg  int
}

func (c *comparison) differ(m Mismatch) {
	if len(c.res.Mismatches) >= c.most {
		c.res.More++
		return
	}
	m.Segment = c.seg
	c.res.Mismatches = append(c.res.Mismatches, m)
}

// Compare holds what was seen against a set.
func Compare(want *Set, got *Seen) *Result { return CompareAll(want, got, MostMismatches) }

// CompareAll lists up to so many mismatches.
func CompareAll(want *Set, got *Seen, most int) *Result {
	c := &comparison{want: want, got: got, most: most}
	for _, b := range got.Broken {
		c.differ(Mismatch{Rule: "R-RECORD", Class: "record", Field: "bytes", Want: "what can be read", Got: b})
	}
	if len(want.Fates) != len(got.Fates) || len(want.Segments) != len(got.Segments) {
		c.differ(Mismatch{Rule: "R-RECORD", Class: "stimulus", Field: "frames and settles", Want: sizes(want), Got: sizes(&got.Set)})
		return &c.res
	}
	frame := uint32(0)
	acks := newAckCheck()
	for i := range want.Segments {
		c.seg = i
		w, g := &want.Segments[i], &got.Segments[i]
		for ; frame < w.End.Frames; frame++ {
			c.fate(frame+1, &want.Fates[frame], &got.Fates[frame])
		}
		c.completions(w.Completions, g.Completions)
		c.replies(w, g)
		c.reads(w.Reads, g.Reads)
		c.dones(w.Dones, g.Dones)
		if got.Commits {
			c.states(w.States, g.States)
		}
		acks.segment(c, i)
	}
	return &c.res
}

func sizes(s *Set) string {
	return fmt.Sprintf("%d frames in %d segments", len(s.Fates), len(s.Segments))
}

func (c *comparison) fate(xid uint32, w, g *Fate) {
	c.res.Compared++
	if *w == *g && c.got.Commits {
		return
	}
	say := func(rule, field string, same bool, want, got any) {
		if !same {
			c.differ(Mismatch{Rule: rule, Class: "fate", Xid: xid, Field: field, Want: fmt.Sprint(want), Got: fmt.Sprint(got)})
		}
	}
	if c.got.Commits {
		say("R-ADMIT", "reason", w.Reason == g.Reason, w.Reason, g.Reason)
		say("R-WINDOW", "class", w.Class == g.Class, ClassName(w.Class), ClassName(g.Class))
		say("R-RECV", "syndrome", w.Syndrome == g.Syndrome, w.Syndrome, g.Syndrome)
		say("R-MESSAGE", "verdict", w.Verdict == g.Verdict, w.Verdict, g.Verdict)
	}
	say("R-MEMWRITE", "write", w.Write == g.Write, w.Write, g.Write)
	if w.Write && g.Write {
		say("R-PLACE", "addr", w.Addr == g.Addr, hex(w.Addr), hex(g.Addr))
		say("R-MEMWRITE", "length", w.Length == g.Length, w.Length, g.Length)
		say("R-MEMWRITE", "data", !g.Wrong, "the payload", "other bytes")
		say("R-MEMPORT", "failed", w.Failed == g.Failed, w.Failed, g.Failed)
	}
}

// ClassName is the window class, or what stands for none.
func ClassName(c event.Class) string {
	if c == NoClass {
		return "none"
	}
	return c.String()
}

func hex(v uint64) string { return fmt.Sprintf("%#x", v) }

// ordered holds two lists against each other, key by key, in the order of each key. same says what differs in a pair.
func ordered[T any, K comparable](c *comparison, class, rule string, want, got []T, key func(*T) K, xid func(*T) uint32, text func(*T) string,
	same func(w, g *T) (field, wantText, gotText, fieldRule string)) {
	if len(want) == 0 && len(got) == 0 {
		return
	}
	w, order := split(want, key)
	g, more := split(got, key)
	for _, k := range more {
		if _, known := w[k]; !known {
			order = append(order, k)
		}
	}
	for _, k := range order {
		a, b := w[k], g[k]
		for i := range max(len(a), len(b)) {
			switch {
			case i >= len(b):
				c.differ(Mismatch{Rule: rule, Class: class, Xid: xid(a[i]), Field: "event", Want: text(a[i]), Got: "nothing"})
			case i >= len(a):
				c.differ(Mismatch{Rule: rule, Class: class, Xid: xid(b[i]), Field: "event", Want: "nothing more", Got: text(b[i])})
			default:
				c.res.Compared++
				if field, wt, gt, fr := same(a[i], b[i]); field != "" {
					c.differ(Mismatch{Rule: fr, Class: class, Xid: xid(a[i]), Field: field, Want: wt, Got: gt})
				}
			}
		}
	}
}

// split groups a list by key, keys in the order of their first event.
func split[T any, K comparable](list []T, key func(*T) K) (map[K][]*T, []K) {
	m, order := map[K][]*T{}, []K(nil)
	for i := range list {
		k := key(&list[i])
		if m[k] == nil {
			order = append(order, k)
		}
		m[k] = append(m[k], &list[i])
	}
	return m, order
}

func (c *comparison) completions(want, got []Completion) {
	if slices.Equal(want, got) {
		c.res.Compared += len(want)
		return
	}
	ordered(c, "completion", "R-COMPLETION", want, got, func(p *Completion) uint64 { return uint64(p.Conn)<<16 | uint64(p.Stream) },
		func(p *Completion) uint32 { return p.Xid }, func(p *Completion) string { return fmt.Sprintf("%+v", p.CompletionIn) },
		func(w, g *Completion) (string, string, string, string) {
			switch {
			case w.Msn != g.Msn:
				return "msn", fmt.Sprint(w.Msn), fmt.Sprint(g.Msn), "R-ORDER"
			case w.CompletionIn != g.CompletionIn:
				return "fields", fmt.Sprintf("%+v", w.CompletionIn), fmt.Sprintf("%+v", g.CompletionIn), "R-COMPLETE"
			}
			return "", "", "", ""
		})
}

func (c *comparison) reads(want, got []Read) {
	ordered(c, "read", "R-REGISTER", want, got, func(*Read) int { return 0 }, func(*Read) uint32 { return 0 },
		func(r *Read) string { return fmt.Sprintf("%#x from %#x", r.Value, r.Addr) },
		func(w, g *Read) (string, string, string, string) {
			if *w != *g {
				return fmt.Sprintf("register %#x", w.Addr), hex(uint64(w.Value)), fmt.Sprintf("%#x from %#x", g.Value, g.Addr), "R-REGISTER"
			}
			return "", "", "", ""
		})
}

func (c *comparison) dones(want, got []Done) {
	ordered(c, "done", "R-CMDDONE", want, got, func(*Done) int { return 0 }, func(d *Done) uint32 { return d.Xid },
		func(d *Done) string { return fmt.Sprintf("%s %s", XidName(d.Xid), d.Op) },
		func(w, g *Done) (string, string, string, string) {
			if *w != *g {
				return "command", fmt.Sprint(*w), fmt.Sprint(*g), "R-CMDDONE"
			}
			return "", "", "", ""
		})
}

// replies are in order for each path and kind. How far an answer's stream is complete is a matter of the moment: at
// least what was so at the settle before, at most what is so at the one behind it.
func (c *comparison) replies(w, g *Segment) {
	type key struct {
		Path
		op wire.Opcode
	}
	ordered(c, "reply", "R-PKTOUT", w.Replies, g.Replies, func(r *Reply) key { return key{r.Path, r.Op} },
		func(r *Reply) uint32 { return r.Xid }, (*Reply).String,
		func(want, got *Reply) (string, string, string, string) {
			a, b := *want, *got
			a.Completed, b.Completed = 0, 0
			if a != b {
				rule := "R-PKTOUT"
				if a.Sport != b.Sport {
					rule = "R-REPLY-PORT"
				}
				return a.Op.String(), a.String(), b.String(), rule
			}
			if lo, hi := w.CompletedBounds(want); int32(got.Completed-lo) < 0 || int32(got.Completed-hi) > 0 {
				return "completed", fmt.Sprintf("%d..%d", lo, hi), fmt.Sprint(got.Completed), "R-QUERY"
			}
			return "", "", "", ""
		})
}

// CompletedBounds says between which values the completed msn of an answer may lie that leaves in this segment: around
// what the model without time saw, every message of the stream that completes in the segment may have done so or not.
func (s *Segment) CompletedBounds(r *Reply) (lo, hi uint32) {
	lo, hi = r.Completed, r.Completed
	var a wire.Answer
	if r.Op != wire.OpcodeAnswer || a.Decode(r.Body[:]) != nil || !a.Query {
		return lo, hi
	}
	for i := range s.Completions {
		p := &s.Completions[i]
		if p.Conn != r.Conn || p.Stream != a.Stream {
			continue
		}
		if int32(p.Msn-lo) < 0 {
			lo = p.Msn
		}
		if int32(p.Msn+1-hi) > 0 {
			hi = p.Msn + 1
		}
	}
	return lo, hi
}

func (c *comparison) states(want, got []State) {
	if slices.Equal(want, got) {
		c.res.Compared += len(want)
		return
	}
	ordered(c, "state", "R-WINDOW", want, got, func(s *State) Path { return s.Path }, func(s *State) uint32 { return s.Xid },
		func(s *State) string { return fmt.Sprintf("%+v", s.Ack) },
		func(w, g *State) (string, string, string, string) {
			if *w != *g {
				field, a, b := w.Ack.diff(&g.Ack)
				if field == "" {
					field, a, b = "packet", fmt.Sprint(w.Xid, w.Peer), fmt.Sprint(g.Xid, g.Peer)
				}
				return field, a, b, "R-WINDOW"
			}
			return "", "", "", ""
		})
}

// String is one line.
func (r *Reply) String() string {
	s := fmt.Sprintf("%s on path %d.%d to %#x from port %d", r.Op, r.Conn, r.Index, r.Peer, r.Sport)
	switch r.Op {
	case wire.OpcodeNak:
		var n wire.Nak
		if n.Decode(r.Body[:]) == nil {
			s += fmt.Sprintf(": stream %d msn %#x attempt %d syndrome %s", n.Stream, n.Msn, n.Attempt, n.Syndrome)
		}
	case wire.OpcodeAnswer:
		var a wire.Answer
		if a.Decode(r.Body[:]) == nil {
			s += fmt.Sprintf(": port %d new_epoch %d query %t txn %d stream %d completed %#x msn %#x attempt %d syndrome %s echo_time %#x",
				a.Port, a.NewEpoch, a.Query, a.Txn, a.Stream, a.Completed, a.Msn, a.Attempt, a.Syndrome, a.EchoTime)
		}
	}
	return s
}

func comparePath(a, b Path) int {
	return cmp.Or(cmp.Compare(a.Conn, b.Conn), cmp.Compare(a.Index, b.Index))
}
