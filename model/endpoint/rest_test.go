package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// TestRestIsNoSilence: a connection that had nothing to send for longer than ConnTimeout, and whose first packets behind
// the rest are lost, is not given up before that time has passed again.
func TestRestIsNoSilence(t *testing.T) {
	const timeout = 250_000 // ticks: 1 ms
	for _, c := range []struct {
		name          string
		planes, paths int
		dead          uint32 // planes that are dead from before the rest on
	}{
		{"one path", 1, 1, 0},
		{"eight paths", 1, 8, 0},
		{"a plane is dead", 2, 8, 1},
		{"a plane is dead and each has one path", 2, 2, 2},
	} {
		for _, rest := range []sim.Picos{3 * timeout * 4000, 9e12, 17_179_869_184_000} { // a few, half of what ticks count, all of it
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t, 11, func(x *Config) { x.Planes, x.ConnTimeout = c.planes, timeout })
				a, _ := w.connect(uint8(c.paths), 0)
				w.dead = c.dead
				w.post(0, a, 0, Work{ID: 1, Op: wire.OpcodeWrite, Length: 400_000, Rkey: testKey})
				w.runUntil(1e12, func() bool { return len(w.ended[0]) == 1 })
				if c.dead == 0 {
					w.settle(rest)
				} else { // probes of the dead plane go on all the time: a short rest says as much
					w.settle(3 * timeout * 4000)
				}
				before := w.nics[0].count.Timeouts
				w.dead = 1<<c.planes - 1
				w.post(0, a, 0, Work{ID: 2, Op: wire.OpcodeWrite, Length: 16_000, Rkey: testKey})
				w.settle(timeout * 4000 / 2)
				require.Greater(t, w.nics[0].count.Timeouts, before)
				w.dead = c.dead
				w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) == 2 })
				require.Equal(t, StatusOK, w.ended[0][1].Status)

				w.settle(3 * timeout * 4000)
				w.dead = 1<<c.planes - 1
				w.post(0, a, 0, Work{ID: 3, Op: wire.OpcodeWrite, Length: 16_000, Rkey: testKey})
				start := w.now
				w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) == 3 })
				require.Equal(t, StatusTimeout, w.ended[0][2].Status, "but then it is")
				require.Greater(t, w.now-start, sim.Picos(timeout*4000))
			})
		}
	}
}
