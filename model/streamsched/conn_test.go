package streamsched_test

import (
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/streamsched"
)

const (
	payload  = 1000
	overhead = 96
	full     = payload + overhead
)

func config(slots int) streamsched.Config {
	return streamsched.Config{Tuning: preset.DefaultTuning(), PacketBytes: full, MsgSlots: slots}
}

// sender is the scheduler of one connection as its caller runs it.
type sender struct {
	t        require.TestingT
	e        *streamsched.Engine
	slots    int
	quantum  uint32
	streams  []event.StreamSchedStream
	messages []event.StreamSchedMessage
	links    []event.StreamSchedLink
	turn     event.StreamSchedTurn
	seen     []bool
}

func newSender(t require.TestingT, c streamsched.Config, streams int) *sender {
	e, err := streamsched.New(c)
	require.NoError(t, err)
	return &sender{t: t, e: e, slots: c.MsgSlots, quantum: c.Tuning.Quantum, streams: make([]event.StreamSchedStream, streams),
		messages: make([]event.StreamSchedMessage, streams*c.MsgSlots), links: make([]event.StreamSchedLink, streams)}
}

func (s *sender) message(row int, msn uint32) *event.StreamSchedMessage {
	return &s.messages[row*s.slots+int(s.e.Slot(msn))]
}

func (s *sender) step(op uint8, row int, msn uint32, in event.StreamSchedIn) event.StreamSchedOut {
	out := event.StreamSchedOut{Msn: 1, Offset: 1, PayloadLen: 1, Attempt: 1, Last: true, None: true, Enter: true, Leave: true, Rotate: true,
		Full: true, Act: true, GiveUp: true} // left from another step
	in.StreamRow, in.Msn = uint16(row), msn
	in.Payload, in.Overhead = payload, overhead
	s.e.Step(&s.streams[row], s.message(row, msn), &s.turn, op, &in, &out)
	if out.Enter {
		streamsched.Enter(&s.turn, s.links, uint16(row))
	}
	if out.Leave {
		streamsched.Leave(&s.turn, s.links)
	}
	if out.Rotate {
		streamsched.Rotate(&s.turn, s.links)
	}
	s.check()
	return out
}

func (s *sender) open(row int, msn uint32, weight uint8) {
	s.step(event.StreamSchedOpen, row, msn, event.StreamSchedIn{Weight: weight})
}

func (s *sender) post(row int, length uint32) bool {
	return !s.step(event.StreamSchedPost, row, s.streams[row].Posted, event.StreamSchedIn{Length: length}).Full
}

// pick cuts a packet from the head of the queue; row is the stream it was.
func (s *sender) pick() (row int, out event.StreamSchedOut) {
	row = int(s.turn.Head)
	msn, _ := streamsched.Next(&s.streams[row])
	return row, s.step(event.StreamSchedPick, row, msn, event.StreamSchedIn{})
}

// queue is the order of the streams that wait, head first.
func (s *sender) queue() []int {
	var rows []int
	at := s.turn.Head
	for range s.turn.Queued {
		rows = append(rows, int(at))
		at = s.links[at].Next
	}
	return rows
}

// check holds what must be so after every step.
func (s *sender) check() {
	if len(s.seen) != len(s.streams) {
		s.seen = make([]bool, len(s.streams))
	}
	clear(s.seen)
	for at, n := s.turn.Head, s.turn.Queued; n > 0; at, n = s.links[at].Next, n-1 {
		if s.seen[at] {
			require.FailNow(s.t, "twice in the queue")
		}
		s.seen[at] = true
	}
	var waiting uint64
	for i := range s.streams {
		st := &s.streams[i]
		waiting += st.Waiting
		_, work := streamsched.Next(st)
		ok := s.seen[i] == st.Queued &&
			(st.Queued || !st.InTurn && st.Deficit == 0) &&
			(!work || st.Queued) && // nobody would know that it has something to cut
			st.NextMsn-st.Completed <= st.Posted-st.Completed &&
			st.Posted-st.Completed <= uint32(s.slots) && // R-MSG-WINDOW
			st.Deficit <= full*(s.quantum*uint32(st.Weight)+1)
		if !ok {
			require.FailNow(s.t, "row breaks its invariants", "stream %d: %+v", i, *st)
		}
	}
	if waiting != s.turn.Waiting {
		require.FailNow(s.t, "sum of what waits", "%d is not %d", s.turn.Waiting, waiting)
	}
}
