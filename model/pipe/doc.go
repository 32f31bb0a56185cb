// Package pipe is the receive side in cycles: model/conn with a latency for each stage, depth and back-pressure of the
// queues, and a memory port with latency and stalls. It decides order and time; every value is conn's.
//
// It serves twice: as a device under test that needs no simulator (its records are those of the RTL, in record order),
// and as the prediction that the skew report holds the RTL against. It is approximate by design: what is exact is
// compared in lockstep, what is approximate gets a number (Skew).
//
//	frame port -> parse -> admit -> window -> key -> recv -> message -> place -> memory port
//	                                  |                        |          |<---- answer
//	                              coalesce -> ack -> ack port <-+      complete -> completion port
//
// With all latencies zero (Latency{}) a frame passes all engines in one cycle, queues have no end, and the trace is that
// of the pure blocks.
//
// A Device is for one goroutine and allocates nothing per cycle once its queues have grown.
package pipe
