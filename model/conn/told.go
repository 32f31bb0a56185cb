package conn

import (
	"fmt"

	"metaroce/tandem/model/event"
)

// Told is what a record of the device tells the model, besides its kind and op.
type Told struct {
	Cycle uint64 // device cycle, counted from the end of reset
	Room  uint8  // admit of a frame only: 1 taken, 0 packet buffer full, 2 overrun
}

// Illegal is a transaction that the device may not do where it did it, or (Late) one that it owes for too long.
// The zero value of a field that is not known is zero.
type Illegal struct {
	Rule  string     // id in docs/receive.md or model/spec, such as R-ADMIT
	Kind  event.Kind // engine or boundary
	Op    uint8
	Cycle uint64
	Xid   uint32
	Conn  uint16
	Path  uint8
	Late  bool   // an obligation not met within its bound
	Why   string // what was expected, in words
}

// Error is one line: what, where, rule and why.
func (e *Illegal) Error() string {
	what := "illegal"
	if e.Late {
		what = "late"
	}
	return fmt.Sprintf("%s:%v op %d at cycle %d (xid %#x, conn %d, path %d): %s: %s",
		what, e.Kind, e.Op, e.Cycle, e.Xid, e.Conn, e.Path, e.Rule, e.Why)
}

// Bounds limits how late the device may be.
type Bounds struct {
	Told  uint64 // cycles that an engine may leave its work when nothing holds it back; 0: preset.ToldBound
	Grant uint32 // grants of ack that may pass over a filled queue, builds on their way included; 0: preset.GrantBound

	// What the bench may do at the ports; 0: each is ready in every cycle, and memory answers at once.
	Memory, Completion, Ack Port
	Answer                  uint64 // cycles from the last beat of a write to its answer
}

// Port is how a port of the device may be held up.
type Port struct {
	Beat uint64 // cycles that a beat takes on average
	Once uint64 // cycles by which a transaction may go beyond twice that
}

// Unbounded lets a device take any time: for one that makes the order and the time itself.
var Unbounded = Bounds{Told: unbounded, Grant: 1 << 31}

const unbounded = 1 << 60
