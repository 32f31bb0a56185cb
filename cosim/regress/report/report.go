package report

import (
	"metaroce/tandem/cosim/divergence"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

// Form of report.json.
const Form = 1

// Report is all that is told of a run.
type Report struct {
	Form     int        `json:"form"`
	Sentence string     `json:"sentence"` // the verdict in one
	Good     bool       `json:"good"`     // everything that had to match did, known failures excused
	Partial  bool       `json:"partial"`  // executions have no result: the run was interrupted, or ended early
	Run      run.Header `json:"run"`
	Devices  []string   `json:"devices"`
	Presets  []string   `json:"presets"`
	Suites   []Suite    `json:"suites"`
	Stages   []Stage    `json:"stages,omitempty"`
	Unmapped []string   `json:"unmapped,omitempty"` // tests that no point of the testplan asks for

	Buckets  []Bucket         `json:"buckets"`
	Known    []triage.Entry   `json:"known,omitempty"`
	Coverage *coverage.Report `json:"coverage,omitempty"`
	Slowest  []Test           `json:"slowest"`
	Rates    []Rate           `json:"rates"`
	Tests    []Test           `json:"tests"`
	Trend    []history.Point  `json:"trend,omitempty"`
	Flaky    []history.Flake  `json:"flaky,omitempty"`
	Against  *Comparison      `json:"against,omitempty"`
	// Absent are parts that a report can have and this one has not, each with the reason.
	Absent []string `json:"absent,omitempty"`

	records []result.Record
	dir     string
}

// Suite sums up the executions of a suite.
type Suite struct {
	Name     string `json:"name"`
	Tests    int    `json:"tests"`
	Runs     int    `json:"runs"`
	Match    int    `json:"match"`
	Events   uint64 `json:"events"`
	Cycles   uint64 `json:"cycles"`
	Duration int64  `json:"duration_ms"`
}

// Stage is the points of the testplan of one stage.
type Stage struct {
	Name   string  `json:"name"`
	Shown  int     `json:"shown"` // points all of whose executions match
	Points []Point `json:"points"`
}

// Point is a point of the testplan with what its tests came to. It is shown if tests of it ran and all of them match.
type Point struct {
	plan.Point
	Runs  int        `json:"runs"`
	Match int        `json:"match"`
	State PointState `json:"state"`
}

// PointState is what a point has come to.
type PointState string

// States of a point.
const (
	Shown   PointState = "shown"
	Failed  PointState = "failed"
	NotRun  PointState = "not run" // none of its tests was selected, or begun
	NoTests PointState = "no tests"
)

// Bucket is a cause with what was found out about it.
type Bucket struct {
	triage.Bucket
	Number int              `json:"number"` // place in the list, from 1
	Why    []string         `json:"why"`    // sentences
	View   *divergence.View `json:"view,omitempty"`
	Unseen string           `json:"unseen,omitempty"` // why there is no view
}

// Test is one execution.
type Test struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"` // suite/test
	Variant  string         `json:"variant,omitempty"`
	Seed     result.Seed    `json:"seed"`
	Preset   string         `json:"preset,omitempty"`
	Device   string         `json:"device,omitempty"`
	Verdict  result.Verdict `json:"verdict"`
	Bucket   int            `json:"bucket,omitempty"` // number; 0: it matches
	Line     string         `json:"line,omitempty"`
	Events   uint64         `json:"events"`
	Cycles   uint64         `json:"cycles"`
	Duration int64          `json:"duration_ms"`
	Begin    int64          `json:"begin_ms,omitempty"` // Unix time
	Shard    string         `json:"shard,omitempty"`
	Folder   string         `json:"folder,omitempty"` // below the run folder
	Rerun    string         `json:"rerun,omitempty"`
}

// Rate is the speed of executions of one kind, in device cycles a second: of the middle one, and of the tenth from
// either end.
type Rate struct {
	Device string `json:"device"`
	Preset string `json:"preset"`
	Runs   int    `json:"runs"`
	Low    int64  `json:"low"`
	Median int64  `json:"median"`
	High   int64  `json:"high"`
}

// Skew is that of the bucket which tells most of it; nil: no kept folder tells any.
func (r *Report) Skew() (of *Bucket, rows []lockstep.SkewRow) {
	most := 0
	for i := range r.Buckets {
		b := &r.Buckets[i]
		if b.View == nil || len(b.View.Skew) == 0 {
			continue
		}
		n := 0
		for _, x := range b.View.Skew {
			n += x.Events
		}
		if n > most {
			most, of, rows = n, b, b.View.Skew
		}
	}
	return of, rows
}

// Test finds the execution of a record.
func testOf(x *result.Record, run string, bucket int) Test {
	t := Test{
		ID: x.ID(), Name: x.Name, Variant: x.Variant, Seed: x.Seed, Preset: x.Preset, Device: x.Dut, Verdict: x.Verdict, Bucket: bucket, Line: x.Line,
		Events: x.Events, Cycles: x.Cycles, Folder: x.Folder,
	}
	if x.Verdict != result.Skipped {
		t.Rerun = x.Rerun(run)
	}
	if x.Times != nil {
		t.Duration, t.Begin, t.Shard = x.Times.Duration, x.Times.Begin, x.Times.Shard
	}
	return t
}
