// Package yosys lets Yosys make mutants of the RTL: it runs scripts on the sources, keeps what they make in a folder named
// by content, and reads the list of mutants that `mutate -list` writes.
//
// A mutant is a change of one bit of one cell: inverted (inv), held (const0, const1), or turned where a neighbour bit is
// 0 or 1 (cnot0, cnot1). All of a list are put into one netlist, each behind a value of one input, so that a simulator is
// built, or a circuit read, once. Numbers begin at 1; 0 is the netlist as it was.
package yosys
