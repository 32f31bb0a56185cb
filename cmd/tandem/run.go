package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/cosim/target"
)

// runFlags are the flags of tandem run.
type runFlags struct {
	all, touch    bool
	random, seeds int
	seed          uint64
	pcaps         []string
	dut, preset   string
	mode          string
	stalls        bool
	cover, json   bool
	least         uint64
	runs, keep    string
	wave, skew    bool
	jobs, batch   int
	stallsGiven   bool
	skewGiven     bool
	root          string // --root, as given
	fault         string
}

// Random traffic that --all adds to the scenarios: without it some engines would hardly be seen.
const (
	allSeeds   = 8
	allPackets = 2000
	allLeast   = 1000
)

func (a *app) run() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run [SCENARIO...]",
		Short: "runs scenarios, random traffic or captures on a device and on the model",
		Long: `Runs each stimulus on the device and holds every event against the model. A scenario is named (tandem scenario list)
or given as a file. What it expects, and what its packets were meant to do, is checked on top of the comparison.

Prints one row a scenario with the events compared for each engine, the values the device was free to choose (told),
what was wrong, and device cycles a second; then one verdict line. A run that is interrupted reports what it did.`,
		Example: `  tandem run --all
  tandem run window-edges serial-wrap --preset small --mode digest
  tandem run my.scn --stalls --seed 3
  tandem run --random 2000 --seed 1 --seeds 200 --cover
  tandem run --pcap one.pcap --pcap two.pcapng
  tandem run --touch --preset full`,
		ValidArgsFunction: completeScenario,
		RunE: func(c *cobra.Command, args []string) error {
			f.stallsGiven, f.skewGiven, f.root = c.Flags().Changed("stalls"), c.Flags().Changed("skew"), a.checkout
			return a.runAll(c, f, args)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&f.all, "all", false, fmt.Sprintf("every written scenario, and random traffic of %d seeds unless --random says otherwise", allSeeds))
	fs.BoolVar(&f.touch, "touch", false, "every path of every connection once, and both ends of every table")
	fs.IntVar(&f.random, "random", 0, "random traffic of at least so many packets a seed")
	fs.IntVar(&f.seeds, "seeds", 1, "seeds of random traffic, from --seed upwards")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of stalls, latencies, garbage and random traffic")
	fs.StringArrayVar(&f.pcaps, "pcap", nil, "feed the frames of a pcap or pcapng `file`; may be given again")
	fs.StringVar(&f.dut, "dut", "rtl", "device: rtl or model")
	fs.StringVar(&f.preset, "preset", "tiny", "table sizes: tiny, small or full")
	fs.StringVar(&f.mode, "mode", "full", "full: state records are sent; digest: heads with a digest of them")
	fs.BoolVar(&f.stalls, "stalls", false, "random stalls on every stream; random traffic has them unless --stalls=false")
	fs.StringVar(&f.fault, "fault", "", "plant a `bug` in the RTL (tandem bugs list)")
	fs.BoolVar(&f.cover, "cover", false, "count functional bins; one that is empty and not waived is a failure (exit 3)")
	fs.Uint64Var(&f.least, "least", 0, fmt.Sprintf("fail with 3 if an engine has fewer events compared (default with --all: %d)", allLeast))
	fs.StringVar(&f.runs, "runs", session.RunsDir, "directory of run folders")
	fs.StringVar(&f.keep, "keep", "failure", "which run folders stay: always, failure or never")
	fs.BoolVar(&f.wave, "wave", false, "after a divergence of RTL, dump waves of the cycles around it")
	fs.BoolVar(&f.skew, "skew", true, "list for every kind of event by how much the times of RTL and those that the model in cycles predicts part; not given: one line; --skew=false: not measured")
	fs.IntVar(&f.jobs, "jobs", 1, "runs side by side")
	fs.IntVar(&f.batch, "batch", 0, "transactions a write of the bridge (0: 256)")
	fs.BoolVar(&f.json, "json", false, "print the report as JSON")
	complete(c, "dut", "rtl", "model")
	complete(c, "preset", "tiny", "small", "full")
	complete(c, "mode", "full", "digest")
	complete(c, "keep", "always", "failure", "never")
	_ = c.RegisterFlagCompletionFunc("fault", completeFault)
	return c
}

func complete(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// check finds every mistake in the flags.
func (f *runFlags) check(c *cobra.Command, args []string) error {
	var errs []error
	word := func(flag, value string, allowed ...string) {
		for _, w := range allowed {
			if w == value {
				return
			}
		}
		errs = append(errs, fmt.Errorf("--%s %q: want one of %v", flag, value, allowed))
	}
	word("dut", f.dut, "rtl", "model")
	word("preset", f.preset, "tiny", "small", "full")
	word("mode", f.mode, "full", "digest")
	word("keep", f.keep, "always", "failure", "never")
	if f.fault != "" && f.dut == "model" {
		errs = append(errs, errors.New("--fault: bugs are planted in the RTL, not in the model"))
	}
	if f.wave && f.dut == "model" {
		errs = append(errs, errors.New("--wave: waves are of the signals of RTL, and the model has none"))
	}
	if f.skewGiven && f.skew && f.dut == "model" {
		errs = append(errs, errors.New("--skew: the times of RTL are held against those of the model, and with --dut model there are only these"))
	}
	number := func(flag string, n, lo, hi int) {
		if n < lo || n > hi {
			errs = append(errs, fmt.Errorf("--%s %d: want %d to %d", flag, n, lo, hi))
		}
	}
	number("random", f.random, 0, 1_000_000)
	number("seeds", f.seeds, 1, 100_000)
	number("jobs", f.jobs, 1, 64)
	number("batch", f.batch, 0, 4096)
	seeds := f.seeds
	if f.all && f.random == 0 {
		seeds = max(seeds, allSeeds)
	}
	if seeds > 1 && f.seed > math.MaxUint64-uint64(seeds-1) {
		errs = append(errs, fmt.Errorf("--seed %d: %d seeds from there run past the last one, %d", f.seed, seeds, uint64(math.MaxUint64)))
	}
	if f.random == 0 && c.Flags().Changed("seeds") && !f.all {
		errs = append(errs, errors.New("--seeds without --random: say how many packets"))
	}
	if f.all && len(args) > 0 {
		errs = append(errs, errors.New("--all runs every written scenario: name none beside it"))
	}
	if !f.all && !f.touch && f.random == 0 && len(args) == 0 && len(f.pcaps) == 0 {
		errs = append(errs, errors.New("nothing to run: name a scenario, or give --all, --random N, --touch or --pcap FILE"))
	}
	if len(errs) > 0 {
		return usage(c, "%w", errors.Join(errs...))
	}
	return nil
}

func (a *app) runAll(c *cobra.Command, f *runFlags, args []string) error {
	mistakes := f.check(c, args)
	jobs, err := f.plan(a.ctx, args)
	if err := errors.Join(mistakes, err); err != nil {
		return err
	}
	waivers := &coverage.Waivers{}
	if f.cover {
		if waivers, err = a.waivers(); err != nil { // before an hour has passed
			return err
		}
	}
	mode, err := target.ParseMode(f.mode)
	if err != nil {
		return err
	}
	o := suite.Options{Device: f.dut, Mode: mode, Batch: f.batch, RTL: a.options(), RunsDir: f.runs, Journal: f.keep, Wave: f.wave, Skew: f.skew && f.dut == "rtl",
		Stalls: f.stalls, Workers: f.jobs, Cover: f.cover}
	if f.fault != "" {
		if err := execute.Plant(&o.RTL, f.fault); err != nil {
			return err
		}
	}
	if f.dut == "rtl" {
		if err := a.build(jobs, &o.RTL); err != nil {
			return a.notBuilt(f, len(jobs), err)
		}
		o.RTL.Log = aboveLine{a.err, a.errTerm} // from here on only the build with waves
	}
	p := a.progress(len(jobs))
	o.Done = p.done
	report := suite.Run(a.ctx, jobs, o)
	p.end()
	f.demand(report, waivers)
	return a.print(f, report)
}

// notBuilt tells that no simulator came about; as JSON in the form of every other report.
func (a *app) notBuilt(f *runFlags, jobs int, err error) error {
	if !f.json {
		return err
	}
	r := &suite.Report{Jobs: jobs, Result: lockstep.Result(exitCode(err)), Line: err.Error(), Outcomes: []*suite.Outcome{}, Compared: map[string]uint64{}}
	if werr := a.json(r); werr != nil {
		return werr
	}
	return &status{result: r.Result, err: err}
}

// print writes table, explanations and the verdict line, or all of it as JSON.
func (a *app) print(f *runFlags, r *suite.Report) error {
	if f.json {
		if err := a.json(r); err != nil {
			return err
		}
		return done(r.Result)
	}
	r.Table(a.out, a.paint)
	for _, o := range r.Outcomes {
		o.Frames(a.out)
	}
	if r.Bins != nil {
		fmt.Fprintf(a.out, "\n%s", r.Bins.Text())
	}
	r.Explain(a.out)
	if f.skewGiven {
		r.Skew(a.out)
	}
	if f.touch {
		if err := a.sizes(r, f.preset); err != nil {
			return err
		}
	}
	if !f.skewGiven {
		r.SkewLine(a.out)
	}
	fmt.Fprintf(a.out, "\n%s\n%s: %s\n", r.ToldLine(), a.paint(r.Result == lockstep.Match, r.Result.String()), r.Line)
	return done(r.Result)
}
