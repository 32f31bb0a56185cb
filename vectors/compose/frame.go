package compose

import (
	"encoding/binary"

	"metaroce/tandem/model/preset"
)

// Net is what stands around the UDP payload.
type Net struct {
	VLAN, IPv6, CE bool
	Sport          uint16
	Dport          uint16 // 0: the default port
	PadTo          int    // Ethernet padding, at least to this length; 0: 60
	Cut            int    // the frame ends here; 0: nowhere
	Bad            Bad
}

const (
	etherIPv4, etherIPv6, etherVLAN, etherARP = 0x0800, 0x86dd, 0x8100, 0x0806
	minFrame                                  = 60 // without FCS
	protoTCP, protoUDP                        = 6, 17
	dscp                                      = 0x28 << 2
	ecnECT0, ecnCE                            = 2, 3
)

// Frame returns the packet's frame without FCS, and its payload as a part of it. A mutation that takes bytes away may
// leave no payload.
func (p *Packet) Frame() (frame, payload []byte) {
	f := framer{net: &p.Net}
	q := *p
	f.bad(&q)
	udp, at := q.appendUDP(nil)
	udp = f.mutateUDP(udp)
	f.ethernet()
	f.ip(len(udp))
	f.udp(len(udp))
	start := len(f.b)
	f.b = append(f.b, udp...)
	f.finish()
	lo, hi := start+at, start+at+q.Bytes
	if hi > len(f.b) {
		return f.b, nil
	}
	return f.b, f.b[lo:hi]
}

type framer struct {
	b   []byte
	net *Net
	ip0 int // where the IP header starts
}

func (f *framer) is(b Bad) bool { return f.net.Bad == b }

func (f *framer) ethernet() {
	f.b = append(f.b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
	if f.net.VLAN {
		f.tag(7)
	}
	if f.is(BadDoubleVLAN) {
		f.tag(8)
		if !f.net.VLAN {
			f.tag(9)
		}
	}
	kind := uint16(etherIPv4)
	if f.net.IPv6 {
		kind = etherIPv6
	}
	if f.is(BadEthertype) {
		kind = etherARP
	}
	f.b = binary.BigEndian.AppendUint16(f.b, kind)
}

func (f *framer) tag(id uint16) {
	f.b = binary.BigEndian.AppendUint16(f.b, etherVLAN)
	f.b = binary.BigEndian.AppendUint16(f.b, id)
}

func (f *framer) ecn() byte {
	if f.net.CE {
		return dscp | ecnCE
	}
	return dscp | ecnECT0
}

func (f *framer) proto() byte {
	if f.is(BadTCP) {
		return protoTCP
	}
	return protoUDP
}

func (f *framer) ip(payload int) {
	f.ip0 = len(f.b)
	n := payload + 8
	if f.net.IPv6 {
		f.ipv6(n)
		return
	}
	total, first, frag := 20+n, byte(0x45), uint16(0x4000)
	switch f.net.Bad {
	case BadIPVersion:
		first = 0x55
	case BadIPOptions:
		first, total = 0x46, total+4
	case BadIPFragment:
		frag = 0x2000
	case BadIPLong:
		total += 2000
	case BadIPShort:
		total = 19
	}
	f.b = append(f.b, first, f.ecn())
	f.b = binary.BigEndian.AppendUint16(f.b, uint16(total))
	f.b = binary.BigEndian.AppendUint16(f.b, 0)
	f.b = binary.BigEndian.AppendUint16(f.b, frag)
	f.b = append(f.b, 64, f.proto(), 0, 0, 10, 0, 0, 2, 10, 0, 0, 1)
	if f.is(BadIPOptions) {
		f.b = append(f.b, 1, 1, 1, 1)
	}
	sum := checksum(f.b[f.ip0:])
	if f.is(BadIPChecksum) {
		sum ^= 1
	}
	binary.BigEndian.PutUint16(f.b[f.ip0+10:], sum)
}

func (f *framer) ipv6(n int) {
	first, length, next := byte(0x60), n, f.proto()
	switch f.net.Bad {
	case BadIPVersion:
		first = 0x50
	case BadIPOptions: // a destination options header, which is not followed
		next, length = 60, length+8
	case BadIPLong:
		length += 2000
	case BadIPShort: // the header itself is not whole
		first = 0x40
	}
	f.b = append(f.b, first|f.ecn()>>4, f.ecn()<<4, 0, 1)
	f.b = binary.BigEndian.AppendUint16(f.b, uint16(length))
	f.b = append(f.b, next, 64)
	for _, last := range []byte{2, 1} {
		f.b = append(f.b, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)
	}
	if f.is(BadIPOptions) {
		f.b = append(f.b, protoUDP, 0, 1, 4, 0, 0, 0, 0)
	}
}

func (f *framer) udp(payload int) {
	port := f.net.Dport
	if port == 0 {
		port = preset.UDPPort
	}
	length := payload + 8
	if f.is(BadUDPLength) {
		length += 4
	}
	f.b = binary.BigEndian.AppendUint16(f.b, f.net.Sport)
	f.b = binary.BigEndian.AppendUint16(f.b, port)
	f.b = binary.BigEndian.AppendUint16(f.b, uint16(length))
	f.b = binary.BigEndian.AppendUint16(f.b, 0) // no checksum: the ICRC covers the payload
}

func (f *framer) finish() {
	pad := f.net.PadTo
	if pad == 0 {
		pad = minFrame
	}
	for len(f.b) < pad {
		f.b = append(f.b, 0)
	}
	if f.net.Cut > 0 && f.net.Cut < len(f.b) {
		f.b = f.b[:f.net.Cut]
	}
}

// checksum is the Internet checksum of an IPv4 header whose own checksum field is zero.
func checksum(b []byte) uint16 {
	sum := uint32(0)
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	for sum>>16 != 0 {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
