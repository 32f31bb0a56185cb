// Package wave writes the files that open a wave dump at its divergence: which signals, in which order, with a marker at the
// cycle. Save puts them beside the dump:
//
//	wave.gtkw   gtkwave wave.gtkw                  GTKWave's save file; fields of the commit record as vectors with their names
//	wave.sucl   surfer -c wave.sucl wave.fst       commands of Surfer; it has the commit record whole
//
// Signals are chosen by where the divergence is: clock and cycle, what comes in, the handshakes of the engine, its commit
// field by field; at a boundary its port and the engine behind it. Names are those of the bench of Verilator (cosim/dpi),
// top scope `bench`.
//
// Units: device cycles; picoseconds in the dump, 4,000 a cycle.
package wave
