package execute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
)

// errCycles ends a run that goes beyond its cycles.
var errCycles = errors.New("the limit of device cycles is passed")

// job makes the job of a case.
func job(c *plan.Case) (suite.Job, error) {
	switch {
	case c.Scenario != "":
		text, err := plan.ScenarioText(c.Scenario)
		if err != nil {
			return suite.Job{}, fmt.Errorf("scenario: %w", err)
		}
		if c.Text != "" && plan.TextDigest(text) != c.Text {
			return suite.Job{}, fmt.Errorf("scenario %s is another than when the run was planned: begin a new run", c.Scenario)
		}
		f, err := scenario.Parse(c.Scenario, text)
		if err != nil {
			return suite.Job{}, err
		}
		return suite.FromScenario(f, c.Test, c.Preset, uint64(c.Seed))
	case c.Random > 0:
		return suite.FromSeed(c.Preset, uint64(c.Seed), c.Random, c.Stalls == nil || *c.Stalls)
	case c.Touch:
		return suite.FromTouch(c.Preset, uint64(c.Seed))
	}
	return suite.Job{}, errors.New("the case says nothing that could be run")
}

func withStalls(c *plan.Case) bool { return c.Stalls != nil && *c.Stalls }

// job makes the job of a case, or that of the program in its place.
func (e *Env) job(c *plan.Case) (suite.Job, error) {
	if e.InPlace == nil {
		return job(c)
	}
	return suite.Job{Name: c.Test, Group: suite.Scenario, Preset: c.Preset, Seed: uint64(c.Seed), Make: func(context.Context) (*compose.Program, []observe.Expectation, error) {
		return e.InPlace, nil, nil
	}}, nil
}

// Stimulus makes the whole stimulus of a case, stalls included.
func Stimulus(ctx context.Context, c *plan.Case) (*compose.Program, error) {
	j, err := job(c)
	if err != nil {
		return nil, err
	}
	p, _, err := j.Make(ctx)
	if err != nil {
		return nil, err
	}
	if withStalls(c) {
		whole := *p
		whole.Items = suite.WithStalls(p.Items)
		return &whole, nil
	}
	return p, nil
}

// Again is a line that does the same without a run folder; empty: there is none.
func Again(c *plan.Case) string {
	what := ""
	switch {
	case !c.Lockstep():
		return ""
	case c.Scenario != "":
		what = session.ShellWord(c.Scenario)
	case c.Random > 0:
		what = fmt.Sprintf("--random %d", c.Random)
	case c.Touch:
		what = "--touch"
	}
	a := suite.Again{What: what, Device: c.Dut, Preset: c.Preset, Mode: c.Mode, Fault: c.Fault, Batch: c.Batch, Stalls: c.Stalls, Seed: uint64(c.Seed)}
	return a.String()
}

// lockstepCase runs a case beside the model.
func (e *Env) lockstepCase(ctx context.Context, c *plan.Case, r result.Record) result.Record {
	e.beat(Beat{Phase: "make"})
	r.Again = Again(c)
	j, err := e.job(c)
	if err != nil {
		return failed(r, "stimulus", err)
	}
	j.Rerun = r.Again
	sim, err := e.simulator(c)
	if err != nil {
		return failed(r, "build", err)
	}
	mode, err := target.ParseMode(c.Mode)
	if err != nil {
		return failed(r, "stimulus", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	journal := "always" // what breaks its own expectations is a match to the session: what stays is decided here
	if e.Keep == "never" {
		journal = e.Keep
	}
	rep := suite.Run(ctx, []suite.Job{j}, suite.Options{
		Device: c.Dut, Mode: mode, Batch: c.Batch, RTL: sim, RunsDir: e.Work, Journal: journal, Wave: e.Waves, Workers: 1, Cover: e.Cover,
		Stalls: e.InPlace == nil && withStalls(c), Seen: e.watch(c, cancel),
	})
	e.beat(Beat{Phase: "end"})
	if len(rep.Outcomes) == 0 {
		return failed(r, "host", errors.New("interrupted before it began"))
	}
	o := rep.Outcomes[0]
	r = e.judge(ctx, r, o, c.Limits.Cycles)
	if r.Verdict == result.Match && e.Cover {
		if sim.CoverageFile != "" {
			err = e.points(r)
		}
		if err != nil {
			return failed(r, "coverage", err)
		}
		if r, err = e.cover(r, rep.Cover()); err != nil {
			return failed(r, "run folder", err)
		}
	}
	r = e.keep(r, o)
	if e.Outcome != nil {
		e.Outcome(o)
	}
	return r
}

// watchEvery is how many events pass between two looks at time and cycles.
const watchEvery = 256

// watch tells of progress and ends a run that goes beyond its cycles.
func (e *Env) watch(c *plan.Case, cancel context.CancelCauseFunc) func([]byte) {
	n := uint64(0)
	return func(record []byte) {
		if e.Seen != nil {
			e.Seen(record)
		}
		if n++; n%watchEvery != 1 || len(record) < 16 {
			return
		}
		cycle := binary.LittleEndian.Uint64(record[8:])
		e.beat(Beat{"run", n, cycle})
		if c.Limits.Cycles > 0 && cycle > c.Limits.Cycles {
			cancel(errCycles)
		}
	}
}

// judge makes the record of an outcome; limit is that of device cycles.
func (e *Env) judge(ctx context.Context, r result.Record, o *suite.Outcome, limit uint64) result.Record {
	v := o.Verdict
	r.Events, r.Cycles, r.Verdict = v.Transactions, v.Cycles, result.Of(o.Result)
	switch {
	case r.Verdict == result.Match:
		if r.Events == 0 { // lockstep says so already; a pass must not hang on that
			return Fail(r, result.Inconclusive, result.Signature{Kind: string(result.Inconclusive)}, "nothing was compared")
		}
	case r.Verdict == result.Divergence:
		s, line := signature(o)
		return Fail(r, result.Divergence, s, line)
	case errors.Is(context.Cause(ctx), errCycles):
		r.Events, r.Cycles = 0, 0 // how far it had come depends on who ran faster
		return Fail(r, result.Timeout, result.Signature{Kind: "cycles"}, fmt.Sprintf("%v: %d", errCycles, limit))
	case v.Gone:
		return Fail(r, result.Crash, result.Signature{Engine: v.Side, Kind: "crash", Field: e.normal(v.Failure)}, v.Failure)
	default:
		line := v.Failure
		if line == "" {
			line = v.Line
		}
		if o.Trouble != "" {
			line = o.Trouble
		}
		return Fail(r, r.Verdict, result.Signature{Engine: v.Side, Kind: string(r.Verdict), Field: e.normal(line)}, line)
	}
	return r
}

// signature is that of a run which was compared and found wrong.
func signature(o *suite.Outcome) (result.Signature, string) {
	if d := o.Verdict.Divergence; d != nil {
		s := result.Signature{Rule: d.Rule, Engine: d.Kind, Field: d.Root(), Kind: d.What}
		if s.Field == "" && d.What == "illegal" { // what is late or missing is one cause, whatever it was noticed by
			s.Field = result.Normalise(d.Why)
		}
		return s, d.Line()
	}
	if len(o.Breaches) > 0 {
		_, what, _ := strings.Cut(o.Breaches[0], ": ") // behind "cycle N, xid X"
		return result.Signature{Engine: "traffic", Kind: "breach", Field: result.Normalise(what)}, o.Breaches[0]
	}
	_, what, ok := strings.Cut(o.Unmet[0], ": expected ") // behind file:line:col
	if !ok {
		what = o.Unmet[0]
	}
	what, _, _ = strings.Cut(what, ", saw ")
	return result.Signature{Engine: "expect", Kind: "unmet", Field: what}, o.Unmet[0]
}

// normal is a line with the scratch folder and all that is particular to this run taken out.
func (e *Env) normal(line string) string {
	return result.Normalise(strings.ReplaceAll(line, e.Work+string(filepath.Separator), ""))
}

// failed is a case of which nothing can be said because this side failed.
func failed(r result.Record, side string, err error) result.Record {
	v := result.Bench
	var u *target.Unsupported
	if errors.As(err, &u) {
		v = result.Of(lockstep.Unsupported)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return Fail(r, v, result.Signature{Engine: side, Kind: string(v), Field: result.Normalise(first)}, first)
}
