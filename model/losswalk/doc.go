// Package losswalk judges the records of a path, one a transaction (R-WALK; `ann:gap-retransmit`).
//
// A path is a way that keeps order: what was sent before something that came, and did not come, is lost. That holds for
// first transmissions and for repeated ones alike, so a lost retransmission is found in one round trip and no timer.
// Records that left by another port (list away) give no such evidence. They have a time, that of the path that carried
// them, and go again when it has passed or when that path is no longer active.
//
// The engine has no state of its own: records belong to xmit, the limit to ackrecv. docs/sender.md has the order in which
// the lists are walked for an acknowledgement, and why a list is walked no further than its length at the start.
//
// Units: now, sent and rto in ticks of 4 ns; now wraps. Page: docs/blocks/loss_walk.md.
package losswalk
