package endpoint

import (
	"bytes"
	"container/heap"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// world is two NICs and a channel between them that does everything a network may do: it loses, doubles, holds up and
// lets overtake, and its planes fail and return. Packets cross it as bytes.
type world struct {
	t     require.TestingT
	nics  [2]*NIC
	mem   [2]hostMemory
	rng   sim.Random
	now   sim.Picos
	way   sim.Picos // of the channel, one way
	seq   uint64
	queue flying
	busy  [2][MaxPlanes]sim.Picos
	pull  [2][MaxPlanes]bool // an event of the uplink is queued
	wake  [2]sim.Picos
	trouble
	dead  uint32               // planes, a bit each
	slow  [MaxPlanes]sim.Picos // longer ways, by plane
	hold  []arriving
	ended [2][]Completion
	life  [2][]Event
	each  func()                      // called before each step
	veto  func(p *Packet) bool        // packets that are lost by choice
	check func(at int, c *Completion) // called with each completion, at once
}

// trouble is what befalls packets, in permille.
type trouble struct {
	lose, lose2 uint16 // data; all else
	double      uint16
	late        uint16 // held up by up to lateBy
	lateBy      sim.Picos
	mark        uint16 // CE on data
	holdLife    bool   // packets are kept back as stragglers, too
}

// hostMemory is memory from address 0 on, as far as it was touched.
type hostMemory struct {
	bytes []byte
	fail  func(addr uint64, n int) bool
}

// at is a part of memory.
func (m *hostMemory) at(addr uint64, n int) []byte {
	if end := int(addr) + n; end > len(m.bytes) {
		m.bytes = append(m.bytes, make([]byte, end-len(m.bytes)+1<<16)...)
	}
	return m.bytes[addr : int(addr)+n]
}

func (m *hostMemory) Write(addr uint64, data []byte) bool {
	if m.fail != nil && m.fail(addr, len(data)) {
		return false
	}
	copy(m.at(addr, len(data)), data)
	return true
}

func (m *hostMemory) Read(addr uint64, data []byte) bool {
	copy(data, m.at(addr, len(data)))
	return true
}

type arriving struct {
	at    sim.Picos
	seq   uint64
	kind  uint8 // 0 packet, 1 uplink, 2 tick
	host  int
	plane int
	sport uint16
	src   uint16
	ce    bool
	bytes []byte
}

type flying []arriving

func (f flying) Len() int { return len(f) }
func (f flying) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].seq < f[j].seq
}
func (f flying) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flying) Push(x any)   { *f = append(*f, x.(arriving)) }
func (f *flying) Pop() any {
	old := *f
	x := old[len(old)-1]
	*f = old[:len(old)-1]
	return x
}

const (
	wayTime  = sim.Picos(2_000_000)
	byteTime = sim.Picos(20) // 400 Gb/s
	nowhere  = ^sim.Picos(0)
)

func newWorld(t require.TestingT, seed uint64, cfg func(c *Config)) *world {
	w := &world{t: t, rng: sim.NewRandom(seed, "world"), way: wayTime, wake: [2]sim.Picos{nowhere, nowhere}}
	for i := range w.nics {
		c := Default()
		c.Host, c.Seed, c.BaseRtt, c.Memory = uint16(i), seed, 1100, &w.mem[i]
		c.ConnTimeout = 250_000_000
		if cfg != nil {
			cfg(&c)
		}
		nic, err := New(c)
		require.NoError(t, err)
		w.nics[i] = nic
	}
	return w
}

func (w *world) push(e arriving) {
	w.seq++
	e.seq = w.seq
	heap.Push(&w.queue, e)
}

// after does what each call of a NIC leaves to its surroundings.
func (w *world) after(host int) {
	n := w.nics[host]
	for kicks, plane := n.Kicks(), 0; kicks != 0; kicks, plane = kicks>>1, plane+1 {
		if kicks&1 != 0 && !w.pull[host][plane] {
			w.pull[host][plane] = true
			w.push(arriving{at: max(w.now, w.busy[host][plane]), kind: 1, host: host, plane: plane})
		}
	}
	if at, armed := n.Deadline(); armed && at < w.wake[host] {
		w.wake[host] = at
		w.push(arriving{at: max(at, w.now), kind: 2, host: host})
	}
	for {
		c, ok := n.Completion()
		if !ok {
			break
		}
		if w.check != nil {
			w.check(host, &c)
		}
		w.ended[host] = append(w.ended[host], c)
	}
	for {
		e, ok := n.Event()
		if !ok {
			break
		}
		w.life[host] = append(w.life[host], e)
	}
}

// step executes the next event; false when there is none.
func (w *world) step() bool {
	if len(w.queue) == 0 {
		return false
	}
	e := heap.Pop(&w.queue).(arriving)
	w.now = e.at
	if w.each != nil {
		w.each()
	}
	n := w.nics[e.host]
	switch e.kind {
	case 0:
		w.arrive(&e)
	case 1:
		w.pull[e.host][e.plane] = false
		var p Packet
		if n.Pull(w.now, e.plane, &p) {
			size := sim.Picos(p.UDPBytes() + FramingV4)
			w.busy[e.host][e.plane] = w.now + size*byteTime
			w.pull[e.host][e.plane] = true
			w.push(arriving{at: w.busy[e.host][e.plane], kind: 1, host: e.host, plane: e.plane})
			w.send(e.host, e.plane, &p)
		}
	default:
		if w.wake[e.host] == e.at {
			w.wake[e.host] = nowhere
		}
		n.OnTime(w.now)
	}
	w.after(e.host)
	return true
}

func (w *world) arrive(e *arriving) {
	var p Packet
	reason := p.Decode(e.bytes)
	require.Equal(w.t, event.ReasonNone, reason)
	p.Sport, p.Src, p.Dst, p.Ce = e.sport, e.src, uint16(e.host), e.ce
	w.nics[e.host].OnPacket(w.now, e.plane, &p)
}

// send lets a packet onto the channel.
func (w *world) send(host, plane int, p *Packet) {
	require.Equal(w.t, uint16(1-host), p.Dst)
	wireBytes := p.Append(nil)
	require.Len(w.t, wireBytes, p.UDPBytes())
	e := arriving{host: 1 - host, plane: plane, sport: p.Sport, src: uint16(host), bytes: wireBytes}
	lose := w.lose2
	if p.IsData() {
		lose = w.lose
		e.ce = w.rng.Permille(w.mark)
	}
	if w.dead>>plane&1 != 0 || w.rng.Permille(lose) || w.veto != nil && w.veto(p) {
		return
	}
	copies := 1
	if w.rng.Permille(w.double) {
		copies = 2
	}
	for range copies {
		e.at = w.busy[host][plane] + w.way + w.slow[plane]
		if w.rng.Permille(w.late) {
			e.at += sim.Picos(w.rng.Below(uint64(w.lateBy)))
		}
		w.push(e)
		if w.holdLife && w.rng.Permille(100) {
			w.hold = append(w.hold, e)
		}
	}
}

// runUntil steps until done says so; a world that comes to rest or takes too long before is a failure.
func (w *world) runUntil(limit sim.Picos, done func() bool) {
	for !done() {
		if !w.step() || w.now > limit {
			require.FailNow(w.t, "the world came to rest or took too long", "at %v: %s", w.now, w.describe())
		}
	}
}

// settle lets everything on its way arrive and every timer run down.
func (w *world) settle(d sim.Picos) {
	end := w.now + d
	for len(w.queue) > 0 && w.queue[0].at <= end {
		w.step()
	}
	w.now = end
}

func (w *world) describe() string {
	s := ""
	for i, n := range w.nics {
		for c := range n.conns {
			s += fmt.Sprintf("\nhost %d: %s %+v", i, n.Describe(uint16(c)), n.count)
			if tx := n.conns[c].tx; tx != nil {
				for k := range tx.paths {
					s += fmt.Sprintf("\n   path %d: %+v %+v %+v", k, tx.paths[k].xmit, tx.paths[k].timer, tx.paths[k].heard)
				}
			}
		}
		for _, st := range n.streams {
			if st != nil {
				s += fmt.Sprintf("\n   stream %d: %+v; first %d reported %d next %d; order %+v sticky %+v", st.number, st.send.sched,
					st.send.first, st.send.reported, st.send.next, st.order, st.sticky)
			}
		}
	}
	return s
}

// connect opens a connection at once and lets each side write, read and change all memory of the other.
func (w *world) connect(paths, streams uint8) (a, b uint16) {
	a, b, err := ConnectNow(w.now, w.nics[0], w.nics[1], paths, streams)
	require.NoError(w.t, err)
	w.regions(a, b)
	return a, b
}

func (w *world) regions(a, b uint16) {
	require.NoError(w.t, w.nics[0].Register(testKey, a, 7, 0, 1<<63))
	require.NoError(w.t, w.nics[1].Register(testKey, b, 7, 0, 1<<63))
}

const testKey = 5<<8 | 77

func (w *world) post(host int, conn, stream uint16, x Work) {
	_, err := w.nics[host].Post(w.now, conn, stream, x)
	require.NoError(w.t, err)
	w.after(host)
}

// fillMemory gives memory a pattern that tells every byte of it from its neighbours.
func (w *world) fillMemory(host int, addr uint64, n uint32, salt uint64) {
	r := sim.NewRandom(salt, "pattern")
	b := w.mem[host].at(addr, int(n))
	for i := range b {
		b[i] = byte(r.Uint64())
	}
}

func (w *world) sameBytes(hostA int, a uint64, hostB int, b uint64, n uint32) bool {
	return bytes.Equal(w.mem[hostA].at(a, int(n)), w.mem[hostB].at(b, int(n)))
}

// quiet holds what must be so when nothing is under way any more.
func (w *world) quiet() {
	for _, n := range w.nics {
		require.Zero(w.t, n.count.Under)
		require.Zero(w.t, n.count.Bogus)
		require.Zero(w.t, n.count.Wrong)
		for _, c := range n.conns {
			if c.tx == nil {
				continue
			}
			require.Zero(w.t, c.tx.cc.Inflight)
			require.Equal(w.t, len(c.tx.out), len(c.tx.outFree), "message slots are given back")
			for i := range c.tx.paths {
				x := &c.tx.paths[i].xmit
				require.Zero(w.t, x.Live+x.Lost+x.Away+x.Old)
			}
		}
	}
}

func TestOneWrite(t *testing.T) {
	w := newWorld(t, 1, nil)
	a, _ := w.connect(8, 0)
	w.fillMemory(0, 1000, 100_000, 1)
	w.post(0, a, 0, Work{ID: 7, Op: wire.OpcodeWrite, Length: 100_000, Local: 1000, Remote: 5000, Rkey: testKey})
	w.runUntil(1e9, func() bool { return len(w.ended[0]) > 0 })
	require.Equal(t, Completion{ID: 7, Op: wire.OpcodeWrite, Bytes: 100_000}, w.ended[0][0])
	require.True(t, w.sameBytes(0, 1000, 1, 5000, 100_000))
	w.settle(1e9)
	w.quiet()
}

// TestWishesMerge: a path that waits for the uplink to acknowledge waits once, however much arrives meanwhile, and says
// everything when its turn comes.
func TestWishesMerge(t *testing.T) {
	w := newWorld(t, 1, nil)
	a, _ := w.connect(2, 0)
	w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 1 << 20, Rkey: testKey})
	n := w.nics[1]
	w.runUntil(1e9, func() bool { return n.count.Bytes > 300_000 })
	got := n.count.Bytes
	w.busy[1][0] = w.now + 10e6
	w.settle(9e6)
	require.Greater(t, n.count.Bytes, got+20*4096)
	require.Equal(t, 2, n.planes[0].wishes.Len(), "one a path")
	w.runUntil(1e9, func() bool { return len(w.ended[0]) > 0 })
	w.settle(1e9)
	w.quiet()
	require.Zero(t, w.nics[0].count.Retransmitted)
}
