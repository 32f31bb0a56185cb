// Package history is an index over the runs of a folder, in an embedded SQLite file: what a test came to last time and how
// long it took, pass rates, tests that do not always come to the same.
//
// The results files of the runs are the truth. The index can be thrown away at any time: Rebuild reads it from them again,
// and a run goes on without it.
package history
