// Package expect is what must be seen of a vector at the edges of a receive side, in a form that does not depend on how
// fast a device is: what became of each frame, completions, refusals and answers, register values, and the states that
// an acknowledgement may report.
//
// Set is the expectation; Recorder makes one out of the records of any target, with the acknowledgements that it saw;
// Compare holds the two against each other and names the rule of every difference.
//
// A run is cut into segments at its settles: the places where the stimulus waits for an idle device. What belongs to a
// segment must come between its settles. Within a segment every class of events has its own order and none with others:
//
//	class        what                                          order
//	fate         drop reason, window class, refusal, verdict,  one of each frame, any
//	             place and bytes in memory
//	completion   a message is complete                         of a stream
//	reply        NAK or answer                                 of a path and kind
//	read, done   register values, confirmed commands           as asked
//	state        window as a packet left it                    of a path
//
// Acknowledgements are not listed, since a device may merge them. They are held against named predicates:
//
//	ack.state     what it reports is the state of the path behind one of its packets
//	ack.monotone  and never one before that of an earlier ACK
//	ack.ahead     nor of a packet that did not enter yet
//	ack.final     when the device is idle, the last ACK of a path reports its last state: nothing waits longer
//	ack.hint      rate hint and generation were written before
//	notice.ahead  a notice says no more than what was released
//
// Units: xid counts frames from 1; bytes; serial numbers as on the wire.
package expect
