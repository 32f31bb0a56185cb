package target

import (
	"context"
	"encoding/binary"
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// RecordBytes is the size of a head and of each state record.
const RecordBytes = 64

// RingTransactions is how many of its last transactions a target keeps whole for the second look. A reader must not
// lag behind by more.
const RingTransactions = 4096

// Mode says how much of a transaction leaves the target while it runs.
type Mode uint8

const (
	// ModeFull sends head and state records.
	ModeFull Mode = iota
	// ModeDigest sends heads only, whose digest covers the state records.
	ModeDigest
)

// String returns the name used on the command line and in reports.
func (m Mode) String() string {
	if m == ModeDigest {
		return "digest"
	}
	return "full"
}

// ParseMode reads a mode by name.
func ParseMode(s string) (Mode, error) {
	switch s {
	case "full":
		return ModeFull, nil
	case "digest":
		return ModeDigest, nil
	}
	return 0, fmt.Errorf("mode %q: want full or digest", s)
}

// Fidelity says what of a target's records may be compared.
type Fidelity uint8

const (
	// Exact: values and order of commits are the device's own; every bit is compared.
	Exact Fidelity = iota
	// Bounded: values are exact, times are known within a bound.
	Bounded
	// OrderOnly: boundary events in the order of each class, no times.
	OrderOnly
)

// String returns the name used in reports.
func (f Fidelity) String() string {
	return [...]string{"exact", "bounded", "order only"}[min(f, OrderOnly)]
}

// Description is what a target says of itself before it is reset.
type Description struct {
	Name     string    // "rtl (Verilator 5.006)", "model", "replay of runs/x-1"
	Fidelity Fidelity  // what may be compared
	Sees     [256]bool // event kinds it can see, by event.Kind
}

// SeesAll is every kind that a receive side shows: its engines and the boundaries they meet.
func SeesAll() (sees [256]bool) {
	for i := range event.Engines {
		e := &event.Engines[i]
		sees[e.Kind] = (e.Built || e.Boundary) && e.Kind != event.KindMemRead
	}
	return sees
}

// Config is what a run is made of besides its stimulus. Equal Config and stimulus give equal records on one target.
type Config struct {
	Preset  string `json:"preset"`
	Seed    uint64 `json:"seed"` // stalls, latencies; written into every log
	Mode    Mode   `json:"mode"`
	Batch   int    `json:"batch,omitempty"`    // transactions a write of the bridge; 0: 256
	ClockPs uint64 `json:"clock_ps,omitempty"` // device clock period; 0: the tick of constant.tbl
	// QuietCycles is how long a device that owes something may show no event, in device cycles; 0: 20000.
	QuietCycles uint64 `json:"quiet_cycles,omitempty"`
}

// Ending is what the device knows about the whole run.
type Ending struct {
	Cycles       uint64 `json:"cycles"`       // device cycles from reset
	Transactions uint64 `json:"transactions"` // sent, over all kinds
	Digest       uint64 `json:"digest"`       // over all heads sent, see HeadsDigest
	Hung         bool   `json:"hung"`         // no event in QuietCycles though not idle
}

// Target is one side of a comparison. A Target is used by one goroutine; Close may be called from any, any number of
// times, and ends what runs.
type Target interface {
	Describe() Description
	// Reset starts the device with a configuration. It fails where the device was built for another.
	Reset(ctx context.Context, c Config) error
	// Apply appends stimulus. It does not wait for the device. Items with data are kept by reference.
	Apply(ctx context.Context, items stimulus.List) error
	// Finish says that no stimulus follows: the device runs until it is idle and ends.
	Finish(ctx context.Context) error
	// Drain returns the next records, whole transactions only, valid until the next call. At the end: io.EOF.
	Drain(ctx context.Context) ([]byte, error)
	// SecondLook returns the last transactions whole (head and state records), oldest first, after a divergence in
	// ModeDigest. The device may be stopped by it.
	SecondLook(ctx context.Context) ([]byte, error)
	// End is valid after io.EOF.
	End() Ending
	Close() error
}

// HeadsDigest folds the first 64 bytes of every transaction in order; both sides compute it and compare at the end, so
// that a record lost or changed on the way cannot go unseen. The words of a head are multiplied by odd numbers of their
// own and added, so that any one of them changes the sum, and only the sum goes into the chain from head to head: eight
// multiplications side by side instead of eight in a row. C twin: fold in cosim/dpi/tandem_record.c.
func HeadsDigest(h uint64, head []byte) uint64 {
	const k = 0x9e3779b97f4a7c15
	b, le := head[:RecordBytes:RecordBytes], binary.LittleEndian
	sum := le.Uint64(b)*k + le.Uint64(b[8:])*(k*3&mask64) + le.Uint64(b[16:])*(k*5&mask64) + le.Uint64(b[24:])*(k*7&mask64) +
		le.Uint64(b[32:])*(k*9&mask64) + le.Uint64(b[40:])*(k*11&mask64) + le.Uint64(b[48:])*(k*13&mask64) + le.Uint64(b[56:])*(k*15&mask64)
	h = (h ^ sum) * k
	return h ^ h>>32
}

const mask64 = 1<<64 - 1
