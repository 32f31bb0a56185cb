// Package planted makes run folders with a difference in them, for tests of what reads such folders: a run of the model in
// cycles is recorded, a record of it is changed, and the recording is held against the model again.
package planted
