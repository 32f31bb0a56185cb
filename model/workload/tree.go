package workload

import (
	"math/bits"

	"metaroce/tandem/model/sim"
)

// TreeAllReduce adds up along a binary tree to its root and sends the sum back down. A slice goes up when it has come
// from all children, and down when it has come from the parent. Slice j of tree t has stream t x Slices + j.
type TreeAllReduce struct {
	Hosts  int
	Slices int    // of the part of a tree; 0: 1
	Bytes  uint64 // of a slice
	// Trees is 1 or 2; 0: 1. Two trees carry half of the buffer each: a rank with children in one of them has none in
	// the other, so that no port carries three times the buffer.
	Trees   int
	Pause   sim.Picos // between the last arrival and the step that needs it
	Spread  sim.Picos // starts of the ranks are uniform over 0..Spread
	Shuffle bool      // ranks are placed at hosts by a seeded shuffle
	Seed    uint64
}

// Graph checks the numbers and makes the workload.
func (w TreeAllReduce) Graph() (*Graph, error) {
	c := &check{workload: "tree all-reduce"}
	between(c, "Hosts", w.Hosts, 2, MaxHosts)
	between(c, "Slices", w.Slices, 0, MaxHosts/2-1)
	between(c, "Bytes", w.Bytes, 1, MaxBytes)
	between(c, "Trees", w.Trees, 0, 2)
	between(c, "Pause", w.Pause, 0, MaxTime)
	between(c, "Spread", w.Spread, 0, MaxTime)
	trees, slices := orOne(w.Trees), orOne(w.Slices)
	messages := uint64(trees) * uint64(slices) * 2 * uint64(w.Hosts-1)
	c.total("Trees x Slices x 2 (Hosts - 1)", messages)
	if err := c.err(); err != nil {
		return nil, err
	}
	g := newGraph(w.Hosts, int(messages))
	host, at := placing(w.Hosts, w.Shuffle, w.Seed), starts(w.Hosts, w.Spread, w.Seed)
	t := treeBuilder{g: g, w: w, at: at, up: make([]uint32, w.Hosts), down: make([]uint32, w.Hosts)}
	for j := range slices {
		for tree := range trees {
			t.place(host, tree == 1)
			t.slice(tree*slices + j)
		}
	}
	g.limit = w.limit
	return g, nil
}

// treeBuilder adds slices. Ranks stand in the order of a heap: the children of i are 2i+1 and 2i+2.
type treeBuilder struct {
	g        *Graph
	w        TreeAllReduce
	at       []sim.Picos // start, by host
	host     []int       // by rank
	up, down []uint32    // tag of the message to and from the parent of a rank
}

// place sets the host of each rank. Turned around, the ranks with children become those without.
func (t *treeBuilder) place(host []int, turned bool) {
	t.host = host
	if turned {
		t.host = make([]int, len(host))
		for i, h := range host {
			t.host[len(host)-1-i] = h
		}
	}
}

func (t *treeBuilder) slice(stream int) {
	n := len(t.host)
	for rank := n - 1; rank > 0; rank-- {
		t.up[rank] = t.send(rank, (rank-1)/2, stream, t.children(rank))
	}
	for rank := 1; rank < n; rank++ {
		parent := (rank - 1) / 2
		after := t.children(0)
		if parent > 0 {
			after = []uint32{t.down[parent]}
		}
		t.down[rank] = t.send(parent, rank, stream, after)
	}
}

// children are the tags of what comes up to a rank.
func (t *treeBuilder) children(rank int) []uint32 {
	first := 2*rank + 1
	return t.up[min(first, len(t.up)):min(first+2, len(t.up))]
}

func (t *treeBuilder) send(from, to, stream int, after []uint32) uint32 {
	s := step{src: t.host[from], dst: t.host[to], stream: stream, bytes: t.w.Bytes}
	if len(after) == 0 {
		s.at = t.at[s.src]
	} else {
		s.delay = t.w.Pause
	}
	return t.g.add(s, after...)
}

// limit: the busiest port, and the way of the last slice from a leaf to the root and back.
func (w TreeAllReduce) limit(l Link) sim.Picos {
	slices, one := orOne(w.Slices), l.Time(w.Bytes)
	most := 0
	for rank := range w.Hosts {
		load := w.load(rank)
		if orOne(w.Trees) == 2 {
			load += w.load(w.Hosts - 1 - rank)
		}
		most = max(most, load)
	}
	port := l.Time(uint64(most)*uint64(slices)*w.Bytes) + l.Latency
	steps := sim.Picos(2 * (bits.Len(uint(w.Hosts)) - 1))
	way := sim.Picos(slices-1)*one + steps*(one+l.Latency) + (steps-1)*w.Pause
	return max(port, way)
}

// load is how often a rank sends a slice: to its parent and to its children. It receives as often.
func (w TreeAllReduce) load(rank int) int {
	n := min(max(w.Hosts-1-2*rank, 0), 2)
	if rank > 0 {
		n++
	}
	return n
}
