package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hjson/hjson-go/v4"

	"metaroce/tandem/cosim/regress/source"
)

// dvsimPlan is a testplan as dvsim writes it, in Hjson. Keys that are none of its own are values for {wildcards}.
type dvsimPlan struct {
	Name        string
	Imports     []string
	Points      []dvsimPoint
	Covergroups []dvsimGroup
	values      map[string][]string
}

type dvsimPoint struct {
	Name, Desc, Stage string
	Tests, Tags       []string
}

type dvsimGroup struct{ Name, Desc string }

// hjsonReader reads one testplan and those that it imports.
type hjsonReader struct {
	l    *loader
	open []string
	done map[string]bool
}

// hjson reads a testplan of dvsim. A test of it is a test of that name in any suite of the plan.
func (l *loader) hjson(path string, text []byte) {
	r := hjsonReader{l: l, done: map[string]bool{}}
	r.read(path, text, nil)
}

// read reads a file; around are the values of the file that imports it, which count more than its own.
func (r *hjsonReader) read(path string, text []byte, around map[string][]string) {
	r.open = append(r.open, path)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	r.done[path] = true
	f := source.Other(path)
	r.l.files = append(r.l.files, f)
	p, bad := decodeDvsim(text)
	for _, what := range bad {
		if m := placeInError.FindStringSubmatch(what); m != nil {
			line, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			f.At(line, col+1).Fail("%s", m[1])
			continue
		}
		f.Fail("%s", what)
	}
	for k, v := range around {
		p.values[k] = v
	}
	for _, name := range p.Imports {
		r.include(f, path, name, p.values)
	}
	where := places{text: text}
	for i := range p.Points {
		r.point(f.At(where.next(p.Points[i].Name), 1), &p, &p.Points[i])
	}
	for _, g := range p.Covergroups {
		r.l.plan.Covergroups = append(r.l.plan.Covergroups, Covergroup{g.Name, tidy(g.Desc)})
	}
}

// placeInError is how the reader of Hjson says where a text is none.
var placeInError = regexp.MustCompile(`^(.*) at line (\d+),(\d+)`)

func (r *hjsonReader) include(f *source.File, from, name string, values map[string][]string) {
	path := upwards(filepath.Dir(from), name)
	switch {
	case path == "":
		f.Fail("import_testplans: %s is neither here nor in a folder above", name)
		return
	case slices.Contains(r.open, path):
		f.Fail("import_testplans: %s imports itself", path)
		return
	case r.done[path]:
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fail("import_testplans: %v", err)
		return
	}
	r.l.plan.Files = append(r.l.plan.Files, path)
	r.read(path, text, values)
}

// upwards finds a path that is written from the top of a repository: dvsim knows that top, a file does not.
func upwards(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

var ruleInText = regexp.MustCompile(`\bR-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*\b`)

func (r *hjsonReader) point(at source.Value, p *dvsimPlan, d *dvsimPoint) {
	pt := Point{Name: d.Name, Place: at.Place(), Stage: d.Stage, Goal: tidy(d.Desc), Tags: d.Tags}
	fail := func(format string, args ...any) {
		at.Fail("testpoint %s: "+format, append([]any{d.Name}, args...)...)
	}
	if !slices.Contains(Stages, d.Stage) {
		fail("stage %q: want %s", d.Stage, strings.Join(Stages, ", "))
	}
	for _, id := range ruleInText.FindAllString(d.Desc+" "+strings.Join(d.Tags, " "), -1) {
		switch {
		case r.l.rules != nil && !r.l.rules[id]:
			fail("rule %s is not in docs/protocol.md%s", id, meant(id, r.l.rules))
		case !slices.Contains(pt.Rules, id):
			pt.Rules = append(pt.Rules, id)
		}
	}
	for _, t := range d.Tests {
		if t == notApplicable {
			pt.patterns = append(pt.patterns, Pattern{Text: t})
			continue
		}
		for _, name := range wildcards(t, p.values) {
			pt.patterns = append(pt.patterns, Pattern{Text: "*/" + name, at: at})
		}
	}
	r.l.put(pt, at)
}

var wildcard = regexp.MustCompile(`\{([A-Za-z0-9_]+)\}`)

// wildcards puts values in: a list of values makes several names, an unknown one becomes nothing.
func wildcards(test string, values map[string][]string) []string {
	list := []string{test}
	for _, m := range wildcard.FindAllStringSubmatch(test, -1) {
		v, ok := values[m[1]]
		if !ok || len(v) == 0 {
			v = []string{""}
		}
		var next []string
		for _, t := range list {
			for _, x := range v {
				if n := strings.ReplaceAll(t, m[0], x); !slices.Contains(next, n) {
					next = append(next, n)
				}
			}
		}
		list = next
	}
	return list
}

// places finds the lines of the points' names, one behind the other: Hjson is read without places.
type places struct {
	text []byte
	from int
}

// next is the line on which the next point has its name; 1 where it is not found.
func (p *places) next(name string) int {
	re := regexp.MustCompile(`"?name"?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(name) + `["']?[ \t]*[,}\r\n]`)
	at := re.FindIndex(p.text[p.from:])
	if at == nil || name == "" {
		return 1
	}
	line := 1 + strings.Count(string(p.text[:p.from+at[0]]), "\n")
	p.from += at[1]
	return line
}

// tidy takes the indentation out of a text of several lines.
func tidy(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// decodeDvsim reads the text and says what is not as dvsim has it.
func decodeDvsim(text []byte) (dvsimPlan, []string) {
	p := dvsimPlan{values: map[string][]string{}}
	var tree map[string]any
	if err := hjson.Unmarshal(text, &tree); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return p, []string{first}
	}
	d := dvsimDecoder{}
	for _, key := range sortedKeys(tree) {
		v := tree[key]
		switch key {
		case "testpoints":
			for _, x := range d.maps(key, v) {
				p.Points = append(p.Points, d.point(x))
			}
		case "covergroups":
			for _, x := range d.maps(key, v) {
				p.Covergroups = append(p.Covergroups, dvsimGroup{d.text("covergroup name", x["name"]), d.text("desc", x["desc"])})
			}
		case "import_testplans":
			p.Imports = d.texts(key, v)
		default:
			switch x := v.(type) {
			case string:
				p.values[key] = []string{x}
			case []any:
				p.values[key] = d.texts(key, x)
			}
		}
	}
	if _, ok := tree["name"].(string); !ok {
		d.bad = append(d.bad, "a testplan has a name")
	}
	if p.Points == nil && p.Imports == nil {
		d.bad = append(d.bad, "there are neither testpoints nor import_testplans")
	}
	return p, d.bad
}

// dvsimDecoder collects what is of another kind than it should be.
type dvsimDecoder struct{ bad []string }

func (d *dvsimDecoder) maps(what string, v any) []map[string]any {
	list, ok := v.([]any)
	var all []map[string]any
	for _, x := range list {
		m, is := x.(map[string]any)
		ok = ok && is
		all = append(all, m)
	}
	if !ok {
		d.bad = append(d.bad, what+": want a list of objects")
		return nil
	}
	return all
}

func (d *dvsimDecoder) text(what string, v any) string {
	s, ok := v.(string)
	if !ok || s == "" {
		d.bad = append(d.bad, fmt.Sprintf("%s: want a text, there is %v", what, v))
	}
	return s
}

func (d *dvsimDecoder) texts(what string, v any) []string {
	list, ok := v.([]any)
	if !ok && v != nil {
		d.bad = append(d.bad, what+": want a list of texts")
	}
	var all []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			d.bad = append(d.bad, fmt.Sprintf("%s: want texts, there is %v", what, x))
			continue
		}
		all = append(all, s)
	}
	return all
}

func (d *dvsimDecoder) point(m map[string]any) dvsimPoint {
	p := dvsimPoint{Name: d.text("testpoint name", m["name"])}
	p.Desc, p.Stage = d.text(p.Name+": desc", m["desc"]), d.text(p.Name+": stage", m["stage"])
	p.Tests, p.Tags = d.texts(p.Name+": tests", m["tests"]), d.texts(p.Name+": tags", m["tags"])
	if p.Tests == nil {
		p.Tests = []string{notApplicable}
	}
	for _, key := range sortedKeys(m) {
		if !slices.Contains([]string{"name", "desc", "stage", "tests", "tags"}, key) {
			d.bad = append(d.bad, fmt.Sprintf("%s: a testpoint has no key %q", p.Name, key))
		}
	}
	return p
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
