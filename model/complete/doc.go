// Package complete releases completions in the order of their stream (R-COMPLETE).
//
// A message that has all its bytes sets its bit; the one that is next in order is released and moves the stream on.
// The ones behind it that are done already follow one a transaction (op run), so the engine takes one (stream, msn) a
// cycle whatever the order of arrival.
//
//	completed          completed+63
//	  |0..1.1..........|            bit msn mod 64: done, waits for the ones before it
//
// RTL twin: rtl/complete/mr_complete_step.sv. Page: docs/blocks/complete.md.
package complete
