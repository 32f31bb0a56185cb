package shrink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
)

// Execution is the oracle of an execution of a regression: programs are run in the place of its own, on its device, with
// its seed, and what they come to is told as that of every other execution. own is the program of the execution itself, if it
// has one: that is run as the execution is, with what its text expects. The scratch folder of e is used up.
func Execution(e execute.Env, c plan.Case, own *compose.Program) Oracle {
	e.Keep, e.Cover = "never", false
	return func(ctx context.Context, p *compose.Program) (*Seen, error) {
		seen := &Seen{Trace: &Trace{}}
		run := e
		run.Seen = seen.Trace.Observe
		if p != own {
			run.InPlace = p
		}
		run.Outcome = func(o *suite.Outcome) {
			if d := o.Verdict.Divergence; d != nil {
				seen.Xid = d.Xid
			} else if len(o.Breaches) > 0 {
				seen.Xid = breachXid(o.Breaches[0])
			}
		}
		if err := run.Clear(); err != nil {
			return nil, err
		}
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(c.Limits.Wall)*time.Millisecond, execute.ErrWall)
		defer cancel()
		r, ok := run.Do(limited, &c)
		switch {
		case !ok:
			return nil, context.Cause(limited)
		case r.Verdict == result.Match:
			return seen, nil
		case r.Verdict == result.Bench && hopeless[r.Signature.Engine]:
			return nil, errors.New(r.Line)
		}
		seen.Signature, seen.Line = r.Signature, r.Line
		return seen, nil
	}
}

// breachXid is the transaction that a breach is about; 0 where it names none.
func breachXid(breach string) (xid uint32) {
	var cycle uint64
	if n, _ := fmt.Sscanf(breach, "cycle %d, xid 0x%x:", &cycle, &xid); n < 2 {
		return 0
	}
	return xid
}

// hopeless are the sides whose failure has nothing to do with the program: the next one would fail the same.
var hopeless = map[string]bool{"build": true, "run folder": true}

// OfCase makes the failure of an execution small.
func OfCase(ctx context.Context, e execute.Env, c plan.Case, o Options) (*Result, error) {
	if !c.Lockstep() {
		return nil, &Unable{What: "a command has no stimulus to make smaller"}
	}
	if o.Want != nil {
		if why := Unfit(o.Want); why != "" {
			return nil, &Unable{What: why}
		}
	}
	p, err := execute.Stimulus(ctx, &c)
	if err != nil {
		return nil, fmt.Errorf("cannot make the stimulus: %w", err)
	}
	return shrink(ctx, p, &c, Execution(e, c, p), o)
}

// OfProgram makes the failure of a program small that is run as an execution says: its device, preset, seed, fault.
func OfProgram(ctx context.Context, e execute.Env, c plan.Case, p *compose.Program, o Options) (*Result, error) {
	return shrink(ctx, p, &c, Execution(e, c, nil), o)
}

func shrink(ctx context.Context, p *compose.Program, c *plan.Case, oracle Oracle, o Options) (*Result, error) {
	params, ok := preset.ByName(c.Preset)
	if !ok {
		return nil, fmt.Errorf("preset %q: there are tiny, small and full", c.Preset)
	}
	o.Params, o.Seed = params, uint64(c.Seed)
	return Shrink(ctx, p, oracle, o)
}

// Unable is a failure of a kind that cannot be made smaller.
type Unable struct{ What string }

// Error says why.
func (u *Unable) Error() string { return u.What }
