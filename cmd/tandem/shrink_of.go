package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/shrink"
	"metaroce/tandem/cosim/vector"
)

// quarry finds what is to be made small.
func (a *app) quarry(f *shrinkFlags, args []string) (*quarry, error) {
	root, err := a.rootOr()
	if err != nil {
		return nil, err
	}
	q := &quarry{root: root, c: plan.Case{Suite: "shrink", Preset: f.preset, Dut: f.dut, Mode: f.mode, Fault: f.fault, Seed: result.Seed(f.seed), Limits: plan.Defaults}}
	if f.stalls {
		q.c.Stalls = &f.stalls
	}
	name := fmt.Sprintf("random-%d", f.seed)
	switch {
	case f.random > 0:
		q.c.What = plan.What{Random: f.random}
	case strings.HasSuffix(args[0], ".mrv"):
		name, err = q.vector(f, args)
	case isFile(filepath.Join(args[0], journal.StimulusFile)) && !strings.ContainsRune(filepath.Base(args[0]), '@'):
		if err := f.fixed("a recorded run is", "preset", "mode", "seed", "stalls"); err != nil {
			return nil, err
		}
		name, err = q.recorded(f, args[0])
	case f.vectors && !isText(args[0]) && exists(args[0]):
		name, err = q.vector(f, args)
	case len(args) > 1:
		err = fmt.Errorf("%q behind %q: a name goes with a file of vectors", args[1], args[0])
	case strings.HasSuffix(args[0], ".scn") || !strings.ContainsRune(args[0], filepath.Separator):
		if name, err = q.scenario(args[0]); err != nil && !f.vectors && !strings.HasSuffix(args[0], ".scn") {
			_, none := findRun(f.dir, args[0]) // a bare word may have been meant as either
			err = errors.Join(err, none)
		}
	case f.vectors:
		_, err = os.Stat(args[0])
	case isFile(args[0]):
		err = fmt.Errorf("%s: a text ends in .scn, a file of vectors in .mrv; recorded runs and regressions are folders", args[0])
	case exists(args[0]):
		err = fmt.Errorf("%s: neither a recorded run nor a regression: there is no %s and no %s in it", args[0], journal.StimulusFile, regression.HeaderFile)
	default:
		if err := f.fixed("an execution of a regression is", "dut", "preset", "mode", "fault", "seed", "stalls"); err != nil {
			return nil, err
		}
		if err = a.execution(q, f.dir, args[0]); f.out == "" {
			return q, err
		}
	}
	q.c.Test = name
	if q.out = f.out; q.out == "" {
		q.out = filepath.Base(name) + "-" + shrink.Name
	}
	return q, err
}

// fixed refuses flags that what is to be shrunk has no use for.
func (f *shrinkFlags) fixed(what string, flags ...string) error {
	var errs []error
	for _, flag := range flags {
		if f.given(flag) {
			errs = append(errs, fmt.Errorf("--%s: %s shrunk as run", flag, what))
		}
	}
	return errors.Join(errs...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFile(path string) bool {
	s, err := os.Stat(path)
	return err == nil && s.Mode().IsRegular()
}

// scenario takes a text, by name or file.
func (q *quarry) scenario(arg string) (string, error) {
	f, err := load(arg)
	if err != nil {
		return "", err
	}
	if p := f.Preset(); p != "" {
		q.c.Preset = p
	}
	q.c.What = plan.What{Scenario: arg}
	if strings.HasSuffix(arg, ".scn") {
		if q.c.Scenario, err = filepath.Abs(arg); err != nil {
			return "", err
		}
	}
	return scenarioName(arg), nil
}

// vector takes the stimulus of a vector.
func (q *quarry) vector(f *shrinkFlags, args []string) (string, error) {
	if err := f.fixed("a vector is", "preset"); err != nil {
		return "", err
	}
	s, err := readSome(args[:1], args[1:])
	if err != nil {
		return "", err
	}
	if len(s.list) != 1 {
		return "", fmt.Errorf("%s: %d vectors; name one of them", args[0], len(s.list))
	}
	v := s.list[0]
	if vector.IsBlock(v.Kind) {
		return "", &shrink.Unable{What: fmt.Sprintf("vector %s is of the steps of an engine: each of them stands for itself", v.Name)}
	}
	if err := vector.Supported(v, f.dut); err != nil {
		return "", err
	}
	q.c.Preset, q.program = v.Preset, v.Program()
	if !f.given("seed") {
		q.c.Seed = result.Seed(v.Seed)
	}
	return strings.ReplaceAll(v.Name, "/", "-"), nil
}

// recorded takes the stimulus of a recorded run, with the device and seed that it had.
func (q *quarry) recorded(f *shrinkFlags, folder string) (string, error) {
	j, err := journal.Open(folder)
	if err != nil {
		return "", err
	}
	q.c.Preset, q.c.Mode, q.c.Seed = j.Meta.Config.Preset, j.Meta.Config.Mode.String(), result.Seed(j.Meta.Config.Seed)
	q.program = vector.Recorded(j.Meta.Name, j.Stimulus)
	if f.fault == "" && len(j.Meta.Plusargs) > 0 {
		return "", fmt.Errorf("%s was run with %s: name the planted bug with --fault", folder, strings.Join(j.Meta.Plusargs, " "))
	}
	return filepath.Base(filepath.Clean(folder)), nil
}

// execution takes an execution of a regression. What is written stands beside what was kept of it.
func (a *app) execution(q *quarry, dir, arg string) error {
	x, err := choose(dir, arg)
	if err != nil {
		return err
	}
	q.c, q.root = x.c, a.from(x.folder, "").Root
	if x.before != nil {
		if q.want = x.before.Signature; x.before.Verdict == result.Match {
			return shrink.ErrMatches
		}
	}
	q.run = x.folder.Dir
	q.out = filepath.Join(x.folder.Dir, execute.TestsFolder, x.c.ID(), shrink.Name)
	return nil
}

// shownPath is a path as short as it can be written here.
func shownPath(path string) string {
	wd, err := os.Getwd()
	abs, aerr := filepath.Abs(path)
	if errors.Join(err, aerr) != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, abs); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return abs
}
