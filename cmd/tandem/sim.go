package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/experiment"
	"metaroce/tandem/experiment/report"
	"metaroce/tandem/internal/hugepages"
)

// simFlags are the flags of `tandem sim`.
type simFlags struct {
	all, list, check bool
	json, csv        bool
	seed             uint64
	workers          int
	out, only, of    string
	set, over        []string
}

// sweepName is no experiment: it is any of them at many points.
const sweepName = "sweep"

func (a *app) sim(all []*experiment.Experiment) *cobra.Command {
	f := &simFlags{}
	c := &cobra.Command{
		Use:   "sim EXPERIMENT...",
		Short: "simulates MetaRoCE and RoCEv2 on a network, one experiment for each claim",
		Long: `Runs the cells of an experiment, each an independent simulation, and prints a table, our figures beside those of
RoCEv2, what was published and what is physically possible, and the experiment's gates. Figures are of this project's
own model, not of hardware. Equal seeds give equal bytes, with any number of workers.

  ` + simIndex(all) + `
  ` + fmt.Sprintf("%-13s %s", sweepName, sweepShort) + `

--list NAME shows parameters, columns and cells of an experiment. docs/experiments.md has claims, gates and measured figures.

Exit codes: 0 (with --check: every gate holds), 1 a gate fails (with --check), or a cell did not come to its end; 2 wrong
use, or interrupted: what was done by then is printed and marked as partial; 3 with --check: a gate had nothing to look at.`,
		Example: `  tandem sim loss --check
  tandem sim --all --check --out results        every claim, and one page: results/index.html
  tandem sim incast --set senders=127 --json
  tandem sim sweep --of loss --over paths=1..32:x2 --out sweep
  tandem sim loss --only loss=1%/metaroce --seed 7`,
		RunE: func(_ *cobra.Command, args []string) error { return a.runSim(all, f, args) },
	}
	fs := c.Flags()
	fs.BoolVar(&f.all, "all", false, "every experiment")
	fs.BoolVar(&f.list, "list", false, "list experiments, or parameters of those named, and run nothing")
	fs.BoolVar(&f.check, "check", false, "exit with 1 if a gate fails")
	fs.BoolVar(&f.json, "json", false, "print results as JSON")
	fs.BoolVar(&f.csv, "csv", false, "print the rows as CSV")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of every draw")
	fs.IntVar(&f.workers, "workers", runtime.NumCPU(), "simulations side by side")
	fs.StringVar(&f.out, "out", "", "folder for results.json, results.csv, plots (SVG and PNG) and index.html")
	fs.StringVar(&f.only, "only", "", "run this cell alone")
	fs.StringVar(&f.of, "of", "", "experiment of a sweep")
	fs.StringArrayVar(&f.set, "set", nil, "parameter=value; lists have commas")
	fs.StringArrayVar(&f.over, "over", nil, "of a sweep: parameter=a..b, a..b:step, a..b:xN or a,b,c")
	return c
}

func simIndex(all []*experiment.Experiment) string {
	var lines []string
	for _, e := range all {
		lines = append(lines, fmt.Sprintf("%-13s %s", e.Name, e.Short))
	}
	return strings.Join(lines, "\n  ")
}

func (a *app) runSim(all []*experiment.Experiment, f *simFlags, args []string) error {
	jobs, err := f.jobs(all, args)
	if err != nil {
		return err
	}
	if f.list {
		return a.listSim(f, all, jobs)
	}
	if f.out != "" {
		if err := report.Prepare(f.out); err != nil {
			return err
		}
	}
	a.reserve()
	var done []*experiment.Result
	for i, j := range jobs {
		r, err := a.simulate(f, j, i, len(jobs))
		if err != nil {
			return err
		}
		done = append(done, r)
		if !f.json && !f.csv {
			if err := report.Text(a.out, r, a.paint); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s\n", r.Title(), a.paint(good(r), r.Line()))
			if i+1 < len(jobs) {
				fmt.Fprintln(a.out)
			}
		}
		a.stacks(r)
		if r.Partial {
			break
		}
	}
	if err := a.outputs(f, done); err != nil {
		return err
	}
	return simStatus(f.check, done)
}

// good says whether there is nothing to be red about.
func good(r *experiment.Result) bool {
	o := r.Outcome()
	return !r.Partial && o.Failures == 0 && o.Gates[experiment.Failed] == 0
}

// reserve asks for huge pages for the heap of simulations. Without them they only take longer.
func (a *app) reserve() { _ = hugepages.Reserve(256 << 20) }

// simulate runs one experiment with its progress.
func (a *app) simulate(f *simFlags, j job, i, n int) (*experiment.Result, error) {
	name := j.e.Name
	if n > 1 {
		name = fmt.Sprintf("%s (%d of %d)", name, i+1, n)
	}
	m := a.meter(name, j.plan, f.only)
	r, err := experiment.Run(a.ctx, j.e, j.values, j.plan, experiment.Options{Seed: f.seed, Workers: f.workers, Only: f.only,
		Set: j.set, Over: j.over, Progress: m.cell, Part: m.part})
	m.end()
	return r, err
}

// stacks shows where cells panicked: no user can mend that, but can pass it on.
func (a *app) stacks(r *experiment.Result) {
	for _, x := range r.Failures {
		if x.Stack != "" {
			fmt.Fprintf(a.err, "%s: %s\n%s\n", x.Cell, x.Error, x.Stack)
		}
	}
}

// outputs writes what is written at the end.
func (a *app) outputs(f *simFlags, done []*experiment.Result) error {
	switch {
	case f.json:
		if err := report.JSON(a.out, done); err != nil {
			return err
		}
	case f.csv:
		if err := report.CSV(a.out, done[0]); err != nil {
			return err
		}
	}
	if f.out == "" {
		return nil
	}
	names, err := report.Files(f.out, done)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "wrote %s to %s\n", plural(len(names), "file"), f.out)
	return nil
}

// simStatus is the exit code: what is worst counts.
func simStatus(check bool, done []*experiment.Result) error {
	gates := 0
	var failed, fails, nothing bool
	for _, r := range done {
		o := r.Outcome()
		if r.Partial {
			return &status{result: lockstep.BenchFailed, err: fmt.Errorf("%w: %d of %d cells of %s, and %d experiments before it, are done", errInterrupted, r.Done, r.Cells(), r.Title(), len(done)-1)}
		}
		gates += len(r.Verdicts)
		failed = failed || o.Failures > 0
		fails = fails || o.Gates[experiment.Failed] > 0
		nothing = nothing || o.Gates[experiment.NothingToJudge] > 0
	}
	switch {
	case failed || check && fails:
		return &status{result: lockstep.Diverged}
	case check && (nothing || gates == 0):
		return &status{result: lockstep.Inconclusive}
	}
	return nil
}

var errInterrupted = errors.New("interrupted")
