package endpoint

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// fullFlow runs one long Write with everything that its window allows in flight, over a round trip in ticks.
func fullFlow(t *testing.T, paths uint8, rtt uint32) (w *world, a, b *conn, inFlight int) {
	w = newWorld(t, 2, func(c *Config) {
		c.Paths, c.BaseRtt, c.Memory = 64, rtt, nil
		c.Tuning.SpreadPackets = 0 // all paths are used
	})
	w.way = sim.Picos(rtt)*2000 - 100_000
	ia, ib := w.connect(paths, 0)
	w.post(0, ia, 0, Work{Op: wire.OpcodeWrite, Length: 1 << 30, Rkey: testKey})
	w.settle(200_000_000)
	w.dead = 1 // no acknowledgement comes back: the window fills
	w.settle(20_000_000)
	a, b = w.nics[0].conns[ia], w.nics[1].conns[ib]
	for i := range a.tx.paths {
		inFlight += int(a.tx.paths[i].xmit.Live)
	}
	require.Greater(t, inFlight, int(rtt*200/4214), "more than a bandwidth-delay product")
	return w, a, b, inFlight
}

// TestMemoryOfAConnection: under 8 KB at 8 paths, both ends together, with streams and a full window in flight; beyond,
// under 1 KB, 112 B a path and 16 B a packet in flight at the sender.
func TestMemoryOfAConnection(t *testing.T) {
	w, a, b, n := fullFlow(t, 8, 2500)
	both := connBytes(w.nics[0], a) + connBytes(w.nics[1], b) + streamBytes(w.nics[0].streams[0]) + streamBytes(w.nics[1].streams[0])
	t.Logf("8 paths, %d packets in flight: %d bytes at both ends", n, both)
	require.Less(t, both, 8<<10)
	for _, paths := range []uint8{16, 32, 64} {
		w, a, _, n := fullFlow(t, paths, 2500)
		got, most := connBytes(w.nics[0], a), 1<<10+112*int(paths)+16*n
		t.Logf("%d paths, %d packets in flight: %d bytes at the sender, bound %d", paths, n, got, most)
		require.Less(t, got, most)
	}
}

// TestMemoryIsWhatTheHeapSays: the sum above forgets nothing that counts.
func TestMemoryIsWhatTheHeapSays(t *testing.T) {
	const conns = 300
	w := newWorld(t, 2, func(c *Config) { c.Memory = nil })
	w.connect(8, 0) // tables and queues of the NICs exist
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range conns {
		a, _ := w.connect(8, 0)
		w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 1 << 30, Rkey: testKey})
	}
	w.settle(3_000_000_000)
	w.queue = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	sum := 0
	for i, n := range w.nics {
		for _, c := range n.conns[1:] {
			sum += connBytes(w.nics[i], c) + streamBytes(n.streams[c.row.StreamBase])
		}
	}
	heap := int(after.HeapAlloc-before.HeapAlloc) / conns
	t.Logf("%d bytes a connection by sum, %d by the heap, queues of the NICs included", sum/conns, heap)
	require.Less(t, heap, 8<<10)
	require.InDelta(t, sum/conns, heap, float64(sum/conns)/2)
	runtime.KeepAlive(w)
}

// TestNothingIsAllocatedInSteadyState: packets, acknowledgements and timers of a long flow cost no memory.
func TestNothingIsAllocatedInSteadyState(t *testing.T) {
	w, _, _, _ := steady(t)
	acks := w.nics[1].count.Control
	allocs := testing.AllocsPerRun(20, func() { w.turn(1000) })
	require.Zero(t, allocs)
	require.Less(t, w.nics[1].count.Control-acks, uint64(21*1000/3), "an acknowledgement stands for four packets, nearly always")
}

// line is two NICs joined by a wire of one packet: what one sends the other has at once. It allocates nothing itself.
type line struct {
	nics [2]*NIC
	body [2]Packet
	now  uint64
}

func steady(t testing.TB) (l *line, a, b uint16, err error) {
	l = &line{}
	for i := range l.nics {
		c := Default()
		c.Host, c.BaseRtt = uint16(i), 100
		l.nics[i], err = New(c)
		require.NoError(t, err)
	}
	a, b, err = ConnectNow(0, l.nics[0], l.nics[1], 8, 0)
	require.NoError(t, err)
	require.NoError(t, l.nics[1].Register(testKey, b, 7, 0, 1<<63))
	for range 8 {
		_, err = l.nics[0].Post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 1 << 31, Rkey: testKey})
		require.NoError(t, err)
	}
	l.turn(20_000)
	return l, a, b, err
}

// turn moves n data packets, a tick of 84 ns each.
func (l *line) turn(n int) {
	from := l.nics[0].count.Data
	for l.nics[0].count.Data-from < uint64(n) {
		l.now += 84_280
		for i := range 2 {
			host := l.nics[i]
			host.OnTime(sim.Picos(l.now))
			for range 3 {
				if !host.Pull(sim.Picos(l.now), 0, &l.body[i]) {
					break
				}
				l.nics[1-i].OnPacket(sim.Picos(l.now), 0, &l.body[i])
			}
			host.Completion()
		}
	}
}

// BenchmarkPacket is the work of both endpoints for one data packet: cut and sent, taken and placed, and its share of an
// acknowledgement.
func BenchmarkPacket(b *testing.B) {
	l, _, _, _ := steady(b)
	b.ReportAllocs()
	b.ResetTimer()
	l.turn(b.N)
}
