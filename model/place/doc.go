// Package place counts the bytes of a message that the memory port has accepted (R-PLACE).
//
// A byte counts when the port has answered its write, not when the write was issued: only so does a completion stay
// behind the last write of its message. An answer with an error counts nothing and reports a fault.
//
// RTL twin: rtl/place/mr_place_step.sv. Pages: docs/blocks/place.md, docs/memory-port.md.
package place
