package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/cosim/regress/source"
)

// Stages in which a design is verified. V2S is that of dvsim's security tests: testplans that are imported have it.
var Stages = []string{"V1", "V2", "V2S", "V3"}

// Point is something that has to be shown.
type Point struct {
	Name     string   `json:"name"`
	Place    string   `json:"place"`
	Stage    string   `json:"stage"`
	Rules    []string `json:"rules,omitempty"` // of docs/protocol.md
	Goal     string   `json:"goal"`
	Stimulus string   `json:"stimulus,omitempty"`
	Check    string   `json:"check,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	// Tests are the full names that show it; none: nothing does yet, and the writer said so.
	Tests []string `json:"tests"`

	patterns []Pattern
}

// Covergroup is a set of bins that a testplan asks for.
type Covergroup struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// Testplan is all points of a plan, with what no point asks for.
type Testplan struct {
	Points      []Point      `json:"points"`
	Covergroups []Covergroup `json:"covergroups,omitempty"`
	Unmapped    []string     `json:"unmapped,omitempty"` // tests that no point names
}

// Mapped is the testplan of the plan over all tests that it has, selected or not.
func (p *Plan) Mapped() Testplan {
	tp := Testplan{Points: slices.Clone(p.Testplan), Covergroups: p.Covergroups}
	all := p.subjects()
	used := map[string]bool{}
	for i := range tp.Points {
		pt := &tp.Points[i]
		pt.Tests = []string{}
		for k := range all {
			if anyMatches(pt.patterns, &all[k]) {
				pt.Tests = append(pt.Tests, all[k].fullName())
				used[all[k].fullName()] = true
			}
		}
	}
	for i := range all {
		if n := all[i].fullName(); !used[n] {
			tp.Unmapped = append(tp.Unmapped, n)
		}
	}
	return tp
}

// stages notes for every subject the stages of the points that name it.
func (p *Plan) stages(all []subject) {
	for i := range all {
		for k := range p.Testplan {
			if pt := &p.Testplan[k]; anyMatches(pt.patterns, &all[i]) && !slices.Contains(all[i].stages, pt.Stage) {
				all[i].stages = append(all[i].stages, pt.Stage)
			}
		}
	}
}

// notApplicable stands in the place of tests where there are none yet.
const notApplicable = "N/A"

// testplan reads a testplan in the form that its name says.
func (l *loader) testplan(path string, at source.Value) {
	if path == "" {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		at.Fail("cannot be read: %v", err)
		return
	}
	l.plan.Files = append(l.plan.Files, path)
	if strings.HasSuffix(path, ".hjson") {
		l.hjson(path, text)
		return
	}
	f, v := source.Parse(path, text)
	l.files = append(l.files, f)
	m := v.As("a testplan").Map("testplan", "about", "points", "covergroups")
	name(m.Need("testplan"))
	if m.Get("points").There() && len(m.Get("points").List()) == 0 {
		m.Get("points").Fail("points: the list is empty")
	}
	for _, x := range m.Need("points").List() {
		l.point(x)
	}
	for _, x := range m.Get("covergroups").List() {
		c := x.As("a covergroup").Map("name", "what")
		l.plan.Covergroups = append(l.plan.Covergroups, Covergroup{name(c.Need("name")), c.Need("what").Text()})
	}
}

func (l *loader) point(v source.Value) {
	m := v.As("a point").Map("point", "stage", "rules", "goal", "stimulus", "check", "tags", "tests")
	p := Point{Name: name(m.Need("point")), Place: v.Place(), Goal: m.Need("goal").Text(), Tags: names(m.Get("tags"))}
	if p.Stage = m.Need("stage").Word(Stages...); m.Get("stimulus").There() {
		p.Stimulus = m.Get("stimulus").Text()
	}
	if m.Get("check").There() {
		p.Check = m.Get("check").Text()
	}
	for _, x := range m.Get("rules").List() {
		r := x.Text()
		if l.rules != nil && r != "" && !l.rules[r] {
			x.Fail("rule %s is not in docs/protocol.md%s", r, meant(r, l.rules))
		}
		p.Rules = append(p.Rules, r)
	}
	p.patterns = patterns(m.Need("tests"))
	l.put(p, v)
}

func meant(word string, set map[string]bool) string {
	var list []string
	for w := range set {
		list = append(list, w)
	}
	sort.Strings(list)
	if near := source.Nearest(word, list); near != "" {
		return fmt.Sprintf("; meant is perhaps %s", near)
	}
	return ""
}

// put adds a point whose tests are read.
func (l *loader) put(p Point, at source.Value) {
	for i := range l.plan.Testplan {
		if other := &l.plan.Testplan[i]; other.Name == p.Name && p.Name != "" {
			at.Fail("point %q stands already at %s", p.Name, other.Place)
			return
		}
	}
	if len(p.patterns) == 1 && p.patterns[0].Text == notApplicable {
		p.patterns = nil
	} else if len(p.patterns) == 0 {
		at.Fail("point %q has no tests; %s says that there are none yet", p.Name, notApplicable)
	}
	l.plan.Testplan = append(l.plan.Testplan, p)
}

var ruleRow = regexp.MustCompile(`(?m)^\| (R-[A-Z0-9-]+) \|`)

// Rules reads the ids of all rules from the protocol page of a checkout; nil where there is none.
func Rules(root string) map[string]bool {
	text, err := os.ReadFile(filepath.Join(root, "docs", "protocol.md"))
	if err != nil {
		return nil
	}
	set := map[string]bool{}
	for _, m := range ruleRow.FindAllSubmatch(text, -1) {
		set[string(m[1])] = true
	}
	return set
}
