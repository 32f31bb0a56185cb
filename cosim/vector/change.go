package vector

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
)

// Change is what differs between two sets of vectors.
type Change struct {
	Same     int            `json:"same"`
	Added    []string       `json:"added,omitempty"`
	Removed  []string       `json:"removed,omitempty"`
	Stimulus []string       `json:"stimulus,omitempty"` // other stimulus under the same name
	Expected []string       `json:"expected,omitempty"` // same stimulus, other expectation
	Text     []string       `json:"text,omitempty"`     // title, rules, source
	Rules    map[string]int `json:"rules,omitempty"`    // differences of expectations by rule
	Examples []string       `json:"examples,omitempty"` // the first of each rule
}

// None says whether the sets are the same.
func (c *Change) None() bool {
	return len(c.Added)+len(c.Removed)+len(c.Stimulus)+len(c.Expected)+len(c.Text) == 0
}

// Bump is the version behind this change: major where something is gone or expected otherwise, minor where something was
// added, patch where only texts changed.
func (c *Change) Bump(version string) (string, error) {
	var major, minor, patch int
	if n, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n != 3 || err != nil {
		return "", fmt.Errorf("version %q: want three numbers", version)
	}
	switch {
	case len(c.Removed)+len(c.Stimulus)+len(c.Expected) > 0:
		major, minor, patch = major+1, 0, 0
	case len(c.Added) > 0:
		minor, patch = minor+1, 0
	case len(c.Text) > 0:
		patch++
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, patch), nil
}

// Diff finds what differs between two sets. Vectors are the same by name, stimulus by id.
func Diff(old, now []*mrv.Vector) *Change {
	c := &Change{Rules: map[string]int{}}
	was := map[string][]*mrv.Vector{} // a name may stand in several files: the first goes with the first
	for _, v := range old {
		was[v.Name] = append(was[v.Name], v)
	}
	example := map[string]string{}
	for _, v := range now {
		var o *mrv.Vector
		if same := was[v.Name]; len(same) > 0 {
			o, was[v.Name] = same[0], same[1:]
		}
		switch {
		case o == nil:
			c.Added = append(c.Added, v.Name)
		case o.ID != v.ID:
			c.Stimulus = append(c.Stimulus, v.Name)
		case mrv.Expected(o) != mrv.Expected(v):
			c.Expected = append(c.Expected, v.Name)
			for _, m := range differences(o, v) {
				if c.Rules[m.Rule]++; example[m.Rule] == "" {
					example[m.Rule] = v.Name + ": " + m.String()
				}
			}
		case mrv.Whole(o) != mrv.Whole(v):
			c.Text = append(c.Text, v.Name)
		default:
			c.Same++
		}
	}
	for n, rest := range was {
		for range rest {
			c.Removed = append(c.Removed, n)
		}
	}
	for _, r := range sortedKeys(example) {
		c.Examples = append(c.Examples, example[r])
	}
	for _, l := range [][]string{c.Added, c.Removed, c.Stimulus, c.Expected, c.Text} {
		sort.Strings(l)
	}
	return c
}

// differences are those of two expectations of one stimulus; want is the old one.
func differences(o, v *mrv.Vector) []expect.Mismatch {
	if e := block.ByName(v.Kind); e != nil {
		var list []expect.Mismatch
		for i := range min(len(o.Steps), len(v.Steps)) {
			if string(o.Steps[i].After) != string(v.Steps[i].After) {
				list = append(list, stepMismatch(e, i, o.Steps[i].After, v.Steps[i].After))
			}
		}
		return list
	}
	res := expect.CompareAll(&o.Want, &expect.Seen{Set: v.Want, Commits: true, Acks: make([]expect.SegmentAcks, len(o.Want.Segments))}, mostUnstable)
	list := slices.DeleteFunc(res.Mismatches, func(m expect.Mismatch) bool { return strings.HasPrefix(m.Class, "ack.") })
	if len(list) == 0 {
		list = append(list, expect.Mismatch{Rule: "R-RECORD", Class: "see", Field: "events asked for", Want: fmt.Sprint(len(o.Sees)), Got: fmt.Sprint(len(v.Sees))})
	}
	return list
}

func sortedKeys[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Lines is the change for people.
func (c *Change) Lines() []string {
	var out []string
	list := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		const few = 8
		s := fmt.Sprintf("%s %d: %s", what, len(names), strings.Join(names[:min(few, len(names))], ", "))
		if len(names) > few {
			s += ", ..."
		}
		out = append(out, s)
	}
	list("added", c.Added)
	list("removed", c.Removed)
	list("other stimulus", c.Stimulus)
	list("other expectation", c.Expected)
	list("other text", c.Text)
	for i, r := range sortedKeys(c.Rules) {
		out = append(out, fmt.Sprintf("  %s: %d differences, first %s", r, c.Rules[r], c.Examples[i]))
	}
	return append(out, fmt.Sprintf("same %d", c.Same))
}
