package sim

import "math/bits"

// bitset says which of up to 2^18 buckets hold something. A summary over its words makes the next one cheap to find
// where most are empty.
type bitset struct {
	words   []uint64
	summary []uint64 // bit i: words[i] is not 0
}

func newBitset(n int) bitset {
	w := (n + 63) / 64
	return bitset{words: make([]uint64, w), summary: make([]uint64, (w+63)/64)}
}

func (b *bitset) set(i uint32) {
	b.words[i>>6] |= 1 << (i & 63)
	b.summary[i>>12] |= 1 << (i >> 6 & 63)
}

func (b *bitset) clear(i uint32) {
	b.words[i>>6] &^= 1 << (i & 63)
	if b.words[i>>6] == 0 {
		b.summary[i>>12] &^= 1 << (i >> 6 & 63)
	}
}

// next is the first member from i on.
func (b *bitset) next(i uint32) (uint32, bool) {
	w := i >> 6
	if int(w) >= len(b.words) {
		return 0, false
	}
	if rest := b.words[w] >> (i & 63); rest != 0 {
		return i + uint32(bits.TrailingZeros64(rest)), true
	}
	w++
	for s := w >> 6; int(s) < len(b.summary); s++ {
		rest := b.summary[s]
		if s == w>>6 {
			rest &= ^uint64(0) << (w & 63)
		}
		if rest != 0 {
			w = s<<6 + uint32(bits.TrailingZeros64(rest))
			return w<<6 + uint32(bits.TrailingZeros64(b.words[w])), true
		}
	}
	return 0, false
}
