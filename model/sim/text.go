package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Units of time.
const (
	Nanosecond  Picos = 1000
	Microsecond       = 1000 * Nanosecond
	Millisecond       = 1000 * Microsecond
	Second            = 1000 * Millisecond
)

// unit is a name for a power of ten of picoseconds.
type unit struct {
	name   string
	digits int
	picos  Picos
}

// units of time, the longest first.
var units = [...]unit{{"s", 12, Second}, {"ms", 9, Millisecond}, {"us", 6, Microsecond}, {"ns", 3, Nanosecond}, {"ps", 0, 1}}

// String is the exact time in the longest unit of which it has at least one: "1.5us", "83.92ns", "0".
func (t Picos) String() string {
	if t == 0 {
		return "0"
	}
	u := units[0]
	for _, u = range units {
		if t >= u.picos {
			break
		}
	}
	s := strconv.FormatUint(uint64(t/u.picos), 10)
	if rest := t % u.picos; rest > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%0*d", u.digits, uint64(rest)), "0")
	}
	return s + u.name
}

// ParsePicos reads what String writes: a decimal number and s, ms, us, ns or ps, or 0 without a unit. A time that is no
// whole number of picoseconds is refused.
func ParsePicos(text string) (Picos, error) {
	if text == "0" {
		return 0, nil
	}
	number := strings.TrimRight(text, "mnpsu")
	name := text[len(number):]
	for _, u := range units {
		if u.name == name {
			return u.parse(number, text)
		}
	}
	if name == "" {
		return 0, fmt.Errorf("%q has no unit", text)
	}
	return 0, fmt.Errorf("%q has no unit of time, s, ms, us, ns or ps", text)
}

func (u unit) parse(number, text string) (Picos, error) {
	whole, part, dot := strings.Cut(number, ".")
	part = strings.TrimRight(part, "0")
	if dot && len(part) > u.digits {
		return 0, fmt.Errorf("%q is no whole number of picoseconds", text)
	}
	digits := whole + part + strings.Repeat("0", u.digits-len(part))
	if whole == "" || strings.Trim(digits, "0123456789") != "" || dot && strings.HasSuffix(number, ".") {
		return 0, fmt.Errorf("%q is no decimal number of %s", text, u.name)
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is longer than 64 bits of picoseconds", text)
	}
	return Picos(v), nil
}
