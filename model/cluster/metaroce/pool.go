package metaroce

import "metaroce/tandem/model/endpoint"

// pool holds the bodies of packets. A body does not move while it is used, since the pool grows by chunks.
type pool struct {
	chunks []*[chunkBodies]endpoint.Packet
	free   []uint32
}

const (
	chunkLog    = 8
	chunkBodies = 1 << chunkLog
)

func (p *pool) at(ref uint32) *endpoint.Packet { return &p.chunks[ref>>chunkLog][ref&(chunkBodies-1)] }

// take gives out the body that was given back last, which is likely to be in a cache.
func (p *pool) take() (uint32, *endpoint.Packet) {
	if len(p.free) == 0 {
		first := uint32(len(p.chunks)) << chunkLog
		p.chunks = append(p.chunks, new([chunkBodies]endpoint.Packet))
		for i := range uint32(chunkBodies) {
			p.free = append(p.free, first+chunkBodies-1-i)
		}
	}
	ref := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return ref, p.at(ref)
}

func (p *pool) give(ref uint32) { p.free = append(p.free, ref) }

// inUse is the number of bodies that are with the network.
func (p *pool) inUse() int { return len(p.chunks)<<chunkLog - len(p.free) }
