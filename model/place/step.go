package place

import "metaroce/tandem/model/event"

// Step executes one transaction on the tally at stream_row*msg_slots + msn mod msg_slots. Writes and the empty ones
// between them come in the order in which they were issued, which is that in which message let them through: what lies
// between a fresh one and the next fresh one at its slot belongs to one attempt of one message.
func Step(tally *event.PlaceTally, op uint8, in *event.PlaceIn, out *event.PlaceOut) {
	*out = event.PlaceOut{}
	bytes := tally.Bytes
	if in.Fresh {
		bytes = 0
	}
	if op == event.PlaceWrite && in.Error {
		out.Fault = true
	} else {
		bytes += uint32(in.PayloadLen)
		out.Done = bytes == in.Length
	}
	tally.Bytes = bytes
}
