package mutate

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"metaroce/tandem/cosim/mutate/yosys"
)

// State is what became of a mutant.
type State string

// States.
const (
	Caught   State = "caught"
	Survived State = "survived"
	// Proven: nothing that the device shows or keeps differs, or nothing that it shows within Cycles cycles from any state.
	Proven State = "no effect, proven"
	// Unseen: no output differs in any cycle of any stimulus.
	Unseen State = "no effect seen"
	// Ignored: outputs differ, but only where nobody looks: data without valid, bytes behind the end of a beat.
	Ignored State = "no effect where outputs count"
)

// Result is one mutant's.
type Result struct {
	yosys.Mutant
	State    State  `json:"state"`
	Stimulus string `json:"stimulus,omitempty"` // that caught it
	Seed     uint64 `json:"seed,omitempty"`
	Line     string `json:"line,omitempty"` // of the verdict that caught it
	Rule     string `json:"rule,omitempty"`
	Cycle    uint64 `json:"cycle,omitempty"`
	Field    string `json:"field,omitempty"` // the first that differs
	Proof    string `json:"proof,omitempty"` // of a mutant that was not caught
}

// Report of all mutants.
type Report struct {
	Planned int      `json:"planned"` // mutants that were to be run
	Partial bool     `json:"partial"` // not all of them are through
	Results []Result `json:"results"` // of those that are, in the order of their numbers
}

// Of counts the mutants in a state.
func (r *Report) Of(s State) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].State == s {
			n++
		}
	}
	return n
}

// Holds says whether all mutants are through and enough of those with an effect were caught. Where none has an effect, nothing was
// shown.
func (r *Report) Holds() bool {
	caught, effect := r.Of(Caught), r.Of(Caught)+r.Of(Survived)
	return !r.Partial && effect > 0 && caught*100 >= Gate*effect
}

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
	of := ""
	if r.Partial {
		of = fmt.Sprintf("partial, %d of %d mutants are through: ", len(r.Results), r.Planned)
	}
	return of + fmt.Sprintf("%d mutants: %d with an effect, %d of them caught (%.1f %%, gate %d %%); no effect, proven: %d, seen: %d; none where outputs count: %d",
		len(r.Results), effect, caught, share, Gate, r.Of(Proven), r.Of(Unseen), r.Of(Ignored))
}
