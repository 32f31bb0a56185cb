package experiment

import (
	"fmt"
	"strings"
)

// Outcome counts what became of a run.
type Outcome struct {
	Failures int
	Gates    [NotJudged + 1]int // by State
}

// Outcome counts gates and failures.
func (r *Result) Outcome() Outcome {
	o := Outcome{Failures: len(r.Failures)}
	for _, v := range r.Verdicts {
		o.Gates[v.State]++
	}
	return o
}

// Line is one sentence about the run.
func (r *Result) Line() string {
	o := r.Outcome()
	switch {
	case r.Partial:
		return fmt.Sprintf("interrupted after %d of %d cells: partial, no gate is judged", r.Done, r.Cells())
	case o.Failures > 0:
		return fmt.Sprintf("%d of %d cells failed, no gate is judged", o.Failures, r.Cells())
	case o.Gates[Failed] > 0:
		return fmt.Sprintf("%d of %d gates FAIL", o.Gates[Failed], len(r.Verdicts))
	case o.Gates[NothingToJudge] > 0:
		return fmt.Sprintf("%d of %d gates had nothing to look at", o.Gates[NothingToJudge], len(r.Verdicts))
	case len(r.Verdicts) == 0:
		return fmt.Sprintf("%d cells, reported without a gate", r.Done)
	default:
		return fmt.Sprintf("%d cells, all %d gates hold", r.Done, len(r.Verdicts))
	}
}

// Title is what the run is called.
func (r *Result) Title() string {
	if len(r.Plan.Over) > 0 {
		return r.Experiment.Name + " over " + strings.Join(r.Plan.Over, ", ")
	}
	return r.Experiment.Name
}
