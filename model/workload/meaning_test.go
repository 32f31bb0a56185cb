package workload_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// The tests of this file play a collective with contents: what a message carries is what its sender has when it
// starts. A message that starts before what it needs has arrived carries the wrong contents to the end.

// contents is, for each host and each slice of the buffer, the set of hosts whose values are in it.
type contents [][]map[int]bool

func newContents(hosts, slices int, own func(host, slice int) bool) contents {
	c := make(contents, hosts)
	for h := range c {
		c[h] = make([]map[int]bool, slices)
		for s := range c[h] {
			c[h][s] = map[int]bool{}
			if own(h, s) {
				c[h][s][h] = true
			}
		}
	}
	return c
}

// carried plays a graph on a network that takes random times. slice says which slice of the buffer a message is about,
// fold whether it is added to what the receiver has, or takes its place.
func carried(t require.TestingT, g *workload.Graph, seed uint64, c contents, slice func(m workload.Message) int, fold func(m workload.Message) bool) {
	under := map[uint32]map[int]bool{} // way, by tag
	play(t, g, newErratic(seed), watcher{
		start: func(m workload.Message) {
			now := map[int]bool{}
			for host := range c[m.Src][slice(m)] {
				now[host] = true
			}
			under[m.Tag] = now
		},
		done: func(m workload.Message) {
			s := slice(m)
			if !fold(m) {
				c[m.Dst][s] = map[int]bool{}
			}
			for host := range under[m.Tag] {
				require.False(t, c[m.Dst][s][host], "slice %d at host %d gets the value of host %d twice", s, m.Dst, host)
				c[m.Dst][s][host] = true
			}
		},
	})
}

func (c contents) complete(t require.TestingT) {
	for host := range c {
		for s := range c[host] {
			require.Len(t, c[host][s], len(c), "slice %d at host %d", s, host)
		}
	}
}

// nth counts the messages of a host on a stream, in the order of their tags: the step of a ring.
func nth(g *workload.Graph) []int {
	seen := map[string]int{}
	n := make([]int, g.Messages())
	for tag := range n {
		m := g.Message(uint32(tag))
		key := fmt.Sprint(m.Src, m.Stream)
		n[tag] = seen[key]
		seen[key]++
	}
	return n
}

// ranks are the places of hosts in the ring.
func ranks(g *workload.Graph) map[uint16]int {
	next := map[uint16]uint16{}
	for tag := range g.Messages() {
		m := g.Message(uint32(tag))
		next[m.Src] = m.Dst
	}
	rank := map[uint16]int{}
	for host, i := uint16(0), 0; i < g.Hosts(); host, i = next[host], i+1 {
		rank[host] = i
	}
	return rank
}

func anyRing(t *rapid.T) workload.Ring {
	return workload.Ring{
		Hosts: rapid.IntRange(2, 7).Draw(t, "hosts"), Slices: rapid.IntRange(1, 4).Draw(t, "slices"), Bytes: 1,
		Shuffle: rapid.Bool().Draw(t, "shuffle"), Spread: 100, Seed: rapid.Uint64().Draw(t, "seed"),
	}
}

// TestRingAllReduceAddsUp: in step k, rank r sends chunk r-k. For the first n-1 steps it is added, then it replaces.
func TestRingAllReduceAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyRing(t)
		g := build(t, workload.RingAllReduce{Ring: w})
		step, rank := nth(g), ranks(g)
		c := newContents(w.Hosts, w.Hosts*w.Slices, func(int, int) bool { return true })
		slice := func(m workload.Message) int {
			chunk := (rank[m.Src] - step[m.Tag] + 2*w.Hosts) % w.Hosts
			return chunk*w.Slices + int(m.Stream)
		}
		carried(t, g, rapid.Uint64().Draw(t, "network"), c, slice, func(m workload.Message) bool { return step[m.Tag] < w.Hosts-1 })
		c.complete(t)
	})
}

// TestAllGatherGathers: in step k, rank r sends the chunk of rank r-k.
func TestAllGatherGathers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyRing(t)
		g := build(t, workload.AllGather{Ring: w})
		step, rank := nth(g), ranks(g)
		c := newContents(w.Hosts, w.Hosts*w.Slices, func(host, slice int) bool { return rank[uint16(host)] == slice/w.Slices })
		slice := func(m workload.Message) int {
			return (rank[m.Src]-step[m.Tag]+w.Hosts)%w.Hosts*w.Slices + int(m.Stream)
		}
		carried(t, g, rapid.Uint64().Draw(t, "network"), c, slice, func(workload.Message) bool { return false })
		for host := range c {
			for s := range c[host] {
				require.Len(t, c[host][s], 1, "slice %d at host %d", s, host)
			}
		}
	})
}

// TestTreeAllReduceAddsUp: of two messages between a pair on a stream, the first goes up and is added.
func TestTreeAllReduceAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := workload.TreeAllReduce{
			Hosts: rapid.IntRange(2, 9).Draw(t, "hosts"), Slices: rapid.IntRange(1, 3).Draw(t, "slices"), Trees: rapid.IntRange(1, 2).Draw(t, "trees"), Bytes: 1,
			Shuffle: rapid.Bool().Draw(t, "shuffle"), Spread: 100, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		g := build(t, w)
		up := make([]bool, g.Messages())
		seen := map[string]bool{}
		for tag := range up {
			m := g.Message(uint32(tag))
			key := fmt.Sprint(min(m.Src, m.Dst), max(m.Src, m.Dst), m.Stream)
			up[tag] = !seen[key]
			seen[key] = true
		}
		c := newContents(w.Hosts, w.Slices*w.Trees, func(int, int) bool { return true })
		carried(t, g, rapid.Uint64().Draw(t, "network"), c, func(m workload.Message) int { return int(m.Stream) }, func(m workload.Message) bool { return up[m.Tag] })
		c.complete(t)
	})
}

// TestTwoTreesSpareThePorts: with two trees no host sends more than twice the buffer and a slice; with one, the inner
// ones send it three times.
func TestTwoTreesSpareThePorts(t *testing.T) {
	for _, hosts := range []int{2, 3, 8, 9, 64} {
		sent := func(trees int) (most uint64) {
			g := build(t, workload.TreeAllReduce{Hosts: hosts, Slices: 4 / trees, Trees: trees, Bytes: 1})
			bytes := make([]uint64, hosts)
			for tag := range g.Messages() {
				m := g.Message(uint32(tag))
				bytes[m.Src] += m.Bytes
				most = max(most, bytes[m.Src])
			}
			return most
		}
		require.LessOrEqual(t, sent(2), uint64(2*4), "%d hosts", hosts)
		if hosts > 7 {
			require.Equal(t, uint64(3*4), sent(1), "%d hosts", hosts)
		}
	}
}

// TestStorageRounds: a server answers what it was asked, and a client asks again when all answers are in.
func TestStorageRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := workload.Storage{Clients: rapid.IntRange(1, 4).Draw(t, "clients"), Servers: rapid.IntRange(1, 6).Draw(t, "servers"), Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"), Bytes: 9}
		w.Fan = rapid.IntRange(1, w.Servers).Draw(t, "fan")
		g := build(t, w)
		require.Equal(t, 2*w.Clients*w.Fan*w.Rounds, g.Messages())
		asked, answered := map[[2]uint16]int{}, map[uint16]int{}
		isAnswer := func(m workload.Message) bool { return int(m.Src) >= w.Clients }
		play(t, g, newErratic(rapid.Uint64().Draw(t, "network")), watcher{
			start: func(m workload.Message) {
				if isAnswer(m) {
					require.Positive(t, asked[[2]uint16{m.Dst, m.Src}], "answer to nobody")
					asked[[2]uint16{m.Dst, m.Src}]--
					return
				}
				require.Zero(t, answered[m.Src]%w.Fan, "client %d asks before all answers are in", m.Src)
			},
			done: func(m workload.Message) {
				if isAnswer(m) {
					answered[m.Dst]++
				} else {
					asked[[2]uint16{m.Src, m.Dst}]++
				}
			},
		})
		for client := range w.Clients {
			require.Equal(t, w.Fan*w.Rounds, answered[uint16(client)])
		}
	})
}

// TestDepth: never more than Depth messages of a flow are under way, and as many as that where there are enough.
func TestDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth, count := rapid.IntRange(1, 6).Draw(t, "depth"), rapid.IntRange(1, 12).Draw(t, "count")
		g, err := workload.Flows(3, []workload.Flow{{Src: 0, Dst: 1, Bytes: 5, Count: count, Depth: depth, At: 7}, {Src: 2, Dst: 1, Stream: 3, Bytes: 5, Count: count, Depth: depth}})
		require.NoError(t, err)
		way, most := map[uint16]int{}, map[uint16]int{}
		p := play(t, g, newErratic(rapid.Uint64().Draw(t, "network")), watcher{
			start: func(m workload.Message) {
				way[m.Src]++
				most[m.Src] = max(most[m.Src], way[m.Src])
			},
			done: func(m workload.Message) { way[m.Src]-- },
		})
		require.Equal(t, map[uint16]int{0: min(depth, count), 2: min(depth, count)}, most)
		require.Equal(t, sim.Picos(7), p.start[0])
		require.Zero(t, p.start[count])
	})
}
