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
		return count(r.Done, "cell") + ", reported without a gate"
	case len(r.Verdicts) == 1:
		return count(r.Done, "cell") + ", the gate holds"
	default:
		return fmt.Sprintf("%s, all %d gates hold", count(r.Done, "cell"), len(r.Verdicts))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Title is what the run is called.
func (r *Result) Title() string {
	if len(r.Plan.Over) > 0 {
		return r.Experiment.Name + " over " + strings.Join(r.Plan.Over, ", ")
	}
	return r.Experiment.Name
}
