package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// Options of a run.
type Options struct {
	Dir  string // of run folders
	Name string // of the run: that of its plan
	Plan *plan.Plan
	// Cases are what is to be run; none: an error, because a run of nothing passes nothing.
	Cases []plan.Case
	Head  Header // what the caller knows of it: plan, about, base, from, args, keep, root
	Known string // file of known failures, of which the run folder keeps a copy; empty: none
	Common
}

// Common are options of a new run and of one that goes on.
type Common struct {
	Workers  int
	Launcher farm.Launcher
	History  *history.Store // nil: none
	// FailFast ends the run after so many executions that do not match; 0: never.
	FailFast int
	NoCover  bool
	Log      io.Writer // of builds; nil: nobody
	Watch    Watch
	// Poll is how often records are looked for; 0: 200 ms.
	Poll time.Duration
	// Build makes the simulators; nil: execute.Build.
	Build func(ctx context.Context, cases []plan.Case, root string, say func(string), log io.Writer) (map[string]string, error)
}

// Watch is told how a run goes on. All calls come from one goroutine. A nil function is not called.
type Watch struct {
	Folder   func(dir string)                                     // as soon as it stands
	Building func(key string)                                     // a simulator is built, or found
	Begin    func(cases, done, bad int, expect time.Duration)     // running begins; done and not matching so far, in all sessions
	Record   func(r *result.Record)                               // a new one
	Tick     func(running []string, done int, left time.Duration) // at every look; left is of the work, over all workers
	Note     func(text string)
}

// Summary is what a run came to.
type Summary struct {
	Folder  *Folder
	Records []result.Record // sorted
	// Coverage is what they have covered; nil: nothing was counted.
	Coverage *coverage.Report
}

// ErrNothing says that there are no cases.
var ErrNothing = errors.New("nothing is selected: a run of no tests would pass whatever there is")

// New begins a run and does it. Where the context ends, the summary is of what was done until then. The error is about the
// running; what the tests came to is in the summary.
func New(ctx context.Context, o Options) (*Summary, error) {
	if len(o.Cases) == 0 {
		return nil, ErrNothing
	}
	if err := o.Launcher.Ready(ctx); err != nil { // before there is a folder of nothing
		return nil, err
	}
	if err := writable(append(o.paths(), o.Dir, o.Head.Root)); err != nil {
		return nil, err
	}
	f, err := create(o.Dir, o.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	id := f.Header.ID
	f.Header = o.Head
	h := &f.Header
	h.Version, h.ID, h.Cases, h.State, h.Began = Version, id, len(o.Cases), Running, time.Now().UnixMilli()
	h.Launcher, h.Workers = o.Launcher.Name(), o.Workers
	h.Host, _ = os.Hostname()
	if h.Program, err = program(); err != nil {
		return nil, err
	}
	if o.Plan != nil {
		err = f.writePlan(o.Plan)
	}
	if o.Known != "" {
		err = errors.Join(err, f.CopyKnown(o.Known))
	}
	if err := errors.Join(err, f.writeCases(o.Cases), f.writeHeader()); err != nil {
		return nil, err
	}
	r := &runner{o: &o.Common, f: f, cases: o.Cases}
	if err := f.linkLatest(); err != nil {
		r.note("%v", err)
	}
	return r.do(ctx)
}

// paths are those of the texts of the plan.
func (o *Options) paths() []string {
	if o.Plan == nil {
		return nil
	}
	return slices.Clone(o.Plan.Files)
}

// writable refuses paths that JSON cannot have: shards would be told others, and keep there what nobody finds.
func writable(paths []string) error {
	var errs []error
	for _, path := range paths {
		if full, err := filepath.Abs(path); err != nil || !utf8.ValidString(full) {
			errs = append(errs, errors.Join(err, fmt.Errorf("%q is not UTF-8, and a run writes its paths down as JSON: use a folder whose whole path is UTF-8", full)))
		}
	}
	return errors.Join(errs...)
}

// Resume goes on with a run that was interrupted or killed, with the same program and the same simulators.
func Resume(ctx context.Context, dir string, o Common) (*Summary, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := o.Launcher.Ready(ctx); err != nil {
		return nil, err
	}
	if err := writable([]string{f.Dir}); err != nil {
		return nil, err
	}
	if err := f.hold(); err != nil {
		return nil, err
	}
	defer f.Close()
	cases, err := f.Cases()
	if err != nil {
		return nil, err
	}
	p, err := program()
	if err != nil {
		return nil, err
	}
	if p != f.Header.Program {
		return nil, fmt.Errorf("%s was begun by another build of this program (%.12s, this is %.12s): results of two cannot be mixed; begin a new run, of its cases with `tandem rerun --repeat %s`",
			f.Dir, f.Header.Program, p, f.Header.ID)
	}
	if err := f.retire(ctx); err != nil {
		return nil, err
	}
	f.Header.Launcher, f.Header.Workers = o.Launcher.Name(), o.Workers
	r := &runner{o: &o, f: f, cases: cases, resumed: true}
	return r.do(ctx)
}

// runner is a run that is being done.
type runner struct {
	o       *Common
	f       *Folder
	cases   []plan.Case
	resumed bool
	began   time.Time
	c       *collector
	past    map[string]*history.Past
	round   int
	fails   int
	cut     bool                     // no more can be started
	expect  map[string]time.Duration // of cases without a record, by ID
	left    time.Duration            // sum of these
	waivers *coverage.Waivers
}

func (r *runner) do(ctx context.Context) (*Summary, error) {
	r.began = time.Now()
	if w := r.o.Watch.Folder; w != nil {
		w(r.f.Dir)
	}
	var err error
	if r.waivers, err = coverage.LoadWaivers(r.f.Header.Root, r.began); err != nil {
		return nil, errors.Join(err, r.broken(err)) // before hours have passed
	}
	err = r.build(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, errors.Join(err, r.broken(err))
	}
	r.past = map[string]*history.Past{}
	if r.o.History != nil {
		if p, err := r.o.History.Past(); err == nil {
			r.past = p
		} else {
			r.note("history: %v; the order is that of the plan", err)
		}
	}
	r.c = newCollector(r.f.Dir, r.cases)
	if err := r.c.poll(); err != nil { // of earlier sessions
		return nil, err
	}
	r.c.fresh = r.record
	if err := r.rounds(ctx); err != nil {
		if len(r.c.got) == 0 {
			return nil, errors.Join(err, r.broken(err))
		}
		r.note("%v", err) // what is known is told, and the rest can be run later
		r.cut = true
	}
	return r.finish(ctx)
}

// broken notes that a run could not be run.
func (r *runner) broken(err error) error {
	h := &r.f.Header
	h.State, h.Verdict, h.Ended = Interrupted, result.Bench, time.Now().UnixMilli()
	h.Notes = append(h.Notes, err.Error())
	return r.f.writeHeader()
}

// build makes the simulators. A run that goes on has to find those that it had.
func (r *runner) build(ctx context.Context) error {
	build := r.o.Build
	if build == nil {
		build = execute.Build
	}
	binaries, err := build(ctx, r.cases, r.f.Header.Root, r.o.Watch.Building, r.o.Log)
	if err != nil {
		return err
	}
	if r.resumed && r.f.Header.Binaries != nil {
		for key, path := range r.f.Header.Binaries {
			if binaries[key] != path {
				return fmt.Errorf("the simulator %s is another one than when %s was begun: the sources of the RTL or the tools have changed; begin a new run", key, r.f.Header.ID)
			}
		}
	}
	if r.f.Header.Binaries = binaries; len(binaries) == 0 {
		r.f.Header.Binaries = nil // as it is read again
	}
	return r.f.writeHeader()
}

func (r *runner) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.f.Header.Notes = append(r.f.Header.Notes, text)
	if w := r.o.Watch.Note; w != nil {
		w(text)
	}
}

// record takes a new record.
func (r *runner) record(x result.Record) {
	r.left -= r.expect[x.ID()]
	if x.Verdict != result.Match {
		r.fails++
	}
	if w := r.o.Watch.Record; w != nil {
		w(&x)
	}
}
