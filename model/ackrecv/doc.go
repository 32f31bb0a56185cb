// Package ackrecv takes the acknowledgements of a path (R-ACKRECV; `ann:sack`, `ann:path-state`): how far everything came,
// up to which transmission loss may be judged, what a round trip takes.
//
// All that an acknowledgement says is a fact that stays true: a psn that came has come, a transmission that came was the
// highest at least once. So the row takes the later cum and the later tsn, whatever order acknowledgements arrive in, and
// an old one moves nothing back. The vector is not kept: the walk (losswalk) goes over the records with the
// acknowledgement at hand, and the next one has the whole state again.
//
// What a broken peer acknowledges beyond what was sent is not used at all (bogus).
//
// Units: now, echo_time, held, srtt, rttvar in ticks of 4 ns; now wraps. Page: docs/blocks/ack_recv.md.
package ackrecv
