package ack

import (
	"encoding/binary"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// MaxBytes is the longest UDP payload that is built, ICRC included: an acknowledgement.
const MaxBytes = wire.BaseSize + wire.AckSize + preset.IcrcBytes

// Notice is what an acknowledgement says about the head of the notice queue. The zero value: nothing.
type Notice struct {
	Valid     bool
	Stream    uint16 // stream of the connection
	Completed uint32 // its completed msn at build time
}

// Reply is what a NAK or an answer speaks of, as message left it.
type Reply struct {
	Xid       uint32
	Conn      uint16
	Path      uint8
	PathRow   uint16
	Stream    uint16
	StreamRow uint16
	Sport     uint16 // of the packet that it replies to
	TxTime    uint32 // probe.tx_time, echoed
	Port      uint16
	NewEpoch  uint8
	Query     bool
	Txn       uint8
	Syndrome  wire.Syndrome
	Attempt   uint8
	Msn       uint32
}

// AppendAck appends the acknowledgement of a path: what its window holds now.
func AppendAck(b []byte, row *event.WindowPath, path uint8, in *event.AckIn, out *event.AckOut, n Notice) []byte {
	start := len(b)
	base := reply(wire.OpcodeAck, row, path, in.Now)
	base.FlagD = row.LastD
	b = base.Append(b)
	h := wire.Ack{
		EchoPsn: row.LastPsn, EchoTime: row.LastTime, Held: out.Held, HighValid: row.HighValid,
		Cum: row.Cum, Vector: row.Vector, HighTsn: row.HighTsn,
		Packets: row.Packets, Bytes: row.Bytes, Ce: row.Ce, Dups: row.Dups,
		Hint: in.Hint, HintGen: in.HintGen,
	}
	if n.Valid {
		h.NoticeValid, h.NoticeStream, h.NoticeMsn = true, n.Stream, n.Completed
	}
	return seal(h.Append(b), start)
}

// AppendNak appends the hint that a message was refused.
func AppendNak(b []byte, row *event.WindowPath, r *Reply, now uint32) []byte {
	start := len(b)
	base := reply(wire.OpcodeNak, row, r.Path, now)
	b = base.Append(b)
	h := wire.Nak{Stream: r.Stream, Attempt: r.Attempt, Syndrome: r.Syndrome, Msn: r.Msn}
	return seal(h.Append(b), start)
}

// AppendAnswer appends the answer to a probe. completed is that of the stream queried at build time, 0 for a path
// probe.
func AppendAnswer(b []byte, row *event.WindowPath, r *Reply, now, completed uint32) []byte {
	start := len(b)
	base := reply(wire.OpcodeAnswer, row, r.Path, now)
	b = base.Append(b)
	h := wire.Answer{
		Port: r.Port, NewEpoch: r.NewEpoch, Query: r.Query, Txn: r.Txn, Stream: r.Stream,
		Attempt: r.Attempt, Syndrome: r.Syndrome, Completed: completed, Msn: r.Msn, EchoTime: r.TxTime,
	}
	return seal(h.Append(b), start)
}

// reply is the base header of all that is built: to the peer of the path, with no serial numbers of its own.
func reply(opcode wire.Opcode, row *event.WindowPath, path uint8, now uint32) wire.Base {
	return wire.Base{
		Version: preset.Version, Epoch: row.Epoch, Opcode: opcode, Path: path, DstConn: row.Peer, TxTime: now,
	}
}

// seal appends the ICRC of the bytes from start on.
func seal(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, wire.ICRC(b[start:]))
}
