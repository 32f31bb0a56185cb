package generate

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Limit holds a value of the profile that a seed draws to a number of the caller's. The draws are made all the same, so
// a limit moves nothing else.
type Limit struct {
	Name  string
	Value int
}

// limits are the values that can be held, with their highest ones. Chances are in thousandths; yes and no are 1 and 0.
var limits = map[string]struct {
	most int
	set  func(*Profile, int)
}{
	"lose":     {500, func(p *Profile, n int) { p.Lose = uint16(n) }},
	"late":     {500, func(p *Profile, n int) { p.Late = uint16(n) }},
	"double":   {500, func(p *Profile, n int) { p.Double = uint16(n) }},
	"detour":   {500, func(p *Profile, n int) { p.Detour = uint16(n) }},
	"mark":     {1000, func(p *Profile, n int) { p.Mark = uint16(n) }},
	"odd":      {250, func(p *Profile, n int) { p.Odd = uint16(n) }},
	"garbage":  {250, func(p *Profile, n int) { p.Garbage = uint16(n) }},
	"mtu":      {9000, func(p *Profile, n int) { p.MTU = n }},
	"spaced":   {1, func(p *Profile, n int) { p.Spaced = n != 0 }},
	"hot":      {1, func(p *Profile, n int) { p.Hot = n != 0 }},
	"pressure": {1, func(p *Profile, n int) { p.Pressure = n != 0 }},
	"slow":     {1, func(p *Profile, n int) { p.Slow = n != 0 }},
}

// Limits lists the names.
func Limits() []string {
	names := make([]string, 0, len(limits))
	for n := range limits {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// ParseLimits reads "NAME=N"; all mistakes are told.
func ParseLimits(texts []string) ([]Limit, error) {
	var list []Limit
	var errs []error
	held := map[string]bool{}
	for _, t := range texts {
		name, value, _ := strings.Cut(t, "=")
		l, ok := limits[name]
		n, err := strconv.Atoi(value)
		least := 0
		if name == "mtu" {
			least = 1
		}
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("limit %q: there are %s", t, strings.Join(Limits(), ", ")))
		case err != nil || n < least || n > l.most:
			errs = append(errs, fmt.Errorf("limit %q: want a number from %d to %d", t, least, l.most))
		case held[name]:
			errs = append(errs, fmt.Errorf("limit %q: %s is held already: give it once", t, name))
		default:
			list = append(list, Limit{name, n})
		}
		held[name] = true
	}
	return list, errors.Join(errs...)
}

func (p *Profile) hold(list []Limit) {
	for _, l := range list {
		limits[l.Name].set(p, l.Value)
	}
}
