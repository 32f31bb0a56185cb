// Package cc is the sender's congestion control: windows of paths and connection, moved by marks, losses and what is
// acknowledged (R-CC, `ann:cc-sender`), the pace given by the receiver's hint (R-PACE, R-HINT), and what may be sent
// without one (R-JOIN).
//
// Called by the NIC: open and start; hint, ack and timeout as they come; resume before a packet is cut where Asleep
// says so; send for every packet that holds a psn, first or again. New data goes where PathRoom, ConnRoom and Paced
// hold; what goes again needs Paced only, since it is still counted in flight.
//
// The hint gives the *ceiling*, 1.5 hint x base RTT. Windows are kept as parts of it, not in bytes:
//
//	Wc = ceiling x window / 2^24                  at most the ceiling
//	Wp = ceiling / active paths x window / 2^15   at most twice its share
//
// so a new hint, or another number of active paths, moves every window at once and in proportion, and a cut or what
// was grown back stays what it was. Both are at least 4 packets.
//
// Pace: a packet of b bytes moves pace_at by b x interval. Its fraction is kept, so the mean rate is the hint's to
// 1 in 10^5, whether the gap is a whole number of ticks or not. Who is late by at most one gap, or base RTT / 16,
// catches up; more is lost.
//
//	quiet --resume: announce, or 4 packets at most--> announced, allowed --hint: pace from a seeded phase--> hinted
//	  ^------------------------- resume after the hint lapsed -------------------------'
//
// Units: ticks (preset.TickPs), bytes on the wire, hints in 1/2^20 of the peer's port, rates in Mb/s.
//
// Invariants: bytes in flight never go below zero (out.under tells of a caller that settles twice); windows are never
// below their floor nor above what the hint allows; pace_at is at most one gap ahead beyond what was sent.
//
// Duty of the caller: the row of a connection is looked at (resume, with nothing waiting) at least every 8 s, since
// times are 32 bits of ticks.
//
// RTL comes later. Page: docs/blocks/cc.md.
package cc
