package nic

import (
	"bytes"
	"container/heap"
	"fmt"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// machine is a NIC as its surroundings see it, with or without cycles.
type machine interface {
	OnPacket(now sim.Picos, plane int, p *endpoint.Packet)
	Pull(now sim.Picos, plane int, p *endpoint.Packet) bool
	OnTime(now sim.Picos)
	Deadline() (at sim.Picos, armed bool)
	Kicks() uint32
}

var (
	_ machine = (*Device)(nil)
	_ machine = (*endpoint.NIC)(nil)
)

// setup is what a world is made of.
type setup struct {
	seed    uint64
	planes  int
	mtu     uint16
	cycles  *Config // nil: endpoints without cycles
	jobs    int
	most    uint32 // bytes of a message
	trouble trouble
	silent  bool // no records are kept
}

// trouble is what befalls packets on their way, in permille.
type trouble struct{ lose, double, late uint16 }

// world is two machines, a channel that does what networks do, and work of all kinds on both.
type world struct {
	setup
	t       require.TestingT
	m       [2]machine
	nic     [2]*endpoint.NIC
	mem     [2]memory
	trace   [2][]string // records, encoded
	kinds   map[event.Kind]int
	rng     sim.Random
	now     sim.Picos
	seq     uint64
	queue   events
	busy    [2][endpoint.MaxPlanes]sim.Picos
	pulling [2][endpoint.MaxPlanes]bool
	wake    [2]sim.Picos
	conn    [2]uint16
	jobs    [2][]job
	next    uint64 // address
	ended   [2][]endpoint.Completion
}

type job struct {
	endpoint.Work
	to     uint64 // Send: where it goes
	before uint64 // atomic
}

type memory []byte

func (m memory) Write(addr uint64, data []byte) bool { return copy(m[addr:], data) == len(data) }
func (m memory) Read(addr uint64, data []byte) bool  { return copy(data, m[addr:]) == len(data) }

// something happens at a time: a packet comes, an uplink is free, a machine wants to be called, or work is posted.
type happening struct {
	at    sim.Picos
	seq   uint64
	kind  int
	host  int
	plane int
	p     *endpoint.Packet
}

const (
	comes = iota
	isFree
	isDue
	isPosted
)

type events []happening

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(happening)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

const (
	wayTime  = sim.Picos(2_000_000)
	byteTime = sim.Picos(20) // 400 Gb/s
	never    = ^sim.Picos(0)
	testKey  = 3<<8 | 9
	streams  = 2 // log2
)

func newWorld(t require.TestingT, s setup) *world {
	w := &world{setup: s, t: t, rng: sim.NewRandom(s.seed, "world"), kinds: map[event.Kind]int{}, wake: [2]sim.Picos{never, never}, next: 64}
	for i := range w.m {
		c := endpoint.Default()
		c.Host, c.Seed, c.Planes, c.Mtu, c.BaseRtt, c.Recvs, c.RnrPause = uint16(i), s.seed, s.planes, s.mtu, 2500, 1<<10, 20_000
		w.mem[i] = make(memory, uint64(s.jobs+1)*2*(uint64(s.most)+128))
		c.Memory = w.mem[i]
		if !s.silent {
			c.Trace = func(r endpoint.Record) { w.record(i, r) }
		}
		if s.cycles == nil {
			n, err := endpoint.New(c)
			require.NoError(t, err)
			w.m[i], w.nic[i] = n, n
			continue
		}
		d, err := New(c, *s.cycles)
		require.NoError(t, err)
		w.m[i], w.nic[i] = d, d.NIC()
	}
	var err error
	w.conn[0], w.conn[1], err = endpoint.ConnectNow(0, w.nic[0], w.nic[1], 8, streams)
	require.NoError(t, err)
	for i := range w.nic {
		require.NoError(t, w.nic[i].Register(testKey, w.conn[i], 7, 0, 1<<40))
	}
	return w
}

func (w *world) record(host int, r endpoint.Record) {
	var b [event.MaxRecord]byte
	n := r.Encode(&b)
	w.kinds[event.Kind(b[1])]++
	w.trace[host] = append(w.trace[host], string(b[:n]))
}

func (w *world) push(e happening) {
	w.seq++
	e.seq = w.seq
	heap.Push(&w.queue, e)
}

// after does what each call of a machine leaves to its surroundings.
func (w *world) after(host int) {
	for k, plane := w.m[host].Kicks(), 0; k != 0; k, plane = k>>1, plane+1 {
		if k&1 != 0 && !w.pulling[host][plane] {
			w.pulling[host][plane] = true
			w.push(happening{at: max(w.now, w.busy[host][plane]), kind: isFree, host: host, plane: plane})
		}
	}
	if at, armed := w.m[host].Deadline(); armed && at < w.wake[host] {
		w.wake[host] = at
		w.push(happening{at: max(at, w.now), kind: isDue, host: host})
	}
	for {
		c, ok := w.nic[host].Completion()
		if !ok {
			return
		}
		w.ended[host] = append(w.ended[host], c)
		w.check(host, &c)
	}
}

func (w *world) step() {
	e := heap.Pop(&w.queue).(happening)
	w.now = e.at
	switch e.kind {
	case comes:
		w.m[e.host].OnPacket(w.now, e.plane, e.p)
		for i := range e.p.Data {
			e.p.Data[i] ^= 0xff // the packet is ours again
		}
		*e.p = endpoint.Packet{}
	case isFree:
		w.pulling[e.host][e.plane] = false
		p := &endpoint.Packet{}
		if w.m[e.host].Pull(w.now, e.plane, p) {
			w.busy[e.host][e.plane] = w.now + sim.Picos(p.UDPBytes()+endpoint.FramingV4)*byteTime
			w.pulling[e.host][e.plane] = true
			w.push(happening{at: w.busy[e.host][e.plane], kind: isFree, host: e.host, plane: e.plane})
			w.send(1-e.host, e.plane, p)
		}
	case isDue:
		if w.wake[e.host] == e.at {
			w.wake[e.host] = never
		}
		w.m[e.host].OnTime(w.now)
	default:
		w.post(e.host)
	}
	w.after(e.host)
}

// send lets a packet onto the channel.
func (w *world) send(to, plane int, p *endpoint.Packet) {
	if w.rng.Permille(w.trouble.lose) {
		return
	}
	copies := 1
	if w.rng.Permille(w.trouble.double) {
		copies = 2
	}
	for range copies {
		at := w.busy[1-to][plane] + wayTime
		if w.rng.Permille(w.trouble.late) {
			at += sim.Picos(w.rng.Below(20_000_000))
		}
		q := *p
		q.Data = bytes.Clone(p.Data)
		w.push(happening{at: at, kind: comes, host: to, plane: plane, p: &q})
	}
}

// schedule has all work posted at random times.
func (w *world) schedule(within uint64) {
	for range w.setup.jobs {
		w.push(happening{at: sim.Picos(w.rng.Below(within)), kind: isPosted, host: int(w.rng.Below(2))})
	}
}

var works = [...]wire.Opcode{
	wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest,
}

// post draws and posts a request; its stream is that of its number, so that a completion finds it again.
func (w *world) post(host int) {
	j := job{}
	j.ID, j.Op, j.Rkey = uint64(len(w.jobs[host])), works[w.rng.Below(uint64(len(works)))], testKey
	j.Length = uint32(w.rng.Below(uint64(w.most) + 1))
	if j.Op == wire.OpcodeAtomicRequest {
		j.Length = 8
	}
	room := func() uint64 {
		at := w.next
		w.next += (uint64(j.Length) + 64) &^ 7
		return at
	}
	j.Local, j.Remote = room(), room()
	from, at := host, j.Local
	if j.Op == wire.OpcodeReadRequest || j.Op == wire.OpcodeAtomicRequest {
		from, at = 1-host, j.Remote
	}
	for i := range j.Length {
		w.mem[from][at+uint64(i)] = byte(w.rng.Uint64())
	}
	stream := uint16(j.ID & (1<<streams - 1))
	switch j.Op {
	case wire.OpcodeAtomicRequest:
		j.Add, j.Operand = true, w.rng.Uint64()
		j.before = word(w.mem[from][at:])
	case wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeWriteImm:
		j.to = j.Remote
		_, err := w.nic[1-host].PostRecv(w.conn[1-host], stream, uint32(j.ID), j.to, j.Length)
		require.NoError(w.t, err)
	}
	w.jobs[host] = append(w.jobs[host], j)
	_, err := w.nic[host].Post(w.now, w.conn[host], stream, j.Work)
	require.NoError(w.t, err)
}

func word(b []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// check holds a completion against what was posted, and memory as it is at this time.
func (w *world) check(host int, c *endpoint.Completion) {
	require.Equal(w.t, endpoint.StatusOK, c.Status, "%+v", *c)
	if c.Responder {
		return
	}
	require.Equal(w.t, uint64(c.Msn)<<streams|uint64(c.Stream), c.ID, "in the order of the stream")
	j := &w.jobs[host][c.ID]
	local, remote := w.mem[host][j.Local:j.Local+uint64(j.Length)], w.mem[1-host][j.Remote:j.Remote+uint64(j.Length)]
	if j.Op != wire.OpcodeAtomicRequest {
		require.True(w.t, bytes.Equal(local, remote), "%v %d", j.Op, j.ID)
		return
	}
	require.Equal(w.t, j.before, word(local))
	require.Equal(w.t, j.before+j.Operand, word(remote), "changed once")
}

// done tells whether all work is complete at its requester and nothing of it is in the machines.
func (w *world) done() bool {
	posted := len(w.jobs[0]) + len(w.jobs[1])
	return posted == w.setup.jobs && w.own(0)+w.own(1) == posted
}

func (w *world) own(host int) (n int) {
	for i := range w.ended[host] {
		if !w.ended[host][i].Responder {
			n++
		}
	}
	return n
}

// run goes on until all is done and what is still under way has come to rest.
func (w *world) run() *world {
	w.schedule(100_000_000)
	for !w.done() {
		if w.now > 20_000_000_000_000 || len(w.queue) == 0 {
			require.FailNow(w.t, "took too long", "%d and %d complete at %d: %s", w.own(0), w.own(1), w.now, w.describe())
		}
		w.step()
	}
	for end := w.now + 50_000_000_000; len(w.queue) > 0 && w.queue[0].at < end; {
		w.step()
	}
	for i := range w.nic {
		c := w.nic[i].Count()
		require.Zero(w.t, c.Under+c.Bogus+c.Wrong, "%+v", *c)
	}
	return w
}

func (w *world) describe() string {
	s := ""
	for i := range w.nic {
		s += fmt.Sprintf("\nhost %d: %s %+v", i, w.nic[i].Describe(w.conn[i]), *w.nic[i].Count())
		if d, ok := w.m[i].(*Device); ok {
			s += "\n" + d.Report()
		}
	}
	return s
}
