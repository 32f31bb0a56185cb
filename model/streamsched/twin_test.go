package streamsched_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
)

// work is a message as a list of what happened to it.
type work struct {
	msn     uint32
	length  uint32
	attempt uint8
	cut     uint32 // bytes of this attempt that went out
	passed  bool   // an attempt went out whole: what comes behind may be cut
	refused bool   // and its pause runs
}

// twin is a stream as the messages that are not complete, in order, and those that go again.
type twin struct {
	open  bool
	next  uint32 // msn of the next post
	work  []*work
	again []*work // in the order in which they will be looked at: one that has begun first
}

// head is what is cut next: what goes again first, oldest first, but for one that has begun.
func (w *twin) head() *work {
	for _, m := range w.again {
		if m.cut > 0 {
			return m
		}
	}
	if len(w.again) > 0 {
		return slices.MinFunc(w.again, func(a, b *work) int { return int(int32(a.msn - b.msn)) })
	}
	for _, m := range w.work {
		if !m.passed && m.refused {
			return nil // it waits for its pause, and those behind it wait too
		}
		if !m.passed {
			return m
		}
	}
	return nil
}

// waiting is what is posted and not cut.
func (w *twin) waiting() (sum uint64) {
	for _, m := range w.work {
		if !m.passed && !m.refused || slices.Contains(w.again, m) {
			sum += uint64(m.length - m.cut)
		}
	}
	return sum
}

// completable is how many messages the peer may complete: up to the first that was never sent whole, or goes again.
func (w *twin) completable() int {
	for i, m := range w.work {
		if !m.passed || slices.Contains(w.again, m) {
			return i
		}
	}
	return len(w.work)
}

// TestTwin: posts, refusals, repetitions and completions in any order: every byte of every attempt is cut once, in
// order, the message that goes again before what is new, never beyond the window of messages.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.SampledFrom([]int{4, 16, 64}).Draw(t, "slots")
		streams := rapid.IntRange(1, 4).Draw(t, "streams")
		first := rapid.SampledFrom([]uint32{0, 0xfffffffa, 61}).Draw(t, "first")
		s := newSender(t, config(slots), streams)
		twins := make([]twin, streams)
		for i := range streams {
			s.open(i, first, uint8(rapid.IntRange(1, 3).Draw(t, "weight")))
			twins[i] = twin{open: true, next: first}
		}
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			row := rapid.IntRange(0, streams-1).Draw(t, "row")
			act(t, s, twins, row, rapid.IntRange(0, 9).Draw(t, "what"))
			for i := range twins {
				require.Equal(t, twins[i].waiting(), s.streams[i].Waiting, "stream %d", i)
			}
		}
		for i := range twins { // what was refused goes again, and then everything goes out
			for _, m := range twins[i].work {
				if m.refused {
					repeat(t, s, &twins[i], i, m)
				}
			}
		}
		for n := 0; s.turn.Queued > 0; n++ {
			require.Less(t, n, 10000)
			cut(t, s, twins)
		}
		for i := range twins {
			require.Nil(t, twins[i].head())
			require.Zero(t, s.streams[i].Waiting)
		}
	})
}

func act(t *rapid.T, s *sender, twins []twin, row, what int) {
	w := &twins[row]
	pickOne := func() *work {
		if len(w.work) == 0 {
			return nil
		}
		return w.work[rapid.IntRange(0, len(w.work)-1).Draw(t, "message")]
	}
	if what == 2 && rapid.IntRange(0, 3).Draw(t, "whose") == 0 {
		notOurs(t, s, w, row)
		return
	}
	switch what {
	case 0, 1:
		length := rapid.SampledFrom([]uint32{0, 1, 999, 1000, 1001, 5500}).Draw(t, "length")
		require.Equal(t, len(w.work) < s.slots, s.post(row, length))
		if len(w.work) < s.slots {
			w.work = append(w.work, &work{msn: w.next, length: length})
			w.next++
		}
	case 2:
		if m := pickOne(); m != nil {
			attempt := m.attempt + uint8(rapid.SampledFrom([]int{0, 0, 0, 1, 15}).Draw(t, "off"))&15
			again := slices.Contains(w.again, m)
			began := m.passed && !again || m.cut > 0
			acts := attempt == m.attempt && began && !m.refused
			out := s.step(event.StreamSchedRefuse, row, m.msn, event.StreamSchedIn{Attempt: attempt})
			require.Equal(t, acts, out.Act)
			if acts {
				m.refused, m.cut = true, 0
				w.again = slices.DeleteFunc(w.again, func(o *work) bool { return o == m })
			}
		}
	case 3:
		if m := pickOne(); m != nil {
			repeat(t, s, w, row, m)
		}
	case 4:
		was := s.streams[row].Completed
		n := rapid.IntRange(-2, len(w.work)+2).Draw(t, "completed")
		s.step(event.StreamSchedDone, row, 0, event.StreamSchedIn{Completed: was + uint32(n)})
		if n < 0 || n > w.completable() {
			n = 0
		}
		require.Equal(t, was+uint32(n), s.streams[row].Completed)
		w.work = w.work[n:]
	default:
		if s.turn.Queued > 0 {
			cut(t, s, twins)
		}
	}
}

// notOurs refuses and repeats a message that is complete or was never posted, whatever stands in its slot.
func notOurs(t *rapid.T, s *sender, w *twin, row int) {
	msn := w.next + uint32(rapid.IntRange(0, 3).Draw(t, "beyond"))
	if rapid.Bool().Draw(t, "old") {
		msn = s.streams[row].Completed - 1 - uint32(rapid.IntRange(0, 3).Draw(t, "behind"))
	}
	stream, message := s.streams[row], *s.message(row, msn)
	out := s.step(event.StreamSchedRefuse, row, msn, event.StreamSchedIn{Attempt: message.Attempt})
	require.Zero(t, out)
	s.message(row, msn).Refused = true
	out = s.step(event.StreamSchedAgain, row, msn, event.StreamSchedIn{})
	require.Zero(t, out)
	*s.message(row, msn) = message
	require.Equal(t, stream, s.streams[row])
}

// repeat ends the pause of a refused message.
func repeat(t *rapid.T, s *sender, w *twin, row int, m *work) {
	out := s.step(event.StreamSchedAgain, row, m.msn, event.StreamSchedIn{})
	require.Equal(t, m.refused && m.attempt == 7, out.GiveUp)
	if !m.refused {
		return
	}
	m.cut = 0
	if m.attempt == 7 { // given up: the sender closes the stream; what was posted is gone
		s.step(event.StreamSchedStop, row, 0, event.StreamSchedIn{})
		s.open(row, w.next, 1)
		w.work, w.again = nil, nil
		return
	}
	m.attempt++
	m.refused = false
	if m.passed {
		w.again = append(w.again, m)
	}
}

// cut lets the head of the queue cut a packet, and compares it.
func cut(t *rapid.T, s *sender, twins []twin) {
	queue := s.queue()
	row, out := s.pick()
	require.Equal(t, queue[0], row)
	w := &twins[row]
	m := w.head()
	require.Equal(t, m == nil, out.None)
	if m == nil {
		require.True(t, out.Leave)
		return
	}
	require.Equal(t, []any{m.msn, m.cut, m.attempt}, []any{out.Msn, out.Offset, out.Attempt})
	require.Equal(t, min(payload, m.length-m.cut), uint32(out.PayloadLen))
	m.cut += uint32(out.PayloadLen)
	require.Equal(t, m.cut == m.length, out.Last)
	if out.Last {
		m.passed, m.cut = true, 0
		w.again = slices.DeleteFunc(w.again, func(o *work) bool { return o == m })
	}
	switch {
	case w.head() == nil:
		require.True(t, out.Leave)
		require.Zero(t, s.streams[row].Deficit)
	case out.Rotate:
		require.Equal(t, append(queue[1:], row), s.queue())
	default:
		require.Equal(t, queue, s.queue(), "the turn goes on")
	}
}
