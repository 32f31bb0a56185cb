package modeltest

import (
	"encoding/binary"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Net is what lies below the UDP payload. The zero Net is plain Ethernet, IPv4, ECT(0), the default ports.
type Net struct {
	VLAN  bool
	IPv6  bool
	Ce    bool
	Sport uint16 // 0: 50000
	Dport uint16 // 0: the default port
	Tail  int    // Ethernet padding behind the IP payload
}

// Packet is one packet of any kind. Headers that its opcode does not have are ignored.
type Packet struct {
	Net
	wire.Base
	wire.Message
	wire.Target
	wire.Match
	wire.Imm
	wire.Read
	wire.Atomic
	wire.Probe
	Payload []byte
}

// Frame returns the packet's bytes from the destination MAC on, without FCS. Version and pad are filled in.
func (p *Packet) Frame() []byte { return p.Net.Wrap(p.Datagram()) }

// Datagram returns the UDP payload: headers, payload, padding, ICRC.
func (p *Packet) Datagram() []byte {
	base := p.Base
	if base.Version == 0 {
		base.Version = preset.Version
	}
	pad := -len(p.Payload) & 3
	base.Pad = uint8(pad)
	b := base.Append(nil)
	for _, id := range wire.Kinds[base.Opcode].Headers {
		b = p.appendHeader(b, id)
	}
	b = append(b, p.Payload...)
	b = append(b, make([]byte, pad)...)
	return Seal(b)
}

func (p *Packet) appendHeader(b []byte, id wire.HeaderID) []byte {
	switch id {
	case wire.HeaderMessage:
		return p.Message.Append(b)
	case wire.HeaderTarget:
		return p.Target.Append(b)
	case wire.HeaderMatch:
		return p.Match.Append(b)
	case wire.HeaderImm:
		return p.Imm.Append(b)
	case wire.HeaderRead:
		return p.Read.Append(b)
	case wire.HeaderAtomic:
		return p.Atomic.Append(b)
	case wire.HeaderProbe:
		return p.Probe.Append(b)
	case wire.HeaderBase:
		return b
	}
	return append(b, make([]byte, wire.Headers[id].Size)...)
}

// Seal appends the ICRC to a UDP payload.
func Seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, wire.ICRC(b)) }

// Wrap puts Ethernet, IP and UDP around a UDP payload.
func (n Net) Wrap(udp []byte) []byte {
	b := []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}
	if n.VLAN {
		b = append(b, 0x81, 0x00, 0x60, 0x05)
	}
	tos := byte(2) // ECT(0)
	if n.Ce {
		tos = 3
	}
	length := 8 + len(udp)
	if n.IPv6 {
		b = append(b, 0x86, 0xdd, 0x60|tos>>4, tos<<4, 0, 0, byte(length>>8), byte(length), 17, 64)
		for _, last := range []byte{1, 2} {
			b = append(b, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)
		}
	} else {
		b = append(b, 0x08, 0x00)
		h := []byte{0x45, tos, byte((20 + length) >> 8), byte(20 + length), 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
		binary.BigEndian.PutUint16(h[10:], checksum(h))
		b = append(b, h...)
	}
	b = binary.BigEndian.AppendUint16(b, orDefault(n.Sport, 50000))
	b = binary.BigEndian.AppendUint16(b, orDefault(n.Dport, preset.UDPPort))
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = append(b, 0, 0)
	b = append(b, udp...)
	return append(b, make([]byte, n.Tail)...)
}

func orDefault(v, def uint16) uint16 {
	if v == 0 {
		return def
	}
	return v
}

func checksum(h []byte) uint16 {
	sum := uint32(0)
	for i := 0; i+1 < len(h); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(h[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
