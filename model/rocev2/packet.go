package rocev2

// Sizes on the wire, in bytes.
const (
	// framing is what a link carries around a frame: FCS 4, preamble 8, gap 12.
	framing   = 24
	ethernet  = 14
	ip        = 20
	udp       = 8
	bth       = 12
	reth      = 16 // first packet of a Write: address, key, length
	aeth      = 4
	cnpFiller = 16 // reserved bytes of a CNP
	icrc      = 4

	around   = framing + ethernet + ip + udp + bth + icrc
	ackBytes = around + aeth
	cnpBytes = around + cnpFiller
)

// Mtus of the verbs. maxMtu with all headers has to fit fabric.Packet.Size.
const (
	minMtu = 256
	maxMtu = 4096
)

// dataBytes is the size of a data packet: payload, padded to 4 bytes, and headers.
func dataBytes(payload uint32, first bool) uint32 {
	size := around + (payload+3)&^3
	if first {
		size += reth
	}
	return size
}

type kind uint8

const (
	kindData kind = iota
	kindAck       // psn: the last one that arrived in order
	kindNak       // psn: the one expected; all before it arrived
	kindCnp
)

// body is what a packet says beyond what the fabric has to know.
type body struct {
	qp      uint32 // of the transport; next free body in the pool's list
	psn     uint32 // 24 bit
	payload uint16
	kind    kind
	first   bool // first packet of its message
	last    bool // last packet of its message, which asks for an acknowledgement
}

// pool keeps the bodies of packets under way. It grows to the most there ever were and never shrinks.
type pool struct {
	bodies []body
	free   uint32 // 1 + index of the first free body; 0: none
	used   int
}

func (p *pool) put(b body) (ref uint32) {
	p.used++
	if p.free == 0 {
		p.bodies = append(p.bodies, b)
		return uint32(len(p.bodies) - 1)
	}
	ref = p.free - 1
	p.free = p.bodies[ref].qp
	p.bodies[ref] = b
	return ref
}

func (p *pool) take(ref uint32) body {
	b := p.bodies[ref]
	p.bodies[ref] = body{qp: p.free}
	p.free = ref + 1
	p.used--
	return b
}

// psnMask: packet sequence numbers have 24 bits on the wire. Both ends count in 64 bits, and read a number off the
// wire as the one nearest to what they expect, which is unique while less than half of the space is in flight.
const (
	psnBits     = 24
	psnMask     = 1<<psnBits - 1
	maxInFlight = 1 << (psnBits - 2) // packets
)

// widen is the number nearest to near whose low 24 bits are psn. It may be below zero, as a number before the first.
func widen(near int64, psn uint32) int64 {
	d := int32((psn-uint32(near))<<(32-psnBits)) >> (32 - psnBits)
	return near + int64(d)
}
