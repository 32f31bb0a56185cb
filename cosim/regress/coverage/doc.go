// Package coverage says what the executions of a run have shown: functional bins of package cover, and lines, branches and
// bits of the RTL that a simulator counted.
//
//	RUN/cover/ID.bins     functional bins of an execution that matched
//	RUN/cover/ID.dat      points that its simulator counted, where it was built for that
//	RUN/coverage.dat      the sum of these: counts added, sorted; any tool for Verilator's files reads it
//	RUN/coverage.json     what it all comes to (Report); Read reads it
//
// Equal executions give equal bytes, in whatever order and by however many workers they were run.
package coverage
