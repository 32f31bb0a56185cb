package edge

import (
	"encoding/binary"
	"math/rand/v2"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// maker makes frames byte by byte, with no help of the codec under test but the base header, so that each can be wrong
// in one place.
type maker struct{ *rand.Rand }

func (m *maker) one(of int) bool { return m.IntN(of) == 0 }

func (m *maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return b
}

// Faults that a frame may have. Where one is set, the rest of the frame is right.
const (
	faultNone = iota
	faultVersion
	faultOpcode
	faultICRC
	faultPad
	faultExtra
	faultCut
	faultUDPLength
	faultUDPPort
	faultProto
	faultIPLength
	faultIPHeader
	faultEthertype
	faultCount
)

// opcodes are those of all kinds; data stands several times, since most of what can go wrong is there.
func (m *maker) opcode() wire.Opcode {
	data := []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm}
	if !m.one(4) {
		return data[m.IntN(len(data))]
	}
	for {
		if op := wire.Opcode(m.IntN(0x17)); wire.Kinds[op].Known {
			return op
		}
	}
}

// transport is the UDP payload.
func (m *maker) transport(fault, most int) []byte {
	op := m.opcode()
	kind := wire.Kinds[op]
	base := wire.Base{Version: preset.Version, Epoch: uint8(m.IntN(16)), Opcode: op, FlagA: m.one(2), FlagD: m.one(2), FlagR: m.one(2),
		FlagB: m.one(2), FlagL: m.one(2), Path: uint8(m.Uint32()), DstConn: m.Uint32() & 0xff_ffff, Psn: m.Uint32(), Tsn: m.Uint32(),
		TxTime: m.Uint32()}
	n := 0
	if kind.Payload && !m.one(10) {
		n = 1 + m.IntN(most)
	}
	base.Pad = uint8(-n & 3)
	switch fault {
	case faultVersion:
		base.Version = uint8(m.IntN(15)+2) & 15
	case faultOpcode:
		base.Opcode = wire.Opcode(0x17 + m.IntN(200))
	case faultPad:
		n, base.Pad = 0, uint8(1+m.IntN(3))
	}
	b := base.Append(nil)
	if fault == faultCut {
		cut := m.IntN(kind.HeaderLen-wire.BaseSize+1) &^ 3
		b = append(b, m.bytes(cut)...)
	} else {
		b = append(b, m.bytes(kind.HeaderLen-wire.BaseSize)...)
		b = append(b, m.bytes(n+(-n&3))...)
	}
	if fault == faultExtra {
		b = append(b, m.bytes(4*(1+m.IntN(4)))...)
	}
	if m.one(20) { // trailing zeros must not look like no bytes
		clear(b[len(b)-min(len(b)-wire.BaseSize, m.IntN(40)):])
	}
	icrc := wire.ICRC(b)
	if fault == faultICRC {
		icrc ^= 1 << m.IntN(32)
	}
	return binary.LittleEndian.AppendUint32(b, icrc)
}

// datagram puts UDP before a payload.
func (m *maker) datagram(fault int, payload []byte) []byte {
	port := uint16(preset.UDPPort)
	if fault == faultUDPPort {
		port ^= 1 << m.IntN(16)
	}
	n := uint16(8 + len(payload))
	if fault == faultUDPLength {
		n += uint16(m.IntN(9)) - 4
	}
	b := binary.BigEndian.AppendUint16(nil, uint16(m.Uint32()))
	b = binary.BigEndian.AppendUint16(b, port)
	b = binary.BigEndian.AppendUint16(b, n)
	return append(append(b, m.bytes(2)...), payload...)
}

// network puts IPv4 or IPv6 before a datagram, and Ethernet before that.
func (m *maker) network(fault int, datagram []byte) []byte {
	v6, vlan := m.one(2), m.one(2)
	b := m.bytes(12)
	if vlan {
		b = append(b, 0x81, 0x00)
		b = append(b, m.bytes(2)...)
	}
	proto := byte(17)
	if fault == faultProto {
		proto = byte(m.Uint32())
	}
	change := 0
	if fault == faultIPLength {
		change = []int{-len(datagram) - 1, 1, 4, 400, 60000}[m.IntN(5)]
	}
	ether := map[bool]uint16{false: 0x0800, true: 0x86dd}[v6]
	if fault == faultEthertype {
		ether = uint16(m.Uint32())
	}
	b = binary.BigEndian.AppendUint16(b, ether)
	tos := byte(m.Uint32())
	if m.one(2) {
		tos |= 3
	}
	if v6 {
		h := []byte{0x60 | tos>>4, tos<<4 | byte(m.IntN(16)), 0, 0, 0, 0, proto, 64}
		binary.BigEndian.PutUint16(h[4:], uint16(len(datagram)+change))
		if fault == faultIPHeader {
			h[0] = byte(m.IntN(256))
		}
		b = append(append(b, h...), m.bytes(32)...)
		return append(b, datagram...)
	}
	h := append([]byte{0x45, tos, 0, 0, 0, 0, byte(m.IntN(2)) << 6, 0, 64, proto, 0, 0}, m.bytes(8)...)
	copy(h[4:], m.bytes(2))
	binary.BigEndian.PutUint16(h[2:], uint16(20+len(datagram)+change))
	if fault == faultIPHeader && m.one(2) {
		switch m.IntN(3) {
		case 0:
			h[0] = byte(m.Uint32())
		case 1:
			h[6] |= 1 << m.IntN(6)
		default:
			h[7] = 1 << m.IntN(8)
		}
		fault = faultNone
	}
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(h[i:]))
	}
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	binary.BigEndian.PutUint16(h[10:], ^uint16(sum))
	if fault == faultIPHeader {
		h[m.IntN(20)] ^= 1 << m.IntN(8)
	}
	b = append(b, h...)
	return append(b, datagram...)
}

// headerBits are right IPv4 frames in which one bit of the header differs and the checksum follows it.
func (m *maker) headerBits() [][]byte {
	var out [][]byte
	for len(out) < 20*8 {
		f := m.long(4)
		at := 14
		if f[12] == 0x81 {
			at = 18
		}
		if f[at]>>4 != 4 {
			continue
		}
		h := f[at:][:20]
		h[len(out)/8] ^= 1 << (len(out) % 8)
		if len(out)/8 != 10 && len(out)/8 != 11 { // these two are the checksum
			h[10], h[11] = 0, 0
			sum := uint32(0)
			for i := 0; i < 20; i += 2 {
				sum += uint32(binary.BigEndian.Uint16(h[i:]))
			}
			sum = sum>>16 + sum&0xffff
			sum = sum>>16 + sum&0xffff
			binary.BigEndian.PutUint16(h[10:], ^uint16(sum))
		}
		out = append(out, f)
	}
	return out
}

// frame is any frame: most are right, many have one fault, some are cut short, stretched, or noise.
func (m *maker) frame() []byte {
	most := []int{8, 40, 64, 200, 200, 1500}[m.IntN(6)]
	if m.one(60) {
		most = 9000
	}
	fault := faultNone
	if m.one(3) {
		fault = m.IntN(faultCount)
	}
	switch m.IntN(20) {
	case 0:
		return m.bytes(1 + m.IntN(140))
	case 1: // one header right up to a cut
		f := m.network(fault, m.datagram(fault, m.transport(fault, most)))
		return f[:1+m.IntN(len(f))]
	case 2: // payload that is no packet
		return m.network(fault, m.datagram(fault, m.bytes(m.IntN(80))))
	case 3: // around the longest frame and beyond it
		if m.one(6) {
			f := m.network(fault, m.datagram(fault, m.transport(fault, most)))
			return append(f, m.bytes(max(0, preset.MaxFrame-len(f))+m.IntN(80)-40)...)
		}
	}
	f := m.network(fault, m.datagram(fault, m.transport(fault, most)))
	if m.one(4) {
		f = append(f, m.bytes(m.IntN(130))...) // padding of Ethernet
	}
	return f
}

// long is a packet whose payload is n bytes, n a multiple of 4.
func (m *maker) long(n int) []byte {
	base := wire.Base{Version: preset.Version, Opcode: wire.OpcodeWrite}
	b := base.Append(nil)
	b = append(b, m.bytes(wire.Kinds[wire.OpcodeWrite].HeaderLen-wire.BaseSize+n)...)
	b = binary.LittleEndian.AppendUint32(b, wire.ICRC(b))
	return m.network(faultNone, m.datagram(faultNone, b))
}
