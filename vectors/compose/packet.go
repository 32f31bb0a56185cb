package compose

import (
	"encoding/binary"
	"sync"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Packet is one packet before it becomes a frame. Fields that its kind does not have are ignored.
type Packet struct {
	Op            wire.Opcode
	Epoch         uint8
	A, D, R, B, L bool
	Path          uint8
	DstConn       uint32 // generation and index
	Psn, Tsn      uint32
	Time          uint32

	Stream  uint16
	Attempt uint8
	Msn     uint32
	Length  uint32
	Offset  uint32
	Rkey    uint32
	Addr    uint64
	Recv    uint32
	Imm     uint32

	Port     uint16 // probe
	NewEpoch uint8
	Query    bool
	Txn      uint8

	Bytes int // payload; its content follows from connection, stream, msn and offset
	Net   Net
}

// ConnIndex is the index part of DstConn.
func (p *Packet) ConnIndex() uint16 { return uint16(p.DstConn) }

// HasMessage says whether the packet is part of a Write or Send.
func (p *Packet) HasMessage() bool { return wire.Kinds[p.Op].CarriesMessage }

// IsSend says whether the payload goes to a posted receive.
func (p *Packet) IsSend() bool { return p.Op == wire.OpcodeSend || p.Op == wire.OpcodeSendImm }

// HasImm says whether the packet carries an immediate.
func (p *Packet) HasImm() bool { return p.Op == wire.OpcodeWriteImm || p.Op == wire.OpcodeSendImm }

// appendHeader puts an extension header behind b. Headers of kinds that are not for a receiver are zero.
func (p *Packet) appendHeader(b []byte, id wire.HeaderID) []byte {
	switch id {
	case wire.HeaderMessage:
		h := wire.Message{Stream: p.Stream, Attempt: p.Attempt & 15, Msn: p.Msn, Length: p.Length, Offset: p.Offset}
		return h.Append(b)
	case wire.HeaderTarget:
		h := wire.Target{Rkey: p.Rkey, Addr: p.Addr}
		return h.Append(b)
	case wire.HeaderMatch:
		h := wire.Match{RecvIndex: p.Recv}
		return h.Append(b)
	case wire.HeaderImm:
		h := wire.Imm{ImmValue: p.Imm}
		return h.Append(b)
	case wire.HeaderRead:
		h := wire.Read{Stream: p.Stream, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Length: p.Length}
		return h.Append(b)
	case wire.HeaderAtomic:
		h := wire.Atomic{Stream: p.Stream, FetchAdd: true, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Operand: 1}
		return h.Append(b)
	case wire.HeaderProbe:
		h := wire.Probe{Port: p.Port, NewEpoch: p.NewEpoch & 15, Query: p.Query, Txn: p.Txn, Stream: p.Stream, Msn: p.Msn}
		return h.Append(b)
	}
	return append(b, make([]byte, wire.Headers[id].Size)...)
}

// appendUDP puts the UDP payload behind b: headers, payload, padding, ICRC. It is nic/layers.Packet.AppendUDP without what
// that has to allocate; a test holds the two against each other.
func (p *Packet) appendUDP(b []byte) []byte {
	start := len(b)
	kind := &wire.Kinds[p.Op]
	n := 0
	if kind.Payload && p.Net.Bad != BadPad {
		n = p.Bytes
	}
	base := wire.Base{Version: preset.Version, Epoch: p.Epoch & 15, Opcode: p.Op, FlagA: p.A, FlagD: p.D, FlagR: p.R, FlagB: p.B, FlagL: p.L,
		Pad: uint8(-n & 3), Path: p.Path, DstConn: p.DstConn & 0xffffff, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.Time}
	b = base.Append(b)
	for _, id := range kind.Headers[1:] {
		b = p.appendHeader(b, id)
	}
	b = Payload(b, p.payloadKey(), p.Offset, n)
	b = append(b, make([]byte, base.Pad)...)
	return binary.LittleEndian.AppendUint32(b, wire.ICRC(b[start:]))
}

// scratch are buffers for UDP payloads on their way into a frame.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// payloadKey makes payloads of different messages differ, and the same byte of a message the same in every packet
// that carries it, whatever the attempt.
func (p *Packet) payloadKey() uint64 {
	return uint64(p.ConnIndex())<<48 ^ uint64(p.Stream)<<32 ^ uint64(p.Msn)
}

// Payload appends n bytes of a message's content from offset on: byte i of the message is byte i mod 8 of a mixed
// word, so any packet can be made, or checked, without the rest of its message.
func Payload(b []byte, key uint64, offset uint32, n int) []byte {
	at := uint64(offset)
	for ; n > 0 && at&7 != 0; n-- {
		b = append(b, byte(payloadWord(key, at>>3)>>(8*(at&7))))
		at++
	}
	for ; n >= 8; n -= 8 {
		b = binary.LittleEndian.AppendUint64(b, payloadWord(key, at>>3))
		at += 8
	}
	for last := payloadWord(key, at>>3); n > 0; n-- {
		b = append(b, byte(last))
		last >>= 8
	}
	return b
}

func payloadWord(key, i uint64) uint64 { return mix(key + i*0x9e3779b97f4a7c15) }

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
