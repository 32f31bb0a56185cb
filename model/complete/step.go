package complete

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Step executes one transaction on a stream's row.
func Step(row *event.CompleteStream, op uint8, in *event.CompleteIn, out *event.CompleteOut) {
	*out = event.CompleteOut{}
	switch op {
	case event.CompleteSet:
		*row = event.CompleteStream{Open: true, Life: in.Life, Completed: in.Msn}
	case event.CompleteClose:
		row.Open = false
	case event.CompleteRun:
		if row.Open && in.Life == row.Life && in.Msn == row.Completed && row.Done&bit(in.Msn) != 0 {
			release(row, in, out)
		}
	default:
		if !row.Open || in.Life != row.Life || wire.Diff(in.Msn, row.Completed) < 0 || row.Done&bit(in.Msn) != 0 {
			return
		}
		row.Done |= bit(in.Msn)
		if in.Msn == row.Completed {
			release(row, in, out)
		}
	}
}

// Kept tells whether a done step set its bit, in which case the information of the message is kept for its release.
func Kept(before, after *event.CompleteStream, op uint8, out *event.CompleteOut) bool {
	return op == event.CompleteDone && (out.Release || before.Done != after.Done)
}

// release moves the stream over the message in order. A notice is queued unless one of this stream waits: that one
// will carry the newer number anyway.
func release(row *event.CompleteStream, in *event.CompleteIn, out *event.CompleteOut) {
	row.Done &^= bit(in.Msn)
	row.Completed = in.Msn + 1
	out.Release = true
	out.RunNext = row.Done&bit(row.Completed) != 0
	waiting := row.Noticed && wire.Diff(row.NoticeSeq, in.NoticeHead) >= 0
	if !waiting {
		row.Noticed, row.NoticeSeq = true, in.NoticeTail
		out.Notice, out.NoticeSeq = true, in.NoticeTail
	}
}

func bit(msn uint32) uint64 { return 1 << (msn & 63) }
