package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/cosim/regress/shrink"
	"metaroce/tandem/cosim/regress/triage"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/vectors/compose"
)

// shrinkFlags are the flags of tandem shrink and tandem vectors shrink.
type shrinkFlags struct {
	dir, out          string
	most              int
	json              bool
	dut, preset, mode string
	fault             string
	seed              uint64
	stalls            bool
	random            int
	given             func(flag string) bool // on the command line
	vectors           bool                   // called as vectors shrink: what is there and is no text is a file or folder of vectors
}

const mostRuns = 100

func (a *app) shrink() *cobra.Command {
	f := &shrinkFlags{}
	c := &cobra.Command{
		Use:   "shrink RUN/TEST@SEED | RUN | SCENARIO | FILE.mrv [NAME]",
		Short: "makes a failure small: the few packets that it takes, as a scenario",
		Long: `Looks for the smallest part of a stimulus that fails in the same way (same kind, engine, field and rule) and writes it as a
scenario: of an execution of a regression, beside what was kept of it; of a whole regression, for the smallest case of every
cause; of a scenario, a vector, a recorded run or random traffic, into the working directory. Each candidate is run on the
device. Ctrl-C keeps the smallest so far.

Exit codes: 0 a smaller case was written, 2 the call is wrong, the bench failed or it was interrupted, 3 there is no failure
or it does not come back, 4 the failure is of a kind that cannot be made smaller.`,
		Example: `  tandem shrink nightly-3/random/mixed+tiny@9c1f0e5a77b3d204
  tandem shrink latest/random/mixed --runs 300
  tandem shrink latest                              every cause of a regression
  tandem shrink my.scn --seed 7 --stalls
  tandem shrink --random 5000 --fault window-edge
  tandem shrink runs/random-17`,
		Args: between(0, 2, "what to shrink: one thing, and of a file of vectors a name"),
		RunE: func(c *cobra.Command, args []string) error {
			f.given = c.Flags().Changed
			if err := f.check(args); err != nil {
				return usage(c, "%w", err)
			}
			return a.shrinkOne(f, args)
		},
	}
	f.flags(c)
	fs := c.Flags()
	fs.StringVar(&f.dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	fs.IntVar(&f.random, "random", 0, "random traffic of at least so many packets, instead of a name")
	return c
}

func (a *app) vectorsShrink() *cobra.Command {
	f := &shrinkFlags{vectors: true}
	c := &cobra.Command{
		Use:   "shrink FILE [NAME]",
		Short: "makes a vector small that fails in lockstep, as a text",
		Long: `Runs the stimulus of a vector, or of a text, in lockstep with the model, and looks for the smallest part of it that fails in
the same way. What comes of it is a text: tandem vectors gen makes a vector of it. A file of more than one vector needs a name.`,
		Example: "  tandem vectors shrink failing.mrv\n  tandem vectors shrink vectors/golden/receive/random.mrv random/5000 --fault window-edge",
		Args:    between(1, 2, "FILE, or FILE and NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			f.given = c.Flags().Changed
			if err := f.check(args); err != nil {
				return usage(c, "%w", err)
			}
			return a.shrinkOne(f, args)
		},
	}
	f.flags(c)
	return c
}

func (f *shrinkFlags) flags(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.out, "output", "o", "", "the `file` to write, which ends in .scn")
	fs.IntVar(&f.most, "runs", mostRuns, "most runs of the device")
	fs.BoolVar(&f.json, "json", false, "print what came of it as JSON")
	fs.StringVar(&f.dut, "dut", "rtl", "device: rtl or model; not with a regression, whose executions have theirs, as they have the flags behind this")
	fs.StringVar(&f.preset, "preset", "tiny", "table sizes, where a text names none")
	fs.StringVar(&f.mode, "mode", "full", "full or digest")
	fs.StringVar(&f.fault, "fault", "", "plant a `bug` in the RTL (tandem bugs list)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of stalls, latencies and random traffic")
	fs.BoolVar(&f.stalls, "stalls", false, "random stalls on every stream")
	complete(c, "dut", "rtl", "model")
	complete(c, "preset", "tiny", "small", "full")
	complete(c, "mode", "full", "digest")
	_ = c.RegisterFlagCompletionFunc("fault", completeFault)
}

// check finds every mistake in the flags.
func (f *shrinkFlags) check(args []string) error {
	var errs []error
	for _, w := range []struct {
		flag, value string
		allowed     []string
	}{{"dut", f.dut, []string{"rtl", "model"}}, {"preset", f.preset, []string{"tiny", "small", "full"}}, {"mode", f.mode, []string{"full", "digest"}}} {
		if !contains(w.allowed, w.value) {
			errs = append(errs, fmt.Errorf("--%s %q: want one of %v", w.flag, w.value, w.allowed))
		}
	}
	if f.most < 10 || f.most > 100_000 {
		errs = append(errs, fmt.Errorf("--runs %d: want 10 to 100000", f.most))
	}
	if f.out != "" && !strings.HasSuffix(f.out, ".scn") {
		errs = append(errs, fmt.Errorf("-o %q: want a file that ends in .scn", f.out))
	}
	if f.fault != "" && f.dut == "model" {
		errs = append(errs, errors.New("--fault: bugs are planted in the RTL, not in the model"))
	}
	if f.random < 0 || f.random > 1_000_000 {
		errs = append(errs, fmt.Errorf("--random %d: want 1 to 1000000", f.random))
	}
	if (f.random > 0) == (len(args) > 0) {
		errs = append(errs, errors.New("one thing to shrink: RUN/TEST@SEED, a scenario, a vector, a run folder, or --random N"))
	}
	return errors.Join(errs...)
}

// quarry is what is to be made small.
type quarry struct {
	c       plan.Case
	program *compose.Program // nil: that of the case
	want    *result.Signature
	out     string
	root    string
	run     string // folder of the regression that it is an execution of; "": of none
}

// shrinkOne makes one failure small and tells of it.
func (a *app) shrinkOne(f *shrinkFlags, args []string) error {
	if len(args) == 1 && !f.vectors && !isText(args[0]) && !strings.HasSuffix(args[0], ".mrv") {
		if run, err := findRun(f.dir, args[0]); err == nil && !isFile(filepath.Join(run, journal.StimulusFile)) {
			return a.shrinkRun(f, run)
		}
	}
	q, err := a.quarry(f, args)
	if err != nil {
		return shrinkStatus(err)
	}
	if err := atomicfile.Check(q.out); err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder that is not there is made
		return err
	}
	r, again, err := a.shrinkTo(q, f.most)
	if err != nil {
		return shrinkStatus(err)
	}
	if err := q.note(r, again); err != nil {
		return err
	}
	if f.json {
		if err := a.json(shrink.Saved{File: q.out, Result: r, Again: again}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%s\n%s\n", r.Text, r.Line)
		fmt.Fprintf(a.out, "%d of %s, after %s%s\n", r.After, plural(r.Before, "event"), plural(r.Runs, "run"), howSmall(r))
		fmt.Fprintf(a.out, "  %s\n  again:  %s\n", shellPath(q.out), again)
	}
	if r.Interrupted {
		return done(lockstep.BenchFailed)
	}
	return nil
}

// note puts a small case of a regression into its triage, where it is that of a cause: what stood there has been written over.
func (q *quarry) note(r *shrink.Result, again string) error {
	if q.run == "" || q.out != filepath.Join(q.run, execute.TestsFolder, q.c.ID(), shrink.Name) {
		return nil
	}
	t, err := triage.Read(q.run)
	if errors.Is(err, os.ErrNotExist) { // it has no results yet, and no causes
		return nil
	}
	if err != nil {
		return err
	}
	for i := range t.Buckets {
		if b := &t.Buckets[i]; b.Smallest.ID() == q.c.ID() {
			b.Shrunk = shrunkOf(&q.c, r, again)
			return t.Write()
		}
	}
	return nil
}

func shrunkOf(c *plan.Case, r *shrink.Result, again string) *triage.Shrunk {
	return &triage.Shrunk{File: filepath.Join(execute.TestsFolder, c.ID(), shrink.Name), Before: r.Before, After: r.After, Runs: r.Runs, Again: again, Minimal: r.Minimal}
}

// howSmall says whether there is more to be had.
func howSmall(r *shrink.Result) string {
	switch {
	case r.Interrupted:
		return "; interrupted: this is the smallest so far"
	case r.Minimal:
		return "; no line of it can be left out"
	}
	return "; with more --runs it may become smaller"
}

// shrinkStatus gives errors of a search their exit code.
func shrinkStatus(err error) error {
	var lost *shrink.Lost
	var unable *shrink.Unable
	switch {
	case errors.As(err, &lost), errors.Is(err, shrink.ErrMatches):
		return &status{result: lockstep.Inconclusive, err: err}
	case errors.As(err, &unable):
		return &status{result: lockstep.Unsupported, err: err}
	}
	return err
}

// shrinkTo does the search and writes the files. again is the line that runs what was written.
func (a *app) shrinkTo(q *quarry, most int) (r *shrink.Result, again string, err error) {
	work, free, err := shard.Scratch()
	if err != nil {
		return nil, "", err
	}
	defer free()
	e := execute.Env{Root: q.root, Run: work, Work: filepath.Join(work, "w"), Tests: "t"}
	stop := func() {}
	e.Binaries, err = execute.Build(a.ctx, []plan.Case{q.c}, q.root, func(key string) {
		stop = a.building("preset " + key)
	}, nil)
	stop()
	if err != nil {
		return nil, "", err
	}
	tell, end := a.shrinkMeter(&q.c)
	r, err = search(a.ctx, &e, q, shrink.Options{Want: q.want, Runs: most, Progress: tell})
	end()
	if err != nil {
		return nil, "", err
	}
	text := q.c
	text.What, text.Stalls = plan.What{Scenario: shownPath(q.out)}, nil
	again = execute.Again(&text) + session.RootFlag(a.checkout)
	if err := os.MkdirAll(filepath.Dir(q.out), 0o755); err != nil {
		return nil, "", err
	}
	return r, again, shrink.Save(q.out, r, again)
}

// shrinkMeter shows where a search stands: on a terminal in a line that is written over, in a log once a step.
func (a *app) shrinkMeter(c *plan.Case) (tell func(shrink.Progress), end func()) {
	meter, stage := a.line(), ""
	return func(p shrink.Progress) {
		if !a.errTerm && p.Stage != stage && p.Events > 0 {
			fmt.Fprintf(a.err, "shrink %s: %s, run %d, %d events\n", c.Test, p.Stage, p.Runs, p.Events)
		}
		stage = p.Stage
		meter.show("shrink %s: %s, run %d of at most %d, %d events", c.Test, p.Stage, p.Runs, p.Most, p.Events)
	}, meter.end
}

func search(ctx context.Context, e *execute.Env, q *quarry, o shrink.Options) (*shrink.Result, error) {
	if q.program != nil {
		return shrink.OfProgram(ctx, *e, q.c, q.program, o)
	}
	return shrink.OfCase(ctx, *e, q.c, o)
}
