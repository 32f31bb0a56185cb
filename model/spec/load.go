package spec

import (
	"embed"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strings"
)

//go:embed constant.tbl wire.tbl event.tbl register.tbl
var tables embed.FS

// TableNames are the tables in the order in which they are read.
var TableNames = []string{"constant.tbl", "wire.tbl", "event.tbl", "register.tbl"}

// Table is the text of one table. Only the base of the name decides which forms hold.
type Table struct {
	Name string
	Data []byte
}

// Built returns the tables compiled into the binary.
func Built() []Table {
	out := make([]Table, 0, len(TableNames))
	for _, name := range TableNames {
		data, err := tables.ReadFile(name)
		if err != nil {
			panic("spec BUG: embedded table " + name + ": " + err.Error())
		}
		out = append(out, Table{name, data})
	}
	return out
}

// loader collects definitions and problems while the tables are read.
type loader struct {
	spec     *Spec
	problems Problems
	block    string // keyword of the open block, "" outside
	row      bool   // inside a row of the open engine
	hash     []string
}

func (ld *loader) bad(p Pos, rule, text string) {
	ld.problems = append(ld.problems, Problem{p, rule, text})
}

func (ld *loader) badf(p Pos, rule, format string, a ...any) {
	ld.bad(p, rule, fmt.Sprintf(format, a...))
}

// Load reads the tables and checks every rule. The error is a Problems with all mistakes found.
func Load(in []Table) (*Spec, error) {
	ld := &loader{spec: &Spec{}}
	for _, t := range in {
		ld.table(t)
	}
	ld.finish()
	if len(ld.problems) > 0 {
		return nil, ld.problems.sorted()
	}
	return ld.spec, nil
}

func (ld *loader) table(t Table) {
	base := t.Name[strings.LastIndexByte(t.Name, '/')+1:]
	known, ok := forms[base]
	if !ok {
		ld.badf(Pos{t.Name, 0}, RuleForm, "no such table; tables are %s", strings.Join(TableNames, ", "))
		return
	}
	ld.block, ld.row = "", false
	for _, l := range scan(t.Name, t.Data, ld.bad) {
		f, ok := known[l.keyword]
		if !ok {
			ld.badf(l.Pos, RuleKeyword, "%q is not known; this table takes %s", l.keyword, strings.Join(keys(known), ", "))
			continue
		}
		ld.line(l, f)
	}
}

func (ld *loader) line(l line, f form) {
	if _, declares := l.attrs["range"]; l.keyword == "param" && ld.block == "preset" && !declares {
		ld.presetParam(l)
		return
	}
	if len(f.within) > 0 && !slices.Contains(f.within, ld.block) {
		where := "outside any block"
		if ld.block != "" {
			where = "inside " + ld.block
		}
		ld.badf(l.Pos, RuleForm, "%s stands %s, it belongs into %s", l.keyword, where, strings.Join(f.within, " or "))
		return
	}
	if len(f.within) == 0 {
		ld.block, ld.row = "", false
		if f.block {
			ld.block = l.keyword
		}
	}
	if !f.fit(l, ld.bad) {
		// The block stays open on a broken first line, so that its members are not reported as strays; they attach
		// to a placeholder which is never generated from, since the load has failed.
		ld.placeholder(l)
		return
	}
	if !l.hasText {
		ld.badf(l.Pos, RuleForm, "%s: the quoted text that says what it is, is missing", l.keyword)
	}
	if l.keyword != "knob" { // set for each run; moves no bit of a record
		ld.hash = append(ld.hash, canonical(l))
	}
	readers[l.keyword](ld, l)
}

// canonical is the line as the schema hash sees it: no comment, no text, no spacing. Legality rules and bounds are
// part of it, since both sides act on them.
func canonical(l line) string {
	parts := append([]string{l.keyword}, l.args...)
	attrs := make([]string, 0, len(l.attrs))
	for k, v := range l.attrs {
		attrs = append(attrs, k+"="+v)
	}
	sort.Strings(attrs)
	return strings.Join(append(parts, attrs...), " ")
}

func (ld *loader) sum() uint64 {
	h := fnv.New64a()
	for _, s := range ld.hash {
		_, _ = h.Write([]byte(s + "\n"))
	}
	return h.Sum64()
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
