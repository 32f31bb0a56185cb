// Package compose makes stimulus out of protocol terms: connections with their serial numbers, packets, frames right
// or wrong in one chosen way, commands as register writes. The scenario compiler and the random generator both build
// on it, so a packet means the same in both.
//
// It plays the part of the sender and of the driver. It never asks the model what will happen: beside the stimulus it
// keeps what every frame is meant to do (Program.Frames, Program.Posted), and vectors/observe holds the events of a
// run against that.
package compose
