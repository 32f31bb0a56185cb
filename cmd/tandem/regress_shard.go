package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/farm"
	"metaroce/tandem/cosim/regress/shard"
)

// stoppedCode is the exit code of a shard that was told to stop: 128 and SIGTERM, which farms know.
const stoppedCode = 143

// workerCommand is the worker's subcommand.
const workerCommand = "regress-worker"

// farmSettle is how long a bad end waits for the signal that may have caused it: a farm sends it to one process after the other.
const farmSettle = 500 * time.Millisecond

func (a *app) regressShard() *cobra.Command {
	parent := false
	c := &cobra.Command{
		Use: farm.Command + " FILE", Hidden: true, Args: exactly("FILE"),
		Short: "runs a shard of a regression: what `tandem regress` starts, here or on a farm",
		Long: `Runs the executions of a shard that have no record yet. It can be started again at any time and goes on where it was.
Exit codes: 0 every execution has a record, whatever it says, 2 it could not be run, 143 it was stopped.`,
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := context.WithCancelCause(a.ctx)
			defer stop(nil)
			if parent {
				go func() {
					_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent, whatever ends that
					stop(errors.New("the runner has gone"))
				}()
			}
			o := shard.Options{Args: []string{workerCommand}, Settle: farmSettle}
			if parent { // on this machine nobody signals all processes of a shard
				o.Settle = 0
			}
			err := shard.Supervise(ctx, args[0], o)
			if err != nil && (ctx.Err() != nil || errors.Is(err, shard.ErrStopFile)) {
				return &status{result: lockstep.Result(stoppedCode), err: fmt.Errorf("stopped: %w", err)}
			}
			return err
		},
	}
	c.Flags().BoolVar(&parent, farm.ParentFlag[2:], false, "end when standard input closes")
	return c
}

func (a *app) regressWorker() *cobra.Command {
	return &cobra.Command{
		Use: workerCommand, Hidden: true, Args: noArgs, Short: "runs one execution after the other for a shard; not for people",
		RunE: func(*cobra.Command, []string) error { return shard.Work(os.Stdin, shard.Answers(), shard.Execute) },
	}
}
