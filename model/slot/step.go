package slot

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Slots is how many requests of a connection may be unanswered.
const Slots = 64

const atomicBytes = 8 // of the answer to an atomic: the value before

// Step executes one transaction of a slot: ask is the requester's row, serve the responder's.
func Step(ask *event.SlotAsk, serve *event.SlotServe, op uint8, in *event.SlotIn, out *event.SlotOut) {
	*out = event.SlotOut{}
	switch op {
	case event.SlotRequest:
		request(ask, in, out)
	case event.SlotResponse:
		response(ask, in, out)
	case event.SlotFail:
		out.Wrong = !ask.Used
		*ask = event.SlotAsk{}
	case event.SlotPark:
		park(serve, in, out)
	case event.SlotExecute:
		execute(serve, in, out)
	case event.SlotCut:
		cut(serve, in, out)
	case event.SlotDrop:
		out.Wrong = !serve.Used
		*serve = event.SlotServe{}
	}
}

func request(ask *event.SlotAsk, in *event.SlotIn, out *event.SlotOut) {
	if ask.Used {
		out.Wrong = true
		return
	}
	*ask = event.SlotAsk{Used: true, Atomic: in.Atomic, StreamRow: in.StreamRow, Msn: in.Msn, Length: length(in)}
	out.Take = true
}

// response counts a part. A Read of no bytes is answered by one response of no bytes. Parts are not looked at for
// overlap, as in message: that they cover the answer rests on the responder.
func response(ask *event.SlotAsk, in *event.SlotIn, out *event.SlotOut) {
	end := uint64(in.Offset) + uint64(in.PayloadLen)
	left := ask.Length - ask.Arrived
	if !ask.Used || end > uint64(ask.Length) || uint32(in.PayloadLen) > left {
		out.Wrong = true
		return
	}
	out.Take = true
	ask.Arrived += uint32(in.PayloadLen)
	if ask.Arrived == ask.Length {
		out.Done = true
		*ask = event.SlotAsk{}
	}
}

// park takes a request over from the window. It executes at once if it is the next of its stream.
func park(serve *event.SlotServe, in *event.SlotIn, out *event.SlotOut) {
	if serve.Used {
		out.Wrong = true // a requester that does not keep to its slots
		return
	}
	*serve = event.SlotServe{Used: true, Parked: true, Atomic: in.Atomic, StreamRow: in.StreamRow, Msn: in.Msn, Length: length(in)}
	execute(serve, in, out)
}

// execute is asked whenever completed of the request's stream has moved.
func execute(serve *event.SlotServe, in *event.SlotIn, out *event.SlotOut) {
	if !serve.Used || !serve.Parked || wire.Less(in.Completed, serve.Msn) {
		return
	}
	serve.Parked = false
	out.Take = true
}

// cut takes the next response of the answer. The slot is free with the last one: the packets have what they need to be
// sent again.
func cut(serve *event.SlotServe, in *event.SlotIn, out *event.SlotOut) {
	if !serve.Used || serve.Parked || in.PayloadLen == 0 && serve.Length > 0 {
		out.Wrong = true
		return
	}
	out.Take = true
	out.Offset = serve.Cut
	out.PayloadLen = uint16(min(uint32(in.PayloadLen), serve.Length-serve.Cut))
	serve.Cut += uint32(out.PayloadLen)
	if serve.Cut == serve.Length {
		out.Done = true
		*serve = event.SlotServe{}
	}
}

func length(in *event.SlotIn) uint32 {
	if in.Atomic {
		return atomicBytes
	}
	return in.Length
}
