// Package share is what the receiver allots of its inbound port to each sender: the rate hint of every
// acknowledgement (R-SHARE, R-JOIN, R-PORT-RATE, R-HINT, `ann:cc-receiver`, `ann:incast`).
//
// Called by the NIC: packet for every packet that holds a psn, announce, probe; tell when an acknowledgement is
// built; sweep, level and answer when Next says that it is time. Two queues are the caller's: the sweep queue holds
// each sender that counts once (out.keep: to its tail), the join queue those that were told nothing yet (out.join).
//
//	at port.due:              sweep every sender in the sweep queue once, then level
//	at port.join_at:          level
//	level said moved:         sweep every sender once more: those whose share moved are told at once
//	level said joined:        answer every sender in the join queue
//	out.send_now:             a hint-only acknowledgement to that sender
//
// How the level is found. The senders are not walked: they stand in classes by what they ask for, four classes an
// octave, and each class has its count and its sum. The level is found from below, class after class; the class in
// which it lies counts as if all its members wanted more. So the work is the same for ten senders and for ten
// thousand, the sum of the shares never exceeds the port, and the level is at most a fifth below the exact one (and
// the floor of it where it lies in no class, as in every incast).
//
// Units: ticks (preset.TickPs), bytes on the wire, rates in 1/2^20 of the port's rate over all planes.
//
// Invariants: a class's count and sum are those of its members; senders is the sum of the counts; the level is
// 1..2^20-1; nobody is told a level that was computed without it.
//
// RTL comes later. Page: docs/blocks/share.md.
package share
