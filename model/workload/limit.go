package workload

import "metaroce/tandem/model/sim"

// Link is what a host has to the network, for the physical limit of a workload: no schedule and no transport is faster.
type Link struct {
	Mbps    uint64    // of all planes together
	Latency sim.Picos // from the last bit leaving the sender to its being in place at the receiver

	// Payload of Wire bytes on the link are payload: 4096 of 4196 for the share that headers leave. Both 0: all of them.
	Payload, Wire uint32
}

// Time is how long the payload takes on the link, rounded up. It is at most 2^63 ps.
func (l Link) Time(payload uint64) sim.Picos {
	wire := payload
	if l.Payload > 0 {
		wire = sim.MulDivUp(payload, uint64(l.Wire), uint64(l.Payload))
	}
	return sim.Picos(sim.MulDivUp(wire, 8_000_000, l.Mbps))
}

// Limit is the physical limit of the makespan: the formula of docs/workloads.md for the workload the graph was built as.
func (g *Graph) Limit(l Link) sim.Picos {
	if g.limit == nil {
		return g.Bound(l)
	}
	return g.limit(l)
}

// Bound is a limit that holds for every graph: the longest chain of messages that wait for each other, and the bytes
// that leave or enter one host.
func (g *Graph) Bound(l Link) sim.Picos {
	end := make([]sim.Picos, len(g.message))
	out, in := make([]uint64, g.hosts), make([]uint64, g.hosts)
	bound := sim.Picos(0)
	for tag := range g.message {
		m := &g.message[tag]
		start := g.at[tag]
		for _, before := range g.After(uint32(tag)) {
			start = max(start, end[before]+g.delay[tag])
		}
		end[tag] = start + l.Time(m.Bytes) + l.Latency
		out[m.Src] += m.Bytes
		in[m.Dst] += m.Bytes
		bound = max(bound, end[tag])
	}
	for host := range g.hosts {
		if most := max(out[host], in[host]); most > 0 {
			bound = max(bound, l.Time(most)+l.Latency)
		}
	}
	return bound
}
