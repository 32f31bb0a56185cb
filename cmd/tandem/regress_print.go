package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

// listed is a test that a plan would run.
type listed struct {
	Test  string      `json:"test"`
	Dut   string      `json:"device,omitempty"` // empty: a command
	Seeds int         `json:"seeds"`
	First result.Seed `json:"first"`
}

// listCases prints what a plan would run.
func (a *app) listCases(p *plan.Plan, cases []plan.Case, asJSON bool) error {
	var rows []*listed
	by := map[string]*listed{}
	for i := range cases {
		c := &cases[i]
		name := c.FullName()
		if by[name] == nil {
			by[name] = &listed{Test: name, Dut: c.Dut, First: c.Seed}
			rows = append(rows, by[name])
		}
		by[name].Seeds++
	}
	stages := stageLines(p, cases)
	if asJSON {
		return a.json(struct {
			Plan       string      `json:"plan"`
			Base       result.Seed `json:"base"`
			Executions int         `json:"executions"`
			Tests      []*listed   `json:"tests"`
			Testplan   []string    `json:"testplan"`
		}{p.Name, p.Base, len(cases), rows, append([]string{}, stages...)})
	}
	fmt.Fprintf(a.out, "%-48s %-6s %6s  %s\n", "test", "device", "seeds", "first")
	for _, r := range rows {
		dut := r.Dut
		if dut == "" {
			dut = "-"
		}
		fmt.Fprintf(a.out, "%-48s %-6s %6d  %s\n", r.Test, dut, r.Seeds, r.First)
	}
	for _, line := range stages {
		fmt.Fprintln(a.out, line)
	}
	fmt.Fprintf(a.out, "%s of %s, base seed %s\n", plural(len(cases), "execution"), plural(len(rows), "test"), p.Base)
	return nil
}

// stageLines counts the points of the testplan by stage: those with a test among the cases, and those whose tests are not.
func stageLines(p *plan.Plan, cases []plan.Case) []string {
	tp := p.Mapped()
	if len(tp.Points) == 0 {
		return nil
	}
	selected := map[string]bool{}
	for i := range cases {
		selected[cases[i].FullName()] = true
	}
	here := func(test string) bool { return selected[test] }
	var lines []string
	for _, stage := range plan.Stages {
		points, with, left := 0, 0, 0
		for i := range tp.Points {
			pt := &tp.Points[i]
			if pt.Stage != stage {
				continue
			}
			points++
			if slices.ContainsFunc(pt.Tests, here) {
				with++
			} else if len(pt.Tests) > 0 {
				left++
			}
		}
		if points == 0 {
			continue
		}
		line := fmt.Sprintf("testplan %s: %s, %d with tests", stage, plural(points, "point"), with)
		if left > 0 {
			line += fmt.Sprintf(", %d with tests that are not selected", left)
		}
		lines = append(lines, line)
	}
	unmapped := slices.DeleteFunc(tp.Unmapped, func(test string) bool { return !here(test) })
	if n := len(unmapped); n > 0 {
		lines = append(lines, fmt.Sprintf("testplan: no point asks for %s: %s", plural(n, "test"), shortList(unmapped, 5)))
	}
	return lines
}

// shortList is the first few of a list.
func shortList(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}

// cameTo prints what a run came to and makes its exit code.
func (a *app) cameTo(f *regressFlags, s *regression.Summary, err error) error {
	if err != nil {
		return err
	}
	h := &s.Folder.Header
	t, err := triage.Read(s.Folder.Dir)
	if err == nil {
		a.dump(t, h.Waves)
		err = t.Write()
	}
	if err != nil {
		return err
	}
	var notes []string
	if f.shrink {
		if notes, err = a.shrinkAll(t, s.Folder, mostRuns); err != nil {
			return err
		}
	}
	verdict := t.CameTo(f.acceptKnown)
	page := a.regressReport(s.Folder)
	if f.json {
		if err := a.json(struct {
			Folder string `json:"folder"`
			*regression.Header
			Buckets  []triage.Bucket `json:"buckets"`
			Failures []result.Record `json:"failures"`
			Shrink   []string        `json:"not_shrunk,omitempty"`
		}{s.Folder.Dir, h, t.Buckets, failures(s.Records), notes}); err != nil {
			return err
		}
		return done(verdict.Exit())
	}
	a.suites(s.Records)
	a.buckets(t, shellPath(s.Folder.Dir), a.past(f.dir, s.Folder.Dir, t))
	for _, n := range append(notes, h.Notes...) {
		fmt.Fprintf(a.out, "note: %s\n", n)
	}
	if h.State == regression.Interrupted {
		fmt.Fprintf(a.out, "interrupted; to go on: tandem regress --resume %s\n", shellPath(s.Folder.Dir))
	}
	fmt.Fprintf(a.out, "results %.16s, base seed %s, %v\n", h.Digest, h.Base, time.Duration(h.Wall)*time.Millisecond)
	line := countsLine(h)
	if verdict != h.Verdict {
		line += "; known failures are accepted"
	}
	fmt.Fprintf(a.out, "%s: %s\n", a.paint(verdict == result.Match, string(verdict)), line)
	if page != "" {
		fmt.Fprintf(a.out, "report: %s\n", shellPath(page))
	}
	fmt.Fprintln(a.out, shellPath(s.Folder.Dir))
	return done(verdict.Exit())
}

func failures(list []result.Record) []result.Record {
	bad := []result.Record{}
	for i := range list {
		if list[i].Verdict != result.Match {
			bad = append(bad, list[i])
		}
	}
	return bad
}

// countsLine tells how many came to what, the good first.
func countsLine(h *regression.Header) string {
	s := fmt.Sprintf("%d of %d match", h.Counts[result.Match], h.Cases)
	all := result.Verdicts()
	for i := len(all) - 1; i > 0; i-- {
		if n := h.Counts[all[i]]; n > 0 {
			s += fmt.Sprintf(", %d %s", n, all[i])
		}
	}
	return s
}

// suites prints a row for each suite.
func (a *app) suites(list []result.Record) {
	type row struct {
		tests             map[string]bool
		runs, match       int
		events, cycles    uint64
		duration, slowest int64
		slow              string
	}
	by := map[string]*row{}
	var names []string
	for i := range list {
		r := &list[i]
		suite, _, _ := strings.Cut(r.Name, "/")
		if by[suite] == nil {
			by[suite] = &row{tests: map[string]bool{}}
			names = append(names, suite)
		}
		x := by[suite]
		x.tests[r.FullName()] = true
		x.runs++
		x.events += r.Events
		x.cycles += r.Cycles
		if r.Verdict == result.Match {
			x.match++
		}
		if t := r.Times; t != nil {
			x.duration += t.Duration
			if t.Duration >= x.slowest {
				x.slowest, x.slow = t.Duration, r.FullName()
			}
		}
	}
	sort.Strings(names)
	fmt.Fprintf(a.out, "%-16s %6s %7s %7s %12s %13s %9s  %s\n", "suite", "tests", "runs", "match", "events", "cycles", "seconds", "slowest")
	for _, n := range names {
		x := by[n]
		fmt.Fprintf(a.out, "%-16s %6d %7d %s %12d %13d %9.1f  %s %.1f s\n", n, len(x.tests), x.runs, a.paint(x.match == x.runs, fmt.Sprintf("%7d", x.match)),
			x.events, x.cycles, float64(x.duration)/1000, x.slow, float64(x.slowest)/1000)
	}
}

func executions(n int) string {
	if n == 1 {
		return "one execution"
	}
	return fmt.Sprintf("%d executions", n)
}
