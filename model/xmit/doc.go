// Package xmit numbers the transmissions of a path and keeps the records of the packets that are not settled (R-XMIT,
// R-IDENTITY; `ann:gap-retransmit`).
//
// A record is in one of three lists of its home path:
//
//	live  carried by the path itself in its present epoch, in the order of transmission: only these can be judged by order
//	lost  to be sent again
//	away  carried by another path's port, or by this path in an epoch that ended: they have their time only
//
// Lists are first in, first out and linked through the records by psn mod 256: a record is appended at a tail, taken from
// a head, and never from the middle. Tsn rises along live, and so does the time of transmission.
//
// Step is the engine. Store holds the records of many paths in rings that grow when they must, so that a path pays for
// what it has in flight: 16 bytes a record. A record has the sender's slot of its message and the number of the packet in
// it; bytes, address and opcode follow from the message, which is there until all its packets are settled.
//
// Duties of the caller: first only when Store.Room holds; again and detour only with lost not empty; free, lose, keep only
// with the list named not empty; retire only with live not empty. What moves and when is decided by losswalk, pathtimer
// and the windows; docs/sender.md has the order.
//
// Units: now and sent in ticks of 4 ns, wrapping. Page: docs/blocks/xmit.md.
package xmit
