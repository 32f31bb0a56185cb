package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	places "metaroce/tandem/cosim/regress/source"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/scenario"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is one call of the program. Its result is the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	// an interrupted run still reports what it did: commands end when the context does. A second signal ends at once.
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop)
	results := &results{w: stdout}
	a := newApp(ctx, results, stderr)
	a.outTerm = isTerminal(stdout)
	root := a.root()
	root.SetArgs(args)
	called, err := root.ExecuteContextC(ctx)
	if err != nil && results.n == 0 && asJSON(called, args) {
		a.failedJSON(err)
	}
	if results.err != nil { // whatever they were, nobody can rely on them
		err = fmt.Errorf("cannot write the results: %w", results.err)
	}
	if err == nil {
		return 0
	}
	code := exitCode(err)
	var s *status
	if !errors.As(err, &s) {
		complain(stderr, err)
	} else if s.err != nil {
		complain(stderr, s.err)
	}
	return code
}

// complain prints an error with the program's name before it. Mistakes of a scenario or a plan have none: every line of them begins
// with file:line:col, which editors look for there.
func complain(w io.Writer, err error) {
	if e, ok := err.(interface{ Unwrap() []error }); ok {
		if list := e.Unwrap(); errors.Join(list...).Error() == err.Error() {
			for _, x := range list {
				complain(w, x)
			}
			return
		}
	}
	switch err.(type) {
	case scenario.Errors, *scenario.Error, places.Mistakes:
		fmt.Fprintln(w, err)
	default:
		fmt.Fprintf(w, "tandem: %v\n", err)
	}
}

// asJSON says whether a command was told to print JSON. Flags behind a wrong one are not parsed.
func asJSON(c *cobra.Command, args []string) bool {
	f := c.Flags().Lookup("json")
	return f != nil && (f.Value.String() == "true" || slices.Contains(args, "--json"))
}

// failedJSON is what a command with --json prints that ends before it has anything to print: who reads it must never meet an
// empty text.
func (a *app) failedJSON(err error) {
	_ = a.json(struct { // an error of the writer is kept there
		Result lockstep.Result `json:"result"`
		Line   string          `json:"line"`
	}{lockstep.Result(exitCode(err)), err.Error()})
}

// results keeps the first error of the writer below: a result that was lost must not end with exit code 0.
type results struct {
	w   io.Writer
	n   int // bytes written
	err error
}

// Write writes nothing more behind an error.
func (r *results) Write(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.w.Write(b)
	r.n, r.err = r.n+n, err
	return n, err
}

// status is an outcome that is no mistake of the caller: it was printed, and only the exit code is left.
type status struct {
	result lockstep.Result
	err    error // printed too, if there
}

func (s *status) Error() string {
	if s.err != nil {
		return s.err.Error()
	}
	return s.result.String()
}

// done turns a result into what a command returns.
func done(r lockstep.Result) error {
	if r == lockstep.Match {
		return nil
	}
	return &status{result: r}
}

// exitCode gives the exit code of an error: that of its result, else bench or usage.
func exitCode(err error) int {
	var s *status
	if errors.As(err, &s) {
		return int(s.result)
	}
	var u *target.Unsupported
	if errors.As(err, &u) {
		return int(lockstep.Unsupported)
	}
	return int(lockstep.BenchFailed)
}
