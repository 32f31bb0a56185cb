package pipe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

func stalls(permille, run uint16) (s [5]pipe.Stall) {
	for i := range s {
		s[i] = pipe.Stall{Permille: permille, Run: run}
	}
	return s
}

// TestLockstepWithItself is the whole contract in small: a receiver that is told a device's order and time makes the
// same bytes, whatever the latencies and stalls.
func TestLockstepWithItself(t *testing.T) {
	for name, cfg := range map[string]pipe.Config{
		"tiny":      {Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), MemoryLo: 5, MemoryHi: 60},
		"tiny zero": {Params: preset.Tiny},
		"stalls":    {Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), MemoryLo: 1, MemoryHi: 400, Stalls: stalls(100, 30)},
		"small":     {Params: preset.Small, Latency: pipe.DefaultLatency(preset.Small), MemoryLo: 10, MemoryHi: 100, Stalls: stalls(20, 10)},
		"full":      {Params: preset.Full, Latency: pipe.DefaultLatency(preset.Full), MemoryLo: 10, MemoryHi: 100},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				cfg.Seed = seed
				d, err := pipe.New(cfg)
				require.NoError(t, err)
				r, err := conn.New(cfg.Params)
				require.NoError(t, err)
				modeltest.Feed(cfg.Params, seed, 900, d, r)
				records, err := modeltest.Records(d)
				require.NoError(t, err)
				require.Empty(t, modeltest.Check(r, records))
				for _, e := range event.Engines {
					if e.Built && !e.Boundary {
						require.Greater(t, r.Counters().ByKind[e.Kind], uint64(10), "engine %s was hardly used", e.Name)
					}
				}
			}
		})
	}
}
