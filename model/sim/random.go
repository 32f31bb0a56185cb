package sim

// Random is a stream of pseudo-random numbers (SplitMix64). Streams are made by name from one seed, so that a draw
// added to one of them moves no other.
type Random struct{ state uint64 }

// golden is 2^64 divided by the golden ratio: the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// NewRandom returns the stream of that name. Equal seed and name give equal numbers.
func NewRandom(seed uint64, name string) Random {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	r := Random{state: seed}
	r.state = r.Uint64() ^ h
	return r
}

// Uint64 returns the next number.
func (r *Random) Uint64() uint64 {
	r.state += golden
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below returns a number in 0..n-1, and 0 for n < 2. The bias of at most n/2^64 does not matter for stimulus.
func (r *Random) Below(n uint64) uint64 {
	if n < 2 {
		return 0
	}
	return r.Uint64() % n
}

// Between returns a number in lo..hi; lo where hi is not above it.
func (r *Random) Between(lo, hi uint64) uint64 {
	if hi <= lo {
		return lo
	}
	return lo + r.Below(hi-lo+1)
}

// Permille is true in p of 1000 draws.
func (r *Random) Permille(p uint16) bool { return r.Uint64()%1000 < uint64(p) }
