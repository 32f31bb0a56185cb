package endpoint

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// crowd is a world with some connections, and a watch over who is served.
func crowd(t require.TestingT, seed uint64, conns int, set func(c *Config)) (w *world, index []uint16) {
	w = newWorld(t, seed, set)
	for i := range uint32(conns) {
		a, b, err := ConnectNow(w.now, w.nics[0], w.nics[1], 4, 0)
		require.NoError(t, err)
		require.NoError(t, w.nics[0].Register(crowdKey(i), a, 7, 0, 1<<63))
		require.NoError(t, w.nics[1].Register(crowdKey(i), b, 7, 0, 1<<63))
		index = append(index, a)
	}
	w.each = func() {
		for _, n := range w.nics {
			checkTurns(t, n)
		}
	}
	return w, index
}

// crowdKey is the key of all memory for the connection made as i-th.
func crowdKey(i uint32) uint32 { return (10+i)<<8 | 77 }

// checkTurns: no more are served than may be, each of them once and one that has something; who waits is in the queue,
// and nobody waits while there is a place.
func checkTurns(t require.TestingT, n *NIC) {
	places := int(n.cfg.Tuning.ConnsAtOnce) * n.cfg.Planes
	ok := len(n.turns.served) <= places
	served, waiting := 0, 0
	for i, c := range n.conns {
		if c.tx == nil {
			continue
		}
		switch c.tx.stand {
		case turnServed:
			served++
			ok = ok && slices.Contains(n.turns.served, uint16(i))
		case turnWaiting:
			waiting++
			found := false
			for at := n.turns.queue.First(); at < n.turns.queue.End(); at++ {
				found = found || *n.turns.queue.At(at) == uint16(i)
			}
			ok = ok && found
		}
	}
	if !ok || served != len(n.turns.served) || waiting > 0 && served < places {
		require.Fail(t, "turns", "%d places, %d served, %d wait: %+v", places, served, waiting, n.turns)
	}
}

func turnTuning(conns, packets, rtts uint32) func(c *Config) {
	return func(c *Config) {
		c.Tuning.ConnsAtOnce, c.Tuning.TurnPackets, c.Tuning.TurnRtts = conns, packets, rtts
	}
}

// write is the i-th Write, over the connection made as conn-th.
func write(i uint64, conn, n uint32) Work {
	return Work{ID: i, Op: wire.OpcodeWrite, Length: n, Local: i << 22, Remote: (i + 32) << 22, Rkey: crowdKey(conn)}
}

// TestTurnsInOrder: with two places six long Writes end two by two, in the order in which they came; what fits the
// allowance goes past all of them.
func TestTurnsInOrder(t *testing.T) {
	w, conn := crowd(t, 3, 7, turnTuning(2, 1<<20, 4096))
	for i := range uint64(6) {
		w.post(0, conn[i], 0, write(i, uint32(i), 1<<20))
	}
	w.post(0, conn[6], 0, write(6, 6, 4*4096))
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 7 })
	var order []uint64
	for _, c := range w.ended[0] {
		order = append(order, c.ID/2)
	}
	require.Equal(t, []uint64{3, 0, 0, 1, 1, 2, 2}, order)
	w.settle(1e10)
	w.quiet()
}

// TestTurnHasSoManyPackets: with one place a long Write begins when the one before it has had its packets, and goes on
// beside it.
func TestTurnHasSoManyPackets(t *testing.T) {
	const packets = 32
	w, conn := crowd(t, 3, 4, turnTuning(1, packets, 4096))
	for i := range uint64(4) {
		w.post(0, conn[i], 0, write(i, uint32(i), 2<<20))
	}
	sent := func(i int) uint32 { return 2<<20 - w.nics[0].waiting(w.nics[0].conns[conn[i]].tx) }
	together := false
	for len(w.ended[0]) == 0 {
		require.True(t, w.step())
		for i := 1; i < 4; i++ {
			if sent(i) > 0 {
				require.GreaterOrEqual(t, sent(i-1), uint32(packets*4096))
			}
		}
		together = together || sent(3) > packets*4096 && sent(0) < 1<<20
	}
	require.True(t, together)
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 4 })
}

// TestTurnEndsInTime: who gets no answer holds up nobody for longer than a turn lasts.
func TestTurnEndsInTime(t *testing.T) {
	const rtts = 8
	w, conn := crowd(t, 3, 3, turnTuning(2, 1<<20, rtts))
	begin := w.now
	w.dead = 1
	w.post(0, conn[0], 0, write(0, 0, 1<<20))
	w.post(0, conn[1], 0, write(1, 1, 1<<20))
	w.settle(1e6)
	w.post(0, conn[2], 0, write(2, 2, 1<<20))
	n := w.nics[0]
	w.runUntil(1e12, func() bool { return n.conns[conn[2]].tx.stand == turnServed })
	end := begin + rtts*1100*4000
	require.InDelta(t, float64(end), float64(w.now), 1e5)
	require.Equal(t, uint8(turnPast), n.conns[conn[0]].tx.stand)
	w.dead = 0
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 3 })
	w.settle(1e10)
	w.quiet()
	require.Empty(t, n.turns.served)
}

// TestTurnOfWhoGoes: a connection that is closed, or whose stream ends, takes no place with it.
func TestTurnOfWhoGoes(t *testing.T) {
	for _, gone := range []int{0, 1} { // served; waiting
		for name, end := range map[string]func(w *world, c uint16) error{
			"abort": func(w *world, c uint16) error { return w.nics[0].Abort(w.now, c) },
			"fail":  func(w *world, c uint16) error { return w.nics[0].Fail(w.now, c, 0) },
		} {
			t.Run(name, func(t *testing.T) {
				w, conn := crowd(t, 5, 3, turnTuning(1, 1<<20, 4096))
				for i := range uint64(3) {
					w.post(0, conn[i], 0, write(i, uint32(i), 1<<20))
				}
				w.settle(2e7)
				require.NoError(t, end(w, conn[gone]))
				w.after(0)
				ok := func() (n int) {
					for _, c := range w.ended[0] {
						if c.Status == StatusOK {
							n++
						}
					}
					return n
				}
				w.runUntil(1e12, func() bool { return ok() == 2 })
				w.settle(1e10)
				require.Empty(t, w.nics[0].turns.served)
			})
		}
	}
}

// TestTurns: whatever happens on the way, everybody gets through.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		conns, planes := rapid.IntRange(2, 4).Draw(t, "connections"), rapid.IntRange(1, 2).Draw(t, "planes")
		w, conn := crowd(t, rapid.Uint64().Draw(t, "seed"), conns, func(c *Config) {
			c.Mtu, c.Planes = 1000, planes
			turnTuning(uint32(rapid.IntRange(1, 4).Draw(t, "at once")), uint32(rapid.IntRange(1, 40).Draw(t, "packets")),
				uint32(rapid.IntRange(4, 40).Draw(t, "round trips")))(c)
		})
		w.trouble = trouble{
			lose:  rapid.SampledFrom([]uint16{0, 10, 200}).Draw(t, "lose"),
			lose2: rapid.SampledFrom([]uint16{0, 10, 200}).Draw(t, "lose control"),
			late:  rapid.SampledFrom([]uint16{0, 100}).Draw(t, "late"), lateBy: sim.Picos(1e7),
		}
		works := rapid.IntRange(1, 8).Draw(t, "works")
		for i := range uint64(works) {
			host := w.rng.Below(2)
			at := w.rng.Below(uint64(conns))
			x := write(i, uint32(at), uint32(w.rng.Below(60_000)))
			x.Local, x.Remote = i<<17, (i+32)<<17
			w.fillMemory(int(host), x.Local, x.Length, i)
			w.post(int(host), conn[at], 0, x)
			w.settle(sim.Picos(w.rng.Below(2e6)))
		}
		w.check = func(host int, c *Completion) {
			if !c.Responder {
				require.Equal(t, StatusOK, c.Status)
				require.True(t, w.sameBytes(host, c.ID<<17, 1-host, (c.ID+32)<<17, c.Bytes))
			}
		}
		done := func() (n int) {
			for i := range w.ended {
				for _, c := range w.ended[i] {
					if !c.Responder {
						n++
					}
				}
			}
			return n
		}
		w.runUntil(20e12, func() bool { return done() == works })
		w.trouble = trouble{}
		w.settle(1e11)
		w.quiet()
		for _, n := range w.nics {
			require.Empty(t, n.turns.served)
		}
	})
}
