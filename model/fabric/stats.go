package fabric

import "metaroce/tandem/model/sim"

// Counts are packets, or link traversals, by class.
type Counts struct{ Data, Control uint64 }

// Sum is both classes.
func (c Counts) Sum() uint64 { return c.Data + c.Control }

// Queue is what the packets met that had to join the queues of one direction of a tier.
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
	Hops uint64 // link traversals that ended at the far end

	Injected  Counts // taken from hosts
	Delivered Counts // handed to hosts
	Lost      Counts // sum of the three below: Injected = Delivered + Lost + what is in flight
	Random    Counts // by Loss and by LinkRate with Ppm
	Overflow  Counts // no room at a port
	Down      Counts // on or into something that was down

	Marks          uint64           // packets that got FlagCe
	Trims          uint64           // packets cut
	Late           uint64           // packets held up by Reorder
	Pauses         uint64           // pause frames
	Paused         sim.Picos        // time of links in pause, summed
	Upward         [TierCount]Queue // queues into links from below to the tier: Upward[TierLeaf] is empty, hosts wait by themselves
	Downward       [TierCount]Queue // queues into links from the tier to below
	SentBytes      []uint64         // by plane: taken from hosts
	DeliveredBytes []uint64         // by plane
}
