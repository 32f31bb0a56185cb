package losswalk_test

import (
	"container/heap"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/window"
	"metaroce/tandem/model/wire"
)

// Times in ticks: the round trip of the empty network, what a packet takes on an uplink, how long an acknowledgement that
// nothing hurries may wait.
const (
	base    = 2500
	gap     = 84
	ackWait = 500
)

// timed is something that happens at a time; equal times in the order in which they were planned.
type timed struct {
	at, seq uint64
	do      func()
}

type agenda []timed

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(timed)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// network is planes of ways. A way is a plane and a UDP source port: it keeps order, and has a length of its own, so that
// a packet by a new port may overtake those that left by the old one.
type network struct {
	now, seq uint64
	plan     agenda
	random   sim.Random
	loss     uint16 // permille, both directions
	dup      uint16 // permille
	down     [8]bool
	dead     map[uint16]bool      // ports whose way is broken
	drop     func(p *packet) bool // a test may pick what is lost
}

func (n *network) after(ticks uint64, do func()) {
	n.seq++
	heap.Push(&n.plan, timed{n.now + ticks, n.seq, do})
}

func (n *network) step() bool {
	if len(n.plan) == 0 {
		return false
	}
	next := heap.Pop(&n.plan).(timed)
	n.now = next.at
	next.do()
	return true
}

func (n *network) tick() uint32 { return uint32(n.now) }

// send carries something over a way, or loses it. Lost are also those that are on a plane when it goes down.
func (n *network) send(plane uint8, port uint16, arrive func()) (dropped bool) {
	if n.down[plane] || n.dead[port] || n.random.Permille(n.loss) {
		return true
	}
	length := base/2 + uint64(port%7)*100
	times := 1
	if n.random.Permille(n.dup) {
		times = 2
	}
	for range times {
		n.after(length, func() {
			if !n.down[plane] && !n.dead[port] {
				arrive()
			}
		})
	}
	return false
}

// packet is data or a flush of a path.
type packet struct {
	path             int
	psn, tsn, txTime uint32
	epoch            uint8
	flagD, flagA     bool
	flush            bool
	plane            uint8
	port             uint16
	part             uint32
}

// receiver is the window of every path, and acknowledgements that come at once or ackWait ticks after.
type receiver struct {
	net     *network
	rows    []event.WindowPath
	planes  []uint8 // that the newest packet came by
	pending []bool
	came    []map[uint32]bool // psn that were new, by path
	parts   map[uint32]int    // how often a part was placed
	toPeer  func(path int, in event.AckRecvIn, echo uint32)
}

func newReceiver(net *network, paths int, first uint32) *receiver {
	r := &receiver{net: net, rows: make([]event.WindowPath, paths), planes: make([]uint8, paths), pending: make([]bool, paths), parts: map[uint32]int{}}
	for i := range r.rows {
		window.Step(&r.rows[i], event.WindowSet, &event.WindowIn{Psn: first, Tsn: first}, &event.WindowOut{})
		r.came = append(r.came, map[uint32]bool{})
	}
	return r
}

func (r *receiver) arrive(p *packet) {
	op := event.WindowPacket
	if p.flush {
		op = event.WindowFlush
	}
	var out event.WindowOut
	window.Step(&r.rows[p.path], op, &event.WindowIn{Now: r.net.tick(), Psn: p.psn, Tsn: p.tsn, Epoch: p.epoch, FlagA: p.flagA, FlagD: p.flagD,
		TxTime: p.txTime, Sport: p.port}, &out)
	r.planes[p.path] = p.plane
	if out.Class == event.ClassNew {
		r.came[p.path][p.psn] = true
		r.parts[p.part]++
	}
	switch {
	case out.AckNow:
		r.acknowledge(p.path)
	case !r.pending[p.path]:
		r.pending[p.path] = true
		r.net.after(ackWait, func() {
			if r.pending[p.path] {
				r.acknowledge(p.path)
			}
		})
	}
}

// acknowledge tells the state of the path by the way that its newest packet came.
func (r *receiver) acknowledge(path int) {
	r.pending[path] = false
	w := &r.rows[path]
	in := event.AckRecvIn{Cum: w.Cum, HighTsn: w.HighTsn, HighValid: w.HighValid, Epoch: w.Epoch, FlagD: w.LastD, EchoTime: w.LastTime,
		Held: r.net.tick() - w.LastNow, Vector: w.Vector}
	echo := w.LastPsn
	r.net.send(r.planes[path], w.LastSport, func() { r.toPeer(path, in, echo) })
}

// covers is what an acknowledgement tells of a psn, by the definition of the vector.
func covers(in *event.AckRecvIn, psn uint32) bool {
	d := wire.Diff(psn, in.Cum)
	return d < 0 || d < 256 && in.Vector.Get(uint32(d))
}
