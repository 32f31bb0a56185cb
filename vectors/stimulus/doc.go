// Package stimulus is what a scenario, a generated run or a capture is made into before any target sees it: a flat
// list of items for the pins of the receive side. It is a leaf: targets, journals and generators share it, and none
// of them has to know how the list came about.
//
// Order. Items are issued in list order. A frame occupies the frame port, a register access the register port; the
// two ports run side by side, so a register access does not hold back the frame behind it, nor the reverse. A wait
// holds both ports. So "key_set, then the write that uses it" needs a WaitIdle between them, and "key_clear while
// writes are in flight" is had by leaving it out.
//
// Numbers. The n-th Frame item has xid n, from 1. The n-th command has xid 0x80000000 + n, until
// CMD_SENT is written: docs/registers.md.
package stimulus
