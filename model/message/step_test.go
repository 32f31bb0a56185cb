package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/wire"
)

const slots = 4

// table is one stream with its slots.
type table struct {
	slots  [slots]event.MessageSlot
	stream event.MessageStream
}

func (t *table) step(op uint8, in event.MessageIn) (out event.MessageOut) {
	message.Step(&t.slots[in.Msn%slots], &t.stream, op, &in, &out)
	return out
}

func opened(life uint8) *table {
	t := &table{}
	t.step(event.MessageSet, event.MessageIn{LifeIn: life})
	return t
}

// TestTwin runs random packets of a few messages and attempts against the maps. A message comes only when the one before
// it in its slot was begun, as admit has it; fewer slots than bits of touched.
func TestTwin(t *testing.T) {
	seen := map[event.Verdict]int{}
	twin := func(t *rapid.T) {
		first := rapid.SampledFrom([]uint32{0, 100, 0xfffffffc}).Draw(t, "first")
		tab, w := opened(7), newTwin(slots)
		start := int64(1) << 40 // msn = first + (n - start); start is a multiple of slots, first too
		done := start           // stands for completed: all before were begun
		for range rapid.IntRange(1, 120).Draw(t, "packets") {
			n := max(start, done+rapid.Int64Range(-5, slots-1).Draw(t, "msn"))
			in := event.MessageIn{
				Msn: first + uint32(n-start), Attempt: uint8(rapid.SampledFrom([]int{0, 0, 0, 1, 1, 9, 15}).Draw(t, "attempt")),
				Opcode: rapid.SampledFrom([]wire.Opcode{wire.OpcodeSend, wire.OpcodeSend, wire.OpcodeSend, wire.OpcodeSend, wire.OpcodeWrite}).Draw(t, "opcode"),
				Length: uint32(rapid.SampledFrom([]int{30, 30, 30, 30, 0}).Draw(t, "length")), Offset: uint32(rapid.IntRange(0, 20).Draw(t, "offset")),
				PayloadLen: uint16(rapid.IntRange(0, 8).Draw(t, "n")), Old: rapid.IntRange(0, 20).Draw(t, "old") == 0,
				SyndromeIn: rapid.SampledFrom([]wire.Syndrome{0, 0, 0, 0, 0, 0, 0, 0, wire.SyndromeRnr, wire.SyndromeRnr, wire.SyndromeLength}).Draw(t, "syndrome"),
			}
			if rapid.IntRange(0, 60).Draw(t, "request") == 0 {
				in.Opcode = wire.OpcodeReadRequest
			}
			want := w.packet(n, &in)
			for _, begun := w.attempts[done]; begun && rapid.Bool().Draw(t, "done"); _, begun = w.attempts[done] {
				done++
			}
			before := *tab
			out := tab.step(event.MessagePacket, in)
			require.Equal(t, want, out.Verdict)
			seen[want]++
			require.Equal(t, want == event.VerdictRefusedNow || want == event.VerdictFatalNow, out.Nak)
			require.Equal(t, uint8(7), out.Life)
			require.Equal(t, want == event.VerdictPlace && w.fresh, out.Fresh)
			if want != event.VerdictPlace && want != event.VerdictRefusedNow {
				require.Equal(t, before.slots, tab.slots, "only what is placed or refused now touches a slot")
			}
			require.Equal(t, w.err, tab.stream.Error)
			if w.err != wire.SyndromeNone {
				require.Equal(t, first+uint32(w.errMsn-start), tab.stream.ErrMsn)
				require.Equal(t, w.errTry, tab.stream.ErrAttempt)
			}
			if want == event.VerdictPlace {
				require.LessOrEqual(t, tab.slots[in.Msn%slots].Arrived, in.Length, "more bytes than the message has")
				require.Equal(t, uint32(w.arrived[try{n, in.Attempt}]), tab.slots[in.Msn%slots].Arrived)
			}
		}
	}
	// A hundred draws reach each verdict nearly always; rounds, so that "nearly" is no failure.
	for round := 0; round == 0 || (round < 30 && unseen(seen) != event.VerdictNone); round++ {
		rapid.Check(t, twin)
	}
	require.Equal(t, event.VerdictNone, unseen(seen), "verdict was never reached")
}

// unseen is a verdict of open streams that was not met, or none.
func unseen(seen map[event.Verdict]int) event.Verdict {
	for v := event.VerdictPlace; v <= event.VerdictFatalNow; v++ {
		if v != event.VerdictClosed && seen[v] == 0 {
			return v
		}
	}
	return event.VerdictNone
}

// TestOrderOfChecks: each line is what one check sees when those after it would say otherwise.
func TestOrderOfChecks(t *testing.T) {
	send := event.MessageIn{Msn: 72, Opcode: wire.OpcodeSend, Length: 20, PayloadLen: 10}
	with := func(change func(*event.MessageIn)) event.MessageIn { in := send; change(&in); return in }
	live := func() *table { tab := opened(1); tab.step(event.MessagePacket, send); return tab }
	refused := func() *table {
		tab := opened(1)
		tab.step(event.MessagePacket, with(func(in *event.MessageIn) { in.SyndromeIn = wire.SyndromeRnr }))
		return tab
	}
	for _, c := range []struct {
		name     string
		tab      *table
		in       event.MessageIn
		verdict  event.Verdict
		syndrome wire.Syndrome
	}{
		{"closed", &table{}, send, event.VerdictClosed, 0},
		{"error before old", &table{stream: event.MessageStream{Open: true, Error: wire.SyndromeKey}}, with(func(in *event.MessageIn) { in.Old = true }), event.VerdictStreamError, 0},
		{"old before unsupported", live(), with(func(in *event.MessageIn) { in.Old, in.Opcode = true, wire.OpcodeAtomicRequest }), event.VerdictOldMessage, 0},
		{"slot serves a newer message", live(), with(func(in *event.MessageIn) { in.Msn = 8 }), event.VerdictOldMessage, 0},
		{"older attempt", live(), with(func(in *event.MessageIn) { in.Attempt = 15 }), event.VerdictOldAttempt, 0},
		{"oldest attempt that counts as newer", live(), with(func(in *event.MessageIn) { in.Attempt = 7 }), event.VerdictPlace, 0},
		{"refused before malformed", refused(), with(func(in *event.MessageIn) { in.Length = 1 }), event.VerdictRefusedBefore, 0},
		{"newer attempt after a refusal", refused(), with(func(in *event.MessageIn) { in.Attempt = 1 }), event.VerdictPlace, 0},
		{"unsupported before malformed", live(), with(func(in *event.MessageIn) { in.Opcode = wire.OpcodeReadRequest }), event.VerdictFatalNow, wire.SyndromeUnsupported},
		{"other opcode inside a message", live(), with(func(in *event.MessageIn) { in.Opcode = wire.OpcodeSendImm }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"other length inside a message", live(), with(func(in *event.MessageIn) { in.Length = 21 }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"bytes twice", live(), with(func(in *event.MessageIn) { in.PayloadLen = 11 }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"outside its message", opened(1), with(func(in *event.MessageIn) { in.Offset = 11 }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"offset that wraps", opened(1), with(func(in *event.MessageIn) { in.Offset = 0xffffffff }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"malformed before rnr", opened(1), with(func(in *event.MessageIn) { in.Offset, in.SyndromeIn = 11, wire.SyndromeRnr }), event.VerdictFatalNow, wire.SyndromeMalformed},
		{"rnr", opened(1), with(func(in *event.MessageIn) { in.SyndromeIn = wire.SyndromeRnr }), event.VerdictRefusedNow, wire.SyndromeRnr},
		{"bounds", opened(1), with(func(in *event.MessageIn) { in.SyndromeIn = wire.SyndromeBounds }), event.VerdictFatalNow, wire.SyndromeBounds},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := c.tab.step(event.MessagePacket, c.in)
			require.Equal(t, c.verdict, out.Verdict)
			require.Equal(t, c.syndrome, out.Syndrome)
			if out.Nak {
				require.Equal(t, c.in.Msn, out.SynMsn)
				require.Equal(t, c.in.Attempt, out.SynAttempt)
			}
		})
	}
}

// TestEmptyMessage has one packet: the second is too much.
func TestEmptyMessage(t *testing.T) {
	tab := opened(1)
	in := event.MessageIn{Opcode: wire.OpcodeWrite}
	require.Equal(t, event.VerdictPlace, tab.step(event.MessagePacket, in).Verdict)
	require.Equal(t, wire.SyndromeMalformed, tab.step(event.MessagePacket, in).Syndrome)
}

// TestOpeningMakesSlotsEmpty: a slot of a stream's former life says nothing about the present one, under the same
// number either.
func TestOpeningMakesSlotsEmpty(t *testing.T) {
	for _, life := range []uint8{1, 2} {
		tab := opened(1)
		in := event.MessageIn{Msn: 72, Opcode: wire.OpcodeSend, Length: 20, PayloadLen: 10, SyndromeIn: wire.SyndromeRnr}
		tab.step(event.MessagePacket, in)
		tab.step(event.MessageSet, event.MessageIn{LifeIn: life})
		require.Equal(t, event.MessageOut{Life: life}, tab.step(event.MessageQuery, event.MessageIn{Msn: 72}))
		in.Msn, in.SyndromeIn = 8, 0
		require.Equal(t, event.MessageOut{Verdict: event.VerdictPlace, Life: life, Fresh: true}, tab.step(event.MessagePacket, in))
		require.Equal(t, event.MessageOut{Verdict: event.VerdictPlace, Life: life}, tab.step(event.MessagePacket, in))
	}
}

// TestHalfOfAFormerLife: lives 1, 50, 1; the half that came in the first one is not there in the last one.
func TestHalfOfAFormerLife(t *testing.T) {
	tab := opened(1)
	half := event.MessageIn{Opcode: wire.OpcodeWrite, Length: 20, PayloadLen: 10}
	require.True(t, tab.step(event.MessagePacket, half).Fresh)
	for _, life := range []uint8{50, 1} {
		tab.step(event.MessageClose, event.MessageIn{})
		tab.step(event.MessageSet, event.MessageIn{LifeIn: life})
	}
	half.Offset = 10
	require.True(t, tab.step(event.MessagePacket, half).Fresh)
	require.Equal(t, uint32(10), tab.slots[0].Arrived)
}

func TestFault(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream event.MessageStream
		nak    bool
	}{
		{"open", event.MessageStream{Open: true, Life: 3}, true},
		{"closed", event.MessageStream{Life: 3}, false},
		{"another life", event.MessageStream{Open: true, Life: 4}, false},
		{"an error stands already", event.MessageStream{Open: true, Life: 3, Error: wire.SyndromeKey, ErrMsn: 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := &table{stream: c.stream}
			out := tab.step(event.MessageFault, event.MessageIn{Msn: 9, Attempt: 2, LifeIn: 3})
			require.Equal(t, c.nak, out.Nak)
			require.Equal(t, event.VerdictNone, out.Verdict)
			want := c.stream
			if c.nak {
				want.Error, want.ErrMsn, want.ErrAttempt = wire.SyndromeRemoteOp, 9, 2
			}
			require.Equal(t, want, tab.stream)
		})
	}
}

func TestQuery(t *testing.T) {
	tab := opened(1)
	ask := func(msn uint32) event.MessageOut { return tab.step(event.MessageQuery, event.MessageIn{Msn: msn}) }
	require.Equal(t, event.MessageOut{Life: 1}, ask(8))
	tab.step(event.MessagePacket, event.MessageIn{Msn: 8, Attempt: 3, Opcode: wire.OpcodeSend, Length: 20, PayloadLen: 10, SyndromeIn: wire.SyndromeRnr})
	require.Equal(t, event.MessageOut{Life: 1, Syndrome: wire.SyndromeRnr, SynMsn: 8, SynAttempt: 3}, ask(8))
	require.Equal(t, event.MessageOut{Life: 1}, ask(9))
	tab.step(event.MessagePacket, event.MessageIn{Msn: 9, Attempt: 1, Opcode: wire.OpcodeReadRequest})
	require.Equal(t, event.MessageOut{Life: 1, Syndrome: wire.SyndromeUnsupported, SynMsn: 9, SynAttempt: 1}, ask(8), "an error of the stream goes before")
	before := *tab
	ask(8)
	require.Equal(t, before, *tab, "a query changes nothing")
	tab.step(event.MessageClose, event.MessageIn{})
	require.Equal(t, event.MessageOut{Life: 1}, ask(8))
}
