package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
)

func (a *app) replay() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "checks a recorded run again, with no simulator",
		Long: `Reads the journal of a run folder and holds it against the model, record by record, as the run itself was. Says the
same of the comparison, unless the model has changed since; expectations of a scenario and the intent of its traffic are not
looked at again.`,
		Example: "  tandem run in-order --keep always\n  tandem replay runs/in-order-1",
		Args:    exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			stop := a.waiting("replaying " + args[0])
			v := session.Replay(a.ctx, args[0], nil)
			stop()
			if asJSON {
				if err := a.json(v); err != nil {
					return err
				}
				return done(v.Result)
			}
			if v.Divergence != nil {
				o := suite.Outcome{Name: v.Name, Verdict: v, Result: v.Result, Rerun: v.Rerun}
				o.Explain(a.out)
			}
			fmt.Fprintln(a.out, a.paint(v.Result == lockstep.Match, v.Line))
			return done(v.Result)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the verdict as JSON")
	return c
}

func (a *app) diff() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:        "diff RUN RUN",
		SuggestFor: []string{"compare"},
		Short:      "finds the first record that differs between two recorded runs",
		Long:       "Compares the journals of two run folders, for instance of two builds or two versions of a scenario. Equal runs exit with 0, others with 1.",
		Example:    "  tandem run in-order --keep always --seed 1\n  tandem run in-order --keep always --seed 2\n  tandem diff runs/in-order-1 runs/in-order-2",
		Args:       exactly("RUN", "RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := session.Diff(args[0], args[1])
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.json(d); err != nil {
					return err
				}
			} else {
				a.printDifference(d, args)
			}
			if d.Same {
				return nil
			}
			return &status{result: lockstep.Diverged}
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the difference as JSON")
	return c
}

func (a *app) printDifference(d *session.Difference, args []string) {
	if d.Same {
		fmt.Fprintln(a.out, a.paint(true, fmt.Sprintf("equal: %s", plural(int(d.Transactions), "transaction"))))
		return
	}
	if d.Stimulus != "" {
		fmt.Fprintf(a.out, "the stimulus of the two is not the same: %s\n", d.Stimulus)
	}
	if d.RecordsEqual() {
		fmt.Fprintln(a.out, a.paint(false, fmt.Sprintf("all %d transactions are equal", d.Transactions)))
		return
	}
	fmt.Fprintln(a.out, a.paint(false, fmt.Sprintf("transaction %d differs, those before are equal: %s", d.Transactions, d.What)))
	for i, rec := range []string{d.A, d.B} {
		if rec != "" {
			fmt.Fprintf(a.out, "  %s: %s\n", args[i], rec)
		}
	}
	for _, f := range d.Fields {
		fmt.Fprintf(a.out, "  %-24s %s, %s\n", f.Field, f.Device, f.Model)
	}
	if d.OnlyTime() {
		fmt.Fprintln(a.out, "Only the time differs. Runs of different targets (rtl and model), and of different stalls, part in time at once: this says nothing about values, here or behind.")
	}
}
