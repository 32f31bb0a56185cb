package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/pair"
	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/internal/atomicfile"
)

func (a *app) pair() *cobra.Command {
	o, asJSON := pair.Config{}, false
	c := &cobra.Command{
		Use: "pair", Short: "runs two whole NICs of the model against each other, through losses, delays, marks and dead planes", Args: noArgs,
		Long: `Two NICs of the model, one connection, and work of all kinds at both ends; the network changes its weather again and again. Every
request that was taken has to end once. It is how the send side, which is not in RTL, is tried: a regression collects the
functional bins that it fills (docs/howto/coverage.md). Three of four seeds begin shortly before psn and tsn wrap.

Exit codes: 0 every request ended as it must, 1 one did not, 2 the call is wrong, or it was interrupted, 3 none was taken.`,
		Example: "  tandem pair\n  tandem pair --seed 7 --changes 600 --json",
		RunE: func(*cobra.Command, []string) error {
			r, err := pair.Run(a.ctx, o)
			if err != nil {
				return err
			}
			return a.paired(r, asJSON)
		},
	}
	fs := c.Flags()
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of work and weather")
	fs.IntVar(&o.Changes, "changes", pair.Changes, "changes of the weather")
	fs.BoolVar(&asJSON, "json", false, "print what it came to as JSON")
	return c
}

// paired tells what came of a pair, and leaves bins and counts where a regression asks for them.
func (a *app) paired(r *pair.Report, asJSON bool) error {
	for variable, text := range map[string]func() ([]byte, error){
		execute.BinsVariable:   func() ([]byte, error) { return r.Bins.Encode(), nil },
		execute.ResultVariable: func() ([]byte, error) { return json.Marshal(execute.Told{Events: r.Records}) },
	} {
		path := os.Getenv(variable)
		if path == "" {
			continue
		}
		b, err := text()
		if err == nil {
			err = atomicfile.Write(path, b)
		}
		if err != nil {
			return err
		}
	}
	came := lockstep.Match
	switch {
	case len(r.Faults) > 0:
		came = lockstep.Diverged
	case r.Posted == 0:
		came = lockstep.Inconclusive
	}
	if asJSON {
		if err := a.json(r); err != nil {
			return err
		}
		return done(came)
	}
	for _, f := range r.Faults {
		fmt.Fprintln(a.out, f)
	}
	fmt.Fprintf(a.out, "%s: %d of %d requests ended, in %d us; %d records\n", a.paint(came == lockstep.Match, came.String()), r.Ended, r.Posted, r.Time, r.Records)
	return done(came)
}
