package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/mutate"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

// What every mutant is given: all scenarios in one run, then random traffic.
const (
	mutantSeeds   = 3
	mutantPackets = 1500
)

func (a *app) mutate() *cobra.Command {
	var check, asJSON bool
	var every time.Duration
	o := mutate.Options{}
	c := &cobra.Command{
		Use:   "mutate",
		Short: "lets Yosys change the RTL outside the steps, and counts which changes lockstep catches",
		Long: fmt.Sprintf(`Yosys changes one bit of one cell at a time, anywhere but inside the steps, %d times in each of %d blocks. All of them are in one
simulator, and each is run in lockstep over all scenarios and some random traffic until it is caught. One that is not has no effect
where that is proven (of every state and input, or of %d cycles from any state) or where the outputs show what those of the netlist
without a mutant show, in every cycle; data beside a low valid do not count. All others survived: they are listed with cell, port
and source line. docs/faults.md is the page.

Ctrl-C leaves a report of the mutants that are through by then, which says so.

Exit codes: 0 they were run, 1 with --check: fewer than %d %% of those with an effect are caught, 2 it could not be done, or not whole.`, mutate.Count, len(mutate.Blocks), mutate.Cycles, mutate.Gate),
		Example: "  tandem mutate --check\n  tandem mutate --seed 2 --count 5\n  tandem mutate --only 17,42",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := wantTime(every)
			if err != nil {
				return usage(c, "%w", err)
			}
			if o.Stimuli, err = mutantStimuli(); err != nil {
				return err
			}
			o.Root = a.checkout
			return a.runMutants(o, every, check, asJSON)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&check, "check", false, "exit with 1 if too few are caught")
	fs.BoolVar(&asJSON, "json", false, "print every mutant as JSON")
	fs.IntVar(&o.Count, "count", mutate.Count, "mutants of each block")
	fs.Uint64Var(&o.Seed, "seed", mutate.Seed, "seed of Yosys' choice")
	fs.IntSliceVar(&o.Only, "only", nil, "numbers of the mutants to run (all)")
	fs.IntVar(&o.Workers, "jobs", 0, "runs side by side (0: one a processor)")
	logEvery(c, &every)
	atLeast(c, 0, "jobs")
	atLeast(c, 1, "count")
	return c
}

// mutantStimuli are the same for every mutant: which of them catches it must not depend on anything else.
func mutantStimuli() ([]mutate.Stimulus, error) {
	var all stimulus.List
	for _, name := range written() {
		items, err := source(name, 1)
		if err != nil {
			return nil, err
		}
		all = append(append(all, mutate.Between()...), items...)
	}
	list := []mutate.Stimulus{{Name: "scenarios", Seed: 1, Items: append(all, mutate.Between()...)}}
	p, _ := preset.ByName(mutate.Preset)
	for seed := uint64(1); seed <= mutantSeeds; seed++ {
		program, err := generate.Generate(generate.Config{Params: p, Seed: seed, Packets: mutantPackets, Stalls: seed > 1})
		if err != nil {
			return nil, err
		}
		list = append(list, mutate.Stimulus{Name: "random", Seed: seed, Items: append(program.Items, mutate.Between()...)})
	}
	return list, nil
}

// words are the states of a mutant in a line of progress.
var words = map[mutate.State]string{mutate.Caught: "caught", mutate.Survived: "survived", mutate.Proven: "without effect", mutate.Unseen: "without effect", mutate.Ignored: "without effect"}

func (a *app) runMutants(o mutate.Options, every time.Duration, check, asJSON bool) error {
	t := a.tally(every, []string{"mutants"}, []string{"caught", "survived", "without effect"})
	o.Log, o.Begin = t, func(n int) { t.expect(n) }
	o.Done = func(r mutate.Result) { t.through(0, words[r.State]) }
	report, failed := mutate.Run(a.ctx, o)
	t.end()
	if report == nil {
		return failed
	}
	var err error
	if asJSON {
		err = a.json(report)
	} else {
		report.Text(a.out, a.paint)
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return a.notWhole(failed, len(report.Results), report.Planned, "the report")
	case check && !report.Holds():
		return &status{result: lockstep.Diverged}
	}
	return nil
}
