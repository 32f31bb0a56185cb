package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
	places "metaroce/tandem/cosim/regress/source"
)

// rerunFlags are the flags of tandem rerun.
type rerunFlags struct {
	regressFlags
	waves, failed, repeat bool
	stress                int
}

func (a *app) rerun() *cobra.Command {
	f := &rerunFlags{}
	c := &cobra.Command{
		Use:   "rerun RUN/TEST@SEED | --failed RUN | --repeat RUN",
		Short: "runs executions of a regression again, with their seeds",
		Long: `Runs one execution again, with the sources as they are now, and explains what it comes to; with --waves it dumps the
cycles around a divergence. Without @SEED it takes the first execution of the test that did not match. With --stress it
runs one execution many times and tells how often it comes to the same; with --failed everything of a run that did not
match; with --repeat everything, and tells what came to another end. Waves are of RTL only.

Exit codes: those of tandem regress; with --repeat 3 too if the run has no result of some of it.`,
		Example: `  tandem rerun runs/regress/nightly-3/random/mixed+tiny@9c1f0e5a77b3d204
  tandem rerun nightly-3/random/mixed+tiny@9c1f0e5a77b3d204 --waves
  tandem rerun latest/random/mixed+tiny --stress 100
  tandem rerun --failed latest
  tandem rerun --repeat nightly-3 -j 8`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(c, "one argument: RUN/TEST@SEED, or a run with --failed or --repeat")
			}
			f.given = c.Flags().Changed
			if err := errors.Join(f.check(), f.checkRerun()); err != nil {
				return usage(c, "%w", err)
			}
			switch {
			case f.failed, f.repeat:
				return a.rerunMany(f, args[0])
			case f.stress > 0:
				return a.rerunStress(f, args[0])
			}
			return a.rerunOne(f, args[0])
		},
	}
	f.common(c)
	fs := c.Flags()
	fs.BoolVar(&f.waves, "waves", false, "after a divergence of RTL, dump waves of the cycles around it; the simulator for that is built if it is not there")
	fs.BoolVar(&f.failed, "failed", false, "everything of a run that did not match")
	fs.BoolVar(&f.repeat, "repeat", false, "everything of a run, and what comes to another end than in it")
	fs.IntVar(&f.stress, "stress", 0, "run the execution so many times")
	atLeast(c, 1, "stress")
	return c
}

func (f *rerunFlags) checkRerun() error {
	var errs []error
	kinds := 0
	for _, on := range []bool{f.failed, f.repeat, f.stress != 0} {
		if on {
			kinds++
		}
	}
	if kinds > 1 {
		errs = append(errs, errors.New("--failed, --repeat and --stress: one at a time"))
	}
	if f.waves && kinds > 0 {
		errs = append(errs, errors.New("--waves goes with one execution"))
	}
	for _, flag := range []string{"jobs", "launcher", "fail-fast", "no-cover", "accept-known", "log-every"} {
		if kinds == 0 && f.given(flag) {
			errs = append(errs, fmt.Errorf("--%s goes with --failed, --repeat or --stress: one execution is run here, by itself", flag))
		}
	}
	if f.stress < 0 || f.stress > 1_000_000 {
		errs = append(errs, fmt.Errorf("--stress %d: want 1 to 1000000", f.stress))
	}
	return errors.Join(errs...)
}

// chosen is an execution of a run.
type chosen struct {
	folder *regression.Folder
	c      plan.Case
	before *result.Record // what it came to there; nil: it is not known
}

// choose finds RUN/SUITE/TEST+VARIANT@SEED. The seed may be left out, and the folder of a kept execution does as well.
func choose(dir, arg string) (*chosen, error) {
	parts := strings.Split(strings.TrimSuffix(filepath.Clean(arg), "/"), string(filepath.Separator))
	if len(parts) < 3 {
		err := fmt.Errorf("%q: want RUN/SUITE/TEST@SEED", arg)
		if len(runsIn(dir)) == 0 {
			err = errors.Join(err, noRegression(dir))
		}
		return nil, err
	}
	name := strings.Join(parts[len(parts)-2:], "/")
	runDir := strings.Join(parts[:len(parts)-2], string(filepath.Separator))
	if below := filepath.Base(runDir); below == execute.TestsFolder || rerunFolders.MatchString(below) {
		if _, err := findRun(dir, runDir); err != nil { // else it is the name of a run
			runDir = filepath.Dir(runDir)
		}
	}
	path, err := findRun(dir, runDir)
	if err != nil {
		return nil, err
	}
	x := &chosen{}
	if x.folder, err = regression.Open(path); err != nil {
		return nil, err
	}
	cases, err := x.folder.Cases()
	if err != nil {
		return nil, err
	}
	before, err := records(x.folder)
	if err != nil {
		return nil, err
	}
	c := pickCase(cases, before, name)
	if c == nil {
		return nil, noCase(x.folder, cases, name)
	}
	x.c = *c
	if r, ok := before[c.ID()]; ok {
		x.before = &r
	}
	return x, nil
}

// records are what is known of a run by ID; of one that was killed, nothing.
func records(f *regression.Folder) (map[string]result.Record, error) {
	by := map[string]result.Record{}
	list, err := f.SoundResults()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, r := range list {
		by[r.ID()] = r
	}
	return by, nil
}

// pickCase finds the case of an ID; of a test without a seed, with its variant or without, the first that did not match, else
// the first.
func pickCase(cases []plan.Case, before map[string]result.Record, name string) *plan.Case {
	var first, bad *plan.Case
	for i := range cases {
		c := &cases[i]
		if c.ID() == name {
			return c
		}
		if c.FullName() != name && c.Name() != name {
			continue
		}
		if first == nil {
			first = c
		}
		if r, ok := before[c.ID()]; ok && r.Verdict != result.Match && bad == nil {
			bad = c
		}
	}
	if bad != nil {
		return bad
	}
	return first
}

func noCase(f *regression.Folder, cases []plan.Case, name string) error {
	var names []string
	for i := range cases {
		names = append(names, cases[i].ID(), cases[i].FullName(), cases[i].Name())
	}
	hint := ""
	if near := places.Nearest(name, names); near != "" {
		hint = "; meant is perhaps " + near
	}
	return fmt.Errorf("%s has no execution %s%s (%s lists all)", f.Header.ID, name, hint, filepath.Join(f.Dir, regression.CasesFile))
}

// from is the header of a run of another one's cases.
func (a *app) from(f *regression.Folder, which string) regression.Header {
	h := a.header(f.Header.Root)
	if a.checkout != "" {
		if root, err := a.rootOr(); err == nil {
			h.Root = root
		}
	}
	h.Plan, h.About, h.Base, h.Keep, h.From = f.Header.Plan, f.Header.About, f.Header.Base, f.Header.Keep, which
	return h
}

// knownIn is the file of known failures that a run has; empty: it has none.
func knownIn(f *regression.Folder) string {
	if _, err := os.Stat(f.KnownFile()); err != nil {
		return ""
	}
	return f.KnownFile()
}

// rerunMany runs what failed in a run, or all of it.
func (a *app) rerunMany(f *rerunFlags, arg string) error {
	path, err := findRun(f.dir, arg)
	if err != nil {
		return err
	}
	folder, err := regression.Open(path)
	if err != nil {
		return err
	}
	cases, err := folder.Cases()
	if err != nil {
		return err
	}
	before, err := records(folder)
	if err != nil {
		return err
	}
	suffix := "repeat"
	if f.failed {
		suffix = "failed"
		var bad []plan.Case
		for i := range cases {
			if r, ok := before[cases[i].ID()]; !ok || r.Verdict != result.Match {
				cases[i].Coverage = "" // what is looked at is not counted
				bad = append(bad, cases[i])
			}
		}
		if cases = bad; len(cases) == 0 {
			return a.nothingFailed(f, folder.Header.ID)
		}
	}
	s, err := a.newRun(&f.regressFlags, regression.Options{Name: folder.Header.Plan + "-" + suffix, Cases: cases, Head: a.from(folder, folder.Header.ID), Known: knownIn(folder)})
	if err == nil && !f.json {
		a.changes(folder, before, s)
	}
	if err := a.cameTo(&f.regressFlags, s, err); err != nil || f.failed {
		return err
	}
	for i := range cases {
		if _, ok := before[cases[i].ID()]; !ok {
			fmt.Fprintf(a.err, "%s has no result of %s: with that nothing was compared\n", folder.Header.ID, cases[i].ID())
			return done(lockstep.Inconclusive)
		}
	}
	return nil
}

// nothingFailed is what --failed comes to where everything matches.
func (a *app) nothingFailed(f *rerunFlags, id string) error {
	line := id + ": everything matches, there is nothing to run again"
	if f.json {
		return a.json(struct {
			Verdict  result.Verdict  `json:"verdict"`
			Line     string          `json:"line"`
			Failures []result.Record `json:"failures"`
		}{result.Match, line, []result.Record{}})
	}
	fmt.Fprintln(a.out, line)
	return nil
}

// changesShown is how many executions with another end a terminal gets.
const changesShown = 20

// changes tells what came to another end than before.
func (a *app) changes(f *regression.Folder, before map[string]result.Record, s *regression.Summary) {
	var lines []string
	held := 0 // against what they came to before
	for i := range s.Records {
		r := &s.Records[i]
		old, ok := before[r.ID()]
		if ok {
			held++
		}
		if ok && (old.Verdict != r.Verdict || old.Signature.Key() != r.Signature.Key()) {
			lines = append(lines, fmt.Sprintf("%s: was %s, is %s", r.ID(), end(&old), end(r)))
		}
	}
	for i, l := range lines {
		if i == changesShown {
			fmt.Fprintf(a.out, "and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintln(a.out, l)
	}
	fmt.Fprintf(a.out, "%d of %s came to another end than in %s\n", len(lines), plural(held, "execution"), f.Header.ID)
	if none := len(s.Records) - held; none > 0 {
		fmt.Fprintf(a.out, "%s has no result of %s\n", f.Header.ID, plural(none, "execution"))
	}
}

// end is a verdict with its cause.
func end(r *result.Record) string {
	if r.Verdict == result.Match {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s: %s", r.Verdict, r.Signature)
}

// rerunStress runs one execution many times.
func (a *app) rerunStress(f *rerunFlags, arg string) error {
	x, err := choose(f.dir, arg)
	if err != nil {
		return err
	}
	cases := make([]plan.Case, f.stress)
	for i := range cases {
		cases[i] = x.c
		cases[i].Coverage = ""
		cases[i].Copy = i + 1
	}
	s, err := a.newRun(&f.regressFlags, regression.Options{Name: x.folder.Header.Plan + "-stress", Cases: cases, Head: a.from(x.folder, x.folder.Header.ID+"/"+x.c.ID())})
	if err == nil && !f.json {
		a.rate(x, s)
	}
	return a.cameTo(&f.regressFlags, s, err)
}

// rate tells how often an execution came to which end, and to that of the run it is from.
func (a *app) rate(x *chosen, s *regression.Summary) {
	n := map[string]int{}
	var ends []string
	for i := range s.Records {
		e := end(&s.Records[i])
		if n[e] == 0 {
			ends = append(ends, e)
		}
		n[e]++
	}
	for _, e := range ends {
		fmt.Fprintf(a.out, "%6d of %d, %5.1f %%: %s\n", n[e], len(s.Records), 100*float64(n[e])/float64(len(s.Records)), e)
	}
	if x.before != nil {
		fmt.Fprintf(a.out, "in %s it came to %s: reproduced %d of %d times\n", x.folder.Header.ID, end(x.before), n[end(x.before)], len(s.Records))
	}
}
