package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBitsetTwin holds the next member against a search, with members before the place that is asked for, too.
func TestBitsetTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{64, 1 << 12, 1 << 14}).Draw(t, "size")
		b, twin := newBitset(size), make([]bool, size)
		place := rapid.Uint32Range(0, uint32(size)-1)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := place.Draw(t, "i")
			if rapid.Bool().Draw(t, "set") {
				b.set(i)
				twin[i] = true
			} else {
				j, _ := b.next(i)
				b.clear(j)
				twin[j] = false
			}
			from := rapid.Uint32Range(0, uint32(size)).Draw(t, "from")
			want, some := from, false
			for ; int(want) < size && !some; want++ {
				some = twin[want]
			}
			got, ok := b.next(from)
			require.Equal(t, some, ok)
			if ok {
				require.Equal(t, want-1, got)
			}
		}
	})
}
