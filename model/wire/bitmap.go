package wire

import "math/bits"

// Bitmap256 is the receive window's vector: bit i stands for psn cum + i (ann:sack). Word 0 holds bits 63..0. On the
// wire the most significant bit goes first.
type Bitmap256 [4]uint64

// Get says whether bit i (0..255) is set.
func (b *Bitmap256) Get(i uint32) bool { return b[i>>6&3]>>(i&63)&1 != 0 }

// Set sets bit i (0..255).
func (b *Bitmap256) Set(i uint32) { b[i>>6&3] |= 1 << (i & 63) }

// Clear clears bit i (0..255).
func (b *Bitmap256) Clear(i uint32) { b[i>>6&3] &^= 1 << (i & 63) }

// ShiftRight moves every bit down by n (0 or more); what falls below bit 0 is gone and zeros enter at the top.
func (b *Bitmap256) ShiftRight(n int) {
	if n < 64 { // the usual case: a packet in order, or a few
		down, up := uint(n), uint(64-n) // a shift by 64 gives 0
		b[0] = b[0]>>down | b[1]<<up
		b[1] = b[1]>>down | b[2]<<up
		b[2] = b[2]>>down | b[3]<<up
		b[3] >>= down
		return
	}
	if n >= 256 {
		*b = Bitmap256{}
		return
	}
	word, down := n>>6, uint(n&63)
	for i := range b {
		var lo, hi uint64
		if i+word < 4 {
			lo = b[i+word]
		}
		if i+word+1 < 4 {
			hi = b[i+word+1]
		}
		b[i] = lo>>down | hi<<(64-down) // a shift by 64 gives 0
	}
}

// TrailingOnes is the length of the run of ones that starts at bit 0: 0..256.
func (b *Bitmap256) TrailingOnes() int {
	for i, w := range b {
		if w != ^uint64(0) {
			return 64*i + bits.TrailingZeros64(^w)
		}
	}
	return 256
}

// OnesCount is the number of bits set.
func (b *Bitmap256) OnesCount() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Highest is the highest bit set, or -1.
func (b *Bitmap256) Highest() int {
	for i := 3; i >= 0; i-- {
		if b[i] != 0 {
			return 64*i + 63 - bits.LeadingZeros64(b[i])
		}
	}
	return -1
}

// IsZero says whether no bit is set.
func (b *Bitmap256) IsZero() bool { return b[0]|b[1]|b[2]|b[3] == 0 }
