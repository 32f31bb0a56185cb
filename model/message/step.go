package message

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

const attemptMask = 15 // attempts are 4 bit, compared modulo 16

// Step executes one transaction on the slot at stream_row*msg_slots + msn mod msg_slots and the stream's row.
func Step(slot *event.MessageSlot, stream *event.MessageStream, op uint8, in *event.MessageIn, out *event.MessageOut) {
	*out = event.MessageOut{}
	switch op {
	case event.MessageSet:
		*stream = event.MessageStream{Open: true, Life: in.LifeIn}
	case event.MessageClose:
		stream.Open = false
	case event.MessageFault:
		fault(stream, in, out)
	case event.MessageQuery:
		out.Life = stream.Life
		query(slot, stream, in, out)
	default:
		out.Life = stream.Life
		packet(slot, stream, in, out)
	}
}

// packet decides about one new packet. The order of the checks is the rule: what is old is discarded before it can
// refuse anything, and a refusal that stands is not given twice.
func packet(slot *event.MessageSlot, stream *event.MessageStream, in *event.MessageIn, out *event.MessageOut) {
	live := isLive(stream, in.Msn)
	same := live && slot.Msn == in.Msn
	newer := (in.Attempt - slot.Attempt) & attemptMask
	cont := same && newer == 0
	switch {
	case !stream.Open:
		out.Verdict = event.VerdictClosed
	case stream.Error != wire.SyndromeNone:
		out.Verdict = event.VerdictStreamError
	case in.Old, live && wire.Diff(slot.Msn, in.Msn) > 0:
		out.Verdict = event.VerdictOldMessage
	case same && newer >= 8:
		out.Verdict = event.VerdictOldAttempt
	case cont && slot.Refused:
		out.Verdict = event.VerdictRefusedBefore
	case isRequest(in.Opcode):
		fatal(stream, in, out, wire.SyndromeUnsupported)
	case cont && (in.Opcode != wire.Opcode(slot.Opcode) || in.Length != slot.Length), overfull(slot, in, cont):
		fatal(stream, in, out, wire.SyndromeMalformed)
	case in.SyndromeIn == wire.SyndromeRnr:
		*slot = entry(stream, in)
		slot.Refused = true
		out.Verdict = event.VerdictRefusedNow
		nak(in, out, wire.SyndromeRnr)
	case in.SyndromeIn != wire.SyndromeNone:
		fatal(stream, in, out, in.SyndromeIn)
	default:
		arrived := uint32(in.PayloadLen)
		if cont {
			arrived += slot.Arrived
		}
		*slot = entry(stream, in)
		slot.Arrived = arrived
		out.Verdict, out.Fresh = event.VerdictPlace, !cont
	}
}

// overfull tells whether the packet lies outside its message or brings more bytes than the message has. A message
// of no bytes is whole with its first packet, so a second one is too much.
func overfull(slot *event.MessageSlot, in *event.MessageIn, cont bool) bool {
	n := uint64(in.PayloadLen)
	arrived := uint64(0)
	if cont {
		arrived = uint64(slot.Arrived)
	}
	length := uint64(in.Length)
	return uint64(in.Offset)+n > length || arrived+n > length || cont && length == 0
}

// fault is the error of a memory write that was already let through. The first error of a stream stands.
func fault(stream *event.MessageStream, in *event.MessageIn, out *event.MessageOut) {
	if !stream.Open || in.LifeIn != stream.Life || stream.Error != wire.SyndromeNone {
		return
	}
	stick(stream, in, wire.SyndromeRemoteOp)
	nak(in, out, wire.SyndromeRemoteOp)
}

// query answers a status query from what stands in the table and changes nothing.
func query(slot *event.MessageSlot, stream *event.MessageStream, in *event.MessageIn, out *event.MessageOut) {
	switch {
	case !stream.Open:
	case stream.Error != wire.SyndromeNone:
		out.Syndrome, out.SynMsn, out.SynAttempt = stream.Error, stream.ErrMsn, stream.ErrAttempt
	case isLive(stream, in.Msn) && slot.Msn == in.Msn && slot.Refused:
		out.Syndrome, out.SynMsn, out.SynAttempt = wire.SyndromeRnr, in.Msn, slot.Attempt
	}
}

func fatal(stream *event.MessageStream, in *event.MessageIn, out *event.MessageOut, syndrome wire.Syndrome) {
	stick(stream, in, syndrome)
	out.Verdict = event.VerdictFatalNow
	nak(in, out, syndrome)
}

func stick(stream *event.MessageStream, in *event.MessageIn, syndrome wire.Syndrome) {
	stream.Error, stream.ErrMsn, stream.ErrAttempt = syndrome, in.Msn, in.Attempt
}

func nak(in *event.MessageIn, out *event.MessageOut, syndrome wire.Syndrome) {
	out.Nak = true
	out.Syndrome, out.SynMsn, out.SynAttempt = syndrome, in.Msn, in.Attempt
}

// entry makes the slot's entry, new or again, and notes that the slot was used since stream_set.
func entry(stream *event.MessageStream, in *event.MessageIn) event.MessageSlot {
	stream.Touched |= bit(in.Msn)
	return event.MessageSlot{Msn: in.Msn, Attempt: in.Attempt, Opcode: uint8(in.Opcode), Length: in.Length}
}

// isLive tells whether the slot of a message was used since the stream was opened. A number kept in the slot could not
// tell: lives come round. Messages that share a bit share the slot, however few slots there are; of those that share a
// slot and not a bit, the later one is admitted only behind the completion of the earlier one, so it finds the slot free.
func isLive(stream *event.MessageStream, msn uint32) bool { return stream.Touched&bit(msn) != 0 }

func bit(msn uint32) uint64 { return 1 << (msn & 63) }

func isRequest(opcode wire.Opcode) bool {
	return opcode == wire.OpcodeReadRequest || opcode == wire.OpcodeAtomicRequest
}
