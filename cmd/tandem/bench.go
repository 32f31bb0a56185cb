package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/bench/check"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/experiment/speed"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
)

// gate is what `--check` is held to.
type gate struct{ check, json bool }

func (a *app) bench() *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "measures lockstep, RTL, model and vectors against their bounds",
		Long: "With --check a bound that is not met exits with 1. Ratios are of one run on one machine; nothing else of a machine's speed is judged."}
	c.AddCommand(a.benchCosim(), a.benchRTL(), a.benchModel(), a.benchVectors())
	return c
}

func (g *gate) flags(c *cobra.Command) *cobra.Command {
	c.Args = noArgs
	c.Flags().BoolVar(&g.check, "check", false, "exit with 1 if a bound is not met")
	c.Flags().BoolVar(&g.json, "json", false, "print as JSON")
	return c
}

// conclude prints the verdict line and turns what is missing into an exit code.
func (a *app) conclude(g *gate, what string, missing []string, v any) error {
	if g.json {
		if err := a.json(v); err != nil {
			return err
		}
	} else {
		for _, m := range missing {
			fmt.Fprintf(a.out, "not met: %s\n", m)
		}
		if len(missing) == 0 {
			fmt.Fprintf(a.out, "%s: %s\n", what, a.paint(true, "all bounds are met"))
		} else {
			fmt.Fprintf(a.out, "%s: %s\n", what, a.paint(false, fmt.Sprintf("%d bounds are not met", len(missing))))
		}
	}
	if g.check && len(missing) > 0 {
		return &status{result: lockstep.Diverged}
	}
	return nil
}

// leastRatio is the speed of lockstep in mode digest, as a part of the plain simulation's.
const leastRatio = 0.80

func (a *app) benchCosim() *cobra.Command {
	g := &gate{}
	packets, rounds, name := 20000, 5, "small"
	c := g.flags(&cobra.Command{Use: "cosim", Short: "lockstep against the same simulation without it",
		Long: `Runs back-to-back minimum frames through the RTL, once as it is and once in lockstep with every event on, in both modes
and for several numbers of transactions a write. Columns: the best and the median ratio by wall time, which needs two idle
cores; the ratio by processor time of the slower side, which does not.`,
		Example: "  tandem bench cosim --check\n  tandem bench cosim --packets 50000 --rounds 3",
		RunE: func(*cobra.Command, []string) error {
			p, ok := preset.ByName(name)
			if !ok {
				return fmt.Errorf("--preset %q: want tiny, small or full", name)
			}
			prog, err := generate.Smallest(p, packets)
			if err != nil {
				return err
			}
			opt := a.options()
			stop := a.building("preset " + name)
			_, err = rtl.Build(a.ctx, p, &opt)
			stop()
			if err != nil {
				return err
			}
			line := a.line()
			r, err := session.Bench(a.ctx, session.BenchOptions{Config: target.Config{Preset: name, Seed: 1}, Stimulus: prog.Items, RTL: opt, Rounds: rounds,
				Cases: session.DefaultCases(), Progress: func(round, _ int, what string, rate float64) {
					line.show("round %d of %d: %s, %.0f cycles/s", round+1, rounds, what, rate)
				}})
			line.end()
			if err != nil {
				return err
			}
			if !g.json {
				printCosim(a.out, r)
			}
			return a.conclude(g, "bench cosim", cosimMissing(r), r)
		}})
	c.Flags().IntVar(&packets, "packets", packets, "frames of a run")
	c.Flags().IntVar(&rounds, "rounds", rounds, "rounds of all cases")
	atLeast(c, 1, "packets", "rounds")
	c.Flags().StringVar(&name, "preset", name, "table sizes")
	return c
}

func printCosim(w io.Writer, r *session.BenchReport) {
	fmt.Fprintf(w, "preset %s, %d cycles, %d events, %.2f events a cycle; plain %.0f cycles/s at best, %.0f in the middle\n", r.Preset, r.Cycles, r.Transactions,
		r.EventsPerCycle(), r.PlainBest, r.PlainMedian)
	fmt.Fprintf(w, "%-20s %6s %6s %6s %10s %9s %9s\n", "lockstep", "best", "median", "cpu", "cycles/s", "ns host", "ns more")
	for _, x := range r.Rows {
		fmt.Fprintf(w, "%-20s %6.2f %6.2f %6.2f %10.0f %9.0f %9.0f\n", x.Case.Name(), x.Best, x.Median, x.CPU, x.Rate, x.HostNs, x.SimNs)
	}
}

// cosimMissing holds mode digest to its ratio, at the best number of transactions a write. Wall time says it on a
// machine with two idle cores; processor time says it on any.
func cosimMissing(r *session.BenchReport) []string {
	best := 0.0
	for _, x := range r.Rows {
		if x.Case.Mode == target.ModeDigest {
			best = math.Max(best, math.Max(x.Median, x.CPU))
		}
	}
	if best < leastRatio {
		return []string{fmt.Sprintf("lockstep in mode digest runs at %.2f of the plain simulation, at least %.2f", best, leastRatio)}
	}
	return nil
}

// modelReport is what `bench model` found.
type modelReport struct {
	Records   []check.Cost   `json:"records"`
	Simulator []speed.Result `json:"simulator"`
	Memory    []speed.Memory `json:"memory"`
}

func (a *app) benchModel() *cobra.Command {
	g := &gate{}
	name, packets, simulate := "small", 20000, true
	c := g.flags(&cobra.Command{Use: "model", Short: "what checking a record costs, and how fast whole NICs are simulated",
		Long: fmt.Sprintf(`Checks a recording of minimum frames again and again. Bounds: at most %d bare decodings a record, and no allocation.
Then simulates whole NICs on networks, behind a warm-up: link hops and events a second of processor time of one core. Bound: at least
%.2f of a bare event loop of as many events, measured in the same run. Aims are for a quiet machine and not judged.
Last, the bytes of a connection with its window full: bounded for both ends at 8 paths, beyond them for the sender.`, check.MostRatio, speed.LeastRatio),
		Example: "  tandem bench model --check",
		RunE: func(*cobra.Command, []string) error {
			r, err := a.measureModel(name, packets, simulate)
			if err != nil {
				return err
			}
			if !g.json {
				printModel(a.out, r)
			}
			return a.conclude(g, "bench model", r.missing(), r)
		}})
	c.Flags().StringVar(&name, "preset", name, "table sizes")
	c.Flags().IntVar(&packets, "packets", packets, "frames of a recording")
	atLeast(c, 1, "packets")
	c.Flags().BoolVar(&simulate, "simulate", simulate, "simulate whole NICs too; without, their bound is not looked at")
	return c
}

func (a *app) measureModel(name string, packets int, simulate bool) (*modelReport, error) {
	stop := a.waiting("measuring")
	costs, err := check.Measure(a.ctx, name, packets)
	stop()
	if err != nil || !simulate {
		return &modelReport{Records: costs}, err
	}
	memory, err := speed.MeasureMemory()
	if err != nil {
		return nil, err
	}
	line := a.line()
	a.reserve()
	rates, err := speed.Measure(a.ctx, speed.Cases(), func(what string) { line.show("simulating %s", what) })
	line.end()
	return &modelReport{costs, rates, memory}, err
}

func (r *modelReport) missing() (list []string) {
	for i := range r.Records {
		for _, m := range r.Records[i].Missing {
			list = append(list, r.Records[i].Mode+": "+m)
		}
	}
	for i := range r.Simulator {
		if m := r.Simulator[i].Missing; m != "" {
			list = append(list, r.Simulator[i].Name+": "+m)
		}
	}
	for i := range r.Memory {
		if m := r.Memory[i].Missing; m != "" {
			list = append(list, fmt.Sprintf("a connection of %d paths: %s", r.Memory[i].Paths, m))
		}
	}
	return list
}

func printModel(w io.Writer, r *modelReport) {
	fmt.Fprintf(w, "%-8s %9s %10s %9s %7s %12s\n", "mode", "records", "ns decode", "ns check", "ratio", "allocations")
	for i := range r.Records {
		k := &r.Records[i]
		fmt.Fprintf(w, "%-8s %9d %10.1f %9.1f %7.1f %12.4f\n", k.Mode, k.Records, k.DecodeNs, k.CheckNs, k.Ratio, k.Allocs)
	}
	if len(r.Simulator) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-18s %9s %9s %8s %9s %5s %11s %11s %6s\n", "simulation", "hops", "events", "pending", "M hops/s", "aim", "M events/s", "M bare/s", "ratio")
	for i := range r.Simulator {
		s := &r.Simulator[i]
		fmt.Fprintf(w, "%-18s %9d %9d %8d %9.2f %5.1f %11.2f %11.2f %6.2f\n", s.Name, s.Hops, s.Events, s.Pending, s.HopRate/1e6, s.Aim/1e6, s.Rate/1e6, s.Bare/1e6, s.Ratio)
	}
	fmt.Fprintf(w, "\n%-18s %9s %9s %9s %9s %9s\n", "connection", "in flight", "B sender", "receiver", "stream", "most")
	for i := range r.Memory {
		m := &r.Memory[i]
		fmt.Fprintf(w, "%-18s %9d %9d %9d %9d %9d\n", fmt.Sprintf("%d paths", m.Paths), m.InFlight, m.Sender, m.Receiver, m.Streams, m.Most)
	}
}
