// Package conn composes the pure blocks of the receive side into one receiver, with no cycles of its own: the told
// executor that lockstep holds a device against, and the source of every value that model/pipe emits.
//
// A Receiver is handed the stimulus ahead (Frame, SetRegister, GetRegister, FaultRange) and is then walked through the
// device's transactions in the device's record order (Exec). Which transaction comes next and in which cycle is told;
// what it works on and what comes of it is not: every engine is fed from the Receiver's own output of the engine
// before, and a value of another engine's table is read as it stands at that place of the record order, which is the
// order the tables of docs/receive.md, section 1, define.
//
//	r, err := conn.New(preset.Tiny)              // all tables zero, as after reset
//	r.SetRegister(event.RegCMDCONN, 0x010003)    // stimulus, in list order (vectors/stimulus)
//	r.Frame(frame)                               // kept by reference until its payload was placed
//	...
//	var dst [256]byte
//	for each record rec of the device {
//	    n, bad := r.ExecRecord(rec, &dst)        // or Exec(kind, op, Told{Cycle, Room}, &dst)
//	    if bad != nil                            // the device did what it may not do now: Illegal
//	    if !bytes.Equal(rec, dst[:n])            // the device did it wrong; mode digest: the first 64 bytes
//	}
//	if bad := r.Late(cycle); bad != nil          // now and then: the device owes something for too long
//	for _, bad := range r.Leftovers()            // at the end: what the device never did
//
// # What is told
//
// The kind, op and cycle of each record and, for admit, room. `now` is the low half of the cycle, ack's grant is its
// op; both stand in the expected bytes, so a device that says otherwise differs. Sequence numbers are counted here.
//
// # What is illegal
//
// Illegal carries a rule of docs/receive.md and is a divergence like any other; Late in it marks an obligation that
// was not met in time. After an Illegal the Receiver is unchanged and the caller ends the comparison.
//
//   - a transaction of an engine that has nothing pending, or whose source queue is empty;
//   - a cycle that runs backwards, or two records of one cycle out of order (receive.md, section 5);
//   - room 0 or 2 where the device had room; room 1 beyond the buffer;
//   - a timer before armed + ack_timer or after armed + ack_timer + told_bound;
//   - a notice op before the notice waited ack_timer;
//   - a filled queue of ack passed over in too many grants;
//   - a place record before its mem_write, a packet_out, completion or command_done before what it follows from.
//
// # Bounds under back-pressure
//
// Late compares the age of the head of each engine's work with Bounds.Told + Bounds.Stall. An engine is held back at
// most as long as one transaction behind it is, so a bound on one stall of a port (Bounds.Stall, set from the stall
// profile of the run) bounds all of them, however long the queues are. Only ctimer can never be held back: its bound
// is the exact one of event.tbl.
//
// Nothing here allocates per transaction once queues have grown to the depth a run needs. A Receiver is for one
// goroutine.
//
// RTL twin: rtl/top/mr_rx_core.sv and mr_rx_top.sv. Tour of the blocks: docs/blocks.
package conn
