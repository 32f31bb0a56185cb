package workload

import (
	"metaroce/tandem/model/sim"
)

// AllToAll sends a message from every host to every other. Host h begins with h+1, then h+2 and so on, so that in an
// ideal network no two hosts send to the same one.
type AllToAll struct {
	Hosts  int
	Bytes  uint64 // from a host to another
	Depth  int    // messages of a host under way at once; 0: all
	Spread sim.Picos
	Seed   uint64 // of the starts, uniform over 0..Spread
}

// Graph checks the numbers and makes the workload.
func (w AllToAll) Graph() (*Graph, error) {
	c := &check{workload: "all-to-all"}
	between(c, "Hosts", w.Hosts, 2, MaxHosts)
	between(c, "Bytes", w.Bytes, 1, MaxBytes)
	between(c, "Depth", w.Depth, 0, MaxHosts)
	between(c, "Spread", w.Spread, 0, MaxTime)
	others := w.Hosts - 1
	c.total("Hosts x (Hosts - 1)", uint64(w.Hosts)*uint64(others))
	if err := c.err(); err != nil {
		return nil, err
	}
	depth := w.Depth
	if depth == 0 {
		depth = others
	}
	at := starts(w.Hosts, w.Spread, w.Seed)
	g := newGraph(w.Hosts, w.Hosts*others)
	for h := range w.Hosts {
		first := uint32(len(g.message))
		for i := range others {
			s := step{src: h, dst: (h + 1 + i) % w.Hosts, bytes: w.Bytes}
			if i < depth {
				s.at = at[h]
				g.add(s)
				continue
			}
			g.add(s, first+uint32(i-depth))
		}
	}
	g.limit = func(l Link) sim.Picos { return rounds(l, others, depth, w.Bytes, 0) }
	return g, nil
}
