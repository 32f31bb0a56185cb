// Package result is the record of one executed test of a regression: a line of JSON. It is the leaf that everything about
// regressions shares: shards write such lines, the runner gathers and sorts them, triage, history and reports read them.
//
// A record has two parts. What the test came to depends on nothing but test, seed, device and program, so it is equal in
// bytes for any number of workers and for any launcher; Times holds what is not. Without puts it away.
//
// Units: cycles of the device, events as lockstep counts them, milliseconds of wall time, bytes.
package result
