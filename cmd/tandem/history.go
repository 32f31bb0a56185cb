package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/report"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
)

func (a *app) history() *cobra.Command {
	dir, planName, asJSON := "", "", false
	most := 20
	c := &cobra.Command{Use: "history", SuggestFor: []string{"compare"}, Short: "what regressions came to over time", Args: noArgs,
		Long: `Lists the latest regressions, or asks the index over them. The index is made of the runs' results and can be made again from them.

Exit codes: 0 it was asked, 2 the index cannot be read, 3 there are no runs.`,
		Example: `  tandem history
  tandem history --plan nightly --most 100
  tandem history flaky
  tandem history rates
  tandem history compare smoke-1 smoke-2
  tandem history rebuild`,
		RunE: func(*cobra.Command, []string) error {
			return withHistory(dir, func(s *history.Store) error { return a.listRuns(s, planName, most, asJSON) })
		}}
	flaky := &cobra.Command{Use: "flaky", Short: "executions that did not always come to the same, with sources that had no changes", Args: noArgs,
		Example: "  tandem history flaky",
		RunE: func(*cobra.Command, []string) error {
			return withHistory(dir, func(s *history.Store) error { return a.listFlakes(s, asJSON) })
		}}
	rates := &cobra.Command{Use: "rates", Short: "how often each test matched in the latest regressions, the worst first", Args: noArgs,
		Example: "  tandem history rates --plan nightly --most 30",
		RunE: func(*cobra.Command, []string) error {
			return withHistory(dir, func(s *history.Store) error { return a.listRates(s, planName, most, asJSON) })
		}}
	rebuild := &cobra.Command{Use: "rebuild", Short: "makes the index again from the results of all runs", Args: noArgs, Example: "  tandem history rebuild",
		RunE: func(*cobra.Command, []string) error {
			if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
				return &status{result: lockstep.Inconclusive, err: noHistory(dir)}
			}
			n, err := regression.Rebuild(dir, report.Index)
			fmt.Fprintln(a.out, plural(n, "run"))
			return err
		}}
	fs := c.PersistentFlags()
	fs.StringVar(&dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	for _, x := range []*cobra.Command{c, flaky, rates} {
		x.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	}
	for _, x := range []*cobra.Command{c, rates} {
		x.Flags().StringVar(&planName, "plan", "", "of this plan only")
		x.Flags().IntVar(&most, "most", 20, "so many of the latest runs")
		atLeast(x, 1, "most")
	}
	c.AddCommand(flaky, rates, rebuild, a.historyCompare(&dir))
	return c
}

func withHistory(dir string, f func(*history.Store) error) error {
	if _, err := os.Stat(filepath.Join(dir, history.FileName)); errors.Is(err, os.ErrNotExist) {
		return &status{result: lockstep.Inconclusive, err: noHistory(dir)}
	}
	s, err := history.Open(filepath.Join(dir, history.FileName))
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

// noHistory says what to do where no index is.
func noHistory(dir string) error {
	if len(runsIn(dir)) > 0 {
		return fmt.Errorf("the runs in %s have no index: tandem history rebuild makes it", dir)
	}
	return noRegression(dir)
}

func (a *app) listRuns(s *history.Store, planName string, most int, asJSON bool) error {
	list, err := s.Runs(planName, most)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return noRuns(planName)
	}
	if asJSON {
		return a.json(list)
	}
	fmt.Fprintf(a.out, "%-20s %-16s %10s %-12s %7s %7s  %s\n", "run", "begun", "seconds", "verdict", "match", "runs", "revision")
	for i := range list {
		r := &list[i]
		revision := fmt.Sprintf("%.12s", r.Revision)
		if r.Dirty {
			revision += " (dirty)"
		}
		fmt.Fprintf(a.out, "%-20s %-16s %10.1f %s %7d %7d  %s\n", r.ID, time.UnixMilli(r.Began).Format("2006-01-02 15:04"), float64(r.Wall)/1000,
			a.paint(r.Verdict == result.Match, fmt.Sprintf("%-12s", r.Verdict)), r.Matched, r.Cases, revision)
	}
	return nil
}

// noRuns is said where the index has none of what is asked for.
func noRuns(planName string) error {
	err := errors.New("the index has no runs")
	if planName != "" {
		err = fmt.Errorf("the index has no runs of a plan %q", planName)
	}
	return &status{result: lockstep.Inconclusive, err: err}
}

func (a *app) listFlakes(s *history.Store, asJSON bool) error {
	list, err := s.Flakes()
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(append([]history.Flake{}, list...))
	}
	for _, f := range list {
		fmt.Fprintf(a.out, "%s@%s at %.12s: %d of %d match, %d different ends\n", f.Test, f.Seed, f.Revision, f.Matched, f.Times, f.Verdicts)
	}
	fmt.Fprintf(a.out, "%s did not always come to the same\n", plural(len(list), "execution"))
	return nil
}

func (a *app) listRates(s *history.Store, planName string, most int, asJSON bool) error {
	list, err := s.Rates(planName, most)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return noRuns(planName)
	}
	if asJSON {
		return a.json(list)
	}
	fmt.Fprintf(a.out, "%-48s %7s %7s %10s\n", "test", "match", "runs", "mean ms")
	for _, r := range list {
		fmt.Fprintf(a.out, "%-48s %s %7d %10d\n", r.Test, a.paint(r.Matched == r.Times, fmt.Sprintf("%7d", r.Matched)), r.Times, r.Duration)
	}
	return nil
}
