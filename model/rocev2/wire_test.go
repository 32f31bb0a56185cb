package rocev2

import (
	"cmp"
	"container/heap"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// wire is a network as plain as can be: every host has uplinks of a rate, and whatever leaves one arrives at its
// receiver after a delay, unless fate decides otherwise. Nothing queues but at the uplinks.
type wire struct {
	mbps  uint64
	delay sim.Picos
	fate  func(p *fabric.Packet, b body) (lost bool, extra sim.Picos) // may set FlagCe or FlagTrimmed

	t      *Transport
	hosts  []fabric.Host
	busy   [][]bool
	wake   []sim.Picos
	events happenings
	seq    int
	now    sim.Picos

	posted    map[uint32]workload.Message
	completed []workload.Message
	at        []sim.Picos
	sent      []body
	packets   []fabric.Packet    // of sent
	order     []workload.Message // as posted
}

type happening struct {
	at    sim.Picos
	class class
	seq   int
	do    func()
}

// class is the order at one time. TestGoBackNTwin needs one: after a timeout, whole histories repeat to the picosecond.
type class int

const (
	post class = iota
	tick
	free
	atReceiver
	atSender
)

type happenings []happening

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class), cmp.Compare(a.seq, b.seq)) < 0
}
func (h happenings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)   { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// net is a configuration of a fabric: only its sizes count here.
func net(hosts, planes int) fabric.Config {
	f := fabric.Default(fabric.SingleSwitch, hosts)
	f.Planes = planes
	return f
}

func newWire(t require.TestingT, f fabric.Config, c Config) *wire {
	w := &wire{mbps: uint64(f.LinkMbps), delay: 5_000_003, posted: map[uint32]workload.Message{},
		fate: func(*fabric.Packet, body) (bool, sim.Picos) { return false, 0 }}
	made, err := New(w, &f, w, c)
	require.NoError(t, err)
	w.t, w.hosts = made, made.Hosts()
	w.wake = make([]sim.Picos, len(w.hosts))
	for range w.hosts {
		w.busy = append(w.busy, make([]bool, f.Planes))
	}
	return w
}

func (w *wire) after(c class, d sim.Picos, do func()) {
	w.seq++
	heap.Push(&w.events, happening{w.now + d, c, w.seq, do})
}

func (w *wire) Diameter(data, ack int) sim.Picos {
	return 2*w.delay + sim.Picos(uint64(data+ack)*8_000_000/w.mbps)
}

func (w *wire) Wake(host int, at sim.Picos) {
	w.wake[host] = at
	w.after(tick, max(at, w.now)-w.now, func() {
		if w.wake[host] == at {
			w.wake[host] = never
			w.hosts[host].Tick(w.now)
		}
	})
}

func (w *wire) Kick(host, plane int) {
	if w.busy[host][plane] {
		return
	}
	w.busy[host][plane] = true
	w.after(free, 0, func() { w.pull(host, plane) })
}

func (w *wire) pull(host, plane int) {
	var p fabric.Packet
	if !w.hosts[host].Pull(w.now, plane, &p) {
		w.busy[host][plane] = false
		return
	}
	b := w.t.pool.bodies[p.Ref]
	w.sent = append(w.sent, b)
	time := sim.Picos(uint64(p.Size) * 8_000_000 / w.mbps)
	w.after(free, time, func() { w.pull(host, plane) })
	w.packets = append(w.packets, p)
	lost, extra := w.fate(&p, b)
	c := atReceiver
	if b.kind != kindData {
		c = atSender
	}
	w.after(c, time+w.delay+extra, func() {
		if lost {
			w.hosts[p.Src].Lost(&p)
			return
		}
		w.hosts[p.Dst].Deliver(w.now, plane, &p)
	})
}

func (w *wire) Completed(now sim.Picos, m workload.Message) {
	w.completed = append(w.completed, m)
	w.at = append(w.at, now)
}

func (w *wire) post(at sim.Picos, m workload.Message) {
	w.posted[m.Tag] = m
	w.after(post, at-w.now, func() {
		w.order = append(w.order, m)
		w.t.Post(w.now, m)
	})
}

func (w *wire) step() bool {
	if len(w.events) == 0 {
		return false
	}
	e := heap.Pop(&w.events).(happening)
	w.now = e.at
	e.do()
	return true
}

// run goes on until nothing happens any more, and checks what holds at the end of every run.
func (w *wire) run(t require.TestingT, steps int) {
	for w.step() {
		if steps--; steps < 0 {
			require.Fail(t, "no end", w.t.Describe(5))
		}
	}
	w.check(t)
}

func (w *wire) check(t require.TestingT) {
	require.Zero(t, w.t.Outstanding(), w.t.Describe(5))
	require.Len(t, w.completed, len(w.posted))
	seen := map[uint32]bool{}
	bytes := uint64(0)
	for _, m := range w.completed {
		require.False(t, seen[m.Tag], "message %d completed twice", m.Tag)
		seen[m.Tag] = true
		require.Equal(t, w.posted[m.Tag], m)
		bytes += m.Bytes
	}
	c := w.t.Counters()
	require.Equal(t, bytes, c.Bytes)
	require.Len(t, w.sent, int(c.Data+c.Control))
	require.Zero(t, w.t.pool.used, "bodies that nobody freed")
	require.Empty(t, w.t.Describe(5))
	packets := uint64(0)
	for _, q := range w.t.qps {
		require.Zero(t, q.parts.Len())
		require.Equal(t, q.end, q.expect)
		require.Equal(t, q.end, q.una)
		packets += uint64(q.end) - uint64(w.t.cfg.FirstPsn)
	}
	require.Equal(t, packets, c.Data-c.Retransmitted, "each packet leaves for the first time once")
}

// plain is a configuration without rate control, for arithmetic.
func plain(f *fabric.Config) Config {
	c := Default(f, false)
	c.Dcqcn = nil
	return c
}

var _ cluster.Events = (*wire)(nil)

func TestWireIsAsFastAsItsLink(t *testing.T) {
	f := net(2, 1)
	w := newWire(t, f, plain(&f))
	const packets = 1000
	w.post(0, workload.Message{Src: 0, Dst: 1, Bytes: packets * maxMtu})
	w.run(t, 1e5)
	wire := uint64(packets*(maxMtu+82) + reth)
	require.InDelta(t, wire*8_000_000/w.mbps, uint64(w.at[0]-w.delay), packets, "rounding is below 1 ps a packet")
	c := w.t.Counters()
	require.Zero(t, c.Retransmitted+c.Timeouts+c.Duplicates)
	require.Equal(t, uint64(packets/4), c.Control)
}
