package fabric

import "metaroce/tandem/model/sim"

// Flags of a packet.
const (
	FlagEct      = 1 << iota // may be marked, which tells of a queue before it overflows
	FlagCe                   // was marked
	FlagTrimmed              // was cut to Config.Trim bytes for want of room; its payload is gone
	FlagLossless             // of the class that pause frames hold up; means nothing in a network without Pfc
	FlagControl              // acknowledgement and the like: never cut, lost by Loss.Control, counted apart
)

// Packet is what a link carries. Its body stays in a pool of its owner, who finds it by Ref.
type Packet struct {
	Ref      uint32 // opaque to the fabric
	Size     uint16 // bytes on the wire of a link, with all of Ethernet: FCS, preamble and gap are 24 B; never 0
	Src, Dst uint16 // hosts
	Sport    uint16 // UDP source port: with Src and Dst it decides the way of the packet
	Plane    uint8  // filled at injection
	Flags    uint8
	hash     uint32 // of Src, Dst and Sport, filled at injection
}

// Host is one NIC with an uplink in every plane. The network calls it from inside Step and Run; from there the host may
// call Kick, Wake and Now, and nothing else of the network. No *Packet is valid after the call.
type Host interface {
	// Pull asks for the next packet: the uplink of the plane is free. p is zero before. After false the host has to
	// Kick when it has something again; within Pull, Kick of the same plane does nothing.
	Pull(now sim.Picos, plane int, p *Packet) bool
	// Deliver hands over a whole packet. The host frees p.Ref.
	Deliver(now sim.Picos, plane int, p *Packet)
	// Lost says, at the host that sent it, that a packet vanished on its way. The host frees p.Ref, and must not
	// learn anything else from it: no real NIC is told.
	Lost(p *Packet)
	// Tick is the wake that was asked for with Network.Wake.
	Tick(now sim.Picos)
}

// class is 1 for control packets and 0 for others: an index.
func (p *Packet) class() int { return int(p.Flags / FlagControl & 1) }

// mix spreads a hash over 32 bits; ECMP takes the top ones.
func mix(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// entropy is the hash that every switch salts anew.
func (p *Packet) entropy() uint32 {
	return mix(uint32(p.Src)<<16|uint32(p.Dst)) ^ mix(uint32(p.Sport)*0x9e3779b1+1)
}
