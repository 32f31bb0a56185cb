// Package check measures what the Go side of lockstep costs for each record: decoding it, executing the transaction in
// the model, encoding what is expected, comparing. The measure is the bare decoding of the same records in the same
// run, so that the number means the same on every machine.
package check
