package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/report"
	regression "metaroce/tandem/cosim/regress/run"
)

func (a *app) report() *cobra.Command {
	dir, out, names, against, asJSON := "", "", "html,md,junit,json,tap", "", false
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "writes what a regression came to: a page, Markdown, JUnit, JSON, TAP",
		Long: `Writes reports of a run of tandem regress, which does so itself at its end. The page is one file that needs no network:
causes with an explanation, the line that runs them again, and the events around the first divergence; testplan,
executions to search and filter, coverage, times, history.

With --compare it holds the run against an older one, prints what became of it, and puts that into the reports.

Exit codes: 0 the reports are written, 1 with --compare: there are new failures, 2 the folder is no run or is damaged,
3 it has no results, or with --compare: nothing, or not enough, ran in both.`,
		Example: `  tandem report latest
  tandem report runs/regress/nightly-3 --format html,junit --out artifacts
  tandem report --compare nightly-2 nightly-3`,
		Args: exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			formats, ferr := report.ParseFormats(names)
			folder, err := findRun(dir, args[0])
			o := report.Options{}
			var oerr error
			if against != "" {
				o.Against, oerr = findRun(dir, against)
			}
			if err := errors.Join(ferr, err, oerr); err != nil {
				return err
			}
			r, err := report.Read(a.ctx, folder, o)
			if err != nil {
				return reportError(err)
			}
			return a.writeReport(r, folder, out, formats, asJSON)
		},
	}
	fs := c.Flags()
	fs.StringVar(&dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	fs.StringVar(&names, "format", names, "which reports")
	fs.StringVar(&out, "out", "", "`directory` for them (default: that of the run)")
	fs.StringVar(&against, "compare", "", "older run to compare with")
	fs.BoolVar(&asJSON, "json", false, "print the comparison, or the names of the reports, as JSON")
	return c
}

// reportError gives a run without results its exit code.
func reportError(err error) error {
	if errors.Is(err, report.ErrNoResults) {
		return &status{result: lockstep.Inconclusive, err: err}
	}
	return err
}

func (a *app) writeReport(r *report.Report, folder, out string, formats []report.Format, asJSON bool) error {
	if out == "" {
		out = folder
	}
	files, err := r.Write(out, formats)
	if err != nil {
		return err
	}
	c := r.Against
	switch {
	case asJSON && c != nil:
		err = a.json(c)
	case asJSON:
		err = a.json(files)
	default:
		if c != nil {
			a.comparison(c, folder)
		}
		for _, f := range files {
			fmt.Fprintln(a.out, shellPath(f))
		}
	}
	if err != nil || c == nil {
		return err
	}
	return done(c.Result.Result)
}

// regressReport writes the reports of a run that has just ended. Nothing here changes what the run came to: an error is
// told of, and the run's own exit code stays. The run may have ended by Ctrl-C: its report is of what was done until then.
func (a *app) regressReport(f *regression.Folder) (page string) {
	if err := report.IndexOne(f); err != nil {
		complain(a.err, fmt.Errorf("no coverage in the history: %w", err))
	}
	r, err := report.Read(context.WithoutCancel(a.ctx), f.Dir, report.Options{})
	if err == nil {
		_, err = r.Write(f.Dir, report.Formats())
	}
	if err != nil {
		complain(a.err, fmt.Errorf("no report: %w", err))
		return ""
	}
	return filepath.Join(f.Dir, report.Page)
}

// changesListed is how many executions of a kind a terminal gets; --json and the reports have all.
const changesListed = 20

// comparison prints what became of an older run; folder is that of the newer one.
func (a *app) comparison(c *report.Comparison, folder string) {
	for _, x := range []struct {
		title string
		list  []report.Change
		again bool
	}{{"new failure", c.Failures, true}, {"flaky", c.Flaky, false}, {"still failing", c.Still, false}, {"fixed", c.Fixed, false}} {
		for i, ch := range x.list {
			if i == changesListed {
				fmt.Fprintf(a.out, "%-14s and %d more\n", x.title, len(x.list)-i)
				break
			}
			fmt.Fprintf(a.out, "%-14s %s: was %s, is %s\n", x.title, ch.ID, ch.Was, ch.Now())
			if x.again {
				fmt.Fprintf(a.out, "%-14s tandem rerun %s/%s\n", "", shellPath(ownName(folder)), ch.ID) // ch.Rerun has the name alone
			}
		}
	}
	a.listed("no result", c.NoResult)
	for _, s := range c.Slower {
		fmt.Fprintf(a.out, "%-14s %s: %d ms before, %d ms now\n", "slower", s.Test, s.Was, s.Is)
	}
	a.listed("coverage lost", c.Lost)
	a.listed("not compared", c.Unknown)
	fmt.Fprintf(a.out, "%s against %s: %s\n", c.New.ID, c.Old.ID, a.paint(c.Result.Result == lockstep.Match, c.Result.Sentence))
}

func (a *app) listed(title string, list []string) {
	for i, x := range list {
		if i == changesListed {
			fmt.Fprintf(a.out, "%-14s and %d more\n", title, len(list)-i)
			return
		}
		fmt.Fprintf(a.out, "%-14s %s\n", title, x)
	}
}

// historyCompare is tandem history compare: the comparison alone, without writing reports.
func (a *app) historyCompare(dir *string) *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "compare OLD NEW", Short: "two runs: new failures, what is fixed, flaky, slower, no longer covered",
		Long: `Compares two runs by name and seed of their executions. tandem report --compare writes it into the reports as well.

Exit codes: 0 no new failures, 1 there are some, 2 a folder is no run or is damaged, 3 nothing, or not enough, ran in both.`,
		Example: "  tandem history compare nightly-2 nightly-3\n  tandem history compare nightly-2 latest --json",
		Args:    exactly("OLD", "NEW"),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := findRun(*dir, args[0])
			after, err2 := findRun(*dir, args[1])
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			cmp, err := report.Compare(before, after)
			if err != nil {
				return reportError(err)
			}
			if !asJSON {
				a.comparison(cmp, after)
			} else if err := a.json(cmp); err != nil {
				return err
			}
			return done(cmp.Result.Result)
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	return c
}
