// Package process finds and ends everything that a process started, also what changed its group, its session or its
// parent since. Linux only: it reads /proc.
package process
