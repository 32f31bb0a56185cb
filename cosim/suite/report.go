package suite

import (
	"fmt"
	"strings"
	"time"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

// Report is the whole of a run.
type Report struct {
	Outcomes []*Outcome        `json:"outcomes"` // those that were run
	Jobs     int               `json:"jobs"`
	Result   lockstep.Result   `json:"result"`
	Line     string            `json:"line"` // one line for people
	Compared map[string]uint64 `json:"compared"`
	Told     uint64            `json:"told"`
	Cycles   uint64            `json:"cycles"`
	Wall     time.Duration     `json:"wall_ns"` // of the runs, without builds
	Bins     *cover.Report     `json:"bins,omitempty"`

	cover *cover.Cover
}

// Cover is the bins that the matching runs filled; nil where they were not counted.
func (r *Report) Cover() *cover.Cover { return r.cover }

func (s *state) report(jobs int) *Report {
	r := &Report{Jobs: jobs, Compared: map[string]uint64{}, cover: s.bins}
	for _, o := range s.out {
		if o == nil {
			continue
		}
		r.Outcomes = append(r.Outcomes, o)
		for k, n := range o.Verdict.Compared {
			r.Compared[k] += n
		}
		r.Told += o.Verdict.TotalTold()
		r.Cycles += o.Verdict.Cycles
		r.Wall += o.Verdict.Wall
		r.Result = worse(r.Result, o.Result)
	}
	if len(r.Outcomes) < jobs || s.ctx.Err() != nil {
		r.Result = worse(r.Result, lockstep.BenchFailed)
	}
	r.Line = r.line(s.ctx.Err() != nil)
	return r
}

// rank orders results by what a reader has to know first.
var rank = map[lockstep.Result]int{lockstep.Match: 0, lockstep.Inconclusive: 1, lockstep.Unsupported: 2, lockstep.BenchFailed: 3, lockstep.Diverged: 4}

func worse(a, b lockstep.Result) lockstep.Result {
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func (r *Report) line(interrupted bool) string {
	n := map[lockstep.Result]int{}
	for _, o := range r.Outcomes {
		n[o.Result]++
	}
	total := uint64(0)
	for _, c := range r.Compared {
		total += c
	}
	s := fmt.Sprintf("%d of %d runs match, %s events compared", n[lockstep.Match], r.Jobs, thousands(total))
	for _, res := range []lockstep.Result{lockstep.Diverged, lockstep.BenchFailed, lockstep.Unsupported, lockstep.Inconclusive} {
		if n[res] > 0 {
			s += fmt.Sprintf(", %d %v", n[res], res)
		}
	}
	if interrupted {
		s += fmt.Sprintf(", interrupted after %d", len(r.Outcomes))
	}
	return s
}

// Demand turns a report that compared too little into an inconclusive one: fewer than least events of some engine that
// the device has, or bins that are empty without a waiver that holds on a day.
func (r *Report) Demand(least uint64, waivers []cover.Waiver, day string) {
	var few []string
	if least > 0 {
		for i := range event.Engines {
			if e := &event.Engines[i]; e.Built && !e.Boundary && r.Compared[e.Name] < least {
				few = append(few, fmt.Sprintf("%s %d", e.Name, r.Compared[e.Name]))
			}
		}
	}
	if few != nil {
		r.Line += fmt.Sprintf("; fewer than %d events of %s", least, strings.Join(few, ", "))
		r.Result = worse(r.Result, lockstep.Inconclusive)
	}
	if r.cover == nil {
		return
	}
	r.Bins = r.cover.Report(waivers, day)
	r.Line += "; " + r.Bins.Line()
	if !r.Bins.OK() {
		r.Result = worse(r.Result, lockstep.Inconclusive)
	}
}

// thousands writes a number with separators.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
