package complete_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
)

// twin is a stream as a set of done messages and the number that is next.
type twin struct {
	next uint32
	done map[uint32]bool
	left []uint32 // released, in order
}

// TestTwin: whatever the order in which messages become done, they are released in order, each once, and a run needs
// one step for each.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]uint32{0, 5, 0xffffffe0, 0xffffffff}).Draw(t, "first")
		var row event.CompleteStream
		var out event.CompleteOut
		complete.Step(&row, event.CompleteSet, &event.CompleteIn{Life: 3, Msn: first}, &out)
		w := twin{next: first, done: map[uint32]bool{}}
		var released []uint32
		var queued, taken uint32
		step := func(op uint8, msn uint32) {
			in := event.CompleteIn{Life: 3, Msn: msn, NoticeHead: taken, NoticeTail: queued}
			before := row
			complete.Step(&row, op, &in, &out)
			require.Equal(t, op == event.CompleteDone && !w.done[msn] && int32(msn-w.next) >= 0, complete.Kept(&before, &row, op, &out))
			if out.Release {
				released = append(released, msn)
			}
			if out.Notice {
				require.Equal(t, queued, out.NoticeSeq)
				queued++
			} else if out.Release {
				require.Greater(t, queued, taken, "a release without a notice that waits is unknown to the peer")
			}
		}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			msn := w.next + uint32(rapid.IntRange(-3, 20).Draw(t, "msn"))
			step(event.CompleteDone, msn)
			if int32(msn-w.next) >= 0 {
				w.done[msn] = true
			}
			for run := out.RunNext; run; run = out.RunNext {
				step(event.CompleteRun, row.Completed)
				require.True(t, out.Release)
			}
			for w.done[w.next] {
				delete(w.done, w.next)
				w.left = append(w.left, w.next)
				w.next++
			}
			require.Equal(t, w.left, released)
			require.Equal(t, w.next, row.Completed)
			if queued > taken && rapid.Bool().Draw(t, "ack takes the notice") {
				taken++
			}
		}
	})
}

func TestIgnored(t *testing.T) {
	open := event.CompleteStream{Open: true, Life: 4, Completed: 10, Done: 1 << 12}
	for _, c := range []struct {
		name string
		row  event.CompleteStream
		op   uint8
		in   event.CompleteIn
	}{
		{"done of a closed stream", event.CompleteStream{Life: 4, Completed: 10}, event.CompleteDone, event.CompleteIn{Life: 4, Msn: 10}},
		{"done of another life", open, event.CompleteDone, event.CompleteIn{Life: 5, Msn: 10}},
		{"done below completed", open, event.CompleteDone, event.CompleteIn{Life: 4, Msn: 9}},
		{"done twice", open, event.CompleteDone, event.CompleteIn{Life: 4, Msn: 12}},
		{"run of another message", open, event.CompleteRun, event.CompleteIn{Life: 4, Msn: 12}},
		{"run of what is not done", open, event.CompleteRun, event.CompleteIn{Life: 4, Msn: 10}},
		{"run of another life", event.CompleteStream{Open: true, Life: 4, Completed: 12, Done: 1 << 12}, event.CompleteRun, event.CompleteIn{Life: 3, Msn: 12}},
		{"run of a closed stream", event.CompleteStream{Life: 4, Completed: 12, Done: 1 << 12}, event.CompleteRun, event.CompleteIn{Life: 4, Msn: 12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := c.row
			out := event.CompleteOut{Release: true}
			complete.Step(&row, c.op, &c.in, &out)
			require.Equal(t, c.row, row)
			require.Zero(t, out)
		})
	}
}

// TestNoticeWaits: one notice of a stream waits at a time; when it was taken the next release queues another.
func TestNoticeWaits(t *testing.T) {
	row := event.CompleteStream{Open: true}
	var out event.CompleteOut
	at := func(msn, head, tail uint32) bool {
		complete.Step(&row, event.CompleteDone, &event.CompleteIn{Msn: msn, NoticeHead: head, NoticeTail: tail}, &out)
		return out.Notice
	}
	require.True(t, at(0, 0, 0))
	require.False(t, at(1, 0, 1), "number 0 was not taken")
	require.True(t, at(2, 1, 7), "number 0 was taken")
	require.Equal(t, uint32(7), row.NoticeSeq)
	require.False(t, at(3, 7, 9))
	require.True(t, at(4, 8, 9))
}

func TestCloseAndSet(t *testing.T) {
	row := event.CompleteStream{Open: true, Life: 1, Completed: 5, Done: 9, Noticed: true, NoticeSeq: 3}
	var out event.CompleteOut
	complete.Step(&row, event.CompleteClose, &event.CompleteIn{}, &out)
	require.Equal(t, event.CompleteStream{Life: 1, Completed: 5, Done: 9, Noticed: true, NoticeSeq: 3}, row)
	complete.Step(&row, event.CompleteSet, &event.CompleteIn{Life: 2, Msn: 70}, &out)
	require.Equal(t, event.CompleteStream{Open: true, Life: 2, Completed: 70}, row)
	require.Zero(t, out)
}
