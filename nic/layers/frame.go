package layers

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// ECN field values (RFC 3168).
const (
	NotECT = 0
	ECT1   = 1
	ECT0   = 2
	CE     = 3
)

// minFrame is the shortest Ethernet frame without FCS.
const minFrame = 60

// Header is an extension header: any header type of model/wire.
type Header interface{ Append([]byte) []byte }

// Packet is what stands in the UDP payload. Base.Pad is set when it is built.
type Packet struct {
	Base    wire.Base
	Headers []Header
	Payload []byte
}

// Frame is what stands around a packet. The zero value with addresses set is a usable frame.
type Frame struct {
	SrcMAC, DstMAC [6]byte
	Tagged         bool   // one 802.1Q tag
	VLAN           uint16 // its priority and id
	Src, Dst       netip.Addr
	DSCP, ECN      uint8
	TTL            uint8  // 0: 64
	SrcPort        uint16 // entropy of the path (ann:entropy)
	DstPort        uint16 // 0: the default port
	NoChecksum     bool   // UDP checksum 0; with IPv6 too: the ICRC covers the payload
	NoEthernetPad  bool   // leave frames below 60 bytes short
}

// Default is a frame between two documentation addresses (RFC 5737).
func Default() Frame {
	return Frame{
		SrcMAC: [6]byte{2, 0, 0, 0, 0, 1}, DstMAC: [6]byte{2, 0, 0, 0, 0, 2},
		Src: netip.AddrFrom4([4]byte{192, 0, 2, 1}), Dst: netip.AddrFrom4([4]byte{192, 0, 2, 2}),
		ECN: ECT0, SrcPort: 0xc000,
	}
}

// Default6 is the same over IPv6 (RFC 3849).
func Default6() Frame {
	f := Default()
	f.Src, f.Dst = netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	return f
}

// AppendUDP puts the UDP payload of the packet behind b: headers, payload, padding, ICRC. The opcode must be known and
// the headers those of its kind, in order; bad packets are made by changing good ones.
func (p *Packet) AppendUDP(b []byte) ([]byte, error) {
	kind := &wire.Kinds[p.Base.Opcode]
	if !kind.Known {
		return b, fmt.Errorf("layers: %s is no packet kind", p.Base.Opcode)
	}
	start := len(b)
	base := p.Base
	base.Pad = uint8(-len(p.Payload) & 3)
	b = base.Append(b)
	for i, h := range p.Headers {
		at := len(b)
		b = h.Append(b)
		if i+1 >= len(kind.Headers) || len(b)-at != wire.Headers[kind.Headers[i+1]].Size {
			return b[:start], fmt.Errorf("layers: header %d of %s is %T, the kind has %v", i+1, kind.Name, h, kind.Headers)
		}
	}
	if len(p.Headers)+1 != len(kind.Headers) {
		return b[:start], fmt.Errorf("layers: %s has headers %v, %d given behind base", kind.Name, kind.Headers, len(p.Headers))
	}
	if len(p.Payload) > 0 && !kind.Payload {
		return b[:start], fmt.Errorf("layers: %s has no payload, %d bytes given", kind.Name, len(p.Payload))
	}
	b = append(b, p.Payload...)
	for range base.Pad {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, wire.ICRC(b[start:])), nil
}

// Append puts the frame around packet p behind b. Lengths and checksums are right.
func (f *Frame) Append(b []byte, p *Packet) ([]byte, error) {
	start := len(b)
	b, udp, err := f.appendOuter(b)
	if err != nil {
		return b[:start], err
	}
	if b, err = p.AppendUDP(b); err != nil {
		return b[:start], err
	}
	return f.finish(b, start, udp)
}

// AppendRaw puts the frame around any UDP payload behind b.
func (f *Frame) AppendRaw(b, payload []byte) ([]byte, error) {
	start := len(b)
	b, udp, err := f.appendOuter(b)
	if err != nil {
		return b[:start], err
	}
	return f.finish(append(b, payload...), start, udp)
}

// appendOuter writes Ethernet, IP and UDP with lengths and checksums still zero, and says where UDP starts.
func (f *Frame) appendOuter(b []byte) ([]byte, int, error) {
	v4 := f.Src.Is4() && f.Dst.Is4()
	if !v4 && !(f.Src.Is6() && f.Dst.Is6()) {
		return b, 0, fmt.Errorf("layers: source %v and destination %v are not of one IP version", f.Src, f.Dst)
	}
	b = append(append(b, f.DstMAC[:]...), f.SrcMAC[:]...)
	if f.Tagged {
		b = binary.BigEndian.AppendUint16(append(b, 0x81, 0x00), f.VLAN)
	}
	ttl := f.TTL
	if ttl == 0 {
		ttl = 64
	}
	tos := f.DSCP<<2 | f.ECN&3
	if v4 {
		src, dst := f.Src.As4(), f.Dst.As4()
		b = append(b, 0x08, 0x00, 0x45, tos, 0, 0, 0, 0, 0x40, 0, ttl, 17, 0, 0) // don't fragment: a fragment is dropped
		b = append(append(b, src[:]...), dst[:]...)
	} else {
		src, dst := f.Src.As16(), f.Dst.As16()
		b = append(b, 0x86, 0xdd, 0x60|tos>>4, tos<<4, 0, 0, 0, 0, 17, ttl)
		b = append(append(b, src[:]...), dst[:]...)
	}
	udp := len(b)
	port := f.DstPort
	if port == 0 {
		port = preset.UDPPort
	}
	b = binary.BigEndian.AppendUint16(b, f.SrcPort)
	b = binary.BigEndian.AppendUint16(b, port)
	return append(b, 0, 0, 0, 0), udp, nil
}

// finish sets lengths and checksums, and pads.
func (f *Frame) finish(b []byte, start, udp int) ([]byte, error) {
	n := len(b) - udp
	if n > 0xffff-20 {
		return b[:start], fmt.Errorf("layers: UDP packet of %d bytes does not fit into IP", n)
	}
	binary.BigEndian.PutUint16(b[udp+4:], uint16(n))
	addresses := b[udp-8 : udp]
	if f.Src.Is4() {
		ip := b[udp-20 : udp]
		binary.BigEndian.PutUint16(ip[2:], uint16(n+20))
		binary.BigEndian.PutUint16(ip[10:], ^sum(ip, 0))
	} else {
		addresses = b[udp-32 : udp]
		binary.BigEndian.PutUint16(b[udp-36:], uint16(n))
	}
	if !f.NoChecksum {
		// Pseudo header: addresses, protocol 17, UDP length (RFC 768, RFC 8200). A sum of 0 is sent as all ones.
		c := ^sum(b[udp:], uint32(sum(addresses, 17+uint32(n))))
		if c == 0 {
			c = 0xffff
		}
		binary.BigEndian.PutUint16(b[udp+6:], c)
	}
	for !f.NoEthernetPad && len(b)-start < minFrame {
		b = append(b, 0)
	}
	return b, nil
}

// sum is the one's complement sum of RFC 1071 over b and what came before.
func sum(b []byte, s uint32) uint16 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}
