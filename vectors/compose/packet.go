package compose

import (
	"encoding/binary"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/layers"
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

// headers are the extension headers of the packet's kind. Of kinds that are not for a receiver they are zero.
func (p *Packet) headers() []layers.Header {
	var list []layers.Header
	for _, id := range wire.Kinds[p.Op].Headers[1:] {
		list = append(list, p.header(id))
	}
	return list
}

func (p *Packet) header(id wire.HeaderID) layers.Header {
	switch id {
	case wire.HeaderMessage:
		return &wire.Message{Stream: p.Stream, Attempt: p.Attempt & 15, Msn: p.Msn, Length: p.Length, Offset: p.Offset}
	case wire.HeaderTarget:
		return &wire.Target{Rkey: p.Rkey, Addr: p.Addr}
	case wire.HeaderMatch:
		return &wire.Match{RecvIndex: p.Recv}
	case wire.HeaderImm:
		return &wire.Imm{ImmValue: p.Imm}
	case wire.HeaderRead:
		return &wire.Read{Stream: p.Stream, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Length: p.Length}
	case wire.HeaderAtomic:
		return &wire.Atomic{Stream: p.Stream, FetchAdd: true, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Operand: 1}
	case wire.HeaderProbe:
		return &wire.Probe{Port: p.Port, NewEpoch: p.NewEpoch & 15, Query: p.Query, Txn: p.Txn, Stream: p.Stream, Msn: p.Msn}
	}
	return zeros(wire.Headers[id].Size)
}

// zeros is a header of zeros.
type zeros int

// Append puts it behind b.
func (n zeros) Append(b []byte) []byte { return append(b, make([]byte, n)...) }

// udp is the UDP payload: headers, payload, padding, ICRC. A packet made from the vocabulary of this package always
// has the headers of its kind, so building cannot fail.
func (p *Packet) udp() []byte {
	w := layers.Packet{Headers: p.headers(), Base: wire.Base{Version: preset.Version, Epoch: p.Epoch & 15, Opcode: p.Op,
		FlagA: p.A, FlagD: p.D, FlagR: p.R, FlagB: p.B, FlagL: p.L, Path: p.Path, DstConn: p.DstConn & 0xffffff, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.Time}}
	if wire.Kinds[p.Op].Payload && p.Net.Bad != BadPad {
		w.Payload = Payload(nil, p.payloadKey(), p.Offset, p.Bytes)
	}
	b, err := w.AppendUDP(nil)
	if err != nil {
		panic("compose BUG: " + err.Error())
	}
	return b
}

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
