package fabric

import "metaroce/tandem/model/sim"

// kin is what makes two links of one grade.
type kin struct {
	tier      Tier
	way       Way
	mbps, ppm uint32    // ppm: of LinkRate
	latency   sim.Picos // last bit sent to dealt with at the far end
}

// grade is what all links of one kin share. There are few, so that they stay in the cache.
type grade struct {
	kin
	psPerByte uint32    // 0: not whole, see Network.wireTime
	lossy     bool      // any of the rates below
	ecn       bool      // on
	loss      [2]uint32 // per million, by class
	reorder   uint32    // per million
	buffer    sim.Picos // time of Config.Buffer at this rate; so are the marks
	ecnLo     sim.Picos
	ecnSpan   sim.Picos // from Lo to Hi
	queue     Queue     // its MaxBytes is computed when asked for
}

// psBits is a picosecond times Mb/s in 1/8 bytes: 8 bits times 10^6.
const psBits = 8_000_000

// gradeOf finds or makes a grade.
func (n *Network) gradeOf(k kin) uint16 {
	for i := range n.grades {
		if n.grades[i].kin == k {
			return uint16(i)
		}
	}
	c := &n.cfg
	g := grade{kin: k, ecn: c.EcnHi > 0}
	if psBits%k.mbps == 0 {
		g.psPerByte = psBits / k.mbps
	}
	time := func(bytes uint32) sim.Picos { return sim.Picos(uint64(bytes) * psBits / uint64(k.mbps)) }
	g.buffer, g.ecnLo = time(c.Buffer), time(c.EcnLo)
	g.ecnSpan = time(c.EcnHi) - g.ecnLo
	last := k.tier == TierLeaf && k.way == Downwards
	if c.Loss.Where == EveryLink || last {
		g.loss = [2]uint32{c.Loss.Data, c.Loss.Control}
	}
	if c.Reorder.Where == EveryLink || last {
		g.reorder = c.Reorder.Ppm
	}
	for i := range g.loss {
		g.loss[i] = eitherOf(g.loss[i], k.ppm)
	}
	g.lossy = g.loss[0] > 0 || g.loss[1] > 0 || g.reorder > 0
	n.grades = append(n.grades, g)
	return uint16(len(n.grades) - 1)
}

// eitherOf is the rate, per million, at which one of two losses happens that do not know of each other.
func eitherOf(a, b uint32) uint32 {
	return a + b - uint32((uint64(a)*uint64(b)+Million/2)/Million)
}

// wireTime is how long a link sends size bytes. Where a byte is no whole number of ps, what is left over goes to the
// next packet: the rate is exact in the long run.
func (n *Network) wireTime(li uint32, g *grade, size uint16) sim.Picos {
	if g.psPerByte != 0 {
		return sim.Picos(uint32(size) * g.psPerByte)
	}
	return n.oddTime(li, g, size)
}

func (n *Network) oddTime(li uint32, g *grade, size uint16) sim.Picos {
	if n.over == nil {
		n.over = make([]uint32, len(n.links))
	}
	x := uint64(size)*psBits + uint64(n.over[li])
	n.over[li] = uint32(x % uint64(g.mbps))
	return sim.Picos(x / uint64(g.mbps))
}
