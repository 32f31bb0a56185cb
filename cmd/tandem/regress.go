package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
)

// regressFlags are the flags of every command that runs a regression.
type regressFlags struct {
	dir      string
	workers  int
	launcher string
	failFast int
	noCover  bool
	json     bool
	every    time.Duration

	acceptKnown bool
	wavesOf     int // executions of each cause, if given

	seed         string
	seeds        int
	dut, keep    string
	coverage     string
	only         []string
	drop         []string
	list, resume bool
	shrink       bool

	given func(flag string) bool // on the command line
}

func (f *regressFlags) common(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	fs.IntVarP(&f.workers, "jobs", "j", runtime.NumCPU(), "executions side by side")
	fs.StringVar(&f.launcher, "launcher", "local", "where shards run: local; slurm or slurm:OPTIONS, an array of sbatch with these; exec:WORDS, a prefix for the command of each shard")
	fs.IntVar(&f.failFast, "fail-fast", 0, "end after so many executions that do not match (0: never)")
	fs.BoolVar(&f.noCover, "no-cover", false, "write no functional bins")
	fs.BoolVar(&f.acceptKnown, "accept-known", false, acceptKnown)
	fs.BoolVar(&f.json, "json", false, "print what the run came to as JSON")
	logEvery(c, &f.every)
}

func (a *app) regress() *cobra.Command {
	f := &regressFlags{}
	c := &cobra.Command{
		Use:   "regress PLAN",
		Short: "runs the tests of a plan with many seeds, and says what they came to",
		Long: `Runs a plan: a YAML file with suites of tests, seeds, presets, variants and limits, or the name of one in plans/ of the
checkout (listed below). Every execution has a seed of its own that follows from the plan's base seed and its
name, so what is selected moves no seed. What failed last time runs first, then what was touched, what is new, the rest.

An interrupted run (Ctrl-C, kill, power) reports what it did and goes on with --resume. docs/howto/regress.md is the manual.
At its end every run writes report.html, report.md, junit.xml, report.json and report.tap into its folder (tandem report).

What failed is told by cause: tandem triage does it again, tandem rerun runs one execution. Failures that are known
(known.yaml beside the plan, or the file that it names) are told apart; they are failures unless --accept-known is given.

Exit codes: 0 every execution matches, 1 one diverges, 2 one crashed, passed a limit, was lost or not begun, or the call
is wrong, 3 nothing or not enough was compared, 4 the device cannot do something.`,
		Example: `  tandem regress smoke
  tandem regress plans/nightly.yaml --seeds 1000
  tandem regress nightly --select 'random/*' --drop tag:slow -j 8 --seed random
  tandem regress smoke --dut model               without a simulator
  tandem regress smoke --waves 2                 waves of two executions of each cause
  tandem regress nightly -j 200 --launcher 'slurm:--partition=sim --time=2:00:00 --mem=2G'
  tandem regress nightly --list                  what it would run
  tandem regress --resume runs/regress/nightly-3`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(c, "one argument: a plan, or with --resume a run")
			}
			f.given = c.Flags().Changed
			if f.resume {
				return a.resume(f, args[0])
			}
			return a.runPlan(f, args[0])
		},
	}
	f.common(c)
	fs := c.Flags()
	fs.StringVar(&f.seed, "seed", "", "base seed instead of the plan's: a number, 16 hexadecimal digits, or random")
	fs.IntVar(&f.seeds, "seeds", 0, "executions of every test that says seeds, instead of what it says")
	fs.StringVar(&f.dut, "dut", "", "device of every test in lockstep, instead of what it says: rtl or model")
	fs.IntVar(&f.wavesOf, "waves", 0, "waves of so many executions of each cause, dumped at the end of the run (default: as the plan says, else 0); the simulator for that is built if it is not there")
	fs.StringVar(&f.keep, "keep", "", "which folders of executions stay, instead of what the plan says: failure, always or never")
	fs.StringVar(&f.coverage, "coverage", "", "what simulators count of the RTL, instead of what the plan says: off, line or toggle; each is another simulator, and slower")
	fs.StringArrayVar(&f.only, "select", nil, "of what the plan selects only tests like this: suite, suite/test, suite/test+variant, with * and ?; tag:NAME; stage:V1")
	fs.StringArrayVar(&f.drop, "drop", nil, "and none like this")
	fs.BoolVar(&f.shrink, "shrink", false, fmt.Sprintf("at the end make the smallest case of every cause small, in at most %d runs each", mostRuns))
	fs.BoolVar(&f.list, "list", false, "list what would run, and run nothing")
	fs.BoolVar(&f.resume, "resume", false, "go on with a run that was interrupted or killed")
	complete(c, "dut", "rtl", "model")
	complete(c, "keep", "failure", "always", "never")
	complete(c, "coverage", plan.Coverages...)
	a.helpWithPlans(c)
	return c
}

// check finds every mistake in the flags.
func (f *regressFlags) check() error {
	var errs []error
	if f.workers < 1 || f.workers > 4096 {
		errs = append(errs, fmt.Errorf("--jobs %d: want 1 to 4096", f.workers))
	}
	if f.failFast < 0 {
		errs = append(errs, fmt.Errorf("--fail-fast %d: want a number from 0", f.failFast))
	}
	if f.wavesOf < 0 || f.wavesOf > plan.MostWaves {
		errs = append(errs, fmt.Errorf("--waves %d: want 0 to %d", f.wavesOf, plan.MostWaves))
	}
	if f.seeds < 1 && f.given("seeds") || f.seeds > 1_000_000 {
		errs = append(errs, fmt.Errorf("--seeds %d: want 1 to 1000000", f.seeds))
	}
	if err := wantTime(f.every); err != nil {
		errs = append(errs, err)
	}
	for _, w := range []struct {
		flag, value string
		allowed     []string
	}{{"dut", f.dut, []string{"rtl", "model"}}, {"keep", f.keep, []string{"failure", "always", "never"}}, {"coverage", f.coverage, plan.Coverages}} {
		if w.value != "" && !contains(w.allowed, w.value) {
			errs = append(errs, fmt.Errorf("--%s %q: want one of %v", w.flag, w.value, w.allowed))
		}
	}
	if f.noCover && f.coverage != "" && f.coverage != "off" {
		errs = append(errs, fmt.Errorf("--coverage %s with --no-cover: one of the two", f.coverage))
	}
	if _, err := f.launch(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// rootOr is the checkout, or the working directory where there is none: no simulator can be built there.
func (a *app) rootOr() (string, error) {
	if a.checkout != "" {
		return filepath.Abs(a.checkout)
	}
	if root, err := rtl.FindRoot(); err == nil {
		return root, nil
	}
	return os.Getwd()
}

func (a *app) runPlan(f *regressFlags, arg string) error {
	root, err := a.rootOr()
	if err != nil {
		return err
	}
	mistakes := f.check()
	o := plan.Options{Seeds: f.seeds, Dut: f.dut, Coverage: f.coverage, Select: f.only, Drop: f.drop}
	if f.seed != "" {
		base, err := baseSeed(f.seed)
		mistakes = errors.Join(mistakes, err)
		o.Base = &base
	}
	path, err := planPath(root, arg)
	if err = errors.Join(mistakes, err); err != nil {
		return err
	}
	p, err := plan.Load(path, plan.Rules(root))
	if err != nil {
		return err
	}
	cases, err := p.Expand(a.ctx, o)
	if err != nil {
		return err
	}
	if len(cases) == 0 {
		return &status{result: lockstep.Inconclusive, err: regression.ErrNothing}
	}
	if o.Base != nil {
		p.Base = *o.Base
	}
	if f.list {
		return a.listCases(p, cases, f.json)
	}
	h := a.header(root)
	h.Plan, h.About, h.Base, h.Keep, h.Waves = p.Name, p.About, p.Base, p.Keep, p.Waves
	if f.given("waves") {
		h.Waves = f.wavesOf
	}
	if f.keep != "" {
		h.Keep = f.keep
	}
	s, err := a.newRun(f, regression.Options{Name: p.Name, Plan: p, Cases: cases, Head: h, Known: p.Known})
	return a.cameTo(f, s, err)
}

// baseSeed reads --seed.
func baseSeed(text string) (result.Seed, error) {
	if text == "random" {
		return result.RandomSeed()
	}
	s, err := result.ParseSeed(text)
	if err != nil {
		return 0, fmt.Errorf("--seed: %w", err)
	}
	return s, nil
}

// header is what this call says of every run.
func (a *app) header(root string) regression.Header {
	h := regression.Header{Root: root, Args: os.Args, Keep: "failure"}
	h.Revision, h.Dirty = a.revision(root)
	return h
}

// revision is that of the checkout, because simulators are built from it; elsewhere that of this program.
func (a *app) revision(root string) (revision string, dirty bool) {
	git := func(args ...string) (string, bool) {
		out, err := exec.CommandContext(a.ctx, "git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	if head, ok := git("rev-parse", "HEAD"); ok {
		changes, ok := git("status", "--porcelain", "--untracked-files=no")
		return head, !ok || changes != ""
	}
	return builtFrom()
}

// common makes the options that new runs and those that go on have in common. done closes what they hold.
func (a *app) common(f *regressFlags) (c regression.Common, done func(), err error) {
	c = regression.Common{Workers: f.workers, FailFast: f.failFast, NoCover: f.noCover}
	if c.Launcher, err = f.launch(); err != nil {
		return c, nil, err
	}
	if err = os.MkdirAll(f.dir, 0o755); err != nil {
		return c, nil, err
	}
	done = func() {}
	if c.History, err = history.Open(filepath.Join(f.dir, history.FileName)); err != nil {
		complain(a.err, fmt.Errorf("no history: %w", err)) // a run goes on without it
		c.History = nil
		return c, done, nil
	}
	return c, func() { _ = c.History.Close() }, nil
}

// regression does a new run.
func (a *app) newRun(f *regressFlags, o regression.Options) (*regression.Summary, error) {
	c, done, err := a.common(f)
	if err != nil {
		return nil, err
	}
	defer done()
	m := a.gauge(f.every)
	c.Watch, c.Log = m.watch(), m
	o.Common, o.Dir = c, f.dir
	s, err := regression.New(a.ctx, o)
	m.end()
	return s, err
}

func (a *app) resume(f *regressFlags, dir string) error {
	err := f.check()
	for _, flag := range []string{"seed", "seeds", "dut", "keep", "coverage", "select", "drop", "list", "waves"} {
		if f.given(flag) {
			err = errors.Join(err, fmt.Errorf("--%s with --resume: a run goes on as it was begun", flag))
		}
	}
	if err != nil {
		return err
	}
	folder, err := findRun(f.dir, dir)
	if err != nil {
		return err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return err
	}
	f.dir = filepath.Dir(folder) // its history is there, whatever --dir says; a run of its name elsewhere is another one
	c, done, err := a.common(f)
	if err != nil {
		return err
	}
	defer done()
	m := a.gauge(f.every)
	c.Watch, c.Log = m.watch(), m
	s, err := regression.Resume(a.ctx, folder, c)
	m.end()
	return a.cameTo(f, s, err)
}

// shellPath is a path as short as it can be written here, and as a shell reads it.
func shellPath(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = rel
		}
	}
	return session.ShellWord(path)
}
