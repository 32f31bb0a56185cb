package cover

import (
	"fmt"
	"slices"
	"strings"
)

// Report is the state of all bins against the waivers.
type Report struct {
	Groups []GroupReport `json:"groups"`
	Bins   int           `json:"bins"`
	Hit    int           `json:"hit"`
	Waived int           `json:"waived"`
	Empty  []string      `json:"empty"` // bins neither hit nor waived
	Stale  []string      `json:"stale"` // waivers that match no empty bin, or one that was hit, or that have expired
}

// GroupReport counts the bins of one group.
type GroupReport struct {
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Bins   int      `json:"bins"`
	Hit    int      `json:"hit"`
	Waived int      `json:"waived"`
	Least  uint64   `json:"least"` // hits of the bin with the fewest, of those hit
	Open   []string `json:"-"`     // bins neither hit nor waived
}

// OK says whether no bin is empty without a waiver and no waiver is stale.
func (r *Report) OK() bool { return len(r.Empty) == 0 && len(r.Stale) == 0 }

// Line is one line for people.
func (r *Report) Line() string {
	s := fmt.Sprintf("bins: %d of %d hit, %d waived, %d empty", r.Hit, r.Bins, r.Waived, len(r.Empty))
	if n := len(r.Stale); n > 0 {
		s += fmt.Sprintf(", %d stale waivers", n)
	}
	return s
}

// Report holds the counts against waivers; those of other groups are passed over. One whose last day is before day, written as 2006-01-02, waives nothing.
func (c *Cover) Report(waivers []Waiver, day string) *Report {
	waivers = slices.DeleteFunc(slices.Clone(waivers), func(w Waiver) bool { return c.group(w.group) == nil })
	r := &Report{Empty: []string{}, Stale: []string{}}
	use := make([]int, len(waivers)) // empty bins that each waives
	struck := make([]string, len(waivers))
	for _, g := range c.groups {
		gr := GroupReport{Name: g.name, Text: g.text, Bins: len(g.hits)}
		for i, n := range g.hits {
			waived := false
			for w := range waivers {
				if waivers[w].expired(day) || !waivers[w].matches(g, i) {
					continue
				}
				if n > 0 {
					struck[w] = g.bin(i)
				} else {
					waived = true
					use[w]++
				}
			}
			switch {
			case n > 0:
				gr.Hit++
				if gr.Least == 0 || n < gr.Least {
					gr.Least = n
				}
			case waived:
				gr.Waived++
			default:
				gr.Open = append(gr.Open, g.bin(i))
			}
		}
		r.Empty = append(r.Empty, gr.Open...)
		r.Groups = append(r.Groups, gr)
		r.Bins, r.Hit, r.Waived = r.Bins+gr.Bins, r.Hit+gr.Hit, r.Waived+gr.Waived
	}
	for w := range waivers {
		switch {
		case waivers[w].expired(day):
			r.Stale = append(r.Stale, fmt.Sprintf("%s: %s: expired on %s", waivers[w].Where, waivers[w].Text, waivers[w].Until))
		case struck[w] != "":
			r.Stale = append(r.Stale, fmt.Sprintf("%s: %s: was hit after all (%s)", waivers[w].Where, waivers[w].Text, struck[w]))
		case use[w] == 0:
			r.Stale = append(r.Stale, fmt.Sprintf("%s: %s: matches no bin", waivers[w].Where, waivers[w].Text))
		}
	}
	return r
}

// Text lists groups, empty bins and stale waivers.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %6s %6s %7s %7s\n", "group", "bins", "hit", "waived", "fewest")
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "%-10s %6d %6d %7d %7d\n", g.Name, g.Bins, g.Hit, g.Waived, g.Least)
	}
	for _, e := range r.Empty {
		fmt.Fprintf(&b, "empty: %s\n", e)
	}
	for _, s := range r.Stale {
		fmt.Fprintf(&b, "stale: %s\n", s)
	}
	return b.String()
}
