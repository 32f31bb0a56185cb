package workload

import (
	"metaroce/tandem/model/sim"
)

// Ring is what the collectives on a ring of hosts have in common. The buffer of a host is one chunk a host, a chunk is
// Slices slices of Bytes. In every step each rank sends one chunk to the next rank; a slice goes on when the same slice
// of the step before has arrived, whatever the others of its chunk do. Slice j has stream j.
type Ring struct {
	Hosts  int
	Slices int       // of a chunk; 0: 1
	Bytes  uint64    // of a slice
	Pause  sim.Picos // between a slice's arrival and the step that needs it: the reduction, the doorbell
	Spread sim.Picos // starts of the ranks are uniform over 0..Spread
	// Shuffle places the ranks at hosts by a seeded shuffle: neighbours of the ring are no neighbours of the network.
	Shuffle bool
	Seed    uint64 // of the starts and the shuffle
}

// RingAllReduce is a reduce-scatter and an all-gather behind it: 2 (Hosts - 1) steps.
type RingAllReduce struct{ Ring }

// AllGather brings every host's chunk to all: Hosts - 1 steps.
type AllGather struct{ Ring }

// Graph checks the numbers and makes the workload.
func (w RingAllReduce) Graph() (*Graph, error) { return w.graph("ring all-reduce", 2*(w.Hosts-1)) }

// Graph checks the numbers and makes the workload.
func (w AllGather) Graph() (*Graph, error) { return w.graph("all-gather", w.Hosts-1) }

func (w Ring) graph(name string, steps int) (*Graph, error) {
	c := &check{workload: name}
	between(c, "Hosts", w.Hosts, 2, MaxHosts)
	between(c, "Slices", w.Slices, 0, MaxHosts-1)
	between(c, "Bytes", w.Bytes, 1, MaxBytes)
	between(c, "Pause", w.Pause, 0, MaxTime)
	between(c, "Spread", w.Spread, 0, MaxTime)
	slices := orOne(w.Slices)
	messages := uint64(w.Hosts) * uint64(steps)
	c.total("Hosts x steps", messages)
	c.total("Hosts x steps x Slices", messages*uint64(slices))
	if err := c.err(); err != nil {
		return nil, err
	}
	host, at := placing(w.Hosts, w.Shuffle, w.Seed), starts(w.Hosts, w.Spread, w.Seed)
	g := newGraph(w.Hosts, w.Hosts*steps*slices)
	for k := range steps {
		for rank := range w.Hosts {
			for j := range slices {
				s := step{src: host[rank], dst: host[(rank+1)%w.Hosts], stream: j, bytes: w.Bytes}
				if k == 0 {
					s.at = at[rank]
					g.add(s)
					continue
				}
				s.delay = w.Pause
				before := (rank + w.Hosts - 1) % w.Hosts
				g.add(s, uint32(((k-1)*w.Hosts+before)*slices+j))
			}
		}
	}
	g.limit = func(l Link) sim.Picos { return rounds(l, steps*slices, slices, w.Bytes, w.Pause) }
	return g, nil
}
