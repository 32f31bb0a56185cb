package place

import "metaroce/tandem/model/event"

// Step executes one transaction on the tally at stream_row*msg_slots + msn mod msg_slots. Writes and the empty ones
// between them come in the order in which they were issued.
func Step(tally *event.PlaceTally, _ uint8, in *event.PlaceIn, out *event.PlaceOut) {
	*out = event.PlaceOut{}
	bytes := uint32(0)
	if tally.Valid && tally.Life == in.Life && tally.Msn == in.Msn && tally.Attempt == in.Attempt {
		bytes = tally.Bytes
	}
	if in.Error {
		out.Fault = true
	} else {
		bytes += uint32(in.PayloadLen)
		out.Done = bytes == in.Length
	}
	*tally = event.PlaceTally{Valid: true, Life: in.Life, Msn: in.Msn, Attempt: in.Attempt, Bytes: bytes}
}
