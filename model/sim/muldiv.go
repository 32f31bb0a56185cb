package sim

import "math/bits"

// most is what MulDiv and MulDivUp hold a result to, so that sums of two of them do not overflow.
const most = 1 << 63

// MulDiv is a*b/c with the product in 128 bits, rounded down. It is 2^63 where it would be more, or c is 0.
func MulDiv(a, b, c uint64) uint64 {
	q, _ := mulDiv(a, b, c)
	return min(q, most)
}

// MulDivUp is MulDiv rounded up.
func MulDivUp(a, b, c uint64) uint64 {
	q, r := mulDiv(a, b, c)
	if r > 0 && q < most {
		q++
	}
	return min(q, most)
}

func mulDiv(a, b, c uint64) (q, r uint64) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return most, 0
	}
	return bits.Div64(hi, lo, c)
}
