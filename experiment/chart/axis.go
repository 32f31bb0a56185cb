package chart

import (
	"math"
	"strconv"
	"strings"
)

// span is the least and the greatest of some numbers.
type span struct {
	low, high float64
	any       bool
}

func (s *span) add(v float64) {
	if !s.any {
		s.low, s.high, s.any = v, v, true
		return
	}
	s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
}

// axis maps low..high to from..to.
type axis struct {
	low, high float64
	from, to  float64
	log       bool
	ticks     []float64
	step      float64 // between ticks; 0: logarithmic
}

func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log10(v), math.Log10(low), math.Log10(high)
	}
	return a.from + (v-low)/(high-low)*(a.to-a.from)
}

// niceStep is 1, 2 or 5 times a power of ten, so that about n of them make the length.
func niceStep(length float64, n int) float64 {
	raw := length / float64(n)
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*p*1.0001 {
			return m * p
		}
	}
	return 10 * p
}

// niceAxis begins and ends at ticks.
func niceAxis(s span, n int) axis {
	s = s.widened()
	step := niceStep(s.high-s.low, n)
	a := axis{low: math.Floor(s.low/step+1e-9) * step, high: math.Ceil(s.high/step-1e-9) * step, step: step}
	a.fill()
	return a
}

// exactAxis begins and ends where the numbers do.
func exactAxis(s span, n int) axis {
	s = s.widened()
	a := axis{low: s.low, high: s.high, step: niceStep(s.high-s.low, n)}
	a.fill()
	return a
}

// widened gives a single value some room.
func (s span) widened() span {
	if s.low == s.high {
		room := math.Max(math.Abs(s.low)*0.05, 1e-3)
		s.low, s.high = s.low-room, s.high+room
	}
	return s
}

func (a *axis) fill() {
	first := math.Ceil(a.low/a.step - 1e-9)
	for i := first; i*a.step <= a.high+a.step*1e-9; i++ {
		a.ticks = append(a.ticks, i*a.step+0) // +0: no tick is "-0"
	}
}

// logAxis has a tick at each power of ten, and 2 and 5 between if there are few of these.
func logAxis(s span) axis {
	low, high := math.Floor(math.Log10(s.low)), math.Ceil(math.Log10(s.high))
	if low == high {
		high++
	}
	a := axis{low: math.Pow(10, low), high: math.Pow(10, high), log: true}
	for e := low; e <= high; e++ {
		a.ticks = append(a.ticks, math.Pow(10, e))
		if high-low <= 2 && e < high {
			a.ticks = append(a.ticks, 2*math.Pow(10, e), 5*math.Pow(10, e))
		}
	}
	return a
}

// categoryAxis has a place for each category, in the middle of its share.
func categoryAxis(n int, from, to float64) axis {
	a := axis{low: -0.5, high: float64(max(n, 1)) - 0.5, from: from, to: to, step: 1}
	for i := range n {
		a.ticks = append(a.ticks, float64(i))
	}
	return a
}

// label writes a tick: no more places than the step has, thousands parted.
func (a *axis) label(v float64) string {
	places := 0
	if a.step > 0 && a.step < 1 {
		places = int(math.Ceil(-math.Log10(a.step) - 1e-9))
	} else if a.log && v < 1 {
		places = int(math.Ceil(-math.Log10(v) - 1e-9))
	}
	return thousands(strconv.FormatFloat(v, 'f', places, 64))
}

func thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, dot := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		return sign + whole + "." + frac
	}
	return sign + whole
}
