// Package execute does one case of a regression: stimulus, run in lockstep or command, record. It is called in the process
// that is given over to the case (package shard), which may crash, hang or eat memory: whoever supervises it deals with that.
//
// A run works in a scratch folder; what is kept of it moves to its place below the run folder at the end, whole. The
// record it returns depends on nothing but case, device and program, its Times apart.
package execute
