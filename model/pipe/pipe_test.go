package pipe_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

// sink takes stimulus: a device, or the receiver that follows one.
type sink interface {
	frame([]byte)
	write(addr uint16, value uint32)
	waitIdle()
}

type toDevice struct{ *pipe.Device }

func (d toDevice) frame(b []byte)           { d.Frame(b, 0) }
func (d toDevice) write(a uint16, v uint32) { d.Write(a, v) }
func (d toDevice) waitIdle()                { d.WaitIdle() }

type toReceiver struct{ *conn.Receiver }

func (r toReceiver) frame(b []byte)           { r.Frame(b) }
func (r toReceiver) write(a uint16, v uint32) { r.SetRegister(a, v) }
func (r toReceiver) waitIdle()                {}

// feed gives the same random traffic to all sinks.
func feed(p preset.Params, seed uint64, n int, sinks ...sink) {
	t := modeltest.NewTraffic(p, seed)
	items := t.Setup()
	for range n {
		items = append(items, t.Next())
	}
	for _, i := range items {
		for _, s := range sinks {
			if i.Frame != nil {
				s.frame(i.Frame)
			}
			for _, a := range i.Accesses {
				s.write(a.Addr, a.Value)
			}
			if i.WaitIdle {
				s.waitIdle()
			}
		}
	}
}

func stalls(permille, run uint16) (s [5]pipe.Stall) {
	for i := range s {
		s[i] = pipe.Stall{Permille: permille, Run: run}
	}
	return s
}

// follow runs a device and holds a receiver against it, record by record.
func follow(t *testing.T, d *pipe.Device, r *conn.Receiver) (counts [256]int) {
	t.Helper()
	var dst [event.MaxRecord]byte
	for {
		recs, err := d.Run(1 << 14)
		require.NoError(t, err)
		if len(recs) == 0 {
			break
		}
		for len(recs) > 0 {
			size := event.RecordSize * (1 + int(recs[3]))
			n, bad := r.ExecRecord(recs[:size], &dst)
			if bad != nil {
				t.Fatalf("%v", bad)
			}
			if !bytes.Equal(recs[:size], dst[:n]) {
				t.Fatalf("record of %v differs:\n%s", event.Kind(recs[1]), diff(event.Kind(recs[1]), recs[:size], dst[:n]))
			}
			counts[recs[1]]++
			recs = recs[size:]
		}
		if bad := r.Late(d.Cycle()); bad != nil {
			t.Fatalf("%v", bad)
		}
	}
	require.Empty(t, r.Leftovers())
	return counts
}

func diff(k event.Kind, a, b []byte) string {
	s := ""
	for d := range event.DiffFields(k, a, b) {
		s += fmt.Sprintf("  %s: %s, expected %s\n", d.Field.FullName(), d.Field.Format(d.A), d.Field.Format(d.B))
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
			for seed := range uint64(4) {
				cfg.Seed = seed
				d, err := pipe.New(cfg)
				require.NoError(t, err)
				r, err := conn.New(cfg.Params)
				require.NoError(t, err)
				feed(cfg.Params, seed, 1500, toDevice{d}, toReceiver{r})
				counts := follow(t, d, r)
				for _, e := range event.Engines {
					if e.Built && !e.Boundary {
						require.Greater(t, counts[e.Kind], 10, "engine %s was hardly used", e.Name)
					}
				}
				if seed == 0 {
					t.Log(d.Receiver().Counters())
				}
			}
		})
	}
}
