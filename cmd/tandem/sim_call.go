package main

import (
	"errors"
	"fmt"
	"strings"

	"metaroce/tandem/experiment"
)

// job is one experiment with its values.
type job struct {
	e         *experiment.Experiment
	values    experiment.Values
	plan      *experiment.Plan
	set, over []experiment.Setting
}

// mostWorkers is more than any machine has; a larger number is a slip of the pen.
const mostWorkers = 1024

// jobs reads the call. The error is every problem, joined.
func (f *simFlags) jobs(all []*experiment.Experiment, args []string) ([]job, error) {
	bad := f.problems(args)
	chosen, more := f.chosen(all, args)
	bad = append(bad, more...)
	set, more := settings(f.set)
	bad = append(bad, more...)
	var jobs []job
	said := map[string]bool{}
	for _, e := range chosen {
		j, more := f.job(e, set)
		for _, err := range more {
			if !said[err.Error()] { // the same in every experiment
				bad = append(bad, err)
				said[err.Error()] = true
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, errors.Join(bad...)
}

// problems are those of the flags by themselves.
func (f *simFlags) problems(args []string) []error {
	var bad []error
	say := func(wrong bool, format string, v ...any) {
		if wrong {
			bad = append(bad, fmt.Errorf(format, v...))
		}
	}
	sweep := len(args) > 0 && args[0] == sweepName
	say(len(args) == 0 && !f.all && !f.list, "nothing to run: name an experiment, or give --all or --list (see tandem sim --help)")
	say(f.all && len(args) > 0, "--all runs every experiment: name none beside it")
	say(f.workers < 1 || f.workers > mostWorkers, "--workers %d: want 1 to %d", f.workers, mostWorkers)
	say(f.json && f.csv, "--json and --csv: want one of them")
	say(f.csv && f.list, "--csv is of results, and --list has none: take --json")
	say(f.csv && (f.all || len(args) > 1), "--csv: experiments have other columns each: name one, or give --out")
	say(f.only != "" && (f.all || len(args) > 1), "--only: name the experiment of that cell, and no other")
	say(sweep && len(args) > 1, "sweep: name its experiment with --of, and none beside it")
	say(sweep && f.of == "", "sweep: say of which experiment: --of NAME")
	say(sweep && len(f.over) == 0, "sweep: say over what: --over parameter=a..b")
	say(!sweep && f.of != "", "--of is for a sweep: tandem sim sweep --of %s", f.of)
	say(!sweep && len(f.over) > 0, "--over is for a sweep: tandem sim sweep --of NAME")
	return bad
}

// chosen are the experiments that are named.
func (f *simFlags) chosen(all []*experiment.Experiment, args []string) ([]*experiment.Experiment, []error) {
	if f.all {
		return all, nil
	}
	names := args
	if len(args) > 0 && args[0] == sweepName {
		names = nil
		if f.of != "" {
			names = []string{f.of}
		}
	}
	var list []*experiment.Experiment
	var bad []error
	seen := map[string]bool{}
	for _, n := range names {
		e := find(all, n)
		switch {
		case e == nil:
			bad = append(bad, noExperiment(all, n, f.of == ""))
		case seen[n]:
			bad = append(bad, fmt.Errorf("experiment %q: named twice", n))
		default:
			list = append(list, e)
		}
		seen[n] = true
	}
	return list, bad
}

func find(all []*experiment.Experiment, name string) *experiment.Experiment {
	for _, e := range all {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// noExperiment tells of a name that is none; sweep says whether a sweep could be meant.
func noExperiment(all []*experiment.Experiment, name string, sweep bool) error {
	if name == sweepName {
		return errors.New("a sweep is of an experiment, and not of a sweep: --over may be given several times (tandem sim --list)")
	}
	var names []string
	if sweep {
		names = append(names, sweepName)
	}
	for _, e := range all {
		names = append(names, e.Name)
	}
	near := ""
	if list := experiment.Near(name, names); len(list) > 0 {
		near = "; near it: " + strings.Join(list, ", ")
	}
	return fmt.Errorf("experiment %q: no such name%s (tandem sim --list)", name, near)
}

// settings reads parameter=value.
func settings(list []string) ([]experiment.Setting, []error) {
	var set []experiment.Setting
	var bad []error
	for _, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			bad = append(bad, fmt.Errorf("--set %q: want parameter=value", text))
			continue
		}
		set = append(set, experiment.Setting{Name: name, Text: value})
	}
	return set, bad
}

// job makes the plan of an experiment, or of a sweep of it.
func (f *simFlags) job(e *experiment.Experiment, set []experiment.Setting) (job, []error) {
	j := job{e: e, set: set}
	var bad []error
	if len(f.over) > 0 {
		var overs []experiment.Over
		for _, text := range f.over {
			o, more := experiment.ReadOver(text, e.Params)
			if bad = append(bad, more...); len(more) == 0 {
				overs = append(overs, o)
				name, list, _ := strings.Cut(text, "=")
				j.over = append(j.over, experiment.Setting{Name: name, Text: list})
			}
		}
		if len(bad) > 0 {
			_, more := e.Params.Read(set)
			return j, append(bad, more...)
		}
		j.values, j.plan, bad = experiment.Sweep(e, set, overs)
	} else {
		if j.values, bad = e.Params.Read(set); len(bad) == 0 {
			var err error
			if j.plan, err = e.Plan(j.values); err != nil {
				bad = append(bad, err)
			}
		}
	}
	if f.only != "" && len(bad) == 0 {
		if err := j.plan.Has(f.only); err != nil {
			bad = append(bad, err)
		}
	}
	return j, bad
}
