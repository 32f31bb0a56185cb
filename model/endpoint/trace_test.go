package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// TestTraceHasEveryEngine: with a trace, every engine of the tables leaves records that can be decoded, and the run is the
// same as without.
func TestTraceHasEveryEngine(t *testing.T) {
	drive := func(trace func(Record)) *world {
		w := newWorld(t, 11, func(c *Config) { c.Planes, c.Mtu, c.RnrPause, c.Trace = 2, 512, 100_000, trace })
		w.trouble = trouble{lose: 100, lose2: 100, mark: 300}
		x := newTraffic(w, 2, 8)
		w.each = func() {
			w.dead = 0
			if w.now > 100e6 && w.now < 400e6 {
				w.dead = 1 // paths are probed
			}
		}
		x.drive(60, 20_000, 20e12)
		w.check, w.each = nil, nil
		w.settle(1e9)
		return w
	}
	kinds := map[event.Kind]int{}
	traced := drive(func(r Record) {
		var b [event.MaxRecord]byte
		n := r.Encode(&b)
		var h event.Head
		require.NoError(t, h.Decode(b[:n]))
		kinds[h.Kind]++
	})
	for _, e := range event.Engines {
		if !e.Boundary {
			require.NotZero(t, kinds[e.Kind], "%s leaves no record", e.Kind)
		}
	}
	plain := drive(nil)
	require.Equal(t, plain.now, traced.now)
	for i := range plain.nics {
		require.Equal(t, plain.nics[i].count, traced.nics[i].count)
	}
	require.Equal(t, plain.ended, traced.ended)
}

// TestKnobsOfPathChoice: penalties are those of the configuration, and packets go in rows of its length.
func TestKnobsOfPathChoice(t *testing.T) {
	for _, policy := range []uint32{0, 1, 2} {
		adds, same, choices := map[uint8]int{}, 0, 0
		w := newWorld(t, 11, func(c *Config) {
			c.Paths, c.Tuning.SpreadPackets = 64, 0
			c.Tuning.PathPolicy, c.Tuning.PathBurst, c.Tuning.MarkPenalty, c.Tuning.TimeoutPenalty = policy, 5, 3, 9
			last := uint8(0)
			c.Trace = func(r Record) {
				switch p, ok := r.(*event.PathChoice); {
				case !ok:
				case p.Head.Op == event.PathChoiceMark:
					adds[p.In.Add]++
				case !p.Out.None:
					require.Equal(t, uint8(policy), p.In.Policy)
					choices++
					if p.Out.Chosen == last {
						same++
					}
					last = p.Out.Chosen
				}
			}
		})
		w.trouble = trouble{lose: 200, lose2: 200, mark: 5}
		x := newTraffic(w, 1, 40)
		x.drive(60, 200_000, 20e12)
		require.Len(t, adds, 2)
		require.NotZero(t, adds[3])
		require.NotZero(t, adds[9])
		if policy == 0 {
			require.Greater(t, same, choices/2, "most packets go where the one before went")
		} else {
			require.Less(t, same, choices/2)
		}
	}
}

// TestTolerance: packets that overtake each other inside a path are sent again in vain, unless so much is allowed.
func TestTolerance(t *testing.T) {
	again := func(tolerance uint32) uint64 {
		w := newWorld(t, 5, func(c *Config) { c.Tuning.ReorderTolerance = tolerance })
		w.trouble = trouble{late: 100, lateBy: 1e6}
		a, _ := w.connect(2, 0)
		w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 4 << 20, Rkey: testKey})
		w.runUntil(1e9, func() bool { return len(w.ended[0]) > 0 })
		w.settle(1e9)
		w.quiet()
		return w.nics[0].count.Retransmitted
	}
	require.NotZero(t, again(0))
	require.Zero(t, again(100))
}
