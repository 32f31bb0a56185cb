// Package grade grades vectors, and with them the checker: mutants of the RTL, block by block, and which of them vectors
// and lockstep kill. docs/faults.md is the page for readers.
//
//	Run    all mutants of some blocks: Report
//	Keep   steps that kill what survived
//
// The step of a block is graded alone, as a circuit (cosim/mutate/circuit): all vectors of the block, so that it is known
// what each of them is good for. What is around the steps is graded in the whole device, in lockstep (cosim/mutate), by
// the stimulus of the vectors of the receive side, until one kills the mutant.
//
// An interruption leaves a report of the mutants that are through by then: it is partial, and fails the gate.
//
// A mutant is killed if a comparison names a rule; equal if that is proven; else it survived, and needs a reason
// (Waiver) or a vector more. At is a step of a vector, or a cycle of the device.
package grade
