package compose

import (
	"bytes"
	"encoding/binary"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Lift finds the packet whose frame this is, so that it can be kept by its fields. Frames that this package does not
// make byte by byte the same, payload included, are not lifted.
func Lift(frame []byte) (*Packet, bool) {
	p := &Packet{}
	udp, end := p.Net.lift(frame)
	if udp == nil || !p.liftHeaders(udp) {
		return nil, false
	}
	if len(frame) > max(end, minFrame) {
		p.Net.PadTo = len(frame)
	}
	made, _ := p.Frame()
	return p, bytes.Equal(made, frame)
}

// PayloadOf is the payload that a frame carries, whoever made it; nil where it is none of this format.
func PayloadOf(frame []byte) []byte {
	p := &Packet{}
	udp, _ := p.Net.lift(frame)
	if udp == nil || !p.liftHeaders(udp) || !wire.Kinds[p.Op].Payload || p.Bytes == 0 {
		return nil
	}
	at := wire.Kinds[p.Op].HeaderLen
	return udp[at : at+p.Bytes]
}

const minFrame = 60

// lift reads what stands around the UDP payload, and where the IP packet ends.
func (n *Net) lift(b []byte) (udp []byte, end int) {
	if len(b) < etherBytes+tagBytes {
		return nil, 0
	}
	n.VLAN = binary.BigEndian.Uint16(b[12:]) == 0x8100
	at := n.ipAt()
	n.IPv6 = binary.BigEndian.Uint16(b[at-2:]) == 0x86dd
	if len(b) < n.udpAt()+udpBytes {
		return nil, 0
	}
	tos := b[at+1]
	if n.IPv6 {
		tos = b[at]<<4 | b[at+1]>>4
	}
	n.CE = tos&3 == 3
	head := b[n.udpAt():]
	n.Sport, n.Dport = binary.BigEndian.Uint16(head), binary.BigEndian.Uint16(head[2:])
	if n.Dport == preset.UDPPort {
		n.Dport = 0
	}
	size := int(binary.BigEndian.Uint16(head[4:]))
	if size < udpBytes || size > len(head) {
		return nil, 0
	}
	return head[udpBytes:size], n.udpAt() + size
}

// liftHeaders reads the headers of a UDP payload.
func (p *Packet) liftHeaders(b []byte) bool {
	var base wire.Base
	if base.Decode(b) != nil || !wire.Kinds[base.Opcode].Known {
		return false
	}
	p.Op, p.Epoch, p.Path, p.DstConn, p.Psn, p.Tsn, p.Time = base.Opcode, base.Epoch, base.Path, base.DstConn, base.Psn, base.Tsn, base.TxTime
	p.A, p.D, p.R, p.B, p.L = base.FlagA, base.FlagD, base.FlagR, base.FlagB, base.FlagL
	p.Bytes = len(b) - wire.Kinds[p.Op].HeaderLen - preset.IcrcBytes - int(base.Pad)
	if p.Bytes < 0 {
		return false
	}
	b = b[wire.BaseSize:]
	for _, id := range wire.Kinds[p.Op].Headers[1:] {
		if !p.liftHeader(id, b) {
			return false
		}
		b = b[wire.Headers[id].Size:]
	}
	return true
}

func (p *Packet) liftHeader(id wire.HeaderID, b []byte) bool {
	switch id {
	case wire.HeaderMessage:
		var h wire.Message
		if h.Decode(b) != nil {
			return false
		}
		p.Stream, p.Attempt, p.Msn, p.Length, p.Offset = h.Stream, h.Attempt, h.Msn, h.Length, h.Offset
	case wire.HeaderTarget:
		var h wire.Target
		if h.Decode(b) != nil {
			return false
		}
		p.Rkey, p.Addr = h.Rkey, h.Addr
	case wire.HeaderMatch:
		var h wire.Match
		if h.Decode(b) != nil {
			return false
		}
		p.Recv = h.RecvIndex
	case wire.HeaderImm:
		var h wire.Imm
		if h.Decode(b) != nil {
			return false
		}
		p.Imm = h.ImmValue
	case wire.HeaderRead:
		var h wire.Read
		if h.Decode(b) != nil {
			return false
		}
		p.Stream, p.Msn, p.Rkey, p.Addr, p.Length = h.Stream, h.Msn, h.Rkey, h.Addr, h.Length
	case wire.HeaderAtomic:
		var h wire.Atomic
		if h.Decode(b) != nil {
			return false
		}
		p.Stream, p.Msn, p.Rkey, p.Addr = h.Stream, h.Msn, h.Rkey, h.Addr
	case wire.HeaderProbe:
		var h wire.Probe
		if h.Decode(b) != nil {
			return false
		}
		p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn = h.Port, h.NewEpoch, h.Query, h.Txn, h.Stream, h.Msn
	default: // of kinds that are not for a receiver: zeros
		return len(b) >= wire.Headers[id].Size
	}
	return true
}
