// Package replay is the Target over a recorded run: it gives back the records that a device gave, with no simulator.
package replay
