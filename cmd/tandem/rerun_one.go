package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/internal/atomicfile"
)

// rerunFolder is where folders of executions that are run again go, below the run folder; where one with waves would be replaced,
// the next goes beside it, into reruns-2, reruns-3 and so on.
const rerunFolder = "reruns"

var rerunFolders = regexp.MustCompile(`^` + rerunFolder + `(-[1-9][0-9]*)?$`)

// placeOf is the first of these folders in which an execution has no waves that would be lost.
func placeOf(run, id string) string {
	name := rerunFolder
	for n := 2; ; n++ {
		if _, err := os.Stat(filepath.Join(run, name, id, journal.WaveFile)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", rerunFolder, n)
	}
}

// rerunOne runs one execution in this process and explains it.
func (a *app) rerunOne(f *rerunFlags, arg string) error {
	x, err := choose(f.dir, arg)
	if err != nil {
		return err
	}
	x.c.Coverage = "" // what is looked at is not counted, and the plain simulator is faster
	root := a.from(x.folder, "").Root
	if f.waves && x.c.Dut != "rtl" {
		fmt.Fprintf(a.err, "no waves: they are of the signals of RTL, and %s is run on %s\n", x.c.ID(), deviceOf(&x.c))
		f.waves = false
	}
	work, free, err := shard.Scratch()
	if err != nil {
		return err
	}
	defer free()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	e := execute.Env{Root: root, Run: x.folder.Dir, Work: filepath.Join(work, "w"), Tests: placeOf(x.folder.Dir, x.c.ID()), Keep: "always", Waves: f.waves, Program: program, Log: aboveLine{a.err, a.errTerm}}
	if err := keeps(filepath.Join(e.Run, e.Tests, x.c.Suite), x.c.Test); err != nil {
		return err
	}
	if !f.waves {
		stop := func() {}
		e.Binaries, err = execute.Build(a.ctx, []plan.Case{x.c}, root, func(key string) {
			stop = a.building("preset " + key)
		}, nil)
		stop()
		if err != nil {
			return err
		}
	}
	var outcome *suite.Outcome
	e.Outcome = func(o *suite.Outcome) { outcome = o }
	r, err := a.execute(&e, &x.c)
	if err != nil {
		return err
	}
	if r.Again != "" { // a line that is not at home here alone
		r.Again += session.RootFlag(a.checkout)
	}
	if f.json {
		if err := a.json(r); err != nil {
			return err
		}
		return done(r.Verdict.Exit())
	}
	a.explainRerun(f, x, &r, outcome, changed(x.folder.Header.Binaries, e.Binaries))
	return done(r.Verdict.Exit())
}

// keeps makes the place for what is run again, and says before it is run that nothing can be kept there: behind it that would be
// another end of it.
func keeps(place, name string) error {
	err := os.MkdirAll(place, 0o755)
	if err == nil {
		err = atomicfile.Check(filepath.Join(place, name))
	}
	if err != nil {
		return fmt.Errorf("what it comes to cannot be kept in its run: %w; make a copy of the run folder and run it again from that", err)
	}
	return nil
}

// changed tells that a simulator is made of other sources than the run's of the same key was: its folder is named by them.
func changed(then, now map[string]string) bool {
	for key, path := range now {
		if was, ok := then[key]; ok && filepath.Base(filepath.Dir(was)) != filepath.Base(filepath.Dir(path)) {
			return true
		}
	}
	return false
}

// deviceOf is what a case is run on, in words.
func deviceOf(c *plan.Case) string {
	if c.Dut == "model" {
		return "the model"
	}
	return "no device: it is a command"
}

// execute runs a case within its limit of time.
func (a *app) execute(e *execute.Env, c *plan.Case) (result.Record, error) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	defer cancel(nil)
	if !e.Waves { // that may have to build first
		stop := time.AfterFunc(time.Duration(c.Limits.Wall)*time.Millisecond, func() { cancel(execute.ErrWall) })
		defer stop.Stop()
	}
	if err := e.Clear(); err != nil {
		return result.Record{}, err
	}
	r, ok := e.Do(ctx, c)
	if !ok {
		return r, fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return r, nil
}

// explainRerun says what the execution came to, and whether that is what it came to before.
func (a *app) explainRerun(f *rerunFlags, x *chosen, r *result.Record, o *suite.Outcome, otherRTL bool) {
	if o != nil {
		o.Rerun = r.Again
		o.Explain(a.out) // with the folder
	} else if r.Verdict != result.Match {
		fmt.Fprintf(a.out, "%s: %s\n", r.Signature, r.Line)
	}
	if r.Folder != "" && (o == nil || o.Result == lockstep.Match) {
		fmt.Fprintf(a.out, "folder: %s\n", shellPath(filepath.Join(x.folder.Dir, r.Folder)))
	}
	if f.waves && r.Verdict == result.Match {
		fmt.Fprintln(a.out, "no waves: they are of a divergence, and it matches")
	}
	if x.before != nil {
		if same := end(x.before) == end(r); same {
			fmt.Fprintf(a.out, "the same as in %s\n", x.folder.Header.ID)
		} else {
			fmt.Fprintf(a.out, "another end than in %s: there it came to %s\n", x.folder.Header.ID, end(x.before))
		}
	}
	if otherRTL {
		fmt.Fprintf(a.out, "the RTL or its bench is another one than in %s\n", x.folder.Header.ID)
	}
	fmt.Fprintf(a.out, "%s: %s, %d events compared, %d cycles\n", a.paint(r.Verdict == result.Match, string(r.Verdict)), r.ID(), r.Events, r.Cycles)
}
