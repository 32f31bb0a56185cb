// Package modeltest is what tests of the model share: frames and commands in one line, a scheduler that runs a
// conn.Receiver as an ideal device, traces a person can read, and a runner for scenario files with expected traces.
//
// It is written for tests, under the same rules as the model: no clock, no files (the runner is given bytes), no
// randomness but seeded.
package modeltest
