package streamsched_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/streamsched"
)

// TestFair: streams that always have something to send get bytes on the wire in proportion to their weights: at every
// packet they are within one quantum and one packet of each other, per weight, whatever the sizes of their messages
// (R-SCHED, `ann:streams`).
func TestFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := rapid.IntRange(2, 6).Draw(t, "streams")
		c := config(4)
		c.Tuning.Quantum = uint32(rapid.IntRange(1, 4).Draw(t, "quantum"))
		s := newSender(t, c, streams)
		sent := make([]uint64, streams)
		length := make([]uint32, streams)
		for i := range streams {
			s.open(i, 0, uint8(rapid.IntRange(1, 5).Draw(t, "weight")))
			length[i] = rapid.SampledFrom([]uint32{0, 1, 64, 900, 1000, 1001, 64000}).Draw(t, "length")
			for s.post(i, length[i]) {
			}
		}
		for range rapid.IntRange(1, 500).Draw(t, "packets") {
			row, out := s.pick()
			sent[row] += uint64(out.PayloadLen) + overhead
			if out.Last { // complete at once, and the next one is posted: it never runs dry
				require.False(t, out.Leave)
				s.step(event.StreamSchedDone, row, 0, event.StreamSchedIn{Completed: out.Msn + 1})
				s.post(row, length[row])
			}
			for i := range streams {
				for j := range i {
					a, b := uint64(s.streams[i].Weight), uint64(s.streams[j].Weight)
					bound := (uint64(c.Tuning.Quantum) + 1) * full * a * b
					if apart := max(sent[i]*b, sent[j]*a) - min(sent[i]*b, sent[j]*a); apart > bound {
						require.LessOrEqual(t, apart, bound, "streams %d and %d", i, j)
					}
				}
			}
		}
	})
}

// TestOneStreamAlone: a turn that ends while nobody else waits goes on with the next.
func TestOneStreamAlone(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 5, 1)
	require.True(t, s.post(0, 2500))
	for i, want := range []event.StreamSchedOut{
		{Msn: 5, PayloadLen: 1000, Rotate: true},
		{Msn: 5, Offset: 1000, PayloadLen: 1000, Rotate: true},
		{Msn: 5, Offset: 2000, PayloadLen: 500, Last: true, Leave: true},
	} {
		_, out := s.pick()
		require.Equal(t, want, out, "packet %d", i)
	}
}

// TestWeightIsPacketsATurn: a turn ends when less than a full packet is left of it.
func TestWeightIsPacketsATurn(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 0, 2)
	s.post(0, 9000)
	for k := range 8 {
		_, out := s.pick()
		require.Equal(t, k%2 == 1, out.Rotate, "packet %d", k)
	}
}

// TestWeightZeroIsOne: a stream that nobody gave a weight is not starved.
func TestWeightZeroIsOne(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 0, 0)
	require.Equal(t, uint8(1), s.streams[0].Weight)
}

// TestIdleSavesNothing: what is left of a turn is lost when the stream has nothing to send.
func TestIdleSavesNothing(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 0, 255)
	s.post(0, 1)
	s.pick()
	require.Zero(t, s.streams[0].Deficit)
}

// TestHeldByTheMessageWindow: no message beyond completed + slots is taken; a completion frees a slot.
func TestHeldByTheMessageWindow(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 0xfffffffe, 1)
	for range 4 {
		require.True(t, s.post(0, 10))
	}
	require.False(t, s.post(0, 10))
	s.step(event.StreamSchedDone, 0, 0, event.StreamSchedIn{Completed: 0xffffffff})
	require.False(t, s.post(0, 10), "nothing was sent: the peer cannot have completed it")
	for range 4 {
		s.pick()
	}
	s.step(event.StreamSchedDone, 0, 0, event.StreamSchedIn{Completed: 1})
	require.Equal(t, uint32(1), s.streams[0].Completed)
	for _, old := range []uint32{0, 1, 0xffffffff, 3} {
		s.step(event.StreamSchedDone, 0, 0, event.StreamSchedIn{Completed: old})
		require.Equal(t, uint32(1), s.streams[0].Completed, "%d is old, or was never sent", old)
	}
	for range 3 {
		require.True(t, s.post(0, 10))
	}
	require.False(t, s.post(0, 10))
}

// TestRefusedWhileBeingCut: what is left of a refused attempt is not sent, it would be discarded; later messages of
// the stream wait, other streams do not (R-RNR).
func TestRefusedWhileBeingCut(t *testing.T) {
	s := newSender(t, config(4), 2)
	s.open(0, 0, 1)
	s.open(1, 0, 1)
	s.post(0, 5000)
	s.post(0, 10)
	s.post(1, 3000)
	s.pick()
	require.True(t, s.step(event.StreamSchedRefuse, 0, 0, event.StreamSchedIn{}).Act)
	require.False(t, s.step(event.StreamSchedRefuse, 0, 0, event.StreamSchedIn{}).Act, "once for each attempt")
	for range 3 {
		row, out := s.pick()
		for out.None {
			row, out = s.pick()
		}
		require.Equal(t, 1, row)
	}
	require.Zero(t, s.turn.Queued)
	require.Equal(t, uint64(10), s.turn.Waiting)
	require.True(t, s.step(event.StreamSchedAgain, 0, 0, event.StreamSchedIn{}).Enter)
	for k := range uint32(5) {
		_, out := s.pick()
		require.Equal(t, []any{uint32(0), k * 1000, uint8(1)}, []any{out.Msn, out.Offset, out.Attempt})
	}
	_, out := s.pick()
	require.Equal(t, uint32(1), out.Msn)
}

// TestGivesUp: attempt 7 is the last: a straggler of attempt 0 would be newer than attempt 8 (R-RNR).
func TestGivesUp(t *testing.T) {
	s := newSender(t, config(4), 1)
	s.open(0, 9, 1)
	s.post(0, 100)
	for attempt := range uint8(8) {
		_, out := s.pick()
		require.Equal(t, attempt, out.Attempt)
		require.True(t, s.step(event.StreamSchedRefuse, 0, 9, event.StreamSchedIn{Attempt: attempt}).Act)
		require.Equal(t, attempt == 7, s.step(event.StreamSchedAgain, 0, 9, event.StreamSchedIn{}).GiveUp)
	}
	require.Zero(t, s.turn.Queued)
}

// TestStop: a stream that closes or fails sends nothing more, leaves the queue when its turn comes, and takes no posts
// until it opens again.
func TestStop(t *testing.T) {
	s := newSender(t, config(4), 2)
	s.open(0, 0, 1)
	s.open(1, 0, 1)
	s.post(0, 5000)
	s.post(1, 5000)
	s.pick()
	s.pick()
	s.step(event.StreamSchedStop, 0, 0, event.StreamSchedIn{})
	require.Equal(t, uint64(4000), s.turn.Waiting, "of the other")
	require.False(t, s.post(0, 1))
	require.False(t, s.step(event.StreamSchedRefuse, 0, 0, event.StreamSchedIn{}).Act)
	row, out := s.pick()
	require.Equal(t, 0, row)
	require.True(t, out.None && out.Leave)
	s.step(event.StreamSchedStop, 1, 0, event.StreamSchedIn{})
	s.open(1, 70, 1) // still in the queue from before
	require.True(t, s.post(1, 10))
	_, out = s.pick()
	require.Equal(t, uint32(70), out.Msn)
	require.Zero(t, s.turn.Queued)
}

// TestConfigRanges: both ends of every range are allowed, one beyond is not.
func TestConfigRanges(t *testing.T) {
	for v := range 4 {
		inside := v == 1 || v == 2
		c := config([]int{0, 1, 64, 128}[v])
		require.Equal(t, inside, c.Validate() == nil, "%+v", c)
		c = config(4)
		c.PacketBytes = []uint32{63, 64, 9240, 9241}[v]
		require.Equal(t, inside, c.Validate() == nil, "%+v", c)
	}
}

func TestConfigReportsAll(t *testing.T) {
	c := config(3)
	c.PacketBytes = 1 << 20
	c.Tuning.Quantum = 0
	_, err := streamsched.New(c)
	for _, want := range []string{"quantum is 0", "PacketBytes is 1048576", "MsgSlots is 3"} {
		require.ErrorContains(t, err, want)
	}
}

func TestNoAllocation(t *testing.T) {
	s := newSender(t, config(64), 1)
	var out event.StreamSchedOut
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for op := event.StreamSchedOpen; op <= event.StreamSchedStop; op++ {
			s.e.Step(&s.streams[0], &s.messages[0], &s.turn, op, &event.StreamSchedIn{Length: 1 << 20, Payload: payload}, &out)
		}
	}))
}

// BenchmarkPick is the cost of a packet with 16 streams that all have something to send.
func BenchmarkPick(b *testing.B) {
	s := newSender(b, config(64), 16)
	for i := range s.streams {
		s.open(i, 0, 1)
		s.post(i, 1<<31)
	}
	var out event.StreamSchedOut
	in := event.StreamSchedIn{Payload: payload, Overhead: overhead}
	for b.Loop() {
		row := s.turn.Head
		stream := &s.streams[row]
		msn, _ := streamsched.Next(stream)
		s.e.Step(stream, s.message(int(row), msn), &s.turn, event.StreamSchedPick, &in, &out)
		if out.Rotate {
			streamsched.Rotate(&s.turn, s.links)
		}
		if out.Last {
			stream.NextMsn, stream.NextOff = 0, 0
		}
	}
}
