package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// twin gives out what a graph holds, by looking at every message each time something is done.
type twin struct {
	*workload.Graph
	given, done []bool
	last        []sim.Picos // latest end of what a message waits for
}

func (w *twin) Start(now sim.Picos, post func(sim.Picos, workload.Message)) {
	n := w.Graph.Messages()
	w.given, w.done, w.last = make([]bool, n), make([]bool, n), make([]sim.Picos, n)
	w.sweep(now, post)
}

func (w *twin) Done(now sim.Picos, m workload.Message, post func(sim.Picos, workload.Message)) {
	w.done[m.Tag] = true
	w.sweep(now, post)
}

func (w *twin) sweep(now sim.Picos, post func(sim.Picos, workload.Message)) {
	for tag := range w.given {
		ready := !w.given[tag]
		for _, before := range w.After(uint32(tag)) {
			ready = ready && w.done[before]
		}
		if !ready {
			continue
		}
		w.given[tag] = true
		at := w.At(uint32(tag))
		if len(w.After(uint32(tag))) > 0 {
			at = max(at, now+w.Delay(uint32(tag)))
		}
		post(at, w.Message(uint32(tag)))
	}
}

// anyTrace draws the text of a trace in which anything may wait for anything above it.
func anyTrace(t *rapid.T) *workload.Graph {
	g := build(t, anyBuilder(t))
	if rapid.Bool().Draw(t, "built") {
		return g
	}
	g, err := workload.Parse("drawn", drawText(t))
	require.NoError(t, err)
	return g
}

// TestGraphTwin: the same messages at the same times, and again in a second run of the same graph.
func TestGraphTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyTrace(t)
		for seed := range uint64(2) {
			want := play(t, &twin{Graph: g}, newErratic(seed), watcher{})
			got := play(t, g, newErratic(seed), watcher{})
			require.Equal(t, want, got)
		}
	})
}

// TestStartForgets: a run that was given up leaves nothing behind.
func TestStartForgets(t *testing.T) {
	g := build(t, workload.AllGather{Ring: workload.Ring{Hosts: 4, Bytes: 1}})
	want := play(t, g, newErratic(1), watcher{})
	post := func(sim.Picos, workload.Message) {}
	g.Start(5, post)
	g.Done(9, g.Message(0), post)
	require.Equal(t, want, play(t, g, newErratic(1), watcher{}))
}

func TestDoneTwiceIsABug(t *testing.T) {
	g, err := workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: 1, Count: 2}})
	require.NoError(t, err)
	post := func(sim.Picos, workload.Message) {}
	g.Start(0, post)
	g.Done(1, g.Message(0), post)
	require.PanicsWithValue(t, "BUG: message 0 is done a second time", func() { g.Done(2, g.Message(0), post) })
}

// TestWhoSendsToWhom: every pair of an all-to-all, one target and one source a host in a permutation, all even.
func TestWhoSendsToWhom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts, seed := rapid.IntRange(2, 20).Draw(t, "hosts"), rapid.Uint64().Draw(t, "seed")
		pairs := func(g *workload.Graph) (pair map[[2]uint16]int, out, in []int) {
			pair, out, in = map[[2]uint16]int{}, make([]int, g.Hosts()), make([]int, g.Hosts())
			for tag := range g.Messages() {
				m := g.Message(uint32(tag))
				require.NotEqual(t, m.Src, m.Dst)
				pair[[2]uint16{m.Src, m.Dst}]++
				out[m.Src]++
				in[m.Dst]++
			}
			return pair, out, in
		}
		all, _, _ := pairs(build(t, workload.AllToAll{Hosts: hosts, Bytes: 1}))
		require.Len(t, all, hosts*(hosts-1))

		_, out, in := pairs(build(t, workload.Permutation{Hosts: hosts, Bytes: 1, Seed: seed}))
		for h := range hosts {
			require.Equal(t, []int{1, 1}, []int{out[h], in[h]})
		}

		n := rapid.IntRange(1, hosts*(hosts-1)).Draw(t, "connections")
		some, out, in := pairs(build(t, workload.Connections{Hosts: hosts, Connections: n, Bytes: 1}))
		require.Len(t, some, n, "no pair twice")
		for h := range hosts {
			for _, v := range []int{out[h], in[h]} {
				require.GreaterOrEqual(t, v, n/hosts)
				require.LessOrEqual(t, v, (n+hosts-1)/hosts)
			}
		}

		across, _, _ := pairs(build(t, workload.Across{Sites: 3, Hosts: hosts, Far: workload.Run{Bytes: 1}, Near: workload.Run{Bytes: 1}}))
		for p := range across {
			far := int(p[0])/hosts != int(p[1])/hosts
			require.True(t, !far || p[0]%uint16(hosts) == p[1]%uint16(hosts))
		}
		require.Len(t, across, 2*3*hosts)
	})
}

// TestSeeds: equal seeds give equal graphs, others give other starts, places and permutations.
func TestSeeds(t *testing.T) {
	for name, with := range map[string]func(seed uint64) builder{
		"starts": func(s uint64) builder {
			return workload.Incast{Senders: 9, Bytes: 1, Spread: sim.Microsecond, Seed: s}
		},
		"permutation": func(s uint64) builder { return workload.Permutation{Hosts: 30, Bytes: 1, Seed: s} },
		"places": func(s uint64) builder {
			return workload.AllGather{Ring: workload.Ring{Hosts: 30, Bytes: 1, Shuffle: true, Seed: s}}
		},
	} {
		text := func(seed uint64) string { return workload.Format(build(t, with(seed))) }
		require.Equal(t, text(1), text(1), name)
		require.NotEqual(t, text(1), text(2), name)
	}
}

// TestEventsDoNotAllocate: a run costs the driver nothing but its own list.
func TestEventsDoNotAllocate(t *testing.T) {
	g := build(t, workload.RingAllReduce{Ring: workload.Ring{Hosts: 8, Slices: 4, Bytes: 1}})
	posts := 0
	post := func(sim.Picos, workload.Message) { posts++ }
	require.Zero(t, testing.AllocsPerRun(10, func() {
		g.Start(0, post)
		for tag := range g.Messages() {
			g.Done(1, g.Message(uint32(tag)), post)
		}
	}))
	require.Equal(t, 11*g.Messages(), posts)
}
