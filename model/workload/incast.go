package workload

import (
	"metaroce/tandem/model/sim"
)

// Incast sends from hosts 1..Senders to host 0.
type Incast struct {
	Senders int
	Bytes   uint64 // of one message
	Count   int    // messages of a sender; 0: 1
	Depth   int    // of a sender's messages under way at once; 0: 1
	Spread  sim.Picos
	Seed    uint64 // of the starts, uniform over 0..Spread
}

// Graph checks the numbers and makes the workload.
func (w Incast) Graph() (*Graph, error) {
	c := &check{workload: "incast"}
	between(c, "Senders", w.Senders, 1, MaxHosts-1)
	checkRun(c, "", w.Bytes, w.Count, w.Depth)
	between(c, "Spread", w.Spread, 0, MaxTime)
	count := orOne(w.Count)
	c.total("Senders x Count", uint64(w.Senders)*uint64(count))
	if err := c.err(); err != nil {
		return nil, err
	}
	at := starts(w.Senders, w.Spread, w.Seed)
	flows := make([]Flow, w.Senders)
	for i := range flows {
		flows[i] = Flow{Src: i + 1, Dst: 0, Bytes: w.Bytes, Count: w.Count, Depth: w.Depth, At: at[i]}
	}
	g := flowGraph(w.Senders+1, w.Senders*count, flows)
	g.limit = func(l Link) sim.Picos {
		port := l.Time(uint64(w.Senders)*uint64(count)*w.Bytes) + l.Latency
		return max(port, rounds(l, count, orOne(w.Depth), w.Bytes, 0))
	}
	return g, nil
}

// Permutation lets every host send to one other, and every host receive from one.
type Permutation struct {
	Hosts int
	Bytes uint64 // of one message
	Count int    // messages of a host; 0: 1
	Depth int    // of a host's messages under way at once; 0: 1
	// Shift: host h sends to h + Shift; 0: to where a seeded shuffle says, in which no host sends to itself.
	Shift  int
	Spread sim.Picos
	Seed   uint64 // of the starts, uniform over 0..Spread, and of the shuffle
}

// Graph checks the numbers and makes the workload.
func (w Permutation) Graph() (*Graph, error) {
	c := &check{workload: "permutation"}
	between(c, "Hosts", w.Hosts, 2, MaxHosts)
	checkRun(c, "", w.Bytes, w.Count, w.Depth)
	between(c, "Shift", w.Shift, 0, w.Hosts-1)
	between(c, "Spread", w.Spread, 0, MaxTime)
	count := orOne(w.Count)
	c.total("Hosts x Count", uint64(w.Hosts)*uint64(count))
	if err := c.err(); err != nil {
		return nil, err
	}
	to := w.targets()
	at := starts(w.Hosts, w.Spread, w.Seed)
	flows := make([]Flow, w.Hosts)
	for i := range flows {
		flows[i] = Flow{Src: i, Dst: to[i], Bytes: w.Bytes, Count: w.Count, Depth: w.Depth, At: at[i]}
	}
	g := flowGraph(w.Hosts, w.Hosts*count, flows)
	g.limit = func(l Link) sim.Picos { return rounds(l, count, orOne(w.Depth), w.Bytes, 0) }
	return g, nil
}

// targets is where each host sends to. Sattolo's shuffle gives one cycle through all hosts, so nobody sends to itself.
func (w Permutation) targets() []int {
	to := make([]int, w.Hosts)
	for i := range to {
		to[i] = (i + w.Shift) % w.Hosts
	}
	if w.Shift > 0 {
		return to
	}
	random := sim.NewRandom(w.Seed, "workload.permutation")
	for i := w.Hosts - 1; i > 0; i-- {
		j := int(random.Below(uint64(i)))
		to[i], to[j] = to[j], to[i]
	}
	return to
}
