// Package rtl measures the RTL alone: that no cycle is lost between beats on the wire, and that every engine takes a
// descriptor a cycle. Both are properties of the design, not of the machine that simulates it, so they are gates.
package rtl
