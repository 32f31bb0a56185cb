// Command testcount reads the events of `go test -json` and gives the verdict that the bare exit code cannot:
// it fails on a failed test, on a skipped one, on a package whose end was never seen, and on fewer tests than -min.
// A green run in which nothing was tested is the failure it exists for.
//
// It prints the whole output of what failed or was skipped, a line for a package that is slow, and one closing line.
package main
