package main

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/experiment/catalog"
)

// app is what all commands share.
type app struct {
	ctx      context.Context
	out, err io.Writer
	errTerm  bool // progress may be drawn
	outTerm  bool // colour may be used
	checkout string
}

func newApp(ctx context.Context, out, err io.Writer) *app {
	return &app{ctx: ctx, out: out, err: err, errTerm: isTerminal(err), outTerm: isTerminal(out)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// paint colours a text green or red where that can be seen and is wanted (NO_COLOR, https://no-color.org).
func (a *app) paint(good bool, text string) string {
	if !a.outTerm || os.Getenv("NO_COLOR") != "" {
		return text
	}
	if good {
		return "\x1b[32m" + text + "\x1b[0m"
	}
	return "\x1b[31m" + text + "\x1b[0m"
}

func (a *app) json(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// options are those of every simulator build.
func (a *app) options() rtl.Options { return rtl.Options{Root: a.checkout} }

func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:   "tandem",
		Short: "runs a MetaRoCE NIC as RTL and as a model, side by side, and says where they part",
		Long: `tandem feeds the same frames and register commands to a device and to a model, lets every engine of both write
down each decision and the state it leaves, and compares the two in the device's order. The first difference is
explained: engine, packet, connection, path, first wrong field, both values, the rule.

Exit codes: 0 match, 1 divergence: device and model differ, or an expectation of the scenario failed, 2 the bench or
its use failed, 3 nothing or not enough was compared, 4 the target cannot do this.`,
		Example: `  tandem run --all                       every written scenario and some random traffic on the RTL
  tandem run in-order gaps --dut model   two scenarios on the model in cycles: no simulator needed
  tandem run my.scn --seed 7 --json
  tandem run --random 2000 --seeds 200   200 seeds of random traffic
  tandem run --pcap capture.pcapng       frames of a capture
  tandem replay runs/in-order-1          check a recorded run again
  tandem doctor                          what this machine has and what it lacks`,
		SilenceUsage: true, SilenceErrors: true, PersistentPreRunE: sound,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	c.SetOut(a.out)
	c.SetErr(a.err)
	c.PersistentFlags().StringVar(&a.checkout, "root", "", "checkout with rtl/ and cosim/dpi/ (default: found from here upwards)")
	c.AddCommand(a.run(), a.diff(), a.replay(), a.scenario(), a.wire(), a.doctor(), a.version(), a.bench(), a.bugs(), a.mutate(), a.vectors(), a.sim(catalog.All()), a.pair(),
		a.regress(), a.rerun(), a.triage(), a.coverage(), a.shrink(), a.report(), a.history(), a.regressShard(), a.regressWorker())
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(c, "%s", parserName.ReplaceAllString(err.Error(), ""))
	})
	c.InitDefaultCompletionCmd()
	for _, group := range append(c.Commands(), c) {
		refuseUnknown(group)
	}
	return c
}

// noArgs and others refuse with a line that says what to do.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(c, "%q: %s takes no arguments", args[0], c.CommandPath())
	}
	return nil
}
