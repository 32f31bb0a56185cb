// Package scenario is the text form of a test: a time line of packets, register commands, waits and losses that a
// person can read and review, and what must have been seen at the end. docs/scenarios.md is its manual.
//
// The way through the package: Parse (text to File, mistakes with line and column, all of them at once), Format (File
// to canonical text), Compile (File to compose.Program: what goes to the pins, what each frame is meant to do, and
// the expectations). vocabulary.go is the one list of words and keys; parser messages and the manual follow it.
package scenario
