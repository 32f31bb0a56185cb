// Package lockstep holds a device against the model: record by record, in the device's commit order, with the
// device's time stamps and nothing else taken from it. The model executes the transaction itself from its own state
// and its own queues; the bytes of both records must be equal. The first difference ends the run and is explained.
package lockstep
