package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

// slowestShown is how many executions the list of the slowest has.
const slowestShown = 20

// suites sums up by suite, in the order of their names.
func suites(list []result.Record) []Suite {
	by := map[string]*Suite{}
	tests := map[string]bool{}
	var out []*Suite
	for i := range list {
		x := &list[i]
		name, _, _ := strings.Cut(x.Name, "/")
		s := by[name]
		if s == nil {
			s = &Suite{Name: name}
			by[name] = s
			out = append(out, s)
		}
		if full := x.FullName(); !tests[full] {
			tests[full] = true
			s.Tests++
		}
		s.Runs++
		s.Events += x.Events
		s.Cycles += x.Cycles
		if x.Verdict == result.Match {
			s.Match++
		}
		if x.Times != nil {
			s.Duration += x.Times.Duration
		}
	}
	slices.SortFunc(out, func(a, b *Suite) int { return cmp.Compare(a.Name, b.Name) })
	rows := make([]Suite, len(out))
	for i, s := range out {
		rows[i] = *s
	}
	return rows
}

// rates tells the speed of what ran on a device, by device and preset. Executions shorter than a tenth of a second tell
// more of starting than of running and are left out.
func rates(list []result.Record) []Rate {
	const least = 100 // ms
	by := map[[2]string][]int64{}
	for i := range list {
		x := &list[i]
		if x.Times != nil && x.Times.Duration >= least && x.Cycles > 0 {
			k := [2]string{x.Dut, x.Preset}
			by[k] = append(by[k], int64(x.Cycles)*1000/x.Times.Duration)
		}
	}
	rows := []Rate{}
	for k, v := range by {
		slices.Sort(v)
		rows = append(rows, Rate{Device: k[0], Preset: k[1], Runs: len(v), Low: v[len(v)/10], Median: v[len(v)/2], High: v[len(v)-1-len(v)/10]})
	}
	slices.SortFunc(rows, func(a, b Rate) int { return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Preset, b.Preset)) })
	return rows
}

// slowest lists the executions that took longest.
func slowest(tests []Test) []Test {
	list := slices.Clone(tests)
	slices.SortStableFunc(list, func(a, b Test) int { return cmp.Compare(b.Duration, a.Duration) })
	list = list[:min(len(list), slowestShown)]
	return slices.DeleteFunc(list, func(t Test) bool { return t.Duration == 0 })
}

// stages puts the points of a testplan by stage, with what their tests came to.
func stages(tp *plan.Testplan, list []result.Record) []Stage {
	type tally struct{ runs, match int }
	by := map[string]*tally{}
	for i := range list {
		x := &list[i]
		if x.Verdict == result.Skipped {
			continue // not begun
		}
		n := x.FullName()
		if by[n] == nil {
			by[n] = &tally{}
		}
		by[n].runs++
		if x.Verdict == result.Match {
			by[n].match++
		}
	}
	var out []Stage
	for _, name := range plan.Stages {
		s := Stage{Name: name}
		for _, pt := range tp.Points {
			if pt.Stage != name {
				continue
			}
			p := Point{Point: pt}
			for _, test := range pt.Tests {
				if t := by[test]; t != nil {
					p.Runs += t.runs
					p.Match += t.match
				}
			}
			if p.State = stateOf(&p); p.State == Shown {
				s.Shown++
			}
			s.Points = append(s.Points, p)
		}
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func stateOf(p *Point) PointState {
	switch {
	case len(p.Tests) == 0:
		return NoTests
	case p.Runs == 0:
		return NotRun
	case p.Match < p.Runs:
		return Failed
	}
	return Shown
}

// conclude says what the run came to, in one sentence.
func (r *Report) conclude(t *triage.Triage) {
	h := &r.Run
	devices, presets := map[string]bool{}, map[string]bool{}
	for i := range r.records {
		x := &r.records[i]
		devices[x.Dut], presets[x.Preset] = true, true
	}
	r.Devices, r.Presets = words(devices), words(presets)
	without := h.Counts[result.Skipped] + h.Counts[result.Lost]
	r.Partial = h.State != run.Done || h.Counts[result.Skipped] > 0
	r.Good = t.New == result.Match && !r.Partial
	known := 0
	for i := range r.Buckets {
		if r.Buckets[i].Excused() {
			known++
		}
	}
	causes := len(r.Buckets)
	switch match := h.Counts[result.Match]; {
	case match == 1 && h.Cases == 1:
		r.Sentence = fmt.Sprintf("The one execution matches: %s events compared in %s device cycles.", thousands(h.Events), thousands(h.Cycles))
	case match == h.Cases:
		r.Sentence = fmt.Sprintf("All %s match: %s events compared in %s device cycles.", plural(h.Cases, "execution"), thousands(h.Events), thousands(h.Cycles))
	default:
		r.Sentence = fmt.Sprintf("%d of %s %s not match, for %s: %s.", h.Cases-match, plural(h.Cases, "execution"), does(h.Cases-match), plural(causes, "cause"), countsText(h))
	}
	if known > 0 {
		if known == causes {
			r.Sentence += " All causes are known."
		} else {
			r.Sentence += fmt.Sprintf(" %d of the causes %s known.", known, is(known))
		}
	}
	if r.Partial {
		r.Sentence = fmt.Sprintf("Partial: %d of %s %s no result. ", without, plural(h.Cases, "execution"), has(without)) + r.Sentence
	}
}

func words(set map[string]bool) []string {
	list := []string{}
	for w := range set {
		if w != "" {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// countsText lists the verdicts but match, the worst first.
func countsText(h *run.Header) string {
	var parts []string
	for _, v := range slices.Backward(result.Verdicts()) {
		if n := h.Counts[v]; n > 0 && v != result.Match {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}
