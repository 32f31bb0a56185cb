// Package vector runs test vectors (vectors/mrv) on targets and makes new ones with the model's help.
//
// Targets: "blocks" is the model without time (walk.go), "model" the model in cycles, "rtl" the RTL in lockstep with the
// model. What a run showed is held against the vector by vectors/expect; block vectors are held against the steps.
//
//	Bless   fills in what must be seen, and holds it against runs that differ in every time there is: a vector whose
//	        outcome hangs on time is none
//	Settle  puts waits in front of the frames on which time would decide, until none is left
//	Check   runs a vector and compares
//
// Generators are in the packages below that give programs to Bless: texts (vectors/scenario), random traffic
// (vectors/generate), captures and recorded runs (lift.go), and guide.go, which looks at the model's state to reach a bin
// of coverage.
package vector
