package streamsched

import (
	"math/bits"

	"metaroce/tandem/model/event"
)

// Step executes one transaction of a stream. message is the row of the message concerned: post: that of stream.Posted;
// pick: that of Next; refuse, again: that of in.Msn; unused by the others.
func (e *Engine) Step(stream *event.StreamSchedStream, message *event.StreamSchedMessage, turn *event.StreamSchedTurn, op uint8,
	in *event.StreamSchedIn, out *event.StreamSchedOut) {
	*out = event.StreamSchedOut{}
	was := stream.Waiting
	switch op {
	case event.StreamSchedOpen:
		*stream = event.StreamSchedStream{Open: true, Weight: max(in.Weight, 1), NextMsn: in.Msn, Posted: in.Msn, Completed: in.Msn,
			Queued: stream.Queued} // it may stand in the queue from its life before
	case event.StreamSchedPost:
		e.post(stream, message, in, out)
	case event.StreamSchedPick:
		e.pick(stream, message, in, out)
	case event.StreamSchedDone:
		e.done(stream, in)
	case event.StreamSchedRefuse:
		e.refuse(stream, message, in, out)
	case event.StreamSchedAgain:
		e.again(stream, message, in, out)
	case event.StreamSchedStop:
		*stream = event.StreamSchedStream{Weight: stream.Weight, NextMsn: stream.NextMsn, Posted: stream.NextMsn, Completed: stream.Completed,
			Queued: stream.Queued}
	}
	turn.Waiting += stream.Waiting - was
	if !stream.Queued && hasWork(stream) {
		stream.Queued = true
		out.Enter = true
	}
}

// hasWork tells whether something of the stream can be cut.
func hasWork(s *event.StreamSchedStream) bool {
	return s.AgainOn || s.Again != 0 || s.NextMsn != s.Posted && !s.Held
}

// Next is the message that pick would cut from; ok: there is one. Messages that go again come first, oldest first.
func Next(s *event.StreamSchedStream) (msn uint32, ok bool) {
	switch {
	case s.AgainOn:
		return s.AgainMsn, true
	case s.Again != 0:
		return oldest(s), true
	case s.NextMsn != s.Posted && !s.Held:
		return s.NextMsn, true
	}
	return 0, false
}

// oldest is the first message that goes again and has not begun: the first set bit from that of completed on, around.
func oldest(s *event.StreamSchedStream) uint32 {
	return s.Completed + uint32(bits.TrailingZeros64(bits.RotateLeft64(s.Again, -int(s.Completed&63))))
}

// post takes a message into a free slot.
func (e *Engine) post(s *event.StreamSchedStream, m *event.StreamSchedMessage, in *event.StreamSchedIn, out *event.StreamSchedOut) {
	if !s.Open || s.Posted-s.Completed >= e.slots {
		out.Full = true
		return
	}
	*m = event.StreamSchedMessage{Length: in.Length}
	s.Posted++
	s.Waiting += uint64(in.Length)
}

// pick cuts one packet.
func (e *Engine) pick(s *event.StreamSchedStream, m *event.StreamSchedMessage, in *event.StreamSchedIn, out *event.StreamSchedOut) {
	msn, ok := Next(s)
	if !ok {
		out.None = true
		leave(s, out)
		return
	}
	if !s.InTurn {
		s.InTurn = true
		s.Deficit += e.quantum * uint32(s.Weight)
	}
	again := s.AgainOn || s.Again != 0
	if again && !s.AgainOn {
		s.AgainOn, s.AgainMsn, s.AgainOff = true, msn, 0
		s.Again &^= bit(msn)
	}
	offset := s.NextOff
	if again {
		offset = s.AgainOff
	}
	size := min(uint32(in.Payload), m.Length-offset)
	out.Msn, out.Offset, out.PayloadLen, out.Attempt = msn, offset, uint16(size), m.Attempt
	out.Last = offset+size == m.Length
	s.Waiting -= uint64(size)
	s.Deficit -= min(s.Deficit, size+uint32(in.Overhead))
	advance(s, again, offset+size, out.Last)
	switch {
	case !hasWork(s):
		leave(s, out)
	case s.Deficit < e.packet:
		s.InTurn = false
		out.Rotate = true
	}
}

// advance moves the place up to which a message is cut.
func advance(s *event.StreamSchedStream, again bool, offset uint32, last bool) {
	switch {
	case again && last:
		s.AgainOn, s.AgainMsn, s.AgainOff = false, 0, 0
	case again:
		s.AgainOff = offset
	case last:
		s.NextMsn++
		s.NextOff = 0
	default:
		s.NextOff = offset
	}
}

// leave takes the stream out of the queue: what was left of its turn is lost, else idle streams would save up.
func leave(s *event.StreamSchedStream, out *event.StreamSchedOut) {
	s.Queued, s.InTurn, s.Deficit = false, false, 0
	out.Leave = true
}

// done moves completed, up to what was sent whole and does not go again. A peer that says more is not believed, or
// bytes would be waiting for ever in a message that is gone.
func (e *Engine) done(s *event.StreamSchedStream, in *event.StreamSchedIn) {
	most := s.NextMsn - s.Completed
	if s.AgainOn {
		most = min(most, s.AgainMsn-s.Completed)
	}
	if s.Again != 0 {
		most = min(most, oldest(s)-s.Completed)
	}
	if ahead := in.Completed - s.Completed; s.Open && ahead-1 < most { // 1..most
		s.Completed = in.Completed
	}
}

// refuse stops what is still being cut of a refused attempt: the peer discards it.
func (e *Engine) refuse(s *event.StreamSchedStream, m *event.StreamSchedMessage, in *event.StreamSchedIn, out *event.StreamSchedOut) {
	if !s.Open || in.Msn-s.Completed >= s.Posted-s.Completed || m.Refused || m.Attempt != in.Attempt {
		return // not ours, or known
	}
	switch ahead := int32(in.Msn - s.NextMsn); {
	case ahead > 0, ahead == 0 && s.NextOff == 0, s.Again&bit(in.Msn) != 0:
		return // nothing of this attempt was sent
	case ahead == 0:
		s.Waiting -= uint64(m.Length - s.NextOff)
		s.NextOff, s.Held = 0, true
	case s.AgainOn && s.AgainMsn == in.Msn:
		s.Waiting -= uint64(m.Length - s.AgainOff)
		s.AgainOn, s.AgainMsn, s.AgainOff = false, 0, 0
	}
	m.Refused = true
	out.Act = true
}

// again begins the next attempt of a refused message.
func (e *Engine) again(s *event.StreamSchedStream, m *event.StreamSchedMessage, in *event.StreamSchedIn, out *event.StreamSchedOut) {
	if !s.Open || in.Msn-s.Completed >= s.Posted-s.Completed || !m.Refused {
		return
	}
	if m.Attempt >= e.last {
		out.GiveUp = true
		return
	}
	m.Attempt++
	m.Refused = false
	s.Waiting += uint64(m.Length)
	if s.Held && s.NextMsn == in.Msn {
		s.Held = false
		return
	}
	s.Again |= bit(in.Msn)
}

func bit(msn uint32) uint64 { return 1 << (msn & 63) }
