package fabric

import "metaroce/tandem/model/sim"

// entry is a packet on a link, or waiting for it.
type entry struct {
	at sim.Picos // when it is dealt with at the far end; with Pfc 0 until it departs
	Packet
	from uint32 // link by which it came into the switch that sends it; counts with Pfc only
}

// link is one direction of a cable with the queue before it, as much as every packet touches: one cache line. Its
// departures are known when packets join, so it is a queue of arrivals, and only the first one has an event.
//
//	first                                      end
//	 |<---- on the wire ---->|<--- waiting ---->|
type link struct {
	busy       sim.Picos // the transmitter is taken until then
	latency    sim.Picos // last bit sent to dealt with at the far end
	buf        []entry   // ring; length zero or a power of two
	first, end uint32    // positions, taken modulo the length
	event      sim.Handle
	to         uint32 // switch, or toHost and the host
	grade      uint16
	plane      uint8
	state      uint8
}

// States of a link.
const (
	linkDown    = 1 << iota
	linkPulling // uplink of a host: a pull is to come
)

// push appends to the ring, which grows by doubling and never shrinks.
func (l *link) push() *entry {
	if l.end-l.first == uint32(len(l.buf)) {
		l.grow()
	}
	e := &l.buf[l.end&uint32(len(l.buf)-1)]
	l.end++
	return e
}

func (l *link) entry(i uint32) *entry { return &l.buf[i&uint32(len(l.buf)-1)] }

func (l *link) grow() {
	buf := make([]entry, max(8, 2*len(l.buf)))
	for i := l.first; i != l.end; i++ {
		buf[i&uint32(len(buf)-1)] = *l.entry(i)
	}
	l.buf = buf
}

// grade is what all links of one tier, way and speed share. There are few, so that they stay in the cache.
type grade struct {
	psPerByte uint32 // 0: not whole, see Network.wireTime
	mbps      uint32
	lossy     bool // any of the rates below
	ecn       bool
	loss      [2]uint32 // per million, by class
	reorder   uint32    // per million
	buffer    sim.Picos // time of Config.Buffer at this rate; so are the marks
	ecnLo     sim.Picos
	ecnSpan   sim.Picos // from Lo to Hi
	queue     Queue     // MaxBytes is computed at the end
	tier      Tier
	way       Way
	ppm       uint32 // of LinkRate
}

// psBits is a picosecond times Mb/s in 1/8 bytes: 8 bits times 10^6.
const psBits = 8_000_000

// gradeOf finds or makes a grade.
func (n *Network) gradeOf(tier Tier, way Way, mbps, ppm uint32) uint16 {
	for i := range n.grades {
		if g := &n.grades[i]; g.tier == tier && g.way == way && g.mbps == mbps && g.ppm == ppm {
			return uint16(i)
		}
	}
	c := &n.cfg
	g := grade{tier: tier, way: way, mbps: mbps, ppm: ppm, ecn: c.EcnHi > 0}
	if psBits%mbps == 0 {
		g.psPerByte = psBits / mbps
	}
	time := func(bytes uint32) sim.Picos { return sim.Picos(uint64(bytes) * psBits / uint64(mbps)) }
	g.buffer, g.ecnLo = time(c.Buffer), time(c.EcnLo)
	g.ecnSpan = time(c.EcnHi) - g.ecnLo
	last := tier == TierLeaf && way == Downwards
	if c.Loss.Where == EveryLink || last {
		g.loss = [2]uint32{c.Loss.Data, c.Loss.Control}
	}
	if c.Reorder.Where == EveryLink || last {
		g.reorder = c.Reorder.Ppm
	}
	for i := range g.loss {
		g.loss[i] = both(g.loss[i], ppm)
	}
	g.lossy = g.loss[0] > 0 || g.loss[1] > 0 || g.reorder > 0
	n.grades = append(n.grades, g)
	return uint16(len(n.grades) - 1)
}

// both is the rate of two losses that do not know of each other, per million.
func both(a, b uint32) uint32 {
	return a + b - uint32((uint64(a)*uint64(b)+Million/2)/Million)
}

// wireTime is how long a link sends size bytes. Where a byte is no whole number of ps, what is left over goes to the
// next packet: the rate is exact in the long run.
func (n *Network) wireTime(li uint32, g *grade, size uint16) sim.Picos {
	if g.psPerByte != 0 {
		return sim.Picos(uint32(size) * g.psPerByte)
	}
	if n.over == nil {
		n.over = make([]uint32, len(n.links))
	}
	x := uint64(size)*psBits + uint64(n.over[li])
	n.over[li] = uint32(x % uint64(g.mbps))
	return sim.Picos(x / uint64(g.mbps))
}
