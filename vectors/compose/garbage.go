package compose

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Garbage makes a frame of n random bytes. like says up to where it is right: "ethernet", "ip", "udp" (addressed to
// the default port), or "icrc" (random headers and payload under a right ICRC); "" is random from the first byte.
// A frame too short for what it should be like is random throughout.
func Garbage(r *sim.Random, n int, like string, ipv6, vlan bool) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64() >> 32)
	}
	net := Net{IPv6: ipv6, VLAN: vlan, Sport: uint16(r.Uint64())}
	at := net.udpAt() + udpBytes
	payload := (n - at) &^ 3
	if like == "" || payload < wire.BaseSize+preset.IcrcBytes {
		return b
	}
	udp := b[at : at+payload]
	if like == "icrc" {
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
	default:
		copy(b, right[:at])
	}
	return b
}
