package endpoint

import (
	"encoding/binary"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Append puts the UDP payload of the packet behind b, with its ICRC. Without Data the payload is zeros.
func (p *Packet) Append(b []byte) []byte {
	start := len(b)
	n := p.payload()
	base := p.Base
	base.Version = preset.Version
	base.Pad = uint8(-n & 3)
	b = base.Append(b)
	for _, id := range wire.Kinds[p.Opcode].Headers {
		b = p.appendHeader(id, b)
	}
	if len(p.Data) >= int(n) {
		b = append(b, p.Data[:n]...)
	} else {
		b = append(b, make([]byte, n)...)
	}
	b = append(b, make([]byte, base.Pad)...)
	return binary.LittleEndian.AppendUint32(b, wire.ICRC(b[start:]))
}

// appendHeader appends an extension header; the base header is there already.
func (p *Packet) appendHeader(id wire.HeaderID, b []byte) []byte {
	switch id {
	case wire.HeaderMessage:
		h := wire.Message{Stream: p.Stream, Attempt: p.Attempt, Msn: p.Msn, Length: p.Length, Offset: p.Offset}
		return h.Append(b)
	case wire.HeaderTarget:
		h := wire.Target{Rkey: p.Rkey, Addr: p.Addr}
		return h.Append(b)
	case wire.HeaderMatch:
		h := wire.Match{RecvIndex: p.RecvIndex}
		return h.Append(b)
	case wire.HeaderImm:
		h := wire.Imm{ImmValue: p.Imm}
		return h.Append(b)
	case wire.HeaderRead:
		h := wire.Read{Stream: p.Stream, Slot: p.Slot, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr, Length: p.Length,
			LocalKey: p.LocalKey, LocalAddr: p.LocalAddr}
		return h.Append(b)
	case wire.HeaderResponse:
		h := wire.Response{Slot: p.Slot, Offset: p.Offset, LocalKey: p.LocalKey, LocalAddr: p.LocalAddr}
		return h.Append(b)
	case wire.HeaderAtomic:
		h := wire.Atomic{Stream: p.Stream, Slot: p.Slot, FetchAdd: p.FetchAdd, Msn: p.Msn, Rkey: p.Rkey, Addr: p.Addr,
			Compare: p.Compare, Operand: p.Operand}
		return h.Append(b)
	case wire.HeaderAtomicResult:
		h := wire.AtomicResult{Slot: p.Slot, Value: p.Operand}
		return h.Append(b)
	case wire.HeaderAck:
		return p.Ack.Append(b)
	case wire.HeaderNak:
		h := wire.Nak{Stream: p.Stream, Attempt: p.Attempt, Syndrome: p.Syndrome, Msn: p.Msn}
		return h.Append(b)
	case wire.HeaderProbe:
		h := wire.Probe{Port: p.Port, NewEpoch: p.NewEpoch, Query: p.Query, Txn: p.Txn, Stream: p.Stream, Msn: p.Msn}
		return h.Append(b)
	case wire.HeaderAnswer:
		h := wire.Answer{Port: p.Port, NewEpoch: p.NewEpoch, Query: p.Query, Txn: p.Txn, Stream: p.Stream, Attempt: p.Attempt,
			Syndrome: p.Syndrome, Completed: p.Completed, Msn: p.Msn, EchoTime: p.EchoTime}
		return h.Append(b)
	case wire.HeaderControl:
		return p.Control.Append(b)
	}
	return b
}

// Decode reads a UDP payload and returns the first reason to drop it. Fields that the kind has not are left alone; Ce and
// Sport are of the layers below. Data points into b, nil without payload.
func (p *Packet) Decode(b []byte) event.Reason {
	if len(b) < wire.BaseSize+preset.IcrcBytes || len(b)%4 != 0 {
		return event.ReasonShort
	}
	body := b[:len(b)-preset.IcrcBytes]
	if wire.ICRC(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return event.ReasonIcrc
	}
	_ = p.Base.Decode(body) // long enough: checked above
	kind := &wire.Kinds[p.Opcode]
	switch {
	case p.Version != preset.Version:
		return event.ReasonVersion
	case !kind.Known:
		return event.ReasonOpcode
	case len(body) < kind.HeaderLen:
		return event.ReasonHeaderLength
	}
	rest, pad := len(body)-kind.HeaderLen, int(p.Pad)
	if !kind.Payload && rest != 0 || pad > rest || rest-pad > preset.MaxPayload {
		return event.ReasonHeaderLength
	}
	at := body[wire.BaseSize:]
	for _, id := range kind.Headers {
		at = p.decodeHeader(id, at)
	}
	p.PayloadLen = uint16(rest - pad)
	p.Data = nil
	if p.PayloadLen > 0 {
		p.Data = at[:p.PayloadLen]
	}
	return event.ReasonNone
}

// decodeHeader reads an extension header, which b holds whole, and returns what is behind it.
func (p *Packet) decodeHeader(id wire.HeaderID, b []byte) []byte {
	switch id {
	case wire.HeaderMessage:
		var h wire.Message
		_ = h.Decode(b)
		p.Stream, p.Attempt, p.Msn, p.Length, p.Offset = h.Stream, h.Attempt, h.Msn, h.Length, h.Offset
		return b[wire.MessageSize:]
	case wire.HeaderTarget:
		var h wire.Target
		_ = h.Decode(b)
		p.Rkey, p.Addr = h.Rkey, h.Addr
		return b[wire.TargetSize:]
	case wire.HeaderMatch:
		var h wire.Match
		_ = h.Decode(b)
		p.RecvIndex = h.RecvIndex
		return b[wire.MatchSize:]
	case wire.HeaderImm:
		var h wire.Imm
		_ = h.Decode(b)
		p.Imm = h.ImmValue
		return b[wire.ImmSize:]
	case wire.HeaderRead, wire.HeaderResponse, wire.HeaderAtomic, wire.HeaderAtomicResult:
		return p.decodeRequest(id, b)
	case wire.HeaderAck:
		_ = p.Ack.Decode(b)
		return b[wire.AckSize:]
	case wire.HeaderNak:
		var h wire.Nak
		_ = h.Decode(b)
		p.Stream, p.Attempt, p.Syndrome, p.Msn = h.Stream, h.Attempt, h.Syndrome, h.Msn
		return b[wire.NakSize:]
	case wire.HeaderProbe:
		var h wire.Probe
		_ = h.Decode(b)
		p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn = h.Port, h.NewEpoch, h.Query, h.Txn, h.Stream, h.Msn
		return b[wire.ProbeSize:]
	case wire.HeaderAnswer:
		var h wire.Answer
		_ = h.Decode(b)
		p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream = h.Port, h.NewEpoch, h.Query, h.Txn, h.Stream
		p.Attempt, p.Syndrome, p.Completed, p.Msn, p.EchoTime = h.Attempt, h.Syndrome, h.Completed, h.Msn, h.EchoTime
		return b[wire.AnswerSize:]
	case wire.HeaderControl:
		_ = p.Control.Decode(b)
		return b[wire.ControlSize:]
	}
	return b
}

// decodeRequest is decodeHeader for reads, atomics and their answers.
func (p *Packet) decodeRequest(id wire.HeaderID, b []byte) []byte {
	switch id {
	case wire.HeaderRead:
		var h wire.Read
		_ = h.Decode(b)
		p.Stream, p.Slot, p.Msn, p.Rkey, p.Addr, p.Length = h.Stream, h.Slot, h.Msn, h.Rkey, h.Addr, h.Length
		p.LocalKey, p.LocalAddr = h.LocalKey, h.LocalAddr
		return b[wire.ReadSize:]
	case wire.HeaderResponse:
		var h wire.Response
		_ = h.Decode(b)
		p.Slot, p.Offset, p.LocalKey, p.LocalAddr = h.Slot, h.Offset, h.LocalKey, h.LocalAddr
		return b[wire.ResponseSize:]
	case wire.HeaderAtomic:
		var h wire.Atomic
		_ = h.Decode(b)
		p.Stream, p.Slot, p.FetchAdd, p.Msn, p.Rkey, p.Addr = h.Stream, h.Slot, h.FetchAdd, h.Msn, h.Rkey, h.Addr
		p.Compare, p.Operand = h.Compare, h.Operand
		return b[wire.AtomicSize:]
	}
	var h wire.AtomicResult
	_ = h.Decode(b)
	p.Slot, p.Operand = h.Slot, h.Value
	return b[wire.AtomicResultSize:]
}
