package lockstep

import (
	"fmt"
	"sort"
	"time"
)

// Result is the outcome of a comparison; its value is the exit code.
type Result int

// Results.
const (
	Match        Result = 0
	Diverged     Result = 1
	BenchFailed  Result = 2
	Inconclusive Result = 3 // nothing or not enough was compared
	Unsupported  Result = 4
)

var resultNames = [...]string{"match", "divergence", "bench failure", "inconclusive", "unsupported"}

// String returns the name used in reports.
func (r Result) String() string {
	if r >= 0 && int(r) < len(resultNames) {
		return resultNames[r]
	}
	return fmt.Sprintf("result(%d)", int(r))
}

// MarshalText writes the name into JSON.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name.
func (r *Result) UnmarshalText(b []byte) error {
	for i, n := range resultNames {
		if n == string(b) {
			*r = Result(i)
			return nil
		}
	}
	return fmt.Errorf("result %q unknown", b)
}

// Verdict is what a run comes to. Written as verdict.json into the run folder.
type Verdict struct {
	Name   string `json:"name"`
	Device string `json:"device"`
	Preset string `json:"preset"`
	Seed   uint64 `json:"seed"`
	Mode   string `json:"mode"`
	Result Result `json:"result"`
	Line   string `json:"line"`  // one line for people
	Rerun  string `json:"rerun"` // one line that repeats the run
	Folder string `json:"folder,omitempty"`

	Cycles       uint64            `json:"cycles"`
	Transactions uint64            `json:"transactions"`
	Compared     map[string]uint64 `json:"compared"`               // transactions by engine or boundary
	Told         map[string]uint64 `json:"told"`                   // values adopted, by engine.field
	NotCompared  []string          `json:"not_compared,omitempty"` // what one of the sides cannot see
	Counters     map[string]uint64 `json:"counters,omitempty"`     // drops by reason, message verdicts

	Skew []SkewRow `json:"skew,omitempty"` // where asked for

	Divergence *Divergence `json:"divergence,omitempty"`
	Failure    string      `json:"failure,omitempty"` // of bench, host or machine: one line
	Side       string      `json:"side,omitempty"`    // who failed, as target.Failure has it
	Gone       bool        `json:"gone,omitempty"`    // the device's process had ended

	Wall           time.Duration `json:"wall_ns"`                   // of the run, without build
	SimulatorBytes int64         `json:"simulator_bytes,omitempty"` // most memory that its process held at once
}

// SkewRow says for one kind of event how far model/pipe's prediction lies beside the device, in cycles counted from the
// last beat of the event's frame.
type SkewRow struct {
	Kind        string `json:"kind"`
	Events      int    `json:"events"`
	Unmatched   int    `json:"unmatched"` // seen on one side only
	P50         uint64 `json:"p50"`
	P99         uint64 `json:"p99"`
	Max         uint64 `json:"max"`
	DeviceMean  uint64 `json:"device_mean"`
	PredictMean uint64 `json:"predict_mean"`
}

// Rate is device cycles a second of wall time.
func (v *Verdict) Rate() float64 {
	if v.Wall <= 0 {
		return 0
	}
	return float64(v.Cycles) / v.Wall.Seconds()
}

// TotalTold sums what was told.
func (v *Verdict) TotalTold() uint64 {
	n := uint64(0)
	for _, c := range v.Told {
		n += c
	}
	return n
}

// Engines lists the names in Compared, sorted.
func (v *Verdict) Engines() []string {
	s := make([]string, 0, len(v.Compared))
	for k := range v.Compared {
		s = append(s, k)
	}
	sort.Strings(s)
	return s
}

// Divergence is the first place where device and model part.
type Divergence struct {
	// What: "differs" (a field), "illegal" (a transaction that the model does not owe or a told value against its
	// rule), "late" (an obligation not met within its bound), "missing" (owed at the end), "hang" (no event though
	// not idle), "count" (records lost or changed on the way).
	What   string `json:"what"`
	Kind   string `json:"kind"` // engine or boundary
	Op     string `json:"op,omitempty"`
	Seq    uint64 `json:"seq"`
	Cycle  uint64 `json:"cycle"`
	Xid    uint32 `json:"xid"`
	Conn   uint16 `json:"conn"`
	Path   uint8  `json:"path"`
	Stream uint16 `json:"stream"`
	Field  string `json:"field,omitempty"` // first wrong field
	Device string `json:"device,omitempty"`
	Model  string `json:"model,omitempty"`
	Rule   string `json:"rule"`
	Why    string `json:"why,omitempty"`

	Fields       []FieldDiff `json:"fields,omitempty"`        // all wrong fields of the transaction
	History      []string    `json:"history,omitempty"`       // last events of that engine and path, equal on both sides, oldest first
	DeviceRecord string      `json:"device_record,omitempty"` // the transaction as each side has it
	ModelRecord  string      `json:"model_record,omitempty"`

	WaveFrom uint64 `json:"wave_from"` // window of device cycles worth looking at
	WaveTo   uint64 `json:"wave_to"`
	WaveFile string `json:"wave_file,omitempty"`
}

// FieldDiff is one field with both values.
type FieldDiff struct {
	Field  string `json:"field"`
	Device string `json:"device"`
	Model  string `json:"model"`
}
