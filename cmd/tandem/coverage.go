package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/internal/atomicfile"
)

// coverageFlags are the flags of tandem coverage.
type coverageFlags struct {
	dir                       string
	gaps, rank, closure, json bool
	lcov, cobertura           string
}

func (a *app) coverage() *cobra.Command {
	f := &coverageFlags{}
	c := &cobra.Command{Use: "coverage RUN", Short: "what a regression has covered: functional bins, lines, branches and bits of the RTL",
		Long: `Shows what the executions of a run that matched have covered, held against the waivers of now: those of the bins
(vectors/cover/waivers.txt) and those of the RTL (rtl/waivers.txt). Lines are counted where the run was made with --coverage
line, bits with --coverage toggle. A file of points as Verilator writes them (.dat) can stand in the place of a run.

--closure holds the run against the covergroups of its testplan. Percentages are of what is not waived.
docs/howto/coverage.md is the manual.

Exit codes: 0 shown (--closure: every bin and point of them is hit or waived), 1 --closure: one is open, or a waiver is of no
use, 2 the call is wrong or the folder damaged (--closure: counts are missing), 3 nothing was counted (--closure: something
was not measured).`,
		Example: `  tandem regress smoke --coverage line
  tandem coverage latest
  tandem coverage latest --gaps
  tandem coverage latest --rank
  tandem coverage nightly-3 --closure
  tandem coverage nightly-3 --lcov build/lines.info
  tandem coverage merge all.dat nightly-3 weekly-1`,
		Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.showCoverage(c, f, args[0])
		}}
	fs := c.Flags()
	fs.BoolVar(&f.gaps, "gaps", false, "list every bin and point that is open, points as a waiver names them")
	fs.BoolVar(&f.rank, "rank", false, "list the smallest set of executions found that covers as much")
	fs.BoolVar(&f.closure, "closure", false, "hold the run against the covergroups of its testplan; the exit code says whether it is closed")
	fs.StringVar(&f.lcov, "lcov", "", "write lines and branches to a `file` that genhtml and editors read")
	fs.StringVar(&f.cobertura, "cobertura", "", "write them to a `file` in the form of Cobertura")
	fs.BoolVar(&f.json, "json", false, "print all of it as JSON")
	c.PersistentFlags().StringVar(&f.dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	c.AddCommand(a.coverageMerge(f))
	return c
}

func (a *app) coverageMerge(f *coverageFlags) *cobra.Command {
	return &cobra.Command{Use: "merge OUT IN...", Short: "adds up points of runs, files and folders of files",
		Long: `Adds up the points of runs (their coverage.dat), files (.dat) and folders (every .dat below but OUT) into one file. Counts add; the order
of what is given does not matter. It can be shown with tandem coverage OUT, and with any tool for Verilator's files.

Exit codes: 0 added up, 2 the call is wrong or a file is damaged, 3 a run, a folder or all of it has no points.`,
		Example: "  tandem coverage merge all.dat nightly-3 weekly-1 other/cover",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage(c, "%s: want OUT and at least one IN", plural(len(args), "argument"))
			}
			if filepath.Ext(args[0]) != ".dat" {
				return usage(c, "OUT is %s: want a name that ends in .dat", args[0])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.mergePoints(f, args[0], args[1:]) }}
}

// uncounted says of a run or a folder that it has no points.
type uncounted string

func (u uncounted) Error() string { return string(u) }

// mergePoints adds up what is given. What is wrong with any of it is told, and nothing is written then.
func (a *app) mergePoints(f *coverageFlags, out string, from []string) error {
	sum := coverage.NewSum()
	var errs []error
	files := 0
	for _, arg := range from {
		names, err := f.pointFiles(arg, out)
		errs = append(errs, err)
		for _, name := range names {
			if err := a.ctx.Err(); err != nil {
				return fmt.Errorf("interrupted: %w", err)
			}
			files++
			errs = append(errs, addFile(sum, name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		if slices.ContainsFunc(errs, func(err error) bool { _, none := err.(uncounted); return err != nil && !none }) {
			return err
		}
		return &status{result: lockstep.Inconclusive, err: err}
	}
	if sum.Len() == 0 {
		return &status{result: lockstep.Inconclusive, err: fmt.Errorf("there are no points in %s", plural(files, "file"))}
	}
	if err := coverage.WriteSum(out, sum); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s, %s, %d hit: %s\n", plural(files, "file"), plural(sum.Len(), "point"), sum.Hit(), out)
	return nil
}

// pointFiles are the files that an argument stands for. What an earlier call wrote into a folder is no part of it: each call would
// count all of it again.
func (f *coverageFlags) pointFiles(arg, out string) ([]string, error) {
	run, none := findRun(f.dir, arg)
	if none == nil {
		name := filepath.Join(run, coverage.SumFile)
		if _, err := os.Stat(name); err != nil {
			return nil, uncounted(arg + ": no simulator of this run counted (tandem regress --coverage line)")
		}
		return []string{name}, nil
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(arg) != ".dat" {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	var names []string
	was, _ := os.Stat(out) // an error: there is none
	err = filepath.WalkDir(arg, func(path string, _ fs.DirEntry, err error) error {
		info, _ := os.Stat(path)
		if filepath.Ext(path) == ".dat" && (was == nil || !os.SameFile(info, was)) {
			names = append(names, path)
		}
		return err
	})
	if err == nil && names == nil {
		err = uncounted(arg + ": no .dat below")
	}
	slices.Sort(names)
	return names, err
}

func addFile(sum *coverage.Sum, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = sum.Add(name, in)
	return err
}

// covered is what is shown.
type covered struct {
	name        string
	root        string
	report      *coverage.Report
	covergroups []string
	points      string // file with the sum; it need not be there
}

// check finds flags that do not go together.
func (f *coverageFlags) check(arg string) error {
	var errs []error
	if f.lcov != "" && f.cobertura != "" && filepath.Clean(f.lcov) == filepath.Clean(f.cobertura) {
		errs = append(errs, fmt.Errorf("--lcov and --cobertura %s: one of them would be written over the other", f.cobertura))
	}
	if f.rank && strings.HasSuffix(arg, ".dat") {
		errs = append(errs, fmt.Errorf("--rank of %s: a file of points does not say which execution hit them; a run does", arg))
	}
	if f.closure && !f.json && (f.gaps || f.rank) {
		errs = append(errs, errors.New("--closure with --gaps or --rank: it lists what is open by itself; one of them"))
	}
	return errors.Join(errs...)
}

func (a *app) showCoverage(c *cobra.Command, f *coverageFlags, arg string) error {
	if err := f.check(arg); err != nil {
		return usage(c, "%w", err)
	}
	x, err := a.coverageOf(f, arg)
	if err != nil {
		return err
	}
	if err := f.export(x); err != nil {
		return err
	}
	closure := x.report.Closure(x.covergroups)
	switch {
	case f.json:
		err = a.json(struct {
			*coverage.Report
			Closure *coverage.Closure `json:"closure"`
		}{x.report, closure})
	case f.closure:
		a.printClosure(x, closure)
	default:
		a.printCoverage(f, x, closure)
	}
	if err != nil || !f.closure {
		return err
	}
	return done(closed(closure))
}

// closed is the result that a closure comes to.
func closed(c *coverage.Closure) lockstep.Result {
	switch {
	case len(c.Missing) > 0:
		return lockstep.BenchFailed
	case len(c.Open)+len(c.Stale) > 0:
		return lockstep.Diverged
	case len(c.Unmeasured) > 0 || c.Closed == 0:
		return lockstep.Inconclusive
	}
	return lockstep.Match
}

// waivers are those of the checkout, held against today.
func (a *app) waivers() (*coverage.Waivers, error) {
	root, err := a.rootOr()
	if err != nil {
		return nil, err
	}
	return coverage.LoadWaivers(root, time.Now())
}

// coverageOf reads a run or a file of points.
func (a *app) coverageOf(f *coverageFlags, arg string) (*covered, error) {
	root, err := a.rootOr()
	if err != nil {
		return nil, err
	}
	waivers, err := a.waivers()
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(arg, ".dat") {
		return pointsOnly(root, arg, waivers)
	}
	dir, err := findRun(f.dir, arg)
	if err != nil {
		return nil, err
	}
	folder, err := regression.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := folder.Whole(); err != nil {
		return nil, err
	}
	x := &covered{name: folder.Header.ID, root: root, points: filepath.Join(folder.Dir, coverage.SumFile)}
	x.report, err = coverage.Again(folder.Dir, waivers)
	if errors.Is(err, fs.ErrNotExist) && folder.Header.State == regression.Running {
		return nil, &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s: nothing was added up yet: the run is running, or was killed: `tandem regress --resume %s` goes on with it", arg, shellPath(folder.Dir))}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s: nothing was counted: no execution matched, or the run was made with --no-cover", arg)}
	}
	if err == nil {
		x.covergroups, err = folder.Covergroups()
	}
	return x, err
}

// pointsOnly is what a file of points says.
func pointsOnly(root, name string, w *coverage.Waivers) (*covered, error) {
	sum := coverage.NewSum()
	if err := addFile(sum, name); err != nil {
		return nil, err
	}
	if sum.Len() == 0 {
		return nil, &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s: there are no points in it", name)}
	}
	r := &coverage.Report{Version: coverage.Version, Executions: 1}
	sum.Code(r, coverage.Lines(root))
	r.WaiveCode(w)
	return &covered{name: name, root: root, report: r, points: name, covergroups: r.Measured()}, nil
}

// export writes the files that are asked for.
func (f *coverageFlags) export(x *covered) error {
	if f.lcov == "" && f.cobertura == "" {
		return nil
	}
	sum := coverage.NewSum()
	if err := addFile(sum, x.points); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s: no lines were counted (tandem regress --coverage line)", x.name)}
		}
		return err
	}
	var errs []error
	for name, write := range map[string]func(io.Writer, string) error{f.lcov: sum.Lcov, f.cobertura: sum.Cobertura} {
		if name == "" {
			continue
		}
		var b strings.Builder
		errs = append(errs, write(&b, x.root), atomicfile.Write(name, []byte(b.String())))
	}
	return errors.Join(errs...)
}
