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
	Stall uint64 // longest time that the bench may hold back one transaction at a port; 0: 20000
	Grant uint32 // grants of ack that may pass over a filled queue, builds on their way included; 0: 16
}
