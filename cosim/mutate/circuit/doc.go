// Package circuit holds a netlist with mutants behind one input, evaluates it, and proves of a mutant that it has no
// effect, or finds an input that shows one.
//
// The netlist comes from Yosys in AIGER, the format of model checkers: and-gates, inverters, registers. Gates, evaluation
// and the SAT solver are those of gini.
//
//	Read           a file
//	Function       a combinational circuit with one mutant chosen; 64 inputs at a time
//	Compare        is a mutant equal to the circuit without one, for every input and every state?
//	CompareCycles  does anybody outside see it within some cycles, from any state that both share?
//
// Both questions are harder than need be: they know nothing of what states and inputs a device meets. So "equal" holds,
// and "differs" may mean something that never is. No comparison begins with reset: behind it a table is swept for longer
// than any solver looks.
package circuit
