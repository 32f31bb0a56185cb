package workload_test

import (
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// network says when a message that starts now is done. Calls come in the order of time.
type network interface {
	carry(now sim.Picos, m workload.Message) (done sim.Picos)
}

// played is when each message started and was done, by tag.
type played struct{ start, done []sim.Picos }

func (p *played) end() sim.Picos {
	end := sim.Picos(0)
	for _, t := range p.done {
		end = max(end, t)
	}
	return end
}

// watcher sees messages start and end, in the order of time. nil functions see nothing.
type watcher struct{ start, done func(m workload.Message) }

// play runs a workload on a network. It is the plain form of a driver: a sorted list of what is to happen.
func play(t require.TestingT, w workload.Workload, n network, see watcher) *played {
	type happening struct {
		at   sim.Picos
		done bool
		m    workload.Message
	}
	var list []happening
	add := func(h happening) {
		i := sort.Search(len(list), func(i int) bool { return list[i].at > h.at })
		list = append(list, happening{})
		copy(list[i+1:], list[i:])
		list[i] = h
	}
	p := &played{start: make([]sim.Picos, w.Messages()), done: make([]sim.Picos, w.Messages())}
	given := make([]bool, w.Messages())
	now := sim.Picos(0)
	post := func(at sim.Picos, m workload.Message) {
		require.GreaterOrEqual(t, at, now, "message %d starts in the past", m.Tag)
		require.False(t, given[m.Tag], "message %d is given out twice", m.Tag)
		given[m.Tag] = true
		add(happening{at: at, m: m})
	}
	w.Start(0, post)
	for len(list) > 0 {
		h := list[0]
		list = list[1:]
		now = h.at
		if h.done {
			p.done[h.m.Tag] = now
			if see.done != nil {
				see.done(h.m)
			}
			w.Done(now, h.m, post)
			continue
		}
		p.start[h.m.Tag] = now
		if see.start != nil {
			see.start(h.m)
		}
		add(happening{at: n.carry(now, h.m), done: true, m: h.m})
	}
	for tag, ok := range given {
		require.True(t, ok, "message %d was never given out", tag)
	}
	return p
}

// ideal is a network of links of one rate and nothing between them: a message takes its sender's link from its start
// or as soon as that is free, and from then on the first stretch of its receiver's link that is free for so long.
type ideal struct {
	link workload.Link
	up   map[uint16]sim.Picos   // free from then on, by host
	down map[uint16][]sim.Picos // begin and end of each busy stretch, by host
}

func newIdeal(l workload.Link) *ideal {
	return &ideal{link: l, up: map[uint16]sim.Picos{}, down: map[uint16][]sim.Picos{}}
}

func (n *ideal) carry(now sim.Picos, m workload.Message) sim.Picos {
	t := n.link.Time(m.Bytes)
	begin := max(now, n.up[m.Src])
	n.up[m.Src] = begin + t
	return n.stretch(m.Dst, begin, t) + t + n.link.Latency
}

// stretch takes the first free t of a receiver's link from a time on.
func (n *ideal) stretch(host uint16, from, t sim.Picos) sim.Picos {
	busy := n.down[host]
	i := 0
	for ; i < len(busy) && busy[i] < from+t; i += 2 {
		from = max(from, busy[i+1])
	}
	n.down[host] = slices.Insert(busy, i, from, from+t)
	return from
}

// erratic takes a random time for every message.
type erratic struct{ random sim.Random }

func (n *erratic) carry(now sim.Picos, _ workload.Message) sim.Picos {
	return now + 1 + sim.Picos(n.random.Below(1000))
}

func newErratic(seed uint64) *erratic { return &erratic{sim.NewRandom(seed, "erratic")} }

// builder is a set of numbers that makes a graph.
type builder interface {
	Graph() (*workload.Graph, error)
}

func build(t require.TestingT, b builder) *workload.Graph {
	g, err := b.Graph()
	require.NoError(t, err)
	return g
}

// at400 is 400 Gb/s and 5 us from one end to the other.
var at400 = workload.Link{Mbps: 400_000, Latency: 5 * sim.Microsecond}

func TestLinkTime(t *testing.T) {
	require.Equal(t, sim.Picos(81_920), at400.Time(4096))
	framed := workload.Link{Mbps: 400_000, Payload: 4096, Wire: 4196}
	require.Equal(t, sim.Picos(83_920), framed.Time(4096))
	require.Equal(t, sim.Picos(167_840), framed.Time(8192))
	require.Equal(t, sim.Picos(1), workload.Link{Mbps: 8_000_001}.Time(1), "rounded up: never faster than light")
	require.Zero(t, at400.Time(0))
	require.Equal(t, sim.Picos(1)<<63, workload.Link{}.Time(1), "no rate, no end")
}
