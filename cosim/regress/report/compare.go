package report

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

// A test is slower if its executions took half as long again in the middle, and that is more than noise of the machine.
const (
	slowerFactor = 1.5
	slowerLeast  = 200 // ms
)

// Comparison is what became of an older run.
type Comparison struct {
	Old      Side     `json:"old"`
	New      Side     `json:"new"`
	Common   int      `json:"common"`       // executions of both that ran in both
	Failures []Change `json:"new_failures"` // matched before, or not there before and of a cause that was not there either, or of another cause
	Fixed    []Change `json:"fixed"`
	Still    []Change `json:"still"`      // of the same cause
	Flaky    []Change `json:"flaky"`      // another end though test and sources are the same; also among the above
	NoResult []string `json:"no_result"`  // had one before
	Slower   []Slower `json:"slower"`     // tests, the worst first
	Lost     []string `json:"lost"`       // bins and points that were covered before
	Unknown  []string `json:"unknown"`    // what could not be compared, and why
	Result   Outcome  `json:"comparison"` // what it comes to
}

// Side is one of the runs.
type Side struct {
	ID       string `json:"id"`
	Revision string `json:"revision,omitempty"`
	Dirty    bool   `json:"dirty,omitempty"`
	Cases    int    `json:"cases"`
	Matched  int    `json:"matched"`
}

// Change is an execution with both ends.
type Change struct {
	ID    string `json:"id"`
	Was   string `json:"was"`
	Is    string `json:"is"`
	Rerun string `json:"rerun"`
	Known string `json:"known,omitempty"` // until when, and where it is followed up: the cause is known in the newer run
}

// Now is the end in the newer run, and that it is known.
func (c Change) Now() string {
	if c.Known == "" {
		return c.Is
	}
	return c.Is + "; " + c.Known
}

// Slower is a test that takes longer, with the times of its middle executions in milliseconds.
type Slower struct {
	Test string `json:"test"`
	Was  int64  `json:"was_ms"`
	Is   int64  `json:"is_ms"`
}

// Outcome is a result with the sentence for it.
type Outcome struct {
	Result   lockstep.Result `json:"result"`
	Sentence string          `json:"sentence"`
}

// Compare holds a run against an older one. Executions are equal by name, variant and seed.
func Compare(oldDir, newDir string) (*Comparison, error) {
	of, ol, oerr := open(oldDir)
	nf, nl, nerr := open(newDir)
	if err := errors.Join(oerr, nerr); err != nil {
		return nil, err
	}
	if of.Dir == nf.Dir { // latest is often that: such a gate would always pass
		return nil, fmt.Errorf("%s and %s are one run: name an older one to compare it with", oldDir, newDir)
	}
	c := &Comparison{Old: side(of), New: side(nf), Failures: []Change{}, Fixed: []Change{}, Still: []Change{}, Flaky: []Change{}, NoResult: []string{},
		Slower: slower(ol, nl), Lost: []string{}, Unknown: []string{}}
	sameSources := of.Header.Revision != "" && of.Header.Revision == nf.Header.Revision && !of.Header.Dirty && !nf.Header.Dirty
	c.executions(ol, nl, sameSources)
	if err := c.known(newDir, nl); err != nil {
		return nil, err
	}
	if err := c.coverage(of, nf); err != nil {
		return nil, err
	}
	c.conclude()
	return c, nil
}

func side(f *run.Folder) Side {
	h := &f.Header
	return Side{h.ID, h.Revision, h.Dirty, h.Cases, h.Counts[result.Match]}
}

// ran says whether an execution has an end of its own.
func ran(x *result.Record) bool { return x.Verdict != result.Skipped && x.Verdict != result.Lost }

func end(x *result.Record) string {
	if x.Verdict == result.Match {
		return string(x.Verdict)
	}
	return fmt.Sprintf("%s: %s", x.Verdict, x.Signature)
}

func (c *Comparison) executions(before, after []result.Record, sameSources bool) {
	old, causes := map[string]*result.Record{}, map[string]bool{}
	for i := range before {
		old[before[i].ID()] = &before[i]
		causes[triage.Key(&before[i])] = true
	}
	for i := range after {
		x := &after[i]
		was := old[x.ID()]
		delete(old, x.ID())
		if was != nil && !ran(was) {
			was = nil
		}
		switch {
		case !ran(x):
			if was != nil || x.Verdict == result.Lost {
				c.NoResult = append(c.NoResult, x.ID())
			}
		case was == nil:
			if x.Verdict != result.Match && !causes[triage.Key(x)] {
				c.Failures = append(c.Failures, change(nil, x, c.New.ID))
			}
		default:
			c.Common++
			c.both(was, x, sameSources && was.Digest == x.Digest)
		}
	}
	for id, x := range old {
		if ran(x) {
			c.NoResult = append(c.NoResult, id)
		}
	}
	slices.Sort(c.NoResult)
}

// both sorts an execution that ran in both.
func (c *Comparison) both(was, x *result.Record, same bool) {
	ch := change(was, x, c.New.ID)
	k, l := triage.Key(was), triage.Key(x)
	if k != l && same {
		c.Flaky = append(c.Flaky, ch)
	}
	switch {
	case x.Verdict == result.Match && was.Verdict != result.Match:
		c.Fixed = append(c.Fixed, ch)
	case x.Verdict != result.Match && k == l:
		c.Still = append(c.Still, ch)
	case x.Verdict != result.Match:
		c.Failures = append(c.Failures, ch)
	}
}

func change(was, x *result.Record, id string) Change {
	c := Change{ID: x.ID(), Was: "not there", Is: end(x), Rerun: x.Rerun(id)}
	if was != nil {
		c.Was = end(was)
	}
	return c
}

// known marks what the newer run fails of in a way that it knows.
func (c *Comparison) known(dir string, after []result.Record) error {
	t, err := triage.Read(dir)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for i := range after {
		x := &after[i]
		if x.Verdict == result.Match {
			continue
		}
		if b := t.Bucket(x); b != nil && b.Known != nil {
			texts[x.ID()] = b.Known.Text(b.Expired)
		}
	}
	for _, list := range [][]Change{c.Failures, c.Still, c.Flaky} {
		for i := range list {
			list[i].Known = texts[list[i].ID]
		}
	}
	return nil
}

// knownAmong counts changes that are known.
func knownAmong(list []Change) int {
	n := 0
	for i := range list {
		if list[i].Known != "" {
			n++
		}
	}
	return n
}

// slower compares the middle durations of tests over executions that matched.
func slower(before, after []result.Record) []Slower {
	was, is := medians(before), medians(after)
	list := []Slower{}
	for name, b := range is {
		if a, ok := was[name]; ok && float64(b) > slowerFactor*float64(a) && b-a > slowerLeast {
			list = append(list, Slower{name, a, b})
		}
	}
	slices.SortFunc(list, func(x, y Slower) int {
		return cmp.Or(cmp.Compare(float64(y.Is)/float64(max(y.Was, 1)), float64(x.Is)/float64(max(x.Was, 1))), cmp.Compare(x.Test, y.Test))
	})
	return list
}

func medians(list []result.Record) map[string]int64 {
	all := map[string][]int64{}
	for i := range list {
		if x := &list[i]; x.Verdict == result.Match && x.Times != nil {
			all[x.FullName()] = append(all[x.FullName()], x.Times.Duration)
		}
	}
	m := map[string]int64{}
	for name, v := range all {
		slices.Sort(v)
		m[name] = v[len(v)/2]
	}
	return m
}

// coverage lists what the older run covered and the newer one does not.
func (c *Comparison) coverage(of, nf *run.Folder) error {
	was, oerr := coverage.Read(of.Dir)
	is, nerr := coverage.Read(nf.Dir)
	for _, x := range []struct {
		id  string
		err error
	}{{of.Header.ID, oerr}, {nf.Header.ID, nerr}} {
		switch {
		case errors.Is(x.err, os.ErrNotExist):
			c.Unknown = append(c.Unknown, fmt.Sprintf("coverage: %s has no %s", x.id, coverage.ReportFile))
		case x.err != nil:
			return x.err
		}
	}
	if oerr != nil || nerr != nil {
		return nil
	}
	c.Lost = lost(was, is)
	return nil
}

// lost lists bins and points that are open now and were not before. What only one of the runs measured is not compared.
func lost(was, is *coverage.Report) []string {
	list := []string{}
	if was.Functional != nil && is.Functional != nil {
		open := map[string]bool{}
		groups := map[string]bool{}
		for _, g := range was.Functional.Groups {
			groups[g.Name] = true
			for _, b := range g.Open {
				open[g.Name+" "+b] = true
			}
		}
		for _, g := range is.Functional.Groups {
			for _, b := range g.Open {
				if name := g.Name + " " + b; groups[g.Name] && !open[name] {
					list = append(list, name)
				}
			}
		}
	}
	for _, k := range []struct {
		what    string
		was, is *coverage.Code
	}{{"line", was.Line, is.Line}, {"branch", was.Branch, is.Branch}, {"toggle", was.Toggle, is.Toggle}} {
		list = append(list, lostPoints(k.what, k.was, k.is)...)
	}
	return list
}

func lostPoints(what string, was, is *coverage.Code) []string {
	if was == nil || is == nil {
		return nil
	}
	open := map[string]bool{}
	// by its text: lines move
	name := func(f string, g coverage.Gap) string { return fmt.Sprintf("%s %s: %s %s", what, f, g.What, g.Text) }
	for _, f := range was.Files {
		for _, g := range f.Gaps {
			open[name(f.File, g)] = true
		}
	}
	var list []string
	for _, f := range is.Files {
		for _, g := range f.Gaps {
			if n := name(f.File, g); g.Waived == "" && !open[n] {
				list = append(list, n)
			}
		}
	}
	return list
}

// conclude says what it comes to. New failures are told first, then that nothing, or not enough, could be compared.
func (c *Comparison) conclude() {
	switch n := len(c.Failures); {
	case n > 0:
		c.Result = Outcome{lockstep.Diverged, plural(n, "new failure")}
		if k := knownAmong(c.Failures); k > 0 {
			c.Result.Sentence += fmt.Sprintf(" (%d known)", k)
		}
	case c.Common == 0:
		c.Result = Outcome{lockstep.Inconclusive, "nothing was run in both"}
	case len(c.NoResult) > 0:
		c.Result = Outcome{lockstep.Inconclusive, fmt.Sprintf("no new failures, but %s of the older run %s no result", plural(len(c.NoResult), "execution"), has(len(c.NoResult)))}
	default:
		c.Result = Outcome{lockstep.Match, "no new failures"}
	}
	if n := len(c.NoResult); n > 0 && len(c.Failures) > 0 {
		c.Result.Sentence += fmt.Sprintf("; %s without a result", plural(n, "execution"))
	}
	c.Result.Sentence += fmt.Sprintf("; %d fixed, %d still failing, %d flaky, %s slower, %s of coverage lost",
		len(c.Fixed), len(c.Still), len(c.Flaky), plural(len(c.Slower), "test"), plural(len(c.Lost), "point"))
}
