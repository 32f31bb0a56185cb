// Package shrink makes a failure small: of a stimulus of thousands of packets it keeps the few that it takes, as a written
// scenario.
//
//	r, err := shrink.Shrink(ctx, program, oracle, shrink.Options{Params: params})
//
// The oracle runs a program and says what it came to. A candidate is taken if it comes to the same structural signature
// (result.Signature), whatever else is different about it. What is run is always the compiled text: what is written down
// in the end is what was seen to fail, and the last run of all is that of the text itself.
//
// Big steps come first, since a run costs a start of the simulator:
//
//	cut     what stands behind the failure goes; what stands far in front of it becomes set-up: the windows, streams,
//	        regions and receives as they stood there (scenario.Lift). The shortest tail that still fails is kept, as it
//	        was, with packets that follow each other, or under pressure (variant.go). Of the shortest tail others are tried
//	        that come to the same state in another way than by many packets (swap.go).
//	late    of what is overdue, the packets that passed meanwhile become others, simple ones, that go more easily
//	groups  connections, paths, streams, regions, kinds of lines
//	kinds   of a long text what packets say of time, of serial numbers, of messages, of places
//	lines   delta debugging (ddmin) of the lines, down to single ones. What a line needs may not be taken away: such a
//	        text does not compile, and costs no run.
//	names   connections, paths, streams and regions are called 0, 1, ..
//	fields  values to what the language takes by itself: all, by key, one by one; numbers by bisection
//	lines   once more, now that serial numbers follow from the order of the lines
//
// Nothing is drawn: equal programs, oracles and options give equal results. An interrupted search, or one that has used
// up its runs, gives the smallest text so far.
//
// Units: an event is a line of the flat text: a packet, a command, a register access, a wait, a setting of the bench; to
// open a connection with its paths and streams is one.
package shrink
