package target

import (
	"errors"
	"fmt"
	"io"
)

// Failure is a run that ended for a reason that says nothing about the device: the bench, the socket, the machine.
// It leads to exit code 2, never to a divergence.
type Failure struct {
	Side  string `json:"side"`  // who failed: "device", "host", "bridge", "build", "run folder"
	Cause string `json:"cause"` // one line
	// Last describes the last record that arrived, empty if none did.
	Last string `json:"last,omitempty"`
	// Gone: the device's process had ended, of itself or by a signal.
	Gone bool  `json:"gone,omitempty"`
	Err  error `json:"-"`
}

// Error is one line that names side, cause and last record.
func (f *Failure) Error() string {
	s := f.Side + ": " + f.Cause
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	if f.Last != "" {
		s += " (last record: " + f.Last + ")"
	}
	return s
}

// Unwrap returns the error below.
func (f *Failure) Unwrap() error { return f.Err }

// Fail makes a Failure. It never wraps io.EOF, which is how a target says that all is well: a device that broke off
// must not pass for one that ended.
func Fail(side string, err error, format string, args ...any) *Failure {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return &Failure{Side: side, Cause: fmt.Sprintf(format, args...), Err: err}
}

// Unsupported is returned by Reset or Apply for what this target can never do; it leads to exit code 4.
type Unsupported struct{ What string }

// Error says what is not supported.
func (u *Unsupported) Error() string { return "not supported by this target: " + u.What }
