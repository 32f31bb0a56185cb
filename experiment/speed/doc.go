// Package speed measures how fast the simulator itself is: link hops a second of processor time of whole MetaRoCE runs,
// and the same run as a part of what a bare event loop does in the same process.
//
//	cases, err := speed.Measure(ctx, nil)     // speed.Cases, or names of some
//	for _, c := range cases { c.Ratio, c.Missing }
//
// A bare loop has as many events and, at any moment, as many events to come as the run had at most; its events do
// nothing, and its event list is a plain heap (sim.BareLoop), so that a better calendar does not move the yardstick. Both
// run in turn, several rounds; the best of each counts. Only the ratio is judged: a machine is faster or slower by a factor of
// two from one minute to the next. What making the NICs left behind is collected before measuring begins. MeasureMemory counts
// what a connection holds.
package speed
