package compose

import (
	"encoding/binary"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Garbage makes a frame of n random bytes. like says up to where it is right: "ethernet", "ip", "udp" (addressed to
// the default port), "icrc" (random headers and payload under a right ICRC) or "outer" (the same, and nothing that the
// receiver does not look at is what it ordinarily is: addresses, TTL, bytes behind the packet); "" is random from the
// first byte. A frame too short for what it should be like is random throughout.
func Garbage(r *sim.Random, n int, like string, ipv6, vlan bool) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64() >> 32)
	}
	net := Net{IPv6: ipv6, VLAN: vlan, Sport: uint16(r.Uint64())}
	at := net.udpAt() + udpBytes
	trailer := 0
	if like == "outer" {
		trailer = int(r.Below(mostTrailer))
	}
	payload := (n - at - trailer) &^ 3
	if like == "" || payload < wire.BaseSize+preset.IcrcBytes {
		return b
	}
	udp := b[at : at+payload]
	if like == "icrc" || like == "outer" {
		setICRC(udp)
	}
	right, err := net.outer().AppendRaw(nil, udp)
	if err != nil {
		return b // longer than IP can say: random throughout
	}
	switch like {
	case "ethernet":
		copy(b, right[:net.ipAt()])
	case "ip":
		copy(b, right[:net.udpAt()])
	case "outer":
		net.keep(right, b)
		fallthrough
	default:
		copy(b, right[:at])
	}
	return b
}

// mostTrailer bounds the bytes behind a packet: more than a beat, so that they fill its last one and another.
const mostTrailer = 100

// keep copies what a receiver does not look at from one frame into the outer headers of a right one: MAC addresses, VLAN,
// DSCP, identification and don't-fragment, TTL, IP addresses, flow label, UDP checksum.
func (n *Net) keep(right, from []byte) {
	ip, udp := n.ipAt(), n.udpAt()
	take := func(lo, hi int) { copy(right[lo:hi], from[lo:hi]) }
	take(0, 12)
	if n.VLAN {
		take(14, 16)
	}
	take(udp+6, udp+8)
	if n.IPv6 {
		right[ip] = right[ip]&0xf0 | from[ip]&0x0f
		take(ip+1, ip+4)
		take(ip+7, udp)
		return
	}
	take(ip+1, ip+2)
	take(ip+4, ip+6)
	right[ip+6] = from[ip+6] & 0x40
	take(ip+8, ip+9)
	take(ip+12, udp)
	right[ip+10], right[ip+11] = 0, 0
	binary.BigEndian.PutUint16(right[ip+10:], checksum(right[ip:udp]))
}
