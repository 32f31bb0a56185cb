// Package scripts holds what the Makefile calls: installing tools (need.sh), naming and timing a stage (stage.sh), formatting
// (format.sh), running Go tests so that a hollow run fails (gotest.sh, testcount), and replaying step vectors on source and
// netlist (step_vectors.sh). The Go here is their tests.
package scripts
