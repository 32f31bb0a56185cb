package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// Do does one case. ErrWall or ErrStall as the cause of the context's end make a timeout of it; with any other cause the
// case is not done, and ok is false.
func (e *Env) Do(ctx context.Context, c *plan.Case) (r result.Record, ok bool) {
	begin := time.Now()
	used := processorTime()
	if c.Lockstep() {
		r = e.lockstepCase(ctx, c, c.Record())
	} else {
		r = e.command(ctx, c, c.Record())
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if !errors.Is(cause, ErrWall) && !errors.Is(cause, ErrStall) {
			return r, false
		}
		r = late(r, c, cause)
	}
	r.Times = &result.Times{Begin: begin.UnixMilli(), Duration: time.Since(begin).Milliseconds(), CPU: (processorTime() - used).Milliseconds()}
	return r, true
}

// Limits of time, as causes of a context's end.
var (
	ErrWall  = errors.New("the limit of wall time is passed")
	ErrStall = errors.New("there was no progress")
)

// late makes a record that of a case whose time was over.
func late(r result.Record, c *plan.Case, cause error) result.Record {
	r = TimedOut(r, c, cause)
	r.Events, r.Cycles, r.Coverage = 0, 0, ""
	return r
}

// TimedOut is the record of a case that passed a limit of time. Nothing in it says how far it had come: that depends on
// the machine.
func TimedOut(r result.Record, c *plan.Case, cause error) result.Record {
	if errors.Is(cause, ErrStall) {
		return Fail(r, result.Timeout, result.Signature{Kind: "stall"}, fmt.Sprintf("%v for %v", ErrStall, millis(c.Limits.Stall)))
	}
	return Fail(r, result.Timeout, result.Signature{Kind: "wall"}, fmt.Sprintf("%v: %v", ErrWall, millis(c.Limits.Wall)))
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// processorTime is that of this process and of its children that have ended.
func processorTime() time.Duration {
	sum := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// Clear makes the scratch folder empty for the next case.
func (e *Env) Clear() error {
	if err := os.RemoveAll(e.Work); err != nil {
		return err
	}
	return os.MkdirAll(e.Work, 0o700)
}
