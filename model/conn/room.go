package conn

import (
	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// beatCount bounds how full the packet buffer can be, from both sides.
type beatCount struct {
	held     int // most: frames that ended and are not known to be out of the buffer
	sure     int // least: frames that were admitted and whose payload has not left
	buffered int // an ideal device: frames that ended and whose payload has not left

	lastEnd  uint64              // cycle of the newest packet_in
	released sim.Ring[releaseAt] // what came free lately, oldest first
	recent   int                 // sum of it
	refused  int                 // beats of all frames that were not taken: the device never counted them
}

type releaseAt struct {
	at    uint64
	beats int
}

// The parser judges room at the head of a frame, which is told when the frame has ended: packet_in is of its last beat.
// So what came free since the frame before ended may have been in use. A frame without a write comes free in the model
// as soon as all before it have left, in the device when it has gone the rest of the way, which is no longer than
// releaseLag: a place a cycle, and twice that.
func (r *Receiver) headSince() uint64 {
	const engines = 5
	lag := uint64(2*engines*(r.p.DescDepth+r.p.RamLatency+1) + 64)
	return r.beats.lastEnd - min(lag, r.beats.lastEnd)
}

// mostSince is the most that can have been in use at any time from a cycle on.
func (b *beatCount) mostSince(cycle uint64) int {
	for q := b.released.Head(); q != nil && q.at < cycle; q = b.released.Head() {
		b.recent -= q.beats
		b.released.Drop()
	}
	return b.held + b.recent
}

func (b *beatCount) arrive(cycle uint64, beats int) {
	b.held += beats
	b.lastEnd = cycle
}

// refuse is the fate of a frame that is not taken.
func (b *beatCount) refuse(beats int) {
	b.held -= beats
	b.refused += beats
}

func (b *beatCount) release(cycle uint64, beats int) {
	if beats == 0 {
		return
	}
	b.held -= beats
	b.recent += beats
	*b.released.Push() = releaseAt{cycle, beats}
}

// queueBehindParser is the depth of the queue behind the parser, in desc_depth. Only when it is full is a frame an overrun,
// and what is in it has ended and was not admitted.
const queueBehindParser = 4

// readAhead is what the device may have read, and so given back, of writes that memory has not accepted: the last beat of
// a longest one waits at the port, and each of the stages before it holds the only beat of another.
const readAhead = (preset.MaxFrame+admit.BeatBytes-1)/admit.BeatBytes + 4

// checkRoom is the legality of room (event.tbl, admit.room).
func (r *Receiver) checkRoom(a *arrival, room uint8) *Illegal {
	need := int(a.d.BufBeats)
	held := a.held - (r.beats.refused - a.refused) // what was refused meanwhile came before it and was counted
	bad := func(format string, args ...any) *Illegal {
		return r.illegal(event.KindAdmit, event.AdmitPacket, format, args...).about(&a.d)
	}
	switch {
	case room > admit.RoomOverrun:
		return bad("room %d: it is 0, 1 or 2", room)
	case room == admit.RoomOverrun && a.ahead < queueBehindParser*r.p.DescDepth:
		return bad("overrun though only %d frames before it waited for admit when it ended: the queue holds %d",
			a.ahead, queueBehindParser*r.p.DescDepth)
	case room == admit.RoomNone && need == 0:
		return bad("no room for a frame that needs no beat of the packet buffer")
	case room == admit.RoomNone && held+need <= r.p.BufBeats:
		return bad("no room for %d beats though at most %d of %d can have been in use since the frame before ended",
			need, held, r.p.BufBeats)
	case room == admit.RoomTaken && r.beats.sure+need > r.p.BufBeats+readAhead:
		return bad("%d beats taken though %d of %d are surely in use", need, r.beats.sure, r.p.BufBeats)
	}
	return nil
}
