package compose

import (
	"encoding/binary"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// Bad is one thing wrong with a frame.
type Bad uint8

// Mutations. Each changes one thing of a frame that is right otherwise.
const (
	BadNone Bad = iota
	BadEthertype
	BadDoubleVLAN
	BadIPVersion
	BadIPOptions
	BadIPFragment
	BadIPChecksum
	BadIPLong
	BadIPShort
	BadTCP
	BadUDPLength
	BadOdd
	BadTiny
	BadICRC
	BadPayload
	BadVersion
	BadOpcode
	BadHeaders
	BadPad
	BadIPOffset
	BadUDPShorter
	badEnd
)

// Mutation tells what a Bad is.
type Mutation struct {
	Bad      Bad
	Name     string
	Text     string
	IPv4     event.Reason // why a right frame so changed is dropped, over IPv4
	IPv6     event.Reason // and over IPv6
	Reworked bool         // the ICRC was computed after the change
}

// Mutations lists all, in the order of Bad.
var Mutations = []Mutation{
	{BadEthertype, "ethertype", "ethertype of ARP", event.ReasonEthertype, event.ReasonEthertype, false},
	{BadDoubleVLAN, "double_vlan", "two VLAN tags", event.ReasonEthertype, event.ReasonEthertype, false},
	{BadIPVersion, "ip_version", "IP version 5", event.ReasonIpHeader, event.ReasonIpHeader, false},
	{BadIPOptions, "ip_options", "IPv4 header with options; IPv6 with an extension header", event.ReasonIpHeader, event.ReasonNotUdp, false},
	{BadIPFragment, "ip_fragment", "IPv4 flag more-fragments; nothing on IPv6", event.ReasonIpHeader, event.ReasonNone, false},
	{BadIPChecksum, "ip_checksum", "IPv4 header checksum off by one bit; nothing on IPv6", event.ReasonIpHeader, event.ReasonNone, false},
	{BadIPLong, "ip_long", "IP length beyond the frame", event.ReasonIpLength, event.ReasonIpLength, false},
	{BadIPShort, "ip_short", "IPv4 total length below its header; IPv6 with version 4", event.ReasonIpLength, event.ReasonIpHeader, false},
	{BadTCP, "tcp", "protocol TCP", event.ReasonNotUdp, event.ReasonNotUdp, false},
	{BadUDPLength, "udp_length", "UDP length 4 above what the IP header leaves", event.ReasonUdpLength, event.ReasonUdpLength, false},
	{BadOdd, "odd", "one byte behind the ICRC, inside the UDP payload", event.ReasonShort, event.ReasonShort, false},
	{BadTiny, "tiny", "UDP payload of 20 bytes", event.ReasonShort, event.ReasonShort, false},
	{BadICRC, "icrc", "one bit of the ICRC inverted", event.ReasonIcrc, event.ReasonIcrc, false},
	{BadPayload, "payload", "one bit in front of the ICRC inverted", event.ReasonIcrc, event.ReasonIcrc, false},
	{BadVersion, "version", "wire version 2", event.ReasonVersion, event.ReasonVersion, true},
	{BadOpcode, "opcode", "opcode 0xee", event.ReasonOpcode, event.ReasonOpcode, true},
	{BadHeaders, "headers", "UDP payload ends behind the base header", event.ReasonHeaderLength, event.ReasonHeaderLength, true},
	{BadPad, "pad", "no payload, and 3 bytes of padding said", event.ReasonHeaderLength, event.ReasonHeaderLength, true},
	{BadIPOffset, "ip_offset", "IPv4 fragment offset 1, the last fragment; nothing on IPv6", event.ReasonIpHeader, event.ReasonNone, false},
	{BadUDPShorter, "udp_shorter", "UDP length 4 below what the IP header leaves", event.ReasonUdpLength, event.ReasonUdpLength, false},
}

// BadByName finds a mutation.
func BadByName(name string) (Bad, bool) {
	for _, m := range Mutations {
		if m.Name == name {
			return m.Bad, true
		}
	}
	return BadNone, false
}

// mutateUDP changes the UDP payload; where the mutation is to be found by a check behind the ICRC, that is made new.
func (n *Net) mutateUDP(b []byte) []byte {
	switch n.Bad {
	case BadOdd:
		return append(b, 0)
	case BadTiny:
		return b[:wire.BaseSize]
	case BadICRC:
		b[len(b)-1] ^= 0x80
		return b
	case BadPayload:
		b[len(b)-5] ^= 0x01
		return b
	case BadVersion:
		b[0] = b[0]&0x0f | 2<<4
	case BadOpcode:
		b[1] = 0xee
	case BadHeaders:
		b = b[:wire.BaseSize+preset.IcrcBytes]
	case BadPad:
		b[2] |= 3
	default:
		return b
	}
	setICRC(b)
	return b
}

// setICRC makes the ICRC at the end of a UDP payload right.
func setICRC(b []byte) {
	n := len(b) - preset.IcrcBytes
	binary.LittleEndian.PutUint32(b[n:], wire.ICRC(b[:n]))
}

// mutateOuter changes what stands around the UDP payload of a right frame.
func (n *Net) mutateOuter(b []byte) []byte {
	ip := n.ipAt()
	switch n.Bad {
	case BadEthertype:
		binary.BigEndian.PutUint16(b[ip-2:], 0x0806)
	case BadDoubleVLAN:
		for tags := ip - etherBytes; tags < 2*tagBytes; tags += tagBytes {
			b = slices.Insert(b, 12, 0x81, 0x00, 0, 9)
		}
	case BadUDPLength:
		n.add(b[n.udpAt()+4:], 4)
	case BadUDPShorter:
		n.add(b[n.udpAt()+4:], -4)
	default:
		if n.IPv6 {
			return n.mutateIPv6(b)
		}
		return n.mutateIPv4(b)
	}
	return b
}

func (n *Net) add(field []byte, d int) {
	binary.BigEndian.PutUint16(field, uint16(int(binary.BigEndian.Uint16(field))+d))
}

func (n *Net) mutateIPv4(b []byte) []byte {
	ip := b[n.ipAt():]
	switch n.Bad {
	case BadIPVersion:
		ip[0] = 0x55
	case BadIPOptions:
		ip[0] = 0x46
		n.add(ip[2:], 4)
		b = slices.Insert(b, n.udpAt(), 1, 1, 1, 1)
		ip = b[n.ipAt():]
	case BadIPFragment:
		ip[6] = 0x20
	case BadIPOffset:
		ip[7] = 1
	case BadIPLong:
		n.add(ip[2:], 2000)
	case BadIPShort:
		binary.BigEndian.PutUint16(ip[2:], 19)
	case BadTCP:
		ip[9] = 6
	case BadIPChecksum:
		ip[10] ^= 1
		return b
	default:
		return b
	}
	binary.BigEndian.PutUint16(ip[10:], 0)
	binary.BigEndian.PutUint16(ip[10:], checksum(ip[:int(ip[0]&15)*4]))
	return b
}

func (n *Net) mutateIPv6(b []byte) []byte {
	ip := b[n.ipAt():]
	switch n.Bad {
	case BadIPVersion:
		ip[0] = 0x50 | ip[0]&15
	case BadIPOptions: // a destination options header, which is not followed
		ip[6] = 60
		n.add(ip[4:], 8)
		b = slices.Insert(b, n.udpAt(), 17, 0, 1, 4, 0, 0, 0, 0)
	case BadIPLong:
		n.add(ip[4:], 2000)
	case BadIPShort:
		ip[0] = 0x40 | ip[0]&15
	case BadTCP:
		ip[6] = 6
	}
	return b
}

// checksum is the Internet checksum (RFC 1071) of an IPv4 header whose own checksum is zero.
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

// String is the name of the mutation.
func (b Bad) String() string {
	for i := range Mutations {
		if Mutations[i].Bad == b {
			return Mutations[i].Name
		}
	}
	return "none"
}
