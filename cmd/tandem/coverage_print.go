package main

import (
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
)

// coverRow is a line of a table of coverage.
func (a *app) coverRow(name string, points, hit, waived int) {
	open := points - hit - waived
	rate := "-"
	if points > waived {
		rate = fmt.Sprintf("%.1f %%", 100*float64(hit)/float64(points-waived))
	}
	fmt.Fprintf(a.out, "%-32s %7d %7d %7d %s %9s\n", name, points, hit, waived, a.paint(open == 0, fmt.Sprintf("%7d", open)), rate)
}

func (a *app) coverHead(what string) {
	fmt.Fprintf(a.out, "%-32s %7s %7s %7s %7s %9s\n", what, "all", "hit", "waived", "open", "hit")
}

// printCoverage prints what a run has covered.
func (a *app) printCoverage(f *coverageFlags, x *covered, c *coverage.Closure) {
	r := x.report
	if r.Functional != nil {
		a.coverHead("functional bins")
		for _, g := range r.Functional.Groups {
			a.coverRow(g.Name, g.Bins, g.Hit, g.Waived)
		}
		a.coverRow("all groups", r.Functional.Bins, r.Functional.Hit, r.Functional.Waived)
	}
	for _, k := range coverage.Parts() {
		if code := k.Code(r); code != nil {
			a.printCode(k.Title, code)
		}
	}
	if f.gaps {
		a.printGaps(r)
	}
	if f.rank {
		a.printRank(r)
	}
	for _, s := range r.Stale {
		fmt.Fprintf(a.out, "stale: %s\n", s)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(a.out, "missing: %s\n", m)
	}
	fmt.Fprintf(a.out, "%s: %s; of the covergroups %s\n", x.name, plural(r.Executions, "execution"), closureLine(c))
}

// filesShown is how many files of a kind are shown without --gaps: those with the most open points.
const filesShown = 8

func (a *app) printCode(title string, c *coverage.Code) {
	fmt.Fprintln(a.out)
	a.coverHead(title)
	files := slices.Clone(c.Files)
	open := func(f coverage.File) int { return f.Points - f.Hit - f.Waived }
	slices.SortStableFunc(files, func(x, y coverage.File) int { return open(y) - open(x) })
	shown := 0
	for _, f := range files {
		if shown == filesShown || open(f) == 0 {
			break
		}
		a.coverRow(f.File, f.Points, f.Hit, f.Waived)
		shown++
	}
	if rest := len(files) - shown; rest > 0 {
		fmt.Fprintf(a.out, "%d files more, none with more open\n", rest)
	}
	a.coverRow("all files", c.Points, c.Hit, c.Waived)
}

// printGaps lists what is open, file by file, line by line.
func (a *app) printGaps(r *coverage.Report) {
	if r.Functional != nil {
		fmt.Fprintln(a.out, "\nopen bins:")
		for _, g := range r.Functional.Groups {
			for _, bin := range g.Open {
				fmt.Fprintf(a.out, "%s %s\n", g.Name, bin)
			}
		}
	}
	for _, k := range coverage.Parts() {
		code := k.Code(r)
		if code == nil {
			continue
		}
		fmt.Fprintf(a.out, "\nopen %s:\n", k.Title)
		for _, f := range code.Files {
			for i := range f.Gaps {
				if g := &f.Gaps[i]; g.Waived == "" {
					fmt.Fprintf(a.out, "%-60s | %s\n", g.Pattern(f.File, k.Name), g.Text)
				}
			}
		}
	}
}

func (a *app) printRank(r *coverage.Report) {
	fmt.Fprintf(a.out, "\n%5s %8s %8s  %s\n", "rank", "adds", "sum", "execution")
	for i, x := range r.Rank {
		fmt.Fprintf(a.out, "%5d %8d %8d  %s\n", i+1, x.Adds, x.Sum, x.ID)
	}
	fmt.Fprintf(a.out, "%d of %d executions cover all that is covered\n", len(r.Rank), r.Executions)
}

// printClosure lists what keeps a run from being closed.
func (a *app) printClosure(x *covered, c *coverage.Closure) {
	for _, l := range []struct {
		what string
		list []string
	}{{"open", c.Open}, {"stale", c.Stale}, {"not measured", c.Unmeasured}, {"missing", c.Missing}} {
		for _, s := range l.list {
			fmt.Fprintf(a.out, "%s: %s\n", l.what, s)
		}
	}
	word := map[lockstep.Result]string{lockstep.Match: "closed", lockstep.Diverged: "open", lockstep.BenchFailed: "counts are missing", lockstep.Inconclusive: "not measured"}[closed(c)]
	fmt.Fprintf(a.out, "%s: %s: %s\n", a.paint(word == "closed", word), x.name, closureLine(c))
}

func closureLine(c *coverage.Closure) string {
	s := fmt.Sprintf("%d bins and points are hit or waived, %d open", c.Closed, len(c.Open))
	if n := len(c.Stale); n > 0 {
		s += fmt.Sprintf(", %d waivers are of no use", n)
	}
	if len(c.Unmeasured) > 0 {
		s += "; not measured: " + strings.Join(c.Unmeasured, ", ")
	}
	if n := len(c.Missing); n > 0 {
		s += fmt.Sprintf("; counts of %s are missing", plural(n, "execution"))
	}
	return s
}
