package result

import (
	"cmp"
	"fmt"
	"strings"
)

// Record is one executed test.
type Record struct {
	Name      string `json:"name"` // suite/test
	Variant   string `json:"variant,omitempty"`
	Iteration int    `json:"iteration"`
	// Copy counts executions of one and the same case, of `rerun --stress`; 0 in every other run.
	Copy   int    `json:"copy,omitempty"`
	Seed   Seed   `json:"seed"`
	Preset string `json:"preset,omitempty"`
	Dut    string `json:"dut,omitempty"`
	// Digest is that of what the test is made of: its definition in the plan and the text of its scenario.
	Digest string `json:"digest,omitempty"`

	Verdict Verdict `json:"verdict"`
	// Signature names the cause of anything but a match; never nil then.
	Signature *Signature `json:"signature,omitempty"`
	Line      string     `json:"line,omitempty"` // one line for people; empty for a match
	Events    uint64     `json:"events"`         // compared
	Cycles    uint64     `json:"cycles"`         // of the device

	Coverage string `json:"coverage,omitempty"` // file with the functional bins that it filled, below the run folder
	Folder   string `json:"folder,omitempty"`   // what was kept of it, below the run folder
	Again    string `json:"again,omitempty"`    // a line that repeats it without the run folder

	Times *Times `json:"times,omitempty"`
}

// Times is what is not the same when a test is run again.
type Times struct {
	Begin    int64  `json:"begin_ms"` // Unix time
	Duration int64  `json:"duration_ms"`
	CPU      int64  `json:"cpu_ms,omitempty"`       // of all its processes
	Memory   int64  `json:"memory_bytes,omitempty"` // the most that they held at once
	Host     string `json:"host,omitempty"`
	Shard    string `json:"shard,omitempty"`  // name of the shard that ran it
	Round    int    `json:"round,omitempty"`  // how often it had been given out before
	Killed   bool   `json:"killed,omitempty"` // its worker was killed from outside, and it was run again
}

// Signature is the structural key by which failures of one cause are put together. Numbers of a particular run do not
// occur in it.
type Signature struct {
	Rule   string `json:"rule,omitempty"`   // R-...
	Engine string `json:"engine,omitempty"` // engine or boundary; who failed, where it was none
	Field  string `json:"field,omitempty"`  // the wrong field that others follow from (lockstep.Divergence.Root); the normalised line, where it was none
	Kind   string `json:"kind"`             // differs, illegal, late, missing, hang, count; breach, unmet; the verdict's name or limit
}

// Key is the signature in one word-like text, equal for equal signatures only.
func (s *Signature) Key() string {
	if s == nil {
		return ""
	}
	part := func(x string) string { return strings.ReplaceAll(x, "|", "||") }
	return part(s.Kind) + " | " + part(s.Engine) + " | " + part(s.Field) + " | " + part(s.Rule)
}

// String is the signature for people.
func (s *Signature) String() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, p := range []string{s.Engine, s.Kind, s.Field} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	text := strings.Join(parts, " ")
	if s.Rule != "" {
		text += " (" + s.Rule + ")"
	}
	return text
}

// FullName is suite/test+variant: what patterns select by.
func (r *Record) FullName() string { return FullName(r.Name, r.Variant) }

// ID names the execution within its run, and the folder kept of it: suite/test+variant@seed.
func (r *Record) ID() string { return ID(r.Name, r.Variant, r.Seed, r.Copy) }

// FullName joins a test and its variant.
func FullName(name, variant string) string {
	if variant == "" {
		return name
	}
	return name + "+" + variant
}

// ID is suite/test+variant@seed, and ~copy where there are several.
func ID(name, variant string, seed Seed, copied int) string {
	id := FullName(name, variant) + "@" + seed.String()
	if copied > 0 {
		id += fmt.Sprintf("~%d", copied)
	}
	return id
}

// Rerun is the line that runs the test of a run again. folder is the run folder as a shell reads it.
func (r *Record) Rerun(folder string) string { return "tandem rerun " + folder + "/" + r.ID() }

// Compare orders records by name, variant, iteration and copy: the order of a results file.
func Compare(a, b *Record) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Iteration, b.Iteration),
		cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Copy, b.Copy))
}

// Without is the record with its times put away.
func (r Record) Without() Record {
	r.Times = nil
	return r
}
