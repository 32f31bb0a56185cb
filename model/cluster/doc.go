// Package cluster runs a workload to its end: it joins a network (model/fabric), the NICs of one transport on it, and
// a workload (model/workload). Experiments and tests call Run; transports implement Transport.
//
// Run checks every run, without being asked: each message that was posted completes once, with the same fields, and
// before the deadline; nothing completes that was not posted; the transport and the driver agree on how much is
// outstanding. A run that makes no progress ends with the state of everything that waits.
//
// Order inside one instant: events of the network first, then the posts that are due, in the order in which the
// workload gave them out, then probes. Post is never called inside a call of Completed. Times are simulated
// picoseconds; nothing here reads a clock, and equal inputs give equal results.
package cluster
