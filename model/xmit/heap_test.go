package xmit

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
)

// TestHeapTwin: runs do not overlap and come out zero; what is given back joins, until each chunk is one run again.
func TestHeapTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r heap
		type run struct{ first, size uint32 }
		var out []run
		taken := map[uint32]bool{}
		most := 0
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			if len(out) > 0 && rapid.IntRange(0, 2).Draw(t, "give") == 0 {
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				r.give(out[i].first, out[i].size)
				for k := range out[i].size {
					delete(taken, out[i].first+k)
				}
				out[i] = out[len(out)-1]
				out = out[:len(out)-1]
				continue
			}
			size := rapid.Uint32Range(1, maxRing).Draw(t, "size")
			first := r.take(size)
			require.Equal(t, first>>chunkLog, (first+size-1)>>chunkLog, "within a chunk")
			for k := range size {
				require.False(t, taken[first+k])
				taken[first+k] = true
				require.Zero(t, *r.at(first + k))
				*r.at(first + k) = event.XmitPacket{Tsn: 1, Sent: 2, Part: 3, Where: Live << listShift, Next: 9}
			}
			out = append(out, run{first, size})
			most = max(most, len(taken))
		}
		require.LessOrEqual(t, len(r.chunks)*chunkRecords, 2*most+2*chunkRecords, "little is lost between runs")
		for _, o := range out {
			r.give(o.first, o.size)
		}
		for i := range r.chunks {
			require.Equal(t, event.XmitPacket{Where: markHead, Tsn: chunkRecords}, func() event.XmitPacket {
				h := *r.at(uint32(i) << chunkLog)
				h.Sent, h.Part = 0, 0
				return h
			}())
		}
	})
}
