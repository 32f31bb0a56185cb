package lockstep_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// batches are the recorded run as it comes off the socket, 256 transactions a piece.
func batches(t testing.TB, m target.Mode) (out [][]byte, records int) {
	t.Helper()
	list, err := recorded()
	require.NoError(t, err)
	for i, r := range list {
		if i%256 == 0 {
			out = append(out, nil)
		}
		if m == target.ModeDigest {
			r = r[:target.RecordBytes]
		}
		out[len(out)-1] = append(out[len(out)-1], r...)
	}
	return out, len(list)
}

func checker(t testing.TB, m target.Mode) *lockstep.Checker {
	t.Helper()
	r, err := conn.New(preset.Tiny)
	require.NoError(t, err)
	c := lockstep.NewChecker(r, m, nil)
	c.Apply(stimuli(t))
	return c
}

// Checking takes no memory per record: what is allocated is the growth of queues, once.
func TestCheckDoesNotAllocate(t *testing.T) {
	for _, m := range modes {
		list, n := batches(t, m)
		c := checker(t, m)
		var before, after runtime.MemStats
		half := len(list) / 2
		for i, b := range list {
			if i == half {
				runtime.ReadMemStats(&before)
			}
			require.True(t, c.Equal(b))
		}
		runtime.ReadMemStats(&after)
		assert.Less(t, float64(after.Mallocs-before.Mallocs)/float64(n/2), 0.02, "allocations a record in mode %v", m)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, m := range modes {
		b.Run(m.String(), func(b *testing.B) {
			list, n := batches(b, m)
			b.ResetTimer()
			for done := 0; done < b.N; {
				b.StopTimer()
				c := checker(b, m)
				b.StartTimer()
				for _, x := range list {
					if !c.Equal(x) {
						b.Fatal("differs")
					}
				}
				done += n
			}
		})
	}
}

// BenchmarkDecode is the bare reading of the same records, the measure for the one above.
func BenchmarkDecode(b *testing.B) {
	for _, m := range modes {
		b.Run(m.String(), func(b *testing.B) {
			list, _ := recorded()
			var h event.Head
			var w event.Window
			for i := 0; i < b.N; i++ {
				r := list[i%len(list)]
				if m == target.ModeFull && event.Kind(r[1]) == event.KindWindow {
					_ = w.Decode(r)
				} else {
					_ = h.Decode(r)
				}
			}
		})
	}
}
