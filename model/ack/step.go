package ack

import "metaroce/tandem/model/event"

// HeldMax is where the held time saturates: its field has 24 bits.
const HeldMax = 1<<24 - 1

// Acknowledges tells whether op builds an acknowledgement of a path, and not a NAK or an answer.
func Acknowledges(op uint8) bool { return op <= event.AckNotice }

// Step executes one transaction on a path's row. A notice that outlived its stream must not leave: the row may belong to a
// stream of another connection, and its number would be taken for the completion of messages that never arrived.
func Step(row *event.AckPath, op uint8, in *event.AckIn, out *event.AckOut) {
	*out = event.AckOut{}
	if !Acknowledges(op) {
		return
	}
	row.Builds++
	out.Held = min(in.Now-in.LastNow, HeldMax)
	alive := in.StreamOpen && in.StreamLife == in.NoticeLife
	out.Notice = in.NoticeValid && alive
	out.NoticeStale = in.NoticeValid && !alive
}
