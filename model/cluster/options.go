package cluster

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/sim"
)

// Options of a run. The zero value of a field is its default.
type Options struct {
	// Deadline is the simulated time at which a run must be done; 0: DefaultDeadline.
	Deadline sim.Picos
	// Stall is how long a run may go without a byte arriving for the first time while messages are outstanding; 0: DefaultStall.
	Stall sim.Picos
	// Drain is how long the network runs on behind the last completion, so that a second one is seen; 0: DefaultDrain.
	Drain sim.Picos
	// Bin is the width of the bins of goodput; 0: none.
	Bin sim.Picos
	// Probe is called every Every, first at Every, as long as messages are left. It must not change anything.
	Every sim.Picos
	Probe func(now sim.Picos, t Transport)
	// Interrupted is asked now and then; true ends the run with ErrInterrupted and what there is so far. nil: never.
	Interrupted func() bool
}

// Defaults of Options.
const (
	DefaultDeadline = 10 * sim.Second
	DefaultStall    = 100 * sim.Millisecond
	DefaultDrain    = 100 * sim.Microsecond
)

// maxBins bounds what a run may collect: a mistake in a unit is refused, not paid for.
const maxBins = 1 << 24

// ErrInterrupted is what a run ends with that Options.Interrupted ended.
var ErrInterrupted = errors.New("the run was interrupted")

// Problem is one thing that is wrong with Options, or with what they are to be used on.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("run: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined; each is a *Problem.
func (o *Options) Validate() error {
	var all []error
	bad := func(field string, value any, rule string, args ...any) {
		all = append(all, &Problem{field, fmt.Sprintf("%v", value), fmt.Sprintf(rule, args...)})
	}
	full := o.filled()
	for _, long := range []struct {
		field string
		given sim.Picos
	}{{"Deadline", o.Deadline}, {"Stall", o.Stall}, {"Drain", o.Drain}} {
		if long.given > maxTime {
			bad(long.field, long.given, "want at most %s", maxTime)
		}
	}
	if o.Bin > 0 && full.Deadline/o.Bin >= maxBins {
		bad("Bin", o.Bin, "want more than %s, Deadline / %d", full.Deadline/maxBins, maxBins)
	}
	if (o.Probe == nil) != (o.Every == 0) {
		bad("Every", o.Every, "want it above 0 where there is a Probe, and only there")
	}
	return errors.Join(all...)
}

// maxTime keeps sums of times far from where they overflow.
const maxTime = sim.Picos(1) << 53

func (o *Options) filled() Options {
	full := *o
	if full.Deadline == 0 {
		full.Deadline = DefaultDeadline
	}
	if full.Stall == 0 {
		full.Stall = DefaultStall
	}
	if full.Drain == 0 {
		full.Drain = DefaultDrain
	}
	return full
}
