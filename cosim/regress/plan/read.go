package plan

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"metaroce/tandem/cosim/faults"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/source"
	"metaroce/tandem/model/preset"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// name reads the name of a suite, test, variant or tag: it becomes part of file names and of command lines.
func name(v source.Value) string {
	s := v.Text()
	if s != "" && !nameForm.MatchString(s) {
		v.Fail("name %q: letters, digits, _ . and - are possible, at most 64, a letter or digit first", s)
	}
	return s
}

func names(v source.Value) []string {
	var list []string
	for _, x := range v.List() {
		if s := name(x); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func patterns(v source.Value) []Pattern {
	var list []Pattern
	for _, x := range v.List() {
		if s := x.Text(); s != "" {
			list = append(list, Pattern{s, x})
		}
	}
	return list
}

// Bounds of what may be asked for. They are far beyond what is sensible, and keep a slip from filling a disk.
const (
	mostSeeds   = 1_000_000
	mostPackets = 1_000_000
	mostBatch   = 1024
	MostWaves   = 100
	mostCases   = 2_000_000
)

func seed(v source.Value) *result.Seed {
	text := v.Text()
	if text == "" {
		return nil
	}
	s, err := result.ParseSeed(text)
	if err != nil {
		v.Fail("%v", err)
	}
	return &s
}

// settingKeys are the keys of settings; where only some may stand, the others are unknown keys there.
var settingKeys = []string{"seeds", "seed", "presets", "dut", "mode", "stalls", "batch", "fault", "coverage", "limits"}

// lockstepKeys say nothing to a command.
var lockstepKeys = []string{"dut", "mode", "stalls", "batch", "fault", "coverage"}

func settings(m source.Map) Settings {
	s := Settings{Seeds: m.Get("seeds").Int(1, mostSeeds, 0), Batch: m.Get("batch").Int(1, mostBatch, 0), Stalls: m.Get("stalls").Bool(), Limits: limits(m.Get("limits"))}
	if v := m.Get("seed"); v.There() {
		if s.Seed = seed(v); s.Seeds > 1 {
			v.Fail("seed with seeds: the same run %d times over; leave one of them out", s.Seeds)
		}
	}
	if v := m.Get("dut"); v.There() {
		s.Dut = v.Word("rtl", "model")
	}
	if v := m.Get("mode"); v.There() {
		s.Mode = v.Word("full", "digest")
	}
	if v := m.Get("fault"); v.There() {
		s.faultAt = v
		if s.Fault = v.Text(); s.Fault != "" {
			if _, err := faults.ByName([]string{s.Fault}); err != nil {
				v.Fail("%v", err)
			}
		}
	}
	s.Coverage = coverage(m.Get("coverage"))
	s.Presets = presets(m.Get("presets"))
	return s
}

// Coverages are what may be counted of the RTL.
var Coverages = []string{"off", "line", "toggle"}

func coverage(v source.Value) string {
	if !v.There() {
		return ""
	}
	return v.Word(Coverages...)
}

func presets(v source.Value) []string {
	var list []string
	for _, x := range v.List() {
		p := x.Text()
		if p == "" {
			continue
		}
		if _, ok := preset.ByName(p); !ok {
			x.Fail("preset %q: there are tiny, small and full", p)
		} else if slices.Contains(list, p) {
			x.Fail("preset %q stands twice", p)
		} else {
			list = append(list, p)
		}
	}
	if v.There() && len(v.List()) == 0 {
		v.Fail("presets: the list is empty")
	}
	return list
}

func limits(v source.Value) Limits {
	if !v.There() {
		return Limits{}
	}
	m := v.Map("wall", "stall", "cycles", "memory")
	return Limits{
		Wall:   m.Get("wall").Duration(100*time.Millisecond, 14*24*time.Hour),
		Stall:  m.Get("stall").Duration(100*time.Millisecond, 14*24*time.Hour),
		Cycles: m.Get("cycles").Amount(1, math.MaxInt64),
		Memory: m.Get("memory").Amount(16<<20, 1<<50),
	}
}

func (l *loader) suite(v source.Value, around Settings) *Suite {
	m := v.As("a suite").Map(append([]string{"suite", "about", "tags", "scenarios", "except", "tests"}, settingKeys...)...)
	s := &Suite{Name: name(m.Need("suite")), Place: v.Place(), Tags: names(m.Get("tags"))}
	if a := m.Get("about"); a.There() {
		s.About = a.Text()
	}
	s.settings = settings(m).over(around)
	for _, t := range l.scenarios(m.Get("scenarios"), m.Get("except")) {
		l.add(s, t, m.Get("scenarios"))
	}
	for _, x := range m.Get("tests").List() {
		l.add(s, l.test(x), x)
	}
	if m.There() && len(s.Tests) == 0 && !m.Get("scenarios").There() {
		v.Fail("suite %q has no tests", s.Name)
	}
	return s
}

// add puts a test into its suite.
func (l *loader) add(s *Suite, t *Test, at source.Value) {
	for _, other := range s.Tests {
		if other.Name == t.Name && t.Name != "" {
			at.Fail("test %q stands already at %s", t.Name, other.Place)
			return
		}
	}
	s.Tests = append(s.Tests, t)
}

func (l *loader) test(v source.Value) *Test {
	m := v.As("a test").Map(append([]string{"test", "about", "tags", "scenario", "random", "touch", "command", "variants"}, settingKeys...)...)
	t := &Test{Name: name(m.Need("test")), Place: v.Place(), Tags: names(m.Get("tags")), settings: settings(m)}
	if a := m.Get("about"); a.There() {
		t.About = a.Text()
	}
	kinds := 0
	for _, k := range []string{"scenario", "random", "touch", "command"} {
		if m.Get(k).There() {
			kinds++
		}
	}
	if m.There() && kinds != 1 {
		v.Fail("test %q has %d of scenario, random, touch, command; it needs one", t.Name, kinds)
	}
	if x := m.Get("scenario"); x.There() {
		l.scenario(t, x)
	}
	t.What.Random = m.Get("random").Int(1, mostPackets, 0)
	if x := m.Get("touch"); x.There() {
		if t.What.Touch = *x.Bool(); !t.What.Touch {
			x.Fail("touch: true, or leave it out")
		}
	}
	if x := m.Get("command"); x.There() {
		command(t, x, m)
	}
	for _, x := range m.Get("variants").List() {
		t.Variants = append(t.Variants, variant(t, x))
	}
	return t
}

// Place is where something is put into a word of a command.
var Place = regexp.MustCompile(`\{([a-z][a-z0-9]*)\}`)

// Places are what may be put: the seed as a decimal number, as 16 hexadecimal digits, or cut down to what simulators take
// that want a positive 32-bit number; the preset; a folder whose contents are kept if the test fails.
var Places = []string{"seed", "seedhex", "seed31", "preset", "folder"}

func command(t *Test, v source.Value, m source.Map) {
	if t.What.Command = v.Texts(); len(t.What.Command) == 0 {
		v.Fail("command: the list is empty")
		t.What.Command = []string{""}
	}
	for _, word := range t.What.Command {
		for _, p := range Place.FindAllStringSubmatch(word, -1) {
			if !slices.Contains(Places, p[1]) {
				v.Fail("command: nothing is put in the place %s; there are {%s}", p[0], strings.Join(Places, "}, {"))
			}
		}
	}
	for _, k := range lockstepKeys {
		if x := m.Get(k); x.There() {
			x.Fail("%s says nothing to a command: write it into the command", k)
		}
	}
}

func variant(t *Test, v source.Value) Variant {
	keys := []string{"variant", "stalls", "mode", "batch", "fault", "coverage", "random", "limits", "presets", "seeds"}
	if !t.What.Lockstep() {
		keys = []string{"variant", "limits", "presets", "seeds"}
	}
	m := v.As("a variant").Map(keys...)
	x := Variant{Name: name(m.Need("variant")), Place: v.Place(), settings: settings(m), random: m.Get("random").Int(1, mostPackets, 0)}
	if r := m.Get("random"); r.There() && t.What.Random == 0 {
		r.Fail("random: test %q is not random traffic", t.Name)
	}
	for _, other := range t.Variants {
		if other.Name == x.Name && x.Name != "" {
			v.Fail("variant %q stands already at %s", x.Name, other.Place)
		}
	}
	return x
}
