package experiment

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Fixed is a decimal number with a fixed number of places: N divided by 10^Places. The zero Fixed is 0.
type Fixed struct {
	N      int64
	Places uint8 // at most maxPlaces
}

const (
	maxPlaces = 9
	// sharePlaces are the places of shares and ratios: gates have three, so what is printed is what is judged.
	sharePlaces = 4
)

// Whole returns n without places.
func Whole[T ~int | ~int64 | ~uint16 | ~uint32 | ~uint64](n T) Fixed { return Fixed{N: int64(n)} }

// Share returns a/b with four places, rounded to nearest; false where b is 0, or the result has no room in 63 bits.
func Share(a, b uint64) (Fixed, bool) { return Quotient(a, b, sharePlaces) }

// Quotient returns a/b with that many places, rounded to nearest; false where b is 0 or the result has no room in 63 bits.
func Quotient(a, b uint64, places uint8) (Fixed, bool) {
	if b == 0 || places > maxPlaces {
		return Fixed{}, false
	}
	hi, lo := bits.Mul64(a, uint64(pow10(places)))
	lo, carry := bits.Add64(lo, b/2, 0)
	hi += carry
	if hi >= b {
		return Fixed{}, false
	}
	q, _ := bits.Div64(hi, lo, b)
	if q >= 1<<63 {
		return Fixed{}, false
	}
	return Fixed{N: int64(q), Places: places}, true
}

// Micros returns a time in picoseconds as microseconds with two places.
func Micros(picos uint64) Fixed {
	f, _ := Quotient(picos, 1_000_000, 2) // always has room: 2^64 / 10^4
	return f
}

func pow10(n uint8) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// Compare is negative, 0 or positive as f is below, equal to or above g; places do not matter.
func (f Fixed) Compare(g Fixed) int {
	if f.Places == g.Places {
		return cmp.Compare(f.N, g.N)
	}
	a, b := f.split(), g.split()
	if c := cmp.Compare(a.whole, b.whole); c != 0 {
		return c
	}
	return cmp.Compare(a.rest, b.rest)
}

// parts are the number rounded down and what is above that, in 10^-maxPlaces: two numbers compare by them in this order.
type parts struct{ whole, rest int64 }

func (f Fixed) split() parts {
	p := pow10(f.Places)
	w, r := f.N/p, f.N%p
	if r < 0 {
		w, r = w-1, r+p
	}
	return parts{w, r * pow10(maxPlaces-f.Places)}
}

// String writes the number with all its places.
func (f Fixed) String() string {
	if f.Places == 0 {
		return fmt.Sprintf("%d", f.N)
	}
	sign, n := "", uint64(f.N)
	if f.N < 0 {
		sign, n = "-", -n
	}
	p := uint64(pow10(f.Places))
	return fmt.Sprintf("%s%d.%0*d", sign, n/p, int(f.Places), n%p)
}

// MarshalJSON writes the number as a number, places and all.
func (f Fixed) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// Float is for places on a picture only; nothing is judged by it.
func (f Fixed) Float() float64 { return float64(f.N) / float64(pow10(f.Places)) }

// Decimal reads a literal of the source, such as "0.955". One that is none is a bug of the caller.
func Decimal(text string) Fixed {
	whole, frac, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil || len(frac) > maxPlaces {
		panic(fmt.Sprintf("experiment BUG: %q is no decimal", text))
	}
	return Fixed{N: n, Places: uint8(len(frac))}
}
