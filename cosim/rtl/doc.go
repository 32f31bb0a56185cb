// Package rtl is the Target over RTL in Verilator: it builds the simulator (cached by content), starts it in a
// process group of its own, and speaks to it through cosim/bridge.
package rtl
