// Package report writes what became of experiments: the table and verdicts of a terminal, CSV, JSON, pictures, and one
// page that shows our transport, the baseline, what was published and what is physically possible side by side.
//
// All of it is made of a Result and of nothing else: no clock, no name of a machine. So the files of two equal runs are
// the same to the byte.
package report
