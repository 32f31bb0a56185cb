// Package streamsched decides which stream of a connection sends next, and cuts its messages into packets (R-SCHED,
// R-MSG-WINDOW, R-RNR, `ann:streams`).
//
// Called by the NIC: open, post, done, refuse, again and stop as they happen; pick for every new packet, with the row
// of the stream at the head of the connection's queue and the row of its message Next. The queue is a list through
// the rows of table link (Queue): out.enter puts the stream at its tail, out.leave and out.rotate are about its head.
//
//	queue  [ 7 ] -> [ 2 ] -> [ 9 ]        pick cuts from 7 while its deficit lasts,
//	         ^ head             ^ tail    then 7 goes behind 9 (rotate), or leaves with nothing to cut
//
// A message that is refused for want of a receive goes again as a whole, under the next attempt, before anything of
// its stream that is not cut yet. It is the sender's duty to act once for each attempt (out.act) and to call again
// when the pause is over.
//
// Units: bytes of payload; the deficit counts bytes on the wire, so that empty messages cost something.
//
// Invariants of a row: completed <= next_msn <= posted <= completed + slots; the deficit is below a quantum and a full
// packet; a stream without anything to cut has none; waiting is what is posted and not cut.
//
// RTL comes later. Page: docs/blocks/stream_sched.md.
package streamsched
