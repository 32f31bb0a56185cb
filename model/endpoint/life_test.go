package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// open opens a connection by handshake and returns its index at both ends.
func (w *world) open(paths, streams uint8) (a, b uint16) {
	known := [2]int{len(w.life[0]), len(w.life[1])}
	a, err := w.nics[0].Open(w.now, 1, paths, streams)
	require.NoError(w.t, err)
	w.after(0)
	w.runUntil(w.now+2e12, func() bool { return len(w.life[0]) > known[0] })
	require.Len(w.t, w.life[1], known[1]+1, "accepted once, however often it was asked")
	mine, theirs := w.life[0][known[0]], w.life[1][known[1]]
	require.Equal(w.t, Event{Kind: LifeOpened, Conn: a, Host: 1}, mine)
	require.Equal(w.t, Event{Kind: LifeAccepted, Conn: theirs.Conn, Host: 0}, theirs)
	w.regions(a, theirs.Conn)
	return a, theirs.Conn
}

// TestLives: connections are opened, used and closed again and again, over a channel on which packets of an earlier life
// come late, up to the rest of an index; none of them does harm.
func TestLives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, rapid.Uint64().Draw(t, "seed"), func(c *Config) {
			c.Conns, c.Mtu, c.RnrPause = rapid.IntRange(1, 2).Draw(t, "connections"), 512, 100_000
			c.Rest = 250_000 // 1 ms
		})
		w.trouble = trouble{
			lose: rapid.SampledFrom([]uint16{0, 100}).Draw(t, "lose"), lose2: rapid.SampledFrom([]uint16{0, 200}).Draw(t, "lose control"),
			double: 200, late: rapid.SampledFrom([]uint16{0, 100}).Draw(t, "late"), lateBy: 9e8,
		}
		generations := map[uint32]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "lives") {
			a, b := w.open(4, 1)
			name := w.nics[0].connName(w.nics[0].conns[a])
			require.False(t, generations[name], "another generation each time")
			generations[name] = true
			x := trafficOn(w, a, b, 1)
			x.drive(rapid.IntRange(0, 8).Draw(t, "jobs"), 3000, w.now+20e12)
			w.check = nil
			closes := len(w.life[0]) + len(w.life[1])
			by := rapid.IntRange(0, 1).Draw(t, "closed by")
			require.NoError(t, w.nics[by].Close(w.now, x.conn[by]))
			w.after(by)
			w.runUntil(w.now+20e12, func() bool { return len(w.life[0])+len(w.life[1]) == closes+2 })
			for i := range w.life {
				require.Equal(t, LifeClosed, w.life[i][len(w.life[i])-1].Kind)
				_, err := w.nics[i].Post(w.now, x.conn[i], 0, Work{Op: wire.OpcodeWrite})
				require.ErrorIs(t, err, ErrNotOpen)
			}
			w.settle(1_100_000_000)
		}
		for _, n := range w.nics {
			require.Zero(t, n.count.Under+n.count.Bogus+n.count.Wrong)
		}
	})
}

// TestStraggler: a packet of a connection that was closed, and whose index was given again, is dropped by its generation.
func TestStraggler(t *testing.T) {
	w := newWorld(t, 5, func(c *Config) { c.Conns = 1 })
	a, b := w.open(4, 0)
	w.holdLife = true
	x := trafficOn(w, a, b, 0)
	x.drive(30, 20_000, w.now+20e12)
	w.check, w.holdLife = nil, false
	require.NoError(t, w.nics[0].Close(w.now, a))
	w.after(0)
	w.runUntil(w.now+1e9, func() bool { return w.life[0][len(w.life[0])-1].Kind == LifeClosed })
	_, err := w.nics[0].Open(w.now, 1, 4, 0)
	require.Error(t, err, "the index rests")
	w.settle(2e9)
	a2, b2 := w.open(4, 0)
	require.Equal(t, a, a2)
	w.fillMemory(0, 0, 5000, 3)
	w.post(0, a2, 0, Work{Op: wire.OpcodeWrite, Length: 5000, Remote: 100_000, Rkey: testKey})
	before := [2]Counters{w.nics[0].count, w.nics[1].count}
	require.NotEmpty(t, w.hold)
	for _, e := range w.hold {
		e.at = w.now + 1
		w.push(e)
	}
	w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) > 0 && w.ended[0][len(w.ended[0])-1].Op == wire.OpcodeWrite })
	w.settle(1e9)
	require.True(t, w.sameBytes(0, 0, 1, 100_000, 5000))
	require.Equal(t, b, b2)
	dropped := uint64(0)
	for i, n := range w.nics {
		dropped += n.count.Drops[event.ReasonGeneration] - before[i].Drops[event.ReasonGeneration]
	}
	require.Equal(t, uint64(len(w.hold)), dropped, "every one of them, and nothing else")
	w.quiet()
}

// TestRefusedOpen: a host that accepts nothing says so.
func TestRefusedOpen(t *testing.T) {
	w := newWorld(t, 5, func(c *Config) { c.Accept = c.Host == 0 })
	w.trouble.lose2 = 300
	a, err := w.nics[0].Open(0, 1, 4, 0)
	require.NoError(t, err)
	w.after(0)
	w.runUntil(1e12, func() bool { return len(w.life[0]) > 0 })
	require.Equal(t, []Event{{Kind: LifeRefused, Conn: a, Host: 1}}, w.life[0])
	require.Empty(t, w.life[1])
}

// TestNobodyAnswers: an open that nobody answers is given up; what is posted on a connection whose peer is gone gets its
// completions.
func TestNobodyAnswers(t *testing.T) {
	w := newWorld(t, 5, func(c *Config) { c.ConnTimeout = 25_000_000 })
	w.dead = 1
	a, err := w.nics[0].Open(0, 1, 4, 0)
	require.NoError(t, err)
	w.after(0)
	w.runUntil(10e12, func() bool { return len(w.life[0]) > 0 })
	require.Equal(t, []Event{{Kind: LifeRefused, Conn: a, Host: 1}}, w.life[0])
	w.dead = 0
	b, _ := w.open(4, 0)
	w.dead = 1
	w.post(0, b, 0, Work{ID: 1, Op: wire.OpcodeWrite, Length: 5000, Rkey: testKey})
	w.post(0, b, 0, Work{ID: 2, Op: wire.OpcodeReadRequest, Length: 5000, Rkey: testKey})
	start := w.now
	w.runUntil(20e12, func() bool { return len(w.ended[0]) == 2 })
	require.Equal(t, StatusTimeout, w.ended[0][0].Status)
	require.Equal(t, StatusFlushed, w.ended[0][1].Status)
	require.Greater(t, w.now-start, 100*sim.Picos(1e9))
	w.runUntil(20e12, func() bool { return len(w.life[0]) == 3 })
	require.Equal(t, Event{Kind: LifeClosed, Conn: b, Host: 1, Status: StatusTimeout}, w.life[0][2])
}

// TestAbort: what is under way is flushed at both ends, and the index is free again after its rest.
func TestAbort(t *testing.T) {
	for by := range 2 {
		w := newWorld(t, 5, func(c *Config) { c.Conns = 1 })
		a, b := w.open(4, 0)
		_, err := w.nics[1].PostRecv(b, 0, 7, 0, 100)
		require.NoError(t, err)
		for id := range uint64(5) {
			w.post(0, a, 0, Work{ID: id, Op: wire.OpcodeWrite, Length: 100_000, Rkey: testKey})
			w.post(1, b, 0, Work{ID: id, Op: wire.OpcodeReadRequest, Length: 100_000, Rkey: testKey})
		}
		w.settle(8e6)
		require.NoError(t, w.nics[by].Abort(w.now, []uint16{a, b}[by]))
		w.after(by)
		w.settle(10e9)
		for host := range 2 {
			own := 0
			for _, e := range w.ended[host] {
				if !e.Responder {
					require.Equal(t, uint64(own), e.ID)
					own++
				}
			}
			require.Equal(t, 5, own, "by %d, host %d: %+v %s", by, host, w.ended, w.describe())
			require.Equal(t, StatusFlushed, w.ended[host][len(w.ended[host])-1].Status)
		}
		a2, b2 := w.open(4, 0)
		require.Equal(t, [2]uint16{a, b}, [2]uint16{a2, b2})
		w.post(0, a2, 0, Work{ID: 50, Op: wire.OpcodeWrite, Length: 100_000, Rkey: testKey})
		n := len(w.ended[0])
		w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) > n })
		require.Equal(t, StatusOK, w.ended[0][n].Status)
		w.settle(10e9)
		w.quiet()
	}
}

// TestCloseDrains: a close waits for what was posted before it, whatever the last thing to settle is.
func TestCloseDrains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, rapid.Uint64().Draw(t, "seed"), nil)
		w.trouble = trouble{lose: 200, lose2: 200, late: 100, lateBy: 1e7}
		a, _ := w.open(4, 1)
		own := 0
		for range rapid.IntRange(0, 6).Draw(t, "requests") {
			w.post(0, a, uint16(rapid.IntRange(0, 1).Draw(t, "stream")), Work{
				Op:     rapid.SampledFrom([]wire.Opcode{wire.OpcodeWrite, wire.OpcodeReadRequest}).Draw(t, "op"),
				Length: uint32(rapid.IntRange(0, 9000).Draw(t, "bytes")), Rkey: testKey,
			})
			own++
		}
		w.settle(sim.Picos(rapid.IntRange(0, 20).Draw(t, "us")) * 1e6)
		require.NoError(t, w.nics[0].Close(w.now, a))
		w.after(0)
		w.runUntil(w.now+20e12, func() bool { return w.life[0][len(w.life[0])-1].Kind == LifeClosed })
		for _, e := range w.ended[0] {
			require.Equal(t, StatusOK, e.Status)
		}
		require.Len(t, w.ended[0], own)
	})
}
