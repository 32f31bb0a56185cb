// Package window is the receive window of a path: which packet is new, how far everything came, what an
// acknowledgement will say (R-WINDOW, `ann:sack`).
//
// Called once for every packet that holds a psn, for a flush and for path_set, in pipeline order, by model/conn.
//
// Invariants of a row, whatever arrives:
//   - bit 0 of the vector is 0: psn cum did not come, else cum would be higher;
//   - cum never goes back but by path_set;
//   - a psn is new exactly once while arrivals stay within half the serial space of cum;
//   - nothing is marked that did not arrive.
//
// RTL twin: rtl/window/mr_window_step.sv. Page: docs/blocks/window.md.
package window
