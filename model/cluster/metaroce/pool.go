package metaroce

import "metaroce/tandem/model/endpoint"

// pools are the bodies of packets, those of replies and all others apart: an acknowledgement takes more of a body than a part
// of a Write, and one of its own kind has all of it in a cache. A number has its pool in its top bit.
type pools [2]pool

const poolShift = 31

func (p *pools) at(ref uint32) *endpoint.Packet { return p[ref>>poolShift].at(ref &^ (1 << poolShift)) }

func (p *pools) take(which uint32) (uint32, *endpoint.Packet) {
	ref, body := p[which].take()
	return which<<poolShift | ref, body
}

func (p *pools) give(ref uint32) { p[ref>>poolShift].give(ref &^ (1 << poolShift)) }

// pool holds bodies. One does not move while it is used, since the pool grows by chunks.
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
