// Package slot accounts the Reads and atomics of a connection, at both ends (R-SLOT, R-RESPONSE, R-ATOMIC-ONCE;
// `ann:verbs`).
//
// A request is an ordinary packet with psn that names one of the requester's 64 slots. The requester's row (ask) counts
// the bytes of its answer as they come, in any order; each comes once, since the window lets it through once. The
// responder's row (serve) holds the request until all earlier messages of its stream are complete, and then how far its
// answer is cut into packets. Those are packets with psn of the other direction, repaired there like any data.
//
// Since a requester has no more requests out than the responder has rows, a request never has to be dropped for room. The
// window knows a request that comes twice, so an atomic executes once and no store of replies is needed.
//
// What the step does not hold: the operands and addresses of a request, which the caller keeps beside the row.
//
// Page: docs/blocks/slot.md.
package slot
