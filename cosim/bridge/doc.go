// Package bridge is the host's end of the socket to a simulated device: handshake, records in, stimulus and credit out,
// ending. The device's end is cosim/dpi/tandem_*.c; docs/cosim.md describes the bytes.
//
// Every wait is bounded by Terms.Stall: a peer that is silent for longer is given up, and the error names it, the cause
// and the last record that arrived. Reading takes no memory once the buffers stand.
//
//go:generate protoc --go_out=. --go_opt=paths=source_relative bridge.proto
package bridge
