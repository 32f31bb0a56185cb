package catalog

import (
	"strings"

	"metaroce/tandem/experiment"
)

// atLimit is the line of plots whose figures are shares of the limit.
var atLimit = []experiment.Level{{Y: experiment.Whole(1), Label: "limit"}}

// with adds a condition.
func with(w experiment.Where, column, text string) experiment.Where {
	all := experiment.Where{column: text}
	for c, t := range w {
		all[c] = t
	}
	return all
}

// want says which of two figures is the better one.
type want bool

const (
	more want = false
	less want = true
)

// sideBySide takes a figure of ours from the rows that meet the conditions, and the best one that any RoCEv2 has there.
func sideBySide(rows []experiment.Row, w experiment.Where, column string, better want) experiment.Comparison {
	return experiment.Comparison{
		Ours:     experiment.Fig(experiment.One(rows, with(w, "transport", metaName), column)),
		Baseline: experiment.Fig(baseline(rows, w, column, better)),
	}
}

// baseline is the best figure that any RoCEv2 has in the rows that meet the conditions.
func baseline(rows []experiment.Row, w experiment.Where, column string, better want) (best experiment.Fixed, there bool) {
	for _, r := range experiment.Pick(rows, w) {
		v, ok := r.Number(column)
		if !ok || !strings.HasPrefix(r.Text("transport"), roceName) {
			continue
		}
		if c := v.Compare(best); !there || (c < 0) == bool(better) && c != 0 {
			best, there = v, true
		}
	}
	return best, there
}

// limitOf takes the limit from the first of the rows that meet the conditions.
func limitOf(rows []experiment.Row, w experiment.Where, column string) *experiment.Fixed {
	for _, r := range experiment.Pick(rows, w) {
		return experiment.Fig(r.Number(column))
	}
	return nil
}

// reported is the gate of an experiment whose figures are reported: all of them are there, and none beats its limit, which
// would be a mistake of ours. Which of two figures is the better one says on which side.
func reported(column, limit string, better want, by ...string) experiment.Gate {
	return experiment.Gate{Name: "reported", Rule: "the figures are reported, for every cell, and none of them beats what is physically possible", Judge: func(rows []experiment.Row) []experiment.Check {
		var checks []experiment.Check
		for _, r := range rows {
			v, ok := r.Number(column)
			bound, there := r.Number(limit)
			checks = append(checks, experiment.Check{What: experiment.Label(r, column, append([]string{"transport"}, by...)...), Value: v, Bound: bound, AtMost: better == more, Missing: !ok || !there})
		}
		return checks
	}}
}
