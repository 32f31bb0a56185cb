package main

import (
	"fmt"

	"github.com/spf13/cobra"

	bench "metaroce/tandem/cosim/bench/rtl"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/model/event"
)

// rtlBench is what tandem bench rtl found.
type rtlBench struct {
	Preset string         `json:"preset"`
	Frames []bench.Frames `json:"frames"`
	Core   []bench.Core   `json:"core"`
	Holds  bool           `json:"holds"`
}

func (a *app) benchRTL() *cobra.Command {
	var check, asJSON bool
	var presetName, runs string
	c := &cobra.Command{
		Use:   "rtl",
		Short: "no bubble: a beat a cycle on the wire, a descriptor a cycle through every engine",
		Long: `Feeds frames of four payload sizes one behind the other into the whole device, and a descriptor in every cycle into the
engines behind the parser, and counts cycles. Frames run in lockstep, so that what is fast is right too. The numbers are
cycles of the design: they do not depend on this machine.

Without --check it only prints; with it, it exits with 1 where a cycle was lost.`,
		Example: "  tandem bench rtl --check\n  tandem bench rtl --preset tiny --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			r := rtlBench{Preset: presetName, Holds: true}
			stop := a.waiting("bench of the RTL in preset " + presetName)
			var err error
			if r.Frames, err = bench.MeasureFrames(a.ctx, a.options(), presetName, runs); err == nil {
				r.Core, err = bench.MeasureCore(a.ctx, a.options(), presetName)
			}
			stop()
			if err != nil {
				return err
			}
			for i := range r.Frames {
				r.Holds = r.Holds && r.Frames[i].Holds()
			}
			for i := range r.Core {
				r.Holds = r.Holds && r.Core[i].Holds()
			}
			if asJSON {
				err = a.json(r)
			} else {
				a.printRTLBench(&r)
			}
			if err == nil && check && !r.Holds {
				err = &status{result: lockstep.Diverged}
			}
			return err
		},
	}
	c.Flags().BoolVar(&check, "check", false, "exit with 1 if the bounds do not hold")
	c.Flags().StringVar(&presetName, "preset", "small", "table sizes: tiny, small or full")
	c.Flags().StringVar(&runs, "runs", session.RunsDir, "directory of run folders")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	complete(c, "preset", "tiny", "small", "full")
	return c
}

func (a *app) printRTLBench(r *rtlBench) {
	fmt.Fprintf(a.out, "frames back to back, preset %s\n%8s %8s %8s %8s %8s %8s  %s\n", r.Preset, "payload", "frames", "dropped", "beats",
		"cycles", "moved", "lockstep")
	for _, f := range r.Frames {
		share := fmt.Sprintf("%6d.%d%%", f.Permille()/10, f.Permille()%10)
		fmt.Fprintf(a.out, "%8d %8d %8d %8d %8d %s  %s\n", f.Payload, f.Frames, f.Dropped, f.Beats, f.Cycles, a.paint(f.Holds(), share), f.Result)
		a.printMissing(f.Missing)
	}
	fmt.Fprintf(a.out, "\na descriptor offered in every cycle behind the parser: commits of each engine\n%-18s %8s %8s", "pattern", "cycles", "waited")
	var engines []string
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Built && !e.Boundary {
			engines = append(engines, e.Name)
			fmt.Fprintf(a.out, " %8s", e.Name)
		}
	}
	fmt.Fprintln(a.out)
	for _, c := range r.Core {
		fmt.Fprintf(a.out, "%-18s %8d %8d", c.Pattern, c.Cycles, c.Held)
		for _, e := range engines {
			fmt.Fprintf(a.out, " %8d", c.Commits[e])
		}
		fmt.Fprintln(a.out)
		a.printMissing(c.Missing)
	}
	verdict := "no bubble"
	if !r.Holds {
		verdict = "cycles are lost"
	}
	fmt.Fprintf(a.out, "(ctimer and ack take no descriptors: they merge what coalesce asks for)\n\n%s\n", a.paint(r.Holds, verdict))
}

func (a *app) printMissing(list []string) {
	for _, m := range list {
		fmt.Fprintf(a.out, "  %s\n", a.paint(false, m))
	}
}
