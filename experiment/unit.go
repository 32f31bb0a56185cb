package experiment

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Unit is that of a parameter: what is kept, and how it may be written.
type Unit string

// Units. The plain number is always the unit itself.
const (
	Count   Unit = ""     // 12
	Bytes   Unit = "B"    // 4096, 4k = 4 x 1024, 2m = 2 x 1024 x 1024
	Nanos   Unit = "ns"   // 500, 500ns, 10us, 3ms
	Mbits   Unit = "Mb/s" // 400000, 400g = 400,000
	PerMill Unit = "ppm"  // parts per million: 10000, 1% = 10,000
	Milli   Unit = "1/1000"
)

// suffix is a way to write a unit: the number before it counts factor units.
type suffix struct {
	text   string
	factor uint64
}

// suffixes of each unit, longest texts first, so that "ns" is not read as "s".
var suffixes = map[Unit][]suffix{
	Bytes:   {{"k", 1 << 10}, {"m", 1 << 20}},
	Nanos:   {{"ns", 1}, {"us", 1000}, {"ms", 1000_000}},
	Mbits:   {{"g", 1000}},
	PerMill: {{"%", 10_000}, {"ppm", 1}},
}

// form says how a value may be written.
func (u Unit) form() string {
	switch u {
	case Bytes:
		return "bytes, such as 4096, 64k or 2m"
	case Nanos:
		return "a time, such as 500ns, 10us or 3ms"
	case Mbits:
		return "a rate in Mb/s, such as 400000 or 400g"
	case PerMill:
		return "a share, such as 1%, 0.1% or 1000 (parts per million)"
	case Milli:
		return "thousandths, such as 1000 for one"
	}
	return "a whole number"
}

// parse reads a number with or without a suffix. Decimals are taken where they give a whole number of units.
func (u Unit) parse(text string) (uint64, bool) {
	factor := uint64(1)
	for _, s := range suffixes[u] {
		if rest, ok := strings.CutSuffix(text, s.text); ok {
			text, factor = rest, s.factor
			break
		}
	}
	whole, frac, dot := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || whole[0] == '+' {
		return 0, false
	}
	hi, n := bits.Mul64(n, factor)
	if hi != 0 {
		return 0, false
	}
	if !dot {
		return n, true
	}
	part, ok := fraction(frac, factor)
	sum, carry := bits.Add64(n, part, 0)
	return sum, ok && carry == 0
}

// fraction is 0.frac times the factor, if that is whole.
func fraction(frac string, factor uint64) (uint64, bool) {
	f, err := strconv.ParseUint(frac, 10, 32)
	if err != nil || len(frac) > maxPlaces || frac[0] == '+' {
		return 0, false
	}
	p := uint64(pow10(uint8(len(frac))))
	return f * factor / p, f*factor%p == 0 // below 2^32 x 2^20
}

// format writes a value in the shortest way in which it can be read again.
func (u Unit) format(n uint64) string {
	best := fmt.Sprintf("%d", n)
	switch u {
	case PerMill:
		return percent(n)
	case Count, Milli:
		return best
	}
	for _, s := range suffixes[u] {
		if n != 0 && n%s.factor == 0 {
			best = fmt.Sprintf("%d%s", n/s.factor, s.text)
		}
	}
	return best
}

// Format writes a value of the unit for a reader.
func (u Unit) Format(n uint64) string { return u.format(n) }

func percent(ppm uint64) string {
	s := fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + "%"
}
