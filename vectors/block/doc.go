// Package block writes the vectors of the steps: for every engine of the receive side, (row before, op, input) and what
// model/<block>.Step makes of them (row after, decision). They are exact, need nobody to tell an order, and so run in any
// simulator: vectors/export/bench/mr_step_tb.sv replays them on the source of each step and on its netlist.
//
// Inputs are drawn from corners (edges of the window, values around wrap, fields that just differ) more often than evenly,
// and a part of them continues the row that the step before left, so that rows look as traffic makes them. A vector holds
// the first draws that fall into one bin of decisions, or a walk of steps that follow each other.
//
// As text ($readmemh) a step is one hexadecimal word {out, row after, in, op, row before}, packed as the structs of
// rtl/gen/mr_types.svh: in each part the first declared field is least significant; of two rows the first is.
//
// vectors/golden/<engine>/steps.mrv is committed: a change of a step shows there, and the test says so. `make golden` shows
// by rule what changes.
package block
