package execute

import (
	"io"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/vectors/compose"
)

// Env is where and how a case is run.
type Env struct {
	Root     string            `json:"root,omitempty"` // the checkout; empty: none is needed
	Run      string            `json:"run"`            // the run folder, absolute
	Work     string            `json:"-"`              // scratch folder, empty; its path is short, because sockets are in it
	Tests    string            `json:"tests"`          // where kept folders go, below the run folder
	Keep     string            `json:"keep"`           // failure, always, never
	Binaries map[string]string `json:"binaries"`       // simulators by BinaryKey, built beforehand
	Waves    bool              `json:"waves,omitempty"`
	// InPlace, if not nil, is run in place of what the case says, with nothing expected beyond what its packets mean.
	InPlace *compose.Program `json:"-"`
	// Seen is given every transaction that was found equal, in order; nil: nobody. The bytes hold until it returns.
	Seen func(record []byte) `json:"-"`
	// Cover writes the bins of matching runs below the run folder.
	Cover bool `json:"cover,omitempty"`
	// Program is this program, for commands that begin with "tandem".
	Program string `json:"program,omitempty"`
	// Outcome is given all there is to know of a run in lockstep; nil: nobody.
	Outcome func(*suite.Outcome) `json:"-"`
	Log     io.Writer            `json:"-"` // a line when a simulator with waves is built; nil: none
	// Beat is told of progress; it must be cheap. nil: nobody.
	Beat func(Beat) `json:"-"`
}

// Beat is a sign of life.
type Beat struct {
	Phase  string `json:"phase"` // make, run, output, end
	Events uint64 `json:"events"`
	Cycle  uint64 `json:"cycle"`
}

func (e *Env) beat(b Beat) {
	if e.Beat != nil {
		e.Beat(b)
	}
}

// TestsFolder is where kept folders of tests go.
const TestsFolder = "tests"

// Fail makes a record that of a case about which nothing can be said.
func Fail(r result.Record, v result.Verdict, s result.Signature, line string) result.Record {
	r.Verdict, r.Signature, r.Line = v, &s, result.Plain(line)
	return r
}
