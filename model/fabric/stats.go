package fabric

import "metaroce/tandem/model/sim"

// Counts are packets, or bytes, by class.
type Counts struct{ Data, Control uint64 }

// Sum is both classes.
func (c Counts) Sum() uint64 { return c.Data + c.Control }

// Queue is what packets met that joined the queues of one direction of a tier.
type Queue struct {
	Packets  uint64    // that joined
	MaxBytes uint64    // waiting before one of them
	MaxWait  sim.Picos // of one of them
	SumWait  sim.Picos // of all of them
}

// MeanWait is the mean time in the queue; 0 when nothing came.
func (q Queue) MeanWait() sim.Picos {
	if q.Packets == 0 {
		return 0
	}
	return q.SumWait / sim.Picos(q.Packets)
}

// Stats is what a network has seen so far.
type Stats struct {
	Events     uint64 // executed
	Pending    int    // events to come
	MaxPending int    // the most of them at one time
	Hops       uint64 // link traversals that ended at the far end

	Injected  Counts // taken from hosts
	Delivered Counts // handed to hosts
	Lost      Counts // sum of the three below: Injected = Delivered + Lost + what is in flight
	Random    Counts // by Loss, and by LinkRate with Ppm
	Overflow  Counts // no room at a port
	Down      Counts // on or into something that was down

	Marks  uint64    // packets that got FlagCe
	Trims  uint64    // packets cut
	Gone   uint64    // of those: lost afterwards
	Late   uint64    // packets held up by Reorder
	Pauses uint64    // pause frames
	Paused sim.Picos // time of links in pause, summed, of pauses that have ended

	Upward   [TierCount]Queue // into links from below to the tier; hosts wait by themselves, so TierLeaf is empty
	Downward [TierCount]Queue // into links from the tier to below: TierLeaf is what incast fills

	SentBytes      []Counts // by plane: taken from hosts
	DeliveredBytes []Counts // by plane
}

type lossReason uint8

const (
	lostRandom lossReason = iota
	lostOverflow
	lostDown
	lossReasons
)

// counters are the statistics in the form in which packets count.
type counters struct {
	events, hops        uint64
	injected, delivered [2]uint64 // by class
	losses              [lossReasons][2]uint64
	marks, trims, late  uint64
	gone                uint64 // cut, and lost
	pauses              uint64
	paused              sim.Picos
	planes              []planeBytes
}

type planeBytes struct{ sent, delivered [2]uint64 }

func (c *counters) inject(p *Packet) {
	k := p.class()
	c.injected[k]++
	c.planes[p.Plane].sent[k] += uint64(p.Size)
}

func (c *counters) deliver(p *Packet) {
	k := p.class()
	c.delivered[k]++
	c.planes[p.Plane].delivered[k] += uint64(p.Size)
}

func counts(v [2]uint64) Counts { return Counts{v[0], v[1]} }

// Stats is what has happened so far.
func (n *Network) Stats() Stats {
	c := &n.seen
	s := Stats{
		Events: c.events, Pending: n.calendar.Len(), MaxPending: n.calendar.Most(), Hops: c.hops,
		Injected: counts(c.injected), Delivered: counts(c.delivered),
		Random: counts(c.losses[lostRandom]), Overflow: counts(c.losses[lostOverflow]), Down: counts(c.losses[lostDown]),
		Marks: c.marks, Trims: c.trims, Gone: c.gone, Late: c.late, Pauses: c.pauses, Paused: c.paused,
	}
	s.Lost = Counts{
		s.Random.Data + s.Overflow.Data + s.Down.Data,
		s.Random.Control + s.Overflow.Control + s.Down.Control,
	}
	for i := range n.grades {
		g := &n.grades[i]
		q := &s.Upward[g.tier]
		if g.way == Downwards {
			q = &s.Downward[g.tier]
		}
		q.add(g)
	}
	for _, p := range c.planes {
		s.SentBytes = append(s.SentBytes, counts(p.sent))
		s.DeliveredBytes = append(s.DeliveredBytes, counts(p.delivered))
	}
	return s
}

// add adds the queues of a grade, whose rate makes bytes of their times.
func (q *Queue) add(g *grade) {
	q.Packets += g.queue.Packets
	q.SumWait += g.queue.SumWait
	q.MaxWait = max(q.MaxWait, g.queue.MaxWait)
	q.MaxBytes = max(q.MaxBytes, uint64(g.queue.MaxWait)*uint64(g.mbps)/psBits)
}

// InFlight is the packets between their injection and their delivery or loss.
func (n *Network) InFlight() int {
	in := int(n.seen.injected[0] + n.seen.injected[1])
	in -= int(n.seen.delivered[0] + n.seen.delivered[1])
	for _, l := range n.seen.losses {
		in -= int(l[0] + l[1])
	}
	return in
}

// BareLoop is the yardstick for the speed of a run: sim.BareLoop with as many events to come as this network had at
// most, at the delays of its links.
func (n *Network) BareLoop(seed uint64, events int) sim.Picos {
	near := n.packetTime(dataSize)
	return sim.BareLoop(seed, events, max(n.calendar.Most(), 1), near, near+n.cfg.LinkDelay+n.cfg.SwitchDelay)
}
