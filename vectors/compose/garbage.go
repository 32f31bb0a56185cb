package compose

import (
	"encoding/binary"

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
	f := framer{net: &Net{IPv6: ipv6, VLAN: vlan, Sport: uint16(r.Uint64())}}
	f.ethernet()
	ether := len(f.b)
	headers := ether + 20 + 8
	if ipv6 {
		headers += 20
	}
	payload := (n - headers) &^ 3
	if like == "" || payload < wire.BaseSize+preset.IcrcBytes {
		return b
	}
	f.ip(payload)
	ip := len(f.b)
	f.udp(payload)
	switch like {
	case "ethernet":
		copy(b, f.b[:ether])
	case "ip":
		copy(b, f.b[:ip])
	default:
		copy(b, f.b)
	}
	if like == "icrc" {
		udp := b[headers : headers+payload]
		binary.LittleEndian.PutUint32(udp[payload-preset.IcrcBytes:], wire.ICRC(udp[:payload-preset.IcrcBytes]))
	}
	return b
}
