package metaroce

import (
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/wire"
)

// bodies are the packets on the network, each as much as its kind has: many are on their way at once, and none is in a cache
// when it comes. A number has its pool in its top bits. No NIC here has a memory, so that there is no payload to keep.
type bodies struct {
	parts pool[endpoint.Front]
	acks  pool[ackBody]
	whole pool[endpoint.Packet]
}

type ackBody struct {
	endpoint.Front
	ack wire.Ack
}

const (
	refLog   = 30
	refAck   = 1 << refLog
	refWhole = 2 << refLog
	refMask  = 1<<refLog - 1
)

// put keeps a packet and returns its number.
func (b *bodies) put(p *endpoint.Packet) uint32 {
	switch {
	case p.Opcode == wire.OpcodeWrite:
		ref, front := b.parts.take()
		*front = p.Front
		return ref
	case p.Opcode == wire.OpcodeAck:
		ref, body := b.acks.take()
		body.Front, body.ack = p.Front, p.Ack
		return refAck | ref
	}
	ref, body := b.whole.take()
	*body = *p
	return refWhole | ref
}

// look copies a packet into p, of which the rest keeps what it had.
func (b *bodies) look(ref uint32, p *endpoint.Packet) {
	switch i := ref & refMask; ref &^ refMask {
	case 0:
		p.Front = *b.parts.at(i)
	case refAck:
		body := b.acks.at(i)
		p.Front, p.Ack = body.Front, body.ack
	default:
		*p = *b.whole.at(i)
	}
}

// give gives a number back.
func (b *bodies) give(ref uint32) {
	switch i := ref & refMask; ref &^ refMask {
	case 0:
		b.parts.give(i)
	case refAck:
		b.acks.give(i)
	default:
		b.whole.give(i)
	}
}

// pool holds bodies of one kind. It grows by chunks, so that none is copied.
type pool[T any] struct {
	chunks []*[chunkBodies]T
	free   []uint32
}

const (
	chunkLog    = 8
	chunkBodies = 1 << chunkLog
)

func (p *pool[T]) at(ref uint32) *T { return &p.chunks[ref>>chunkLog][ref&(chunkBodies-1)] }

// take gives out the body that was given back last, which is likely to be in a cache.
func (p *pool[T]) take() (uint32, *T) {
	if len(p.free) == 0 {
		first := uint32(len(p.chunks)) << chunkLog
		p.chunks = append(p.chunks, new([chunkBodies]T))
		for i := range uint32(chunkBodies) {
			p.free = append(p.free, first+chunkBodies-1-i)
		}
	}
	ref := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return ref, p.at(ref)
}

func (p *pool[T]) give(ref uint32) { p.free = append(p.free, ref) }
