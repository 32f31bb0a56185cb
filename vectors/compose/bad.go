package compose

import (
	"encoding/binary"

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

// bad changes what has to be changed before the headers are made.
func (f *framer) bad(p *Packet) {
	if f.is(BadPad) {
		p.Bytes = 0
	}
}

// mutateUDP changes the UDP payload; where the mutation is to be found by a check behind the ICRC, that is made new.
func (f *framer) mutateUDP(b []byte) []byte {
	switch f.net.Bad {
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
	n := len(b) - preset.IcrcBytes
	binary.LittleEndian.PutUint32(b[n:], wire.ICRC(b[:n]))
	return b
}
