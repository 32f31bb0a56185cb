// Package journal is the form of a run on disk and of its stimulus on the socket: a folder with what went in
// (run.json, stimulus.bin), what came out (records.bin) and what it came to (verdict.json, written by cosim/session).
// A run can be checked again, or compared with another, from these files alone.
package journal
