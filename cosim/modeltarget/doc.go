// Package modeltarget is the Target over model/pipe: the model in cycles as the device under test. It shows what a run
// shows on RTL, with no simulator, and is the known-good device of the bench's own tests.
package modeltarget
