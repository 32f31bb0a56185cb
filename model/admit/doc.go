// Package admit decides whether a frame comes in at all: parsing, ICRC, connection, path, stream, room (R-FRAME,
// R-ICRC, R-ADMIT).
//
// Whatever may be dropped is dropped here, while no row has changed yet. A dropped frame leaves its
// record and a count by reason, nothing else, and is not acknowledged, so its sender sends it again. Behind admit a
// packet is placed or refused, never lost.
//
// Parse is a pure function of the frame's bytes and never fails: whatever it cannot read is a reason. Step adds what
// depends on tables. Commands pass through here too, so that they take effect in the order of the frames around them.
//
// RTL twins: rtl/parse/mr_parse.sv, rtl/admit/mr_admit_step.sv. Pages: docs/blocks/admit.md, docs/blocks/parse.md.
package admit
