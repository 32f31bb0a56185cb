package compose

import (
	"encoding/binary"

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
func (p *Packet) HasMessage() bool {
	return p.Op == wire.OpcodeWrite || p.Op == wire.OpcodeWriteImm || p.IsSend()
}

// IsSend says whether the payload goes to a posted receive.
func (p *Packet) IsSend() bool { return p.Op == wire.OpcodeSend || p.Op == wire.OpcodeSendImm }

// HasImm says whether the packet carries an immediate.
func (p *Packet) HasImm() bool { return p.Op == wire.OpcodeWriteImm || p.Op == wire.OpcodeSendImm }

// appendUDP appends the UDP payload: headers, payload, padding, ICRC. It returns where the payload starts in it.
func (p *Packet) appendUDP(b []byte) (out []byte, payloadAt int) {
	start := len(b)
	bytes := p.Bytes
	if !wire.Kinds[p.Op].Payload {
		bytes = 0
	}
	b = p.appendHeaders(b, bytes)
	payloadAt = len(b) - start
	b = Payload(b, p.payloadKey(), p.Offset, bytes)
	for i := bytes; i%4 != 0; i++ {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, wire.ICRC(b[start:])), payloadAt
}

func (p *Packet) appendHeaders(b []byte, payload int) []byte {
	base := wire.Base{Version: preset.Version, Epoch: p.Epoch & 15, Opcode: p.Op, FlagA: p.A, FlagD: p.D, FlagR: p.R, FlagB: p.B,
		FlagL: p.L, Pad: uint8(-payload & 3), Path: p.Path, DstConn: p.DstConn & 0xffffff, Psn: p.Psn, Tsn: p.Tsn, TxTime: p.Time}
	b = base.Append(b)
	if p.HasMessage() {
		m := wire.Message{Stream: p.Stream, Attempt: p.Attempt & 15, Msn: p.Msn, Length: p.Length, Offset: p.Offset}
		b = m.Append(b)
	}
	switch p.Op {
	case wire.OpcodeWrite, wire.OpcodeWriteImm:
		t := wire.Target{Rkey: p.Rkey, Addr: p.Addr}
		b = t.Append(b)
	case wire.OpcodeReadRequest:
		r := wire.Read{Stream: p.Stream, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Length: p.Length, LocalKey: 0x77, LocalAddr: 0x1234_5678_9abc}
		return r.Append(b)
	case wire.OpcodeAtomicRequest:
		a := wire.Atomic{Stream: p.Stream, FetchAdd: true, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Operand: 1}
		return a.Append(b)
	case wire.OpcodeProbe:
		q := wire.Probe{Port: p.Port, NewEpoch: p.NewEpoch & 15, Query: p.Query, Txn: p.Txn, Stream: p.Stream, Msn: p.Msn}
		return q.Append(b)
	}
	if p.IsSend() || p.Op == wire.OpcodeWriteImm {
		m := wire.Match{RecvIndex: p.Recv}
		b = m.Append(b)
	}
	if p.HasImm() {
		i := wire.Imm{ImmValue: p.Imm}
		b = i.Append(b)
	}
	// kinds for the sender are dropped before their headers mean anything: zeros of the right size
	for want := wire.BaseSize + extension(p.Op); len(b)%4 == 0 && foreign(p.Op) && want > wire.BaseSize; want -= 4 {
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

// foreign says whether a kind is one that the receive side drops.
func foreign(op wire.Opcode) bool {
	k := &wire.Kinds[op]
	return k.Known && k.Side != wire.SideReceiver
}

// extension is the size of the headers behind the base header.
func extension(op wire.Opcode) int { return int(wire.Kinds[op].HeaderLen) - wire.BaseSize }

// payloadKey makes payloads of different messages differ, and the same byte of a message the same in every packet
// that carries it, whatever the attempt.
func (p *Packet) payloadKey() uint64 {
	return uint64(p.ConnIndex())<<48 ^ uint64(p.Stream)<<32 ^ uint64(p.Msn)
}

// Payload appends n bytes of a message's content from offset on: byte i of the message is byte i mod 8 of a mixed
// word, so any packet can be made, or checked, without the rest of its message.
func Payload(b []byte, key uint64, offset uint32, n int) []byte {
	for i := uint64(offset); n > 0; n-- {
		b = append(b, byte(mix(key+i>>3*0x9e3779b97f4a7c15)>>(8*(i&7))))
		i++
	}
	return b
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
