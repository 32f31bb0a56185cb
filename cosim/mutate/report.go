package mutate

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// Where is one mutant on one line.
func (r *Result) Where() string {
	return fmt.Sprintf("mutant %3d  %-8s %-6s %-44s %-22s %s", r.Number, r.Block, r.Mode, shorten(r.Cell, 44), r.Port, r.Source)
}

func shorten(s string, most int) string {
	s = strings.TrimPrefix(s, `$flatten\`)
	if len(s) > most {
		return "…" + s[len(s)-most+1:]
	}
	return s
}

// Text writes what was caught by which rule, the survivors, those set apart, and the closing line.
func (r *Report) Text(w io.Writer, paint func(good bool, text string) string) {
	rules := map[string]int{}
	for i := range r.Results {
		if x := &r.Results[i]; x.State == Caught {
			rule := x.Rule
			if rule == "" {
				rule = "protocol of the bridge"
			}
			rules[rule]++
		}
	}
	var names []string
	for n := range rules {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		return rules[names[i]] > rules[names[j]] || rules[names[i]] == rules[names[j]] && names[i] < names[j]
	})
	fmt.Fprint(w, "caught by:")
	for _, n := range names {
		fmt.Fprintf(w, "  %s %d", n, rules[n])
	}
	fmt.Fprintln(w)
	for _, s := range []State{Survived, Ignored, Unseen, Proven} {
		if r.Of(s) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", s)
		for i := range r.Results {
			if x := &r.Results[i]; x.State == s {
				fmt.Fprintf(w, "  %s\n", x.Where())
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n", paint(r.Holds(), r.Closing()))
}

// Closing sums up.
func (r *Report) Closing() string {
	caught, effect := r.Of(Caught), r.Of(Caught)+r.Of(Survived)
	share := 0.0
	if effect > 0 {
		share = 100 * float64(caught) / float64(effect)
	}
	return fmt.Sprintf("%d mutants: %d with an effect, %d of them caught (%.1f %%, gate %d %%); no effect, proven: %d, seen: %d; none where outputs count: %d",
		len(r.Results), effect, caught, share, Gate, r.Of(Proven), r.Of(Unseen), r.Of(Ignored))
}
