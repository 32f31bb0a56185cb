package plan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/vectors/scenario"
)

// Options are what a call says over the plan.
type Options struct {
	Base  *result.Seed // instead of the plan's
	Seeds int          // iterations of every test that says `seeds`; 0: as the plan says
	Dut   string       // device of every test in lockstep; empty: as the plan says
	// Coverage is what every simulator counts: off, line, toggle; empty: as the plan says.
	Coverage string
	Select   []string // of what the plan selects, only this
	Drop     []string // and not this
}

// unit is a variant of a test with its preset: what has a name, and seeds.
type unit struct {
	suite    *Suite
	test     *Test
	bare     string // name of the variant
	variant  string // with the preset
	preset   string
	random   int
	settings Settings
}

// units lists all that the plan has, in its order.
func (p *Plan) units() []unit {
	var all []unit
	p.variants(func(s *Suite, t *Test, v *Variant) { all = append(all, p.presets(s, t, v)...) })
	return all
}

// variants calls f for every variant of every test; a test without variants has one without a name.
func (p *Plan) variants(f func(*Suite, *Test, *Variant)) {
	for _, s := range p.Suites {
		for _, t := range s.Tests {
			for i := range t.Variants {
				f(s, t, &t.Variants[i])
			}
			if len(t.Variants) == 0 {
				f(s, t, &Variant{})
			}
		}
	}
}

// presets makes a unit of every preset of a variant.
func (p *Plan) presets(s *Suite, t *Test, v *Variant) []unit {
	x := v.settings.over(t.settings.over(s.settings))
	bare := bareSubject(s, t, v)
	for i := range p.Set {
		if e := &p.Set[i]; anyMatches(e.Tests, &bare) {
			x = e.settings.over(x)
		}
	}
	list := x.Presets
	switch {
	case t.preset != "":
		list = []string{t.preset}
	case list == nil && t.What.Lockstep():
		list = []string{"tiny"}
	case !t.What.Lockstep() && !takesPreset(t.What.Command):
		list = []string{""}
	}
	if list == nil {
		list = []string{""}
	}
	u := unit{suite: s, test: t, bare: v.Name, random: t.What.Random, settings: x}
	if v.random > 0 {
		u.random = v.random
	}
	all := make([]unit, len(list))
	for i, name := range list {
		all[i] = u
		all[i].preset = name
		all[i].variant = strings.Trim(v.Name+"."+name, ".")
	}
	return all
}

// bareSubject is a variant as set entries see it: they may change its presets, so it has none yet.
func bareSubject(s *Suite, t *Test, v *Variant) subject {
	return subject{suite: s.Name, test: t.Name, variant: v.Name, tags: slices.Concat(s.Tags, t.Tags)}
}

// takesPreset says whether a command has a place for the preset: it is given one only then.
func takesPreset(command []string) bool {
	return slices.ContainsFunc(command, func(s string) bool { return strings.Contains(s, "{preset}") })
}

func (u *unit) subject() subject {
	return subject{suite: u.suite.Name, test: u.test.Name, variant: u.variant, bare: u.bare, tags: slices.Concat(u.suite.Tags, u.test.Tags)}
}

// subjects are all units as patterns see them.
func (p *Plan) subjects() []subject {
	var all []subject
	for _, u := range p.units() {
		all = append(all, u.subject())
	}
	return all
}

// Expand makes the cases, in the order of the plan. All mistakes of the options are told at once.
func (p *Plan) Expand(ctx context.Context, o Options) ([]Case, error) {
	units := p.units()
	all := p.subjects()
	p.stages(all)
	chosen, errs := p.selected(all, &o)
	var cases []Case
	compiled := map[string]bool{}
	for i := range units {
		if !chosen[i] {
			continue
		}
		u := &units[i]
		if err := u.compile(ctx, compiled); err != nil {
			errs = append(errs, err)
		}
		n := u.iterations(&o)
		if len(cases)+n > mostCases {
			errs = append(errs, fmt.Errorf("%s: more than %d executions in all", p.File, mostCases))
			break
		}
		for k := range n {
			c := u.make(p.base(&o), k, &o)
			if c.Fault != "" && c.Dut == "model" {
				errs = append(errs, fmt.Errorf("%s: test %s has fault %s and dut model: bugs are planted in the RTL, not in the model", u.test.Place, result.FullName(c.Suite+"/"+c.Test, c.Variant), c.Fault))
				break
			}
			c.Coverage = p.counted(u, &c, &o)
			cases = append(cases, c)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return cases, distinct(cases)
}

// selected says for every subject whether it is to be run.
func (p *Plan) selected(all []subject, o *Options) ([]bool, []error) {
	var errs []error
	flag := func(name string, list []string) []Pattern {
		var patterns []Pattern
		for _, text := range list {
			x := Pattern{Text: text}
			if !slices.ContainsFunc(all, func(s subject) bool { return x.matches(&s) }) {
				errs = append(errs, fmt.Errorf("--%s %s", name, unmatched(&x, all)))
			}
			patterns = append(patterns, x)
		}
		return patterns
	}
	sel, drop := flag("select", o.Select), flag("drop", o.Drop)
	chosen := make([]bool, len(all))
	for i := range all {
		s := &all[i]
		chosen[i] = (len(p.Select) == 0 || anyMatches(p.Select, s)) && !anyMatches(p.Drop, s) && (len(sel) == 0 || anyMatches(sel, s)) && !anyMatches(drop, s)
	}
	return chosen, errs
}

// iterations is how often a unit runs, each time with another seed.
func (u *unit) iterations(o *Options) int {
	switch {
	case u.settings.Seed != nil || u.settings.Seeds == 0:
		return 1
	case o.Seeds > 0:
		return o.Seeds
	}
	return u.settings.Seeds
}

// compile finds mistakes in values of a scenario before the first run begins.
func (u *unit) compile(ctx context.Context, seen map[string]bool) error {
	name := u.test.What.Scenario
	if key := name + "@" + u.preset; name == "" || seen[key] {
		return nil
	} else {
		seen[key] = true
	}
	text, err := ScenarioText(name)
	if err != nil {
		return err
	}
	f, err := scenario.Parse(name, text)
	if err != nil {
		return err
	}
	j, err := suite.FromScenario(f, name, u.preset, 1)
	if err == nil {
		_, _, err = j.Make(ctx)
	}
	return err
}

func (u *unit) make(base result.Seed, iteration int, o *Options) Case {
	s := &u.settings
	c := Case{
		Suite: u.suite.Name, Test: u.test.Name, Variant: u.variant, Iteration: iteration, What: u.test.What, Preset: u.preset,
		Limits: s.Limits.over(Defaults), Tags: slices.Concat(u.suite.Tags, u.test.Tags), Text: u.test.digest,
	}
	c.Random = u.random
	if c.Lockstep() {
		c.Dut, c.Mode, c.Stalls, c.Batch, c.Fault = s.Dut, s.Mode, s.Stalls, s.Batch, s.Fault
		if o.Dut != "" {
			c.Dut = o.Dut
		}
		if c.Dut == "" {
			c.Dut = "rtl"
		}
		if c.Mode == "" {
			c.Mode = "full"
		}
	}
	c.Digest = c.digest()
	c.Seed = result.Derive(base, c.Suite, c.Test, c.Variant, iteration)
	if s.Seed != nil {
		c.Seed = *s.Seed
	}
	return c
}

// counted is what the simulator of a case counts. One with planted faults has other sources: it counts nothing.
func (p *Plan) counted(u *unit, c *Case, o *Options) string {
	s := cmp.Or(o.Coverage, u.settings.Coverage, p.Coverage, "off")
	if s == "off" || c.Dut != "rtl" || c.Fault != "" {
		return ""
	}
	return s
}

// digest covers what decides on the test's doings: not who it is, not on which device, not how long it may take.
func (c *Case) digest() string {
	d := Case{What: c.What, Preset: c.Preset, Mode: c.Mode, Stalls: c.Stalls, Batch: c.Batch, Fault: c.Fault, Text: c.Text}
	b, err := json.Marshal(d)
	if err != nil {
		panic("BUG: a case does not marshal: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// distinct makes sure that no two cases have one name: one of them would be taken for the other's result.
func distinct(cases []Case) error {
	seen := map[string]int{}
	for i := range cases {
		id := cases[i].ID()
		if k, twice := seen[id]; twice {
			return fmt.Errorf("%s: iterations %d and %d have one seed; choose another base seed", id, cases[k].Iteration, cases[i].Iteration)
		}
		seen[id] = i
	}
	return nil
}
