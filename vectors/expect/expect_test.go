package expect

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/stimulus"
)

func list(kinds ...stimulus.Kind) stimulus.List {
	var l stimulus.List
	for _, k := range kinds {
		l = append(l, stimulus.Item{Kind: k})
	}
	return l
}

func TestPoints(t *testing.T) {
	const f, w, r, idle, fault, wait = stimulus.KindFrame, stimulus.KindWrite, stimulus.KindRead, stimulus.KindWaitIdle, stimulus.KindFault, stimulus.KindWaitCycles
	for _, c := range []struct {
		items stimulus.List
		want  []Point
	}{
		{nil, nil},
		{list(idle, idle), nil},
		{list(f), []Point{{1, 0}}},
		{list(idle, w, r, idle, f, f, wait, f), []Point{{0, 2}, {3, 2}}},
		{list(f, idle, idle, fault), []Point{{1, 0}}},
		{list(f, fault, f, idle), []Point{{1, 0}, {2, 0}}},
	} {
		assert.Equal(t, c.want, Points(c.items))
	}
}

// world is a set with one of everything, and what a device showed that did it all: two packets on a path, the second of
// which completes a message; a NAK; an answer; a register; a command.
func world() (Set, *Seen) {
	path := Path{Conn: 1, Index: 2}
	report := func(n uint32) Report {
		return Report{Epoch: 3, Sport: 50000, HighValid: true, Cum: 10 + n, HighTsn: 20 + n, EchoPsn: 9 + n, EchoTime: 100 + n, Packets: n, Bytes: uint64(64 * n)}
	}
	nak := Reply{Path: path, Xid: 2, Op: wire.OpcodeNak, Sport: 50000, Peer: 0x77}
	answer := Reply{Path: path, Xid: 3, Op: wire.OpcodeAnswer, Sport: 50000, Peer: 0x77, Completed: 5}
	copy(answer.Body[:], (&wire.Answer{Query: true, Stream: 4}).Append(nil))
	set := Set{
		Fates: []Fate{{Class: event.ClassNew, Verdict: event.VerdictPlace, Write: true, Addr: 0x1000, Length: 64},
			{Class: event.ClassNew, Verdict: event.VerdictPlace, Write: true, Failed: true, Addr: 0x2000, Length: 64}, {Class: NoClass}},
		Segments: []Segment{{End: Point{0, 3}, States: []State{{Path: path, Xid: CommandBit, Peer: 0x77, Ack: report(0)}}, Dones: []Done{{CommandBit, event.CommandPathSet}}},
			{End: Point{3, 4}, States: []State{{Path: path, Xid: 1, Peer: 0x77, Ack: report(1)}, {Path: path, Xid: 2, Peer: 0x77, Ack: report(2)}},
				Completions: []Completion{{Xid: 2, CompletionIn: event.CompletionIn{Conn: 1, Stream: 4, Msn: 5, Opcode: wire.OpcodeWrite, Length: 128}}},
				Replies:     []Reply{nak, answer}, Reads: []Read{{0x100, 7}}}},
		Hints: []Hint{{}, {5, 1}},
	}
	seen := &Seen{Set: copySet(set), Commits: true, Frames: 3, Acks: []SegmentAcks{nil, {
		{Path: path, Peer: 0x77, Report: report(1), Frames: 1, Hint: 5, HintGen: 1},
		{Path: path, Peer: 0x77, Report: report(2), Frames: 3, NoticeValid: true, Notice: Notice{4, 6}},
	}}}
	return set, seen
}

func copySet(s Set) Set {
	c := Set{Fates: append([]Fate(nil), s.Fates...), Hints: s.Hints}
	for _, g := range s.Segments {
		g.States, g.Completions = append([]State(nil), g.States...), append([]Completion(nil), g.Completions...)
		g.Replies, g.Reads, g.Dones = append([]Reply(nil), g.Replies...), append([]Read(nil), g.Reads...), append([]Done(nil), g.Dones...)
		c.Segments = append(c.Segments, g)
	}
	return c
}

// TestEveryDifferenceIsNamed changes one thing at a time: it is found, under its rule and class.
func TestEveryDifferenceIsNamed(t *testing.T) {
	want, seen := world()
	res := Compare(&want, seen)
	require.True(t, res.Holds(), "%v", res.Mismatches)
	assert.Equal(t, 3+1+1+2+1+1+2, res.Compared)
	assert.Equal(t, 2, res.Acks)
	for name, c := range map[string]struct {
		change      func(s *Seen)
		rule, class string
	}{
		"reason":            {func(s *Seen) { s.Fates[0].Reason = event.ReasonIcrc }, "R-ADMIT", "fate"},
		"class":             {func(s *Seen) { s.Fates[0].Class = event.ClassDuplicate }, "R-WINDOW", "fate"},
		"syndrome":          {func(s *Seen) { s.Fates[0].Syndrome = wire.SyndromeKey }, "R-RECV", "fate"},
		"verdict":           {func(s *Seen) { s.Fates[0].Verdict = event.VerdictClosed }, "R-MESSAGE", "fate"},
		"no write":          {func(s *Seen) { s.Fates[0].Write = false }, "R-MEMWRITE", "fate"},
		"address":           {func(s *Seen) { s.Fates[0].Addr++ }, "R-PLACE", "fate"},
		"length":            {func(s *Seen) { s.Fates[0].Length-- }, "R-MEMWRITE", "fate"},
		"data":              {func(s *Seen) { s.Fates[0].Wrong = true }, "R-MEMWRITE", "fate"},
		"failed":            {func(s *Seen) { s.Fates[1].Failed = false }, "R-MEMPORT", "fate"},
		"completion msn":    {func(s *Seen) { s.Segments[1].Completions[0].Msn++ }, "R-ORDER", "completion"},
		"completion":        {func(s *Seen) { s.Segments[1].Completions[0].Length++ }, "R-COMPLETE", "completion"},
		"no completion":     {func(s *Seen) { s.Segments[1].Completions = nil }, "R-COMPLETION", "completion"},
		"completion early":  {func(s *Seen) { s.Segments[0].Completions = s.Segments[1].Completions }, "R-COMPLETION", "completion"},
		"two completions":   {func(s *Seen) { g := &s.Segments[1]; g.Completions = append(g.Completions, g.Completions[0]) }, "R-COMPLETION", "completion"},
		"other stream":      {func(s *Seen) { s.Segments[1].Completions[0].Stream++ }, "R-COMPLETION", "completion"},
		"NAK":               {func(s *Seen) { s.Segments[1].Replies[0].Body[0]++ }, "R-PKTOUT", "reply"},
		"sport":             {func(s *Seen) { s.Segments[1].Replies[0].Sport++ }, "R-REPLY-PORT", "reply"},
		"no answer":         {func(s *Seen) { s.Segments[1].Replies = s.Segments[1].Replies[:1] }, "R-PKTOUT", "reply"},
		"completed ahead":   {func(s *Seen) { s.Segments[1].Replies[1].Completed = 7 }, "R-QUERY", "reply"},
		"completed behind":  {func(s *Seen) { s.Segments[1].Replies[1].Completed = 4 }, "R-QUERY", "reply"},
		"register":          {func(s *Seen) { s.Segments[1].Reads[0].Value++ }, "R-REGISTER", "read"},
		"command":           {func(s *Seen) { s.Segments[0].Dones[0].Xid++ }, "R-CMDDONE", "done"},
		"state":             {func(s *Seen) { s.Segments[1].States[0].Ack.Ce++ }, "R-WINDOW", "state"},
		"ACK of no state":   {func(s *Seen) { s.Acks[1][0].Report.Dups = 3 }, "R-ACK", "ack.state"},
		"ACK to another":    {func(s *Seen) { s.Acks[1][0].Peer++ }, "R-ACK", "ack.state"},
		"ACK of no path":    {func(s *Seen) { s.Acks[1][0].Conn = 9 }, "R-ACK", "ack.state"},
		"ACK goes back":     {func(s *Seen) { s.Acks[1] = append(s.Acks[1], s.Acks[1][0]) }, "R-ACK", "ack.monotone"},
		"ACK is ahead":      {func(s *Seen) { s.Acks[1][1].Frames = 1 }, "R-ACK", "ack.ahead"},
		"no last ACK":       {func(s *Seen) { s.Acks[1] = s.Acks[1][:1] }, "R-ACK", "ack.final"},
		"no ACK":            {func(s *Seen) { s.Acks[1] = nil }, "R-ACK", "ack.final"},
		"hint":              {func(s *Seen) { s.Acks[1][0].Hint = 9 }, "R-HINT", "ack.hint"},
		"notice":            {func(s *Seen) { s.Acks[1][1].Notice.Msn = 7 }, "R-NOTICE", "notice.ahead"},
		"notice elsewhere":  {func(s *Seen) { s.Acks[1][1].Notice.Stream = 1 }, "R-NOTICE", "notice.ahead"},
		"what was not read": {func(s *Seen) { s.Broken = []string{"x"} }, "R-RECORD", "record"},
		"other stimulus":    {func(s *Seen) { s.Fates = s.Fates[:2] }, "R-RECORD", "stimulus"},
	} {
		t.Run(name, func(t *testing.T) {
			want, seen := world()
			c.change(seen)
			res := Compare(&want, seen)
			require.False(t, res.Holds())
			m := res.Mismatches[0]
			assert.Equal(t, c.rule, m.Rule, m.String())
			assert.Equal(t, c.class, m.Class, m.String())
			assert.NotEqual(t, m.Want, m.Got)
		})
	}
}

// TestWhatIsFree: order between classes and streams, merged ACKs, an answer's moment, and engines that a target does not show.
func TestWhatIsFree(t *testing.T) {
	for name, change := range map[string]func(w *Set, s *Seen){
		"merged ACKs":        func(_ *Set, s *Seen) { s.Acks[1] = s.Acks[1][1:] },
		"the same ACK again": func(_ *Set, s *Seen) { s.Acks[1] = append(s.Acks[1], s.Acks[1][1]) },
		"time of the answer": func(_ *Set, s *Seen) { s.Segments[1].Replies[1].Completed = 6 },
		"order of kinds": func(_ *Set, s *Seen) {
			r := s.Segments[1].Replies
			r[0], r[1] = r[1], r[0]
		},
		"boundaries only": func(_ *Set, s *Seen) {
			s.Commits = false
			for i := range s.Fates {
				f := &s.Fates[i]
				f.Reason, f.Class, f.Syndrome, f.Verdict = 0, NoClass, 0, 0
			}
			s.Segments[0].States, s.Segments[1].States = nil, nil
		},
		"order of streams": func(w *Set, s *Seen) {
			other := Completion{Xid: 1, CompletionIn: event.CompletionIn{Conn: 1, Stream: 5, Msn: 1}}
			w.Segments[1].Completions = append(w.Segments[1].Completions, other)
			s.Segments[1].Completions = append([]Completion{other}, s.Segments[1].Completions...)
		},
		"how long it was held": func(_ *Set, s *Seen) { s.Acks[1][0].Held = 12345 },
	} {
		t.Run(name, func(t *testing.T) {
			want, seen := world()
			change(&want, seen)
			res := Compare(&want, seen)
			assert.True(t, res.Holds(), "%v", res.Mismatches)
		})
	}
}

// TestAcksTwin: for any run of states and any choice of what is acknowledged, the check says what a look at all pairs says.
func TestAcksTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := Path{Conn: 1}
		n := rapid.IntRange(1, 6).Draw(t, "packets")
		var want Set
		var g Segment
		for i := range n {
			want.Fates = append(want.Fates, Fate{Class: event.ClassNew})
			g.States = append(g.States, State{Path: path, Xid: uint32(i + 1), Ack: Report{Packets: uint32(i + 1), Cum: uint32(i + 1)}})
		}
		g.End = Point{Frames: uint32(n)}
		want.Segments, want.Hints = []Segment{g}, []Hint{{}}
		seen := &Seen{Set: copySet(want), Commits: true}
		var acks SegmentAcks
		right := true
		last := 0
		for range rapid.IntRange(0, 4).Draw(t, "acks") {
			of := rapid.IntRange(1, n+1).Draw(t, "of")
			entered := rapid.IntRange(1, n).Draw(t, "entered")
			acks = append(acks, Ack{Path: path, Report: Report{Packets: uint32(of), Cum: uint32(of)}, Frames: uint32(entered)})
			right = right && of <= n && of >= last && of <= entered
			last = max(last, of)
		}
		right = right && last == n
		seen.Acks = []SegmentAcks{acks}
		require.Equal(t, right, Compare(&want, seen).Holds())
	})
}

func TestListIsBounded(t *testing.T) {
	want, seen := Set{}, &Seen{Commits: true, Acks: make([]SegmentAcks, 1)}
	for range 50 {
		want.Fates = append(want.Fates, Fate{})
		seen.Fates = append(seen.Fates, Fate{Reason: event.ReasonIcrc})
	}
	want.Segments = []Segment{{End: Point{Frames: 50}}}
	seen.Segments = want.Segments
	res := Compare(&want, seen)
	assert.Len(t, res.Mismatches, MostMismatches)
	assert.Equal(t, 50-MostMismatches, res.More)
	assert.Len(t, CompareAll(&want, seen, 1000).Mismatches, 50)
}

func TestHints(t *testing.T) {
	items := stimulus.List{{Kind: stimulus.KindWrite, Addr: event.RegHint, Value: 0x1f00005}, {Kind: stimulus.KindWrite, Addr: event.RegUDPPort, Value: 3},
		{Kind: stimulus.KindWrite, Addr: event.RegHintGen, Value: 0x102}, {Kind: stimulus.KindRead, Addr: event.RegHint}}
	assert.Equal(t, []Hint{{}, {0xf00005 & (1<<20 - 1), 0}, {0xf00005 & (1<<20 - 1), 2}}, Hints(items))
}

// TestReportFieldsAreAll: a field of a report that the list of differences does not know would differ without a name.
func TestReportFieldsAreAll(t *testing.T) {
	assert.Len(t, reportFields, reflect.TypeFor[Report]().NumField())
}

// TestReplyText: what a NAK and an answer say stands there in the words of the other lines.
func TestReplyText(t *testing.T) {
	nak := Reply{Path: Path{1, 2}, Op: wire.OpcodeNak, Sport: 50000, Peer: 0x77}
	copy(nak.Body[:], (&wire.Nak{Stream: 3, Attempt: 1, Syndrome: wire.SyndromeKey, Msn: 9}).Append(nil))
	assert.Equal(t, "nak on path 1.2 to 0x77 from port 50000: stream 3 msn 0x9 attempt 1 syndrome key", nak.String())
	answer := Reply{Path: Path{1, 2}, Op: wire.OpcodeAnswer, Sport: 50000, Peer: 0x77}
	copy(answer.Body[:], (&wire.Answer{Port: 5, NewEpoch: 4, Query: true, Txn: 8, Stream: 3, Completed: 7, Msn: 9, EchoTime: 16}).Append(nil))
	assert.Equal(t, "answer on path 1.2 to 0x77 from port 50000: port 5 new_epoch 4 query true txn 8 stream 3 completed 0x7 msn 0x9 attempt 0 syndrome none echo_time 0x10", answer.String())
}
