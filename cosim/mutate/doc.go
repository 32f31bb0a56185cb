// Package mutate proves the checker with bugs that nobody chose: Yosys changes one bit of one cell at a time, anywhere
// in the device but inside the steps, and each such mutant has to be caught in lockstep. docs/faults.md is the page for
// readers.
//
// The steps stay whole because they are what the model mirrors function by function; planted faults (cosim/faults),
// step vectors and the proof see to them. Everything around them, which exists in RTL only, is flattened and mutated.
//
// A mutant that no watched output shows in any cycle of any stimulus has no effect seen, and is set apart: a constant
// bit that is made constant cannot be caught by anybody. What counts as output is in wrapper.go.
//
// An interruption, or a failure of the bench, leaves a report of the mutants that are through by then. It says that it is
// partial, and holds no gate.
package mutate
