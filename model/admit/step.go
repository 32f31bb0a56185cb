package admit

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Values of room.
const (
	RoomNone    = 0 // packet buffer full
	RoomTaken   = 1
	RoomOverrun = 2 // descriptor queue behind the parser full: nothing of the frame is known
)

// Step executes one transaction. row is the connection at dst_conn[15:0], all zero when the index is beyond the
// table; it changes by conn_set and conn_clear only.
func Step(p *preset.Params, row *event.AdmitConn, op uint8, in *event.AdmitIn, out *event.AdmitOut) {
	*out = event.AdmitOut{}
	if op == event.AdmitCommand {
		command(p, row, in, out)
		return
	}
	reason := first(p, row, in)
	out.Reason = reason
	if reason != event.ReasonNone {
		return
	}
	index := uint16(in.DstConn)
	out.Conn = index
	out.PathRow = index*uint16(p.Paths) + uint16(in.Path)
	out.StreamRow = row.StreamBase + in.Stream
	out.Old = HasStream(in.Opcode, in.Query) && wire.Diff(in.Msn, in.Completed) < 0
}

// StreamLookup tells whether a packet asks complete for its stream, and at which row: when it has a stream and
// nothing before that check refuses it. The inputs open and completed are zero otherwise.
func StreamLookup(row *event.AdmitConn, in *event.AdmitIn) (uint16, bool) {
	ok := HasStream(in.Opcode, in.Query) && in.Room != RoomOverrun && beforeStream(row, in) == event.ReasonNone &&
		uint32(in.Stream)>>row.StreamLog2 == 0
	if !ok {
		return 0, false
	}
	return row.StreamBase + in.Stream, true
}

// HasStream tells whether packets of this opcode belong to a stream.
func HasStream(opcode wire.Opcode, query bool) bool {
	return wire.Kinds[opcode].HasStream || opcode == wire.OpcodeProbe && query
}

// CarriesMessage tells whether packets of this opcode are parts of a message.
func CarriesMessage(opcode wire.Opcode) bool { return wire.Kinds[opcode].CarriesMessage }

// first is the first reason that holds.
func first(p *preset.Params, row *event.AdmitConn, in *event.AdmitIn) event.Reason {
	if in.Room == RoomOverrun {
		return event.ReasonOverrun
	}
	if r := beforeStream(row, in); r != event.ReasonNone {
		return r
	}
	hasStream := HasStream(in.Opcode, in.Query)
	ahead := in.Msn - in.Completed
	switch {
	case hasStream && (uint32(in.Stream)>>row.StreamLog2 != 0 || !in.Open):
		return event.ReasonStream
	case hasStream && !in.Query && ahead >= uint32(p.MsgSlots) && ahead < 1<<31:
		return event.ReasonMsgWindow
	case CarriesMessage(in.Opcode) && in.Length > 0 && in.PayloadLen == 0:
		return event.ReasonZeroPayload
	case in.Room == RoomNone:
		return event.ReasonNoRoom
	}
	return event.ReasonNone
}

// beforeStream are the checks that need no stream.
func beforeStream(row *event.AdmitConn, in *event.AdmitIn) event.Reason {
	switch {
	case in.ReasonIn != event.ReasonNone:
		return in.ReasonIn
	case !row.Valid:
		return event.ReasonConn
	case uint8(in.DstConn>>16) != row.Generation:
		return event.ReasonGeneration
	case in.Path >= row.Paths:
		return event.ReasonPath
	}
	return event.ReasonNone
}

// command passes a command on and executes those on connection rows. A command beyond its table is void: it passes
// with old set and changes nothing anywhere.
func command(p *preset.Params, row *event.AdmitConn, in *event.AdmitIn, out *event.AdmitOut) {
	index := uint16(in.DstConn)
	out.Conn = index
	out.StreamRow = in.StreamRowIn
	if in.Cmd == event.CommandPathSet {
		out.PathRow = index*uint16(p.Paths) + uint16(in.Path)
	}
	out.Old = void(p, in)
	if out.Old {
		return
	}
	switch in.Cmd {
	case event.CommandConnSet:
		*row = event.AdmitConn{
			Valid: true, Generation: uint8(in.DstConn >> 16), Paths: in.Path & 31,
			StreamBase: in.StreamRowIn, StreamLog2: in.Txn & 31,
		}
	case event.CommandConnClear:
		*row = event.AdmitConn{}
	}
}

// void tells whether a command names something beyond its table.
func void(p *preset.Params, in *event.AdmitIn) bool {
	index := int(uint16(in.DstConn))
	switch in.Cmd {
	case event.CommandConnSet:
		return index >= p.Conns || int(in.Path) > p.Paths || in.Txn > 16 ||
			int(in.StreamRowIn)+1<<in.Txn > p.Streams
	case event.CommandConnClear:
		return index >= p.Conns
	case event.CommandPathSet:
		return index >= p.Conns || int(in.Path) >= p.Paths
	case event.CommandKeySet, event.CommandKeyClear:
		return int(in.Rkey>>8) >= p.Keys
	default:
		return int(in.StreamRowIn) >= p.Streams
	}
}
