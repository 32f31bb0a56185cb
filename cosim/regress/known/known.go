package known

import (
	"regexp"
	"strings"
	"time"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/source"
)

// FileName of the list, beside plans and in run folders.
const FileName = "known.yaml"

// Day is a day of UTC; days are ordered as their texts are.
type Day string

// DayOf is the day of a time.
func DayOf(t time.Time) Day { return Day(t.UTC().Format(time.DateOnly)) }

// Entry is one known failure. Patterns have * for any letters and ? for one; an empty one matches everything.
type Entry struct {
	Kind, Engine, Field, Rule string   // of the signature
	Tests                     []string // suite, suite/test or suite/test+variant; none: any test
	Issue, Why                string
	Expires                   Day // the last day
	Place                     string
}

// most is how long issue and reason may be, in bytes.
const most = 400

// Parse reads a list. rules are the ids that there are; nil: they are not checked. Mistakes are in the file.
func Parse(name string, text []byte, rules map[string]bool) (*source.File, []Entry) {
	f, v := source.Parse(name, text)
	m := v.As("a list of known failures").Map("known")
	var list []Entry
	for _, x := range m.Need("known").List() {
		list = append(list, entry(x, rules))
	}
	return f, list
}

func entry(v source.Value, rules map[string]bool) Entry {
	m := v.As("a known failure").Map("kind", "engine", "field", "rule", "tests", "issue", "expires", "why")
	e := Entry{Place: v.Place()}
	patterns := 0
	for _, p := range []struct {
		key string
		to  *string
	}{{"kind", &e.Kind}, {"engine", &e.Engine}, {"field", &e.Field}, {"rule", &e.Rule}} {
		if x := m.Get(p.key); x.There() {
			*p.to = x.Text()
			patterns++
		}
	}
	if x := m.Get("tests"); x.There() {
		e.Tests = tests(x)
		patterns++
	}
	if m.There() && patterns == 0 {
		v.Fail("the entry says nothing of what is known (kind, engine, field, rule, tests): it would match every failure")
	}
	if e.Rule != "" && rules != nil && !strings.ContainsAny(e.Rule, "*?") && !rules[e.Rule] {
		m.Get("rule").Fail("rule %q stands nowhere in docs/protocol.md", e.Rule)
	}
	e.Issue, e.Why, e.Expires = words(m.Need("issue")), words(m.Need("why")), day(m.Need("expires"))
	return e
}

// words is a text on one line.
func words(v source.Value) string {
	if !v.There() {
		return ""
	}
	s := strings.Join(strings.Fields(v.Text()), " ")
	if len(s) > most {
		v.Fail("%d bytes, %d are possible: the issue is the place for the rest", len(s), most)
	}
	return s
}

var dayForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func day(v source.Value) Day {
	if !v.There() {
		return ""
	}
	s := v.Text()
	if _, err := time.Parse(time.DateOnly, s); s != "" && (err != nil || !dayForm.MatchString(s)) {
		v.Fail("expires %q: want the last day on which it is known, as 2026-12-31", s)
		return ""
	}
	return Day(s)
}

func tests(v source.Value) []string {
	var list []string
	for _, x := range v.List() {
		s := x.Text()
		if strings.HasPrefix(s, "tag:") || strings.HasPrefix(s, "stage:") {
			x.Fail("tests %q: a result has neither tags nor stages; want suite, suite/test or suite/test+variant", s)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		v.Fail("tests: the list is empty")
	}
	return list
}

// Matches says whether the record is a failure of this kind.
func (e *Entry) Matches(r *result.Record) bool {
	s := r.Signature
	switch {
	case r.Verdict == result.Match || r.Verdict == result.Lost || r.Verdict == result.Skipped || s == nil:
		return false
	case !like(e.Kind, s.Kind) || !like(e.Engine, s.Engine) || !like(e.Field, s.Field) || !like(e.Rule, s.Rule):
		return false
	}
	return e.Asks(r)
}

// Asks says whether the record is of a test that the entry speaks of, whatever it came to.
func (e *Entry) Asks(r *result.Record) bool {
	suite, _, _ := strings.Cut(r.Name, "/")
	bare := result.FullName(r.Name, strings.TrimSuffix(strings.TrimSuffix(r.Variant, r.Preset), "."))
	for _, p := range e.Tests {
		for _, name := range []string{suite, r.Name, r.FullName(), bare} {
			if source.Glob(p, name) {
				return true
			}
		}
	}
	return len(e.Tests) == 0
}

func like(pattern, text string) bool { return pattern == "" || source.Glob(pattern, text) }

// String is what the entry matches, in the words of its file.
func (e *Entry) String() string {
	var parts []string
	for _, p := range []struct{ key, text string }{{"kind", e.Kind}, {"engine", e.Engine}, {"field", e.Field}, {"rule", e.Rule}, {"tests", strings.Join(e.Tests, ", ")}} {
		if p.text != "" {
			parts = append(parts, p.key+": "+p.text)
		}
	}
	return strings.Join(parts, ", ")
}
