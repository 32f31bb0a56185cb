// Package export turns vectors into what others read: JSON, pcapng, and a Verilog bench with its memories, which runs in
// Icarus and Verilator with neither this program nor a socket (bench/mr_vector_tb.sv, bench/mr_step_tb.sv).
//
// Equal files give equal output.
package export
