package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/source"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
)

// loader reads a plan and all it includes.
type loader struct {
	rules map[string]bool // nil: unknown
	plan  *Plan
	files []*source.File
	open  []string // files that are being read, for includes that include each other
	// foreign are mistakes of scenario files: they have their own places.
	foreign []error
}

// Load reads a plan. rules are the ids of the protocol page, against which testplans are held; nil: they are not. The
// error holds every mistake of every file.
func Load(path string, rules map[string]bool) (*Plan, error) {
	l := &loader{rules: rules, plan: &Plan{File: path, Base: 1, Keep: "failure"}}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l.main(path, text)
	l.resolve()
	if err := errors.Join(append([]error{source.Join(l.files...)}, l.foreign...)...); err != nil {
		return nil, err
	}
	return l.plan, nil
}

var (
	mainKeys    = []string{"plan", "about", "seed", "keep", "coverage", "limits", "include", "select", "drop", "set", "waves", "known", "testplan", "suites"}
	includeKeys = []string{"about", "limits", "include", "testplan", "suites"}
)

// main reads the plan that is to be run.
func (l *loader) main(path string, text []byte) {
	f, v := source.Parse(path, text)
	l.files, l.plan.Files = append(l.files, f), append(l.plan.Files, path)
	m := v.As("a plan").Map(mainKeys...)
	p := l.plan
	p.Name = name(m.Need("plan"))
	if a := m.Get("about"); a.There() {
		p.About = a.Text()
	}
	if x := m.Get("seed"); x.There() {
		if s := seed(x); s != nil {
			p.Base = *s
		}
	}
	p.Coverage = coverage(m.Get("coverage"))
	p.Keep = m.Get("keep").Word("failure", "always", "never")
	p.Select, p.Drop = patterns(m.Get("select")), patterns(m.Get("drop"))
	for _, x := range m.Get("set").List() {
		sm := x.As("a set entry").Map(append([]string{"tests"}, settingKeys...)...)
		p.Set = append(p.Set, Set{patterns(sm.Need("tests")), settings(sm)})
	}
	p.Waves = m.Get("waves").Int(0, MostWaves, 0)
	l.known(path, m.Get("known"))
	l.body(path, m)
}

// known reads the known failures: the file that the plan names, or the one beside it, if there is one.
func (l *loader) known(plan string, at source.Value) {
	path := beside(plan, known.FileName)
	if at.There() {
		if path = beside(plan, at.Text()); path == "" {
			return
		}
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !at.There():
		return
	case err != nil && at.There():
		at.Fail("cannot be read: %v", err)
		return
	case err != nil:
		l.files[0].Fail("the known failures beside it cannot be read: %v", err)
		return
	}
	f, _ := known.Parse(path, text, l.rules)
	l.files, l.plan.Known = append(l.files, f), path
}

// body reads what a plan and an included file have in common.
func (l *loader) body(path string, m source.Map) {
	l.open = append(l.open, path)
	defer func() { l.open = l.open[:len(l.open)-1] }()
	for _, x := range m.Get("include").List() {
		l.include(path, x)
	}
	for _, x := range m.Get("testplan").List() {
		l.testplan(beside(path, x.Text()), x)
	}
	around := Settings{Limits: limits(m.Get("limits"))}
	for _, x := range m.Get("suites").List() {
		s := l.suite(x, around)
		for _, other := range l.plan.Suites {
			if other.Name == s.Name && s.Name != "" {
				x.Fail("suite %q stands already at %s", s.Name, other.Place)
			}
		}
		l.plan.Suites = append(l.plan.Suites, s)
	}
}

// beside is a path as the writer of a file means it.
func beside(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func (l *loader) include(from string, at source.Value) {
	path := beside(from, at.Text())
	if path == "" {
		return
	}
	if slices.Contains(l.open, path) {
		at.Fail("%s includes itself: %s", path, strings.Join(append(l.open, path), ", "))
		return
	}
	if slices.Contains(l.plan.Files, path) { // by two ways: its suites are there already
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		at.Fail("cannot be read: %v", err)
		return
	}
	f, v := source.Parse(path, text)
	l.files, l.plan.Files = append(l.files, f), append(l.plan.Files, path)
	l.body(path, v.As("a file that is included").Map(includeKeys...))
}

// scenarios makes a test of every scenario of the project that a pattern matches.
func (l *loader) scenarios(v, except source.Value) []*Test {
	all := Written()
	var chosen []string
	drop := map[string]bool{}
	use := func(x source.Value, f func(string)) {
		n, pattern := 0, x.Text()
		for _, s := range all {
			if source.Glob(pattern, s) {
				n++
				f(s)
			}
		}
		if n == 0 && pattern != "" {
			x.Fail("no scenario %q (tandem scenario list)", pattern)
		}
	}
	for _, x := range except.List() {
		use(x, func(s string) { drop[s] = true })
	}
	var list []*Test
	for _, x := range v.List() {
		use(x, func(s string) {
			if drop[s] || slices.Contains(chosen, s) {
				return
			}
			chosen = append(chosen, s)
			t := &Test{Name: s, Place: x.Place()}
			l.scenarioText(t, s, x)
			list = append(list, t)
		})
	}
	return list
}

// Written lists the scenarios of the project by name.
func Written() []string {
	files, _ := fs.Glob(scenarios.Files, "*.scn") // embedded, and a fixed pattern: cannot fail
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".scn")
	}
	return files
}

// scenario reads the scenario of a test: a name, or a file beside the plan.
func (l *loader) scenario(t *Test, v source.Value) {
	arg := v.Text()
	if arg == "" {
		return
	}
	if IsScenarioFile(arg) {
		path, err := filepath.Abs(beside(v.File(), arg))
		if err != nil {
			v.Fail("%v", err)
			return
		}
		arg = path
	}
	l.scenarioText(t, arg, v)
}

// IsScenarioFile tells a file from a name: it ends in .scn, or has a separator in it.
func IsScenarioFile(arg string) bool {
	return strings.HasSuffix(arg, ".scn") || strings.ContainsRune(arg, filepath.Separator)
}

// ScenarioText reads the text of a scenario.
func ScenarioText(arg string) ([]byte, error) {
	if IsScenarioFile(arg) {
		return os.ReadFile(arg)
	}
	return scenarios.Files.ReadFile(arg + ".scn")
}

// TextDigest is how a case names the text of its scenario.
func TextDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (l *loader) scenarioText(t *Test, arg string, v source.Value) {
	t.What.Scenario = arg
	text, err := ScenarioText(arg)
	if err != nil {
		v.Fail("scenario %q: no such name (tandem scenario list), and no file", arg)
		return
	}
	file := arg
	if !IsScenarioFile(arg) {
		file += ".scn"
	}
	t.digest = TextDigest(text)
	f, err := scenario.Parse(file, text)
	if err != nil {
		l.foreign = append(l.foreign, err)
		return
	}
	if _, ok := preset.ByName(f.Preset()); ok {
		t.preset = f.Preset()
	}
}

// resolve finds what patterns mean, once all files are read.
func (l *loader) resolve() {
	all := l.plan.subjects()
	var bare []subject
	l.plan.variants(func(s *Suite, t *Test, v *Variant) { bare = append(bare, bareSubject(s, t, v)) })
	check := func(list []Pattern, all []subject) {
		for i := range list {
			if p := &list[i]; !slices.ContainsFunc(all, func(s subject) bool { return p.matches(&s) }) {
				p.at.Fail("%s", unmatched(p, all))
			}
		}
	}
	for i := range l.plan.Testplan {
		check(l.plan.Testplan[i].patterns, all)
	}
	l.plan.stages(all)
	check(l.plan.Select, all)
	check(l.plan.Drop, all)
	for i := range l.plan.Set {
		check(l.plan.Set[i].Tests, bare)
	}
	l.faults()
	if len(all) == 0 && source.Join(l.files...) == nil {
		l.files[0].Fail("the plan has no tests")
	}
}

// faults refuses planted bugs in what runs on the model. A fault for many tests is told of once.
func (l *loader) faults() {
	told := map[string]bool{}
	for _, u := range l.plan.units() {
		if s := &u.settings; u.test.What.Lockstep() && s.Fault != "" && s.Dut == "model" && !told[s.faultAt.Place()] {
			told[s.faultAt.Place()] = true
			s.faultAt.Fail("fault %s and dut model, in test %s: bugs are planted in the RTL, not in the model", s.Fault, result.FullName(u.suite.Name+"/"+u.test.Name, u.variant))
		}
	}
}

// base is the base seed as a person wrote it or as the command line says.
func (p *Plan) base(o *Options) result.Seed {
	if o.Base != nil {
		return *o.Base
	}
	return p.Base
}
