package plan

import (
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/source"
)

// Plan is what was read.
type Plan struct {
	Name, About string
	File        string
	Files       []string // all that were read, this one first
	Base        result.Seed
	Coverage    string // of simulators: line, toggle; empty or off: none
	Keep        string // which folders of tests stay: failure, always, never
	Suites      []*Suite
	Select      []Pattern // nothing: every test
	Drop        []Pattern
	Set         []Set
	Testplan    []Point
	Covergroups []Covergroup
	Waves       int    // executions of each cause that are dumped at the end of a run
	Known       string // file of known failures; empty: none
}

// Suite is tests that belong together.
type Suite struct {
	Name, About string
	Place       string // file:line:col
	Tags        []string
	Tests       []*Test
	settings    Settings
}

// Test is one thing to be run, over and over with other seeds.
type Test struct {
	Name, About string
	Place       string
	Tags        []string
	What        What
	Variants    []Variant // nothing: one without a name
	settings    Settings
	digest      string // of the text of its scenario
	preset      string // that the scenario needs
}

// What is the stimulus of a test. Exactly one of them is set.
type What struct {
	Scenario string   `json:"scenario,omitempty"` // name, or absolute path of a file
	Random   int      `json:"random,omitempty"`   // packets of random traffic, at least
	Touch    bool     `json:"touch,omitempty"`    // every path once, both ends of every table
	Command  []string `json:"command,omitempty"`  // a program with the exit codes of tandem
}

// Lockstep says whether the test is run on a device beside the model, by this program.
func (w *What) Lockstep() bool { return w.Command == nil }

// Variant is another way to run a test.
type Variant struct {
	Name     string
	Place    string
	random   int
	settings Settings
}

// Set changes settings of tests that stand elsewhere.
type Set struct {
	Tests    []Pattern
	settings Settings
}

// Settings are what may be said of a plan, a suite, a test, a variant or by a set entry. What is nearer to the single
// execution counts; a zero says nothing.
type Settings struct {
	Seeds   int          // iterations
	Seed    *result.Seed // fixed: not derived
	Presets []string
	Dut     string
	Mode    string
	Stalls  *bool
	Batch   int
	Fault   string
	faultAt source.Value // where that stands
	// Coverage is what the simulator counts: line, toggle; off where the plan says otherwise.
	Coverage string
	Limits   Limits
}

// Limits end an execution that does not end. 0: the limit of what is around, in the end that of Defaults.
type Limits struct {
	Wall   int64  `json:"wall_ms,omitempty"`      // of all of it
	Stall  int64  `json:"stall_ms,omitempty"`     // without any progress
	Cycles uint64 `json:"cycles,omitempty"`       // of the device
	Memory uint64 `json:"memory_bytes,omitempty"` // of all its processes together
}

// Defaults hold where a plan says nothing. They end what hangs, and are far from what works: a machine that is busy must
// not fail a test.
var Defaults = Limits{Wall: 30 * 60_000, Stall: 5 * 60_000, Cycles: 1_000_000_000, Memory: 8 << 30}

// over puts l above the limits of what is around it.
func (l Limits) over(around Limits) Limits {
	if l.Wall == 0 {
		l.Wall = around.Wall
	}
	if l.Stall == 0 {
		l.Stall = around.Stall
	}
	if l.Cycles == 0 {
		l.Cycles = around.Cycles
	}
	if l.Memory == 0 {
		l.Memory = around.Memory
	}
	return l
}

// over puts s above the settings of what is around it.
func (s Settings) over(around Settings) Settings {
	if s.Seeds == 0 && s.Seed == nil {
		s.Seeds, s.Seed = around.Seeds, around.Seed
	}
	if s.Presets == nil {
		s.Presets = around.Presets
	}
	if s.Dut == "" {
		s.Dut = around.Dut
	}
	if s.Mode == "" {
		s.Mode = around.Mode
	}
	if s.Stalls == nil {
		s.Stalls = around.Stalls
	}
	if s.Batch == 0 {
		s.Batch = around.Batch
	}
	if s.Fault == "" {
		s.Fault, s.faultAt = around.Fault, around.faultAt
	}
	if s.Coverage == "" {
		s.Coverage = around.Coverage
	}
	s.Limits = s.Limits.over(around.Limits)
	return s
}

// Case is one execution.
type Case struct {
	Suite     string      `json:"suite"`
	Test      string      `json:"test"`
	Variant   string      `json:"variant,omitempty"`
	Iteration int         `json:"iteration"`
	Copy      int         `json:"copy,omitempty"`
	Seed      result.Seed `json:"seed"`
	What
	Preset string `json:"preset,omitempty"`
	Dut    string `json:"dut,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Stalls *bool  `json:"stalls,omitempty"`
	Batch  int    `json:"batch,omitempty"`
	Fault  string `json:"fault,omitempty"`
	// Coverage is what the simulator counts; it decides nothing.
	Coverage string   `json:"coverage,omitempty"`
	Limits   Limits   `json:"limits"`
	Tags     []string `json:"tags,omitempty"`
	// Text is the SHA-256 of the scenario's text: whoever runs the case refuses another text.
	Text string `json:"text,omitempty"`
	// Digest is that of all that decides what the test does, apart from seed and device.
	Digest string `json:"digest"`
}

// Name is suite/test.
func (c *Case) Name() string { return c.Suite + "/" + c.Test }

// FullName is suite/test+variant.
func (c *Case) FullName() string { return result.FullName(c.Name(), c.Variant) }

// ID is that of the record of the case.
func (c *Case) ID() string { return result.ID(c.Name(), c.Variant, c.Seed, c.Copy) }

// Record is the record of the case before anything is known.
func (c *Case) Record() result.Record {
	return result.Record{
		Name: c.Name(), Variant: c.Variant, Iteration: c.Iteration, Copy: c.Copy, Seed: c.Seed, Preset: c.Preset, Dut: c.Dut, Digest: c.Digest,
	}
}
