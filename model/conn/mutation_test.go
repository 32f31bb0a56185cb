package conn_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

const frames = 120

// traffic is the stimulus of a seed, made once.
func traffic(seed uint64) []modeltest.Item {
	if items[seed] == nil {
		items[seed] = modeltest.Random(preset.Tiny, seed, frames)
	}
	return items[seed]
}

var items = map[uint64][]modeltest.Item{}

// device is the trace of a device that does everything right.
func device(t *testing.T, seed uint64) [][]byte {
	t.Helper()
	cfg := pipe.Config{Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), Seed: seed, MemoryLo: 10, MemoryHi: 60}
	for i := range cfg.Stalls {
		cfg.Stalls[i] = pipe.Stall{Permille: 50, Run: 20}
	}
	d, err := pipe.New(cfg)
	require.NoError(t, err)
	modeltest.Give(traffic(seed), d)
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	return records
}

// check holds a trace against a fresh receiver with the same stimulus.
func check(t *testing.T, seed uint64, records [][]byte) string {
	t.Helper()
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	stalled := conn.Port{Beat: 2, Once: 440}
	r.SetBounds(conn.Bounds{Memory: stalled, Completion: stalled, Ack: stalled, Answer: 60})
	modeltest.Give(traffic(seed), r)
	return modeltest.Check(r, records)
}

func kindOf(rec []byte) event.Kind { return event.Kind(rec[1]) }

// clone copies records that are to be changed.
func clone(records [][]byte) [][]byte {
	all := make([][]byte, len(records))
	for i := range records {
		all[i] = bytes.Clone(records[i])
	}
	return all
}

// renumber sets the sequence numbers right again, so that a fault is not caught by its number alone.
func renumber(records [][]byte) {
	for i := range records {
		binary.LittleEndian.PutUint32(records[i][4:], uint32(i))
	}
}

// TestEveryMutationIsCaught breaks a trace in one place, at a random record, and asks that the check sees it.
func TestEveryMutationIsCaught(t *testing.T) {
	const seed = 3
	whole := device(t, seed)
	require.Empty(t, check(t, seed, whole), "the trace itself is clean")
	random := sim.NewRandom(9, "mutations")
	byKind := map[event.Kind][]int{}
	for i, rec := range whole {
		byKind[kindOf(rec)] = append(byKind[kindOf(rec)], i)
	}
	pick := func(k event.Kind) int {
		require.NotEmpty(t, byKind[k], "no record of %v", k)
		return byKind[k][random.Below(uint64(len(byKind[k])))]
	}
	for k := range byKind {
		t.Run("lost "+k.String(), func(t *testing.T) {
			i := pick(k)
			bad := clone(slices.Delete(slices.Clone(whole), i, i+1))
			renumber(bad)
			require.NotEmpty(t, check(t, seed, bad), "record %d", i)
		})
		t.Run("doubled "+k.String(), func(t *testing.T) {
			i := pick(k)
			bad := clone(slices.Insert(slices.Clone(whole), i, whole[i]))
			renumber(bad)
			require.NotEmpty(t, check(t, seed, bad), "record %d", i)
		})
		t.Run("bit of "+k.String(), func(t *testing.T) {
			for range 8 {
				i := pick(k)
				bad := clone(whole)
				// the cycle is told; all else is compared
				at := random.Below(uint64(len(bad[i])))
				if at >= 8 && at < 16 {
					at = 16
				}
				bad[i][at] ^= 1 << random.Below(8)
				require.NotEmpty(t, check(t, seed, bad), "byte %d of record %d", at, i)
			}
		})
	}
	for _, k := range []event.Kind{event.KindWindow, event.KindMessage, event.KindPlace, event.KindComplete, event.KindCoalesce, event.KindCompletion, event.KindMemWrite, event.KindPacketOut} {
		t.Run("swapped "+k.String(), func(t *testing.T) {
			n := 1 + random.Below(uint64(len(byKind[k])-1))
			i, j := byKind[k][n-1], byKind[k][n]
			bad := clone(whole)
			bad[i], bad[j] = bad[j], bad[i]
			for _, at := range []int{i, j} { // each keeps the cycle of its place
				copy(bad[at][8:16], whole[at][8:16])
			}
			renumber(bad)
			require.NotEmpty(t, check(t, seed, bad), "records %d and %d", i, j)
		})
	}
	t.Run("no acknowledgement from some point on", func(t *testing.T) {
		n := len(whole) / 2
		bad := clone(slices.Concat(whole[:n], slices.DeleteFunc(slices.Clone(whole[n:]), func(rec []byte) bool {
			return kindOf(rec) == event.KindAck || kindOf(rec) == event.KindPacketOut
		})))
		renumber(bad)
		require.NotEmpty(t, check(t, seed, bad))
	})
}

// TestNoFalseAlarm: other seeds, the same bounds.
func TestNoFalseAlarm(t *testing.T) {
	for seed := range uint64(6) {
		require.Empty(t, check(t, seed, device(t, seed)))
	}
}

// TestSteadyStateAllocatesNothing once the queues have grown.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	d, err := pipe.New(pipe.Config{Params: preset.Tiny, Latency: pipe.DefaultLatency(preset.Tiny), MemoryLo: 10, MemoryHi: 60})
	require.NoError(t, err)
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	modeltest.Give(modeltest.MinimumFrames(preset.Tiny, 2000), d, r)
	records, err := modeltest.Records(d)
	require.NoError(t, err)
	var dst [event.MaxRecord]byte
	at := 0
	step := func() {
		for range len(records) / 8 {
			if _, bad := r.ExecRecord(records[at], &dst); bad != nil {
				panic(bad)
			}
			at++
		}
		r.Late(binary.LittleEndian.Uint64(records[at-1][8:]))
	}
	for range 4 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(2, step))
}
