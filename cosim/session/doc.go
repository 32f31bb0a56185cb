// Package session is one run from stimulus to verdict: it makes the run folder, starts the device, holds it against
// the model, writes journal and verdict, and fetches waves after a failure. The commands call it and print.
package session
