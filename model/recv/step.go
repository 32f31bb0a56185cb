package recv

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Step executes one transaction on the row at stream_row*recvs + recv_index mod recvs.
func Step(row *event.RecvRecv, op uint8, in *event.RecvIn, out *event.RecvOut) {
	*out = event.RecvOut{}
	switch op {
	case event.RecvPost:
		*row = event.RecvRecv{Valid: true, Index: in.RecvIndex, Addr: in.Addr, Length: in.Length, WrId: in.WrId}
	case event.RecvClear:
		*row = event.RecvRecv{}
	default:
		match(row, in, out)
	}
}

// match finds where the payload goes. A Write with immediate keeps its own address: it consumes the receive but
// does not write its buffer, whose length therefore does not matter.
func match(row *event.RecvRecv, in *event.RecvIn, out *event.RecvOut) {
	out.AddrOut = in.Addr
	out.Syndrome = in.SyndromeIn
	switch {
	case in.SyndromeIn != wire.SyndromeNone:
	case !row.Valid || row.Index != in.RecvIndex:
		out.Syndrome = wire.SyndromeRnr
	case !in.Write && in.Length > row.Length:
		out.Syndrome = wire.SyndromeLength
	default:
		out.WrIdOut = row.WrId
		if !in.Write {
			out.AddrOut = row.Addr + uint64(in.Offset)
		}
	}
}
