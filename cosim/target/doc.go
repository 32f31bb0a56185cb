// Package target is the contract between a comparison and whatever it compares: the model, RTL in a simulator, a
// recorded run, one day a NIC. It is a leaf, so that a target needs to know nothing about lockstep and lockstep
// nothing about simulators.
//
// Life of a target: Describe, Reset, Apply (once or more), Finish, Drain until io.EOF, End, Close. Records come
// out in the order of the device's commits (docs/receive.md, section 4) and are never reordered here.
package target
