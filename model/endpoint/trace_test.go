package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
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
