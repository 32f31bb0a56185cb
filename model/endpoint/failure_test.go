package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// TestPlanesFailInTurn: planes die and return one after the other, now and then all but one at once, under traffic.
func TestPlanesFailInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "planes")
		w := newWorld(t, rapid.Uint64().Draw(t, "seed"), func(c *Config) {
			c.Planes, c.Mtu, c.Paths, c.RnrPause = planes, 1000, 16, 100_000
		})
		w.trouble = trouble{
			lose:  rapid.SampledFrom([]uint16{0, 50}).Draw(t, "lose"),
			lose2: rapid.SampledFrom([]uint16{0, 50}).Draw(t, "lose control"),
			late:  rapid.SampledFrom([]uint16{0, 50}).Draw(t, "late"), lateBy: 1e8,
		}
		x := newTraffic(w, 1, uint8(2*planes))
		pause := rapid.SampledFrom([]sim.Picos{30e6, 200e6, 2e9}).Draw(t, "pause")
		change, kept := w.now, 0
		w.each = func() {
			if w.now < change {
				return
			}
			change = w.now + pause/2 + sim.Picos(w.rng.Below(uint64(pause)))
			kept = int(w.rng.Below(uint64(planes)))
			w.dead = uint32(w.rng.Uint64()) & (1<<planes - 1) &^ (1 << kept)
		}
		x.drive(rapid.IntRange(5, 60).Draw(t, "jobs"), 30_000, 60e12)
		w.each, w.dead, w.trouble = nil, 0, trouble{}
		w.settle(3e12)
		w.quiet()
		for i, n := range w.nics {
			tx := n.conns[x.conn[i]].tx
			if tx == nil {
				continue
			}
			require.Equal(t, uint64(1)<<(2*planes)-1, tx.active, "every path returned: %s", w.describe())
			for p := range planes {
				require.NotZero(t, tx.on[p], "each plane has its paths back")
			}
		}
	})
}

// TestPathIsDetoured: one plane of two dies under a long Write, everything arrives by the other. What was detoured is
// settled by acknowledgements and not by its time, and coming home costs nothing.
func TestPathIsDetoured(t *testing.T) {
	w := newWorld(t, 3, func(c *Config) { c.Planes = 2 })
	a, _ := w.connect(8, 0)
	const size = 60 << 20
	w.fillMemory(0, 0, size, 1)
	w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: size, Rkey: testKey})
	w.settle(50e6)
	w.dead = 1
	n := w.nics[0]
	tx, c := n.conns[a].tx, n.Count()
	w.runUntil(1e9, func() bool { return c.Detours > 0 })
	w.settle(15e6) // three round trips; a timeout is 25 us
	for i := range tx.paths {
		require.Zero(t, tx.paths[i].xmit.Away, "path %d", i)
	}
	require.Equal(t, uint64(4), c.PathFailures)
	require.NotZero(t, c.Timeouts)
	w.settle(300e6)
	require.Len(t, w.pathsOn(tx, 0), 1, "one path goes on asking on the dead plane")
	again, twice := c.Retransmitted, w.nics[1].count.Duplicates
	w.dead = 0
	w.settle(200e6)
	require.Empty(t, w.ended[0], "the Write is still under way")
	require.Len(t, w.pathsOn(tx, 0), 4, "the others come home")
	require.Equal(t, uint64(0xff), tx.active)
	require.Equal(t, again, c.Retransmitted, "what the old ports still carry is not lost")
	require.Equal(t, twice, w.nics[1].count.Duplicates)
	w.runUntil(10e9, func() bool { return len(w.ended[0]) > 0 })
	require.True(t, w.sameBytes(0, 0, 1, 0, size))
	w.settle(1e9)
	w.quiet()
}

// TestHomeByAFasterPlane: what a path sent by a slower detour is not lost because packets of its new port overtake it.
func TestHomeByAFasterPlane(t *testing.T) {
	w := newWorld(t, 3, func(c *Config) { c.Planes = 2 })
	a, _ := w.connect(8, 0)
	const size = 60 << 20
	w.fillMemory(0, 0, size, 1)
	w.slow[1] = 9e6
	w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: size, Rkey: testKey})
	w.settle(50e6)
	w.dead = 1
	w.settle(300e6)
	tx, before := w.nics[0].conns[a].tx, w.nics[0].count.Retransmitted
	require.NotZero(t, before)
	w.dead = 0
	w.settle(200e6)
	require.Empty(t, w.ended[0], "the Write is still under way")
	require.Len(t, w.pathsOn(tx, 0), 4, "the paths come home")
	require.Equal(t, before, w.nics[0].count.Retransmitted)
}

func (w *world) pathsOn(tx *sender, plane uint8) (on []int) {
	for i := range tx.paths {
		if tx.paths[i].timer.Plane == plane {
			on = append(on, i)
		}
	}
	return on
}

// TestRefusals: what a responder refuses ends the stream with its reason, flushes what is behind, and nothing else.
func TestRefusals(t *testing.T) {
	write := Work{ID: 1, Op: wire.OpcodeWrite, Length: 10_000, Remote: 1 << 20, Rkey: testKey}
	for _, c := range []struct {
		name   string
		change func(x *Work)
		recv   uint32 // bytes of a posted receive
		want   Status
	}{
		{"key of another tag", func(x *Work) { x.Rkey++ }, 0, Status(wire.SyndromeKey)},
		{"key beyond the table", func(x *Work) { x.Rkey = 1 << 31 }, 0, Status(wire.SyndromeKey)},
		{"beyond the region", func(x *Work) { x.Remote = 1<<21 - 5000 }, 0, Status(wire.SyndromeBounds)},
		{"read without permission", func(x *Work) { x.Op, x.Rkey = wire.OpcodeReadRequest, 6<<8 }, 0, Status(wire.SyndromePermission)},
		{"read beyond the region", func(x *Work) { x.Op, x.Remote = wire.OpcodeReadRequest, 1<<21-5000 }, 0, Status(wire.SyndromeBounds)},
		{"atomic without permission", func(x *Work) { x.Op, x.Length, x.Rkey = wire.OpcodeAtomicRequest, 8, 6<<8 }, 0, Status(wire.SyndromePermission)},
		{"longer than the receive", func(x *Work) { x.Op = wire.OpcodeSend }, 9999, Status(wire.SyndromeLength)},
		{"no receive at all", func(x *Work) { x.Op = wire.OpcodeSend }, 0, StatusRetry},
		{"memory fails", func(x *Work) { x.Remote = 3 << 19 }, 0, Status(wire.SyndromeRemoteOp)},
	} {
		for _, lose := range []uint16{0, 500} {
			w := newWorld(t, 9, func(c *Config) { c.RnrPause = 1000 })
			w.trouble = trouble{lose2: lose}
			a, b := w.connect(4, 1)
			require.NoError(t, w.nics[1].Register(testKey, b, 7, 1<<20, 1<<20))
			require.NoError(t, w.nics[1].Register(6<<8, b, 1, 1<<20, 1<<20))
			w.mem[1].fail = func(addr uint64, n int) bool { return addr >= 3<<19 && addr < 3<<19+10_000 }
			if c.recv > 0 {
				_, err := w.nics[1].PostRecv(b, 0, 77, 1<<20, c.recv)
				require.NoError(t, err)
			}
			bad := write
			bad.ID = 2
			c.change(&bad)
			w.post(0, a, 0, write)
			w.post(0, a, 0, bad)
			for id := range uint64(3) {
				w.post(0, a, 0, Work{ID: 3 + id, Op: wire.OpcodeWrite, Length: 100, Remote: 1 << 20, Rkey: testKey})
			}
			w.post(0, a, 1, Work{ID: 10, Op: wire.OpcodeWrite, Length: 100_000, Remote: 1 << 20, Rkey: testKey})
			w.runUntil(20e12, func() bool { return len(w.ended[0]) == 6 })
			at := 0
			for _, e := range w.ended[0] {
				if e.Stream == 1 {
					require.Equal(t, StatusOK, e.Status, c.name)
					continue
				}
				want := []Status{StatusOK, c.want, StatusFlushed, StatusFlushed, StatusFlushed}[at]
				require.Equal(t, uint64(at+1), e.ID, c.name)
				require.Equal(t, want, e.Status, "%s: request %d", c.name, e.ID)
				at++
			}
			w.post(0, a, 0, Work{ID: 99, Op: wire.OpcodeWrite, Length: 5, Remote: 1 << 20, Rkey: testKey})
			require.Equal(t, StatusFlushed, w.ended[0][6].Status, "the stream stays what it is")
			w.trouble = trouble{}
			w.settle(5e12)
			w.quiet()
		}
	}
}

// TestReceiveOfRefusedStream: receives of a stream in error come back, the first with the reason.
func TestReceiveOfRefusedStream(t *testing.T) {
	w := newWorld(t, 9, nil)
	a, b := w.connect(4, 0)
	for id := range uint32(3) {
		_, err := w.nics[1].PostRecv(b, 0, 50+id, 0, 100)
		require.NoError(t, err)
	}
	w.post(0, a, 0, Work{Op: wire.OpcodeSend, Length: 100})
	w.post(0, a, 0, Work{Op: wire.OpcodeSend, Length: 101})
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 2 })
	var got []Status
	for i, e := range w.ended[1] {
		require.Equal(t, uint64(50+i), e.ID)
		require.True(t, e.Receive && e.Responder)
		got = append(got, e.Status)
	}
	require.Equal(t, []Status{StatusOK, Status(wire.SyndromeLength), StatusFlushed}, got)
}
