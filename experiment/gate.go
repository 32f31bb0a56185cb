package experiment

import "strings"

// Gate is a condition on the rows of a run.
type Gate struct {
	Name string
	Rule string // the sentence that has to be true
	// Judge looks at the rows. No check at all: the rows had nothing to look at, which is no success.
	Judge func(rows []Row) []Check
}

// Check is one comparison of a gate.
type Check struct {
	What  string
	Value Fixed
	Bound Fixed
	// AtMost: the value must not be above the bound; else not below it.
	AtMost bool
	// Missing: the row is there, the figure is not. Such a check fails: what could not be measured was not shown.
	Missing bool
}

// Holds says whether the check passes.
func (c Check) Holds() bool {
	switch d := c.Value.Compare(c.Bound); {
	case c.Missing:
		return false
	case c.AtMost:
		return d <= 0
	default:
		return d >= 0
	}
}

// Sign is the relation that has to hold between value and bound.
func (c Check) Sign() string {
	if c.AtMost {
		return "<="
	}
	return ">="
}

// Verdict is what became of a gate.
type Verdict struct {
	Name, Rule string
	State      State
	Checks     []Check
}

// State is the outcome of a gate.
type State uint8

// States.
const (
	Held State = iota
	Failed
	NothingToJudge // no row to look at: --set or --only left them out
	NotJudged      // the run is partial, or a cell failed
)

// String names it.
func (s State) String() string {
	return [...]string{"holds", "FAILS", "nothing to look at", "not judged"}[s]
}

// MarshalText is for JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(strings.ToLower(s.String())), nil }

// judge applies a gate. A run that is not whole is not judged: rows that are missing could have failed it.
func (g *Gate) judge(rows []Row, whole bool) Verdict {
	v := Verdict{Name: g.Name, Rule: g.Rule}
	if !whole {
		v.State = NotJudged
		return v
	}
	v.Checks = g.Judge(rows)
	if len(v.Checks) == 0 {
		v.State = NothingToJudge
	}
	for _, c := range v.Checks {
		if !c.Holds() {
			v.State = Failed
		}
	}
	return v
}

// Each makes the judge that holds a column of all picked rows to one bound. The name of a check is made of the columns
// in `by`.
func Each(w Where, column string, atMost bool, bound Fixed, by ...string) func([]Row) []Check {
	return func(rows []Row) []Check {
		var checks []Check
		for _, r := range Pick(rows, w) {
			v, ok := r.Number(column)
			checks = append(checks, Check{What: label(r, by, column), Value: v, Bound: bound, AtMost: atMost, Missing: !ok})
		}
		return checks
	}
}

// AtLeast is Each with a lower bound.
func AtLeast(w Where, column, bound string, by ...string) func([]Row) []Check {
	return Each(w, column, false, Decimal(bound), by...)
}

// AtMost is Each with an upper bound.
func AtMost(w Where, column, bound string, by ...string) func([]Row) []Check {
	return Each(w, column, true, Decimal(bound), by...)
}

// label names a row by some of its columns, and the figure that is looked at.
func label(r Row, by []string, column string) string {
	var parts []string
	for _, b := range by {
		if t := r.Text(b); t != "" {
			parts = append(parts, b+" "+t)
		}
	}
	return strings.Join(append(parts, column), ", ")
}

// Label names a row by some of its columns, for judges that are not one of these.
func Label(r Row, column string, by ...string) string { return label(r, by, column) }
