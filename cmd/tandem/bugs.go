package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/faults"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/stimulus"
)

// bugFlags are the flags of tandem bugs and tandem bugs show.
type bugFlags struct {
	seed     uint64
	tries    int
	runs     string
	json     bool
	scenario string
	mode     string
}

func (a *app) bugs() *cobra.Command {
	f := &bugFlags{}
	c := &cobra.Command{
		Use:   "bugs [FAULT...]",
		Short: "plants known bugs, one at a time, and requires that each is caught and fully reported",
		Long: `Builds one simulator with every fault of the catalogue (tandem bugs list) planted in copies of the RTL, the monitors
and the shim, then chooses one fault after the other and runs a scenario that reaches it, with random stalls. A fault is
caught when the run diverges (or the protocol refuses it), the report names engine, packet, connection, path, first wrong
field, both values and the rule, both modes say the same, and the same run without the fault matches.

Exits with 0 when all were caught, with 1 when one was not.`,
		Example: `  tandem bugs
  tandem bugs window-edge fifo-order --seed 7
  tandem bugs list
  tandem bugs show window-edge --scenario window-edges --seed 1`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFault,
		RunE:              func(_ *cobra.Command, args []string) error { return a.hunt(f, args) },
	}
	fs := c.Flags()
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the first try")
	fs.IntVar(&f.tries, "tries", 4, "seeds that a fault is given before it counts as missed")
	atLeast(c, 1, "tries")
	fs.StringVar(&f.runs, "runs", session.RunsDir, "directory of run folders")
	fs.BoolVar(&f.json, "json", false, "print the outcomes as JSON")
	c.AddCommand(a.bugList(), a.bugShow())
	return c
}

func completeFault(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, f := range faults.All() {
		list = append(list, f.Name+"\t"+f.What)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) bugList() *cobra.Command {
	asJSON := false
	type row struct {
		Number    int          `json:"number"` // what +tandem_fault selects
		Name      string       `json:"name"`
		Group     faults.Group `json:"group"`
		Place     string       `json:"place"` // file that is changed
		What      string       `json:"what"`
		Scenarios []string     `json:"scenarios"` // that reach it
	}
	c := &cobra.Command{Use: "list", Short: "lists the catalogue of planted bugs", Args: noArgs, Example: "  tandem bugs list\n  tandem bugs list --json",
		RunE: func(*cobra.Command, []string) error {
			var list []row
			for _, f := range faults.All() {
				if list = append(list, row{f.Number, f.Name, f.Group, f.Place(), f.What, f.Stimuli}); asJSON {
					continue
				}
				fmt.Fprintf(a.out, "%3d %-18s %-9s %-34s %s\n", f.Number, f.Name, f.Group, f.Place(), f.What)
			}
			if asJSON {
				return a.json(list)
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the catalogue as JSON")
	return c
}

func (a *app) bugShow() *cobra.Command {
	f := &bugFlags{}
	c := &cobra.Command{
		Use:   "show FAULT",
		Short: "runs one planted bug once and prints the whole report",
		Long: `Repeats one run of tandem bugs and prints what lockstep reports. Ends with the exit code of the run: 1 for a divergence,
2 where the protocol refuses it, 0 if nothing was noticed. The run folder stays.`,
		Example:           "  tandem bugs show window-edge --scenario window-edges --seed 1",
		Args:              exactly("FAULT"),
		ValidArgsFunction: completeFault,
		RunE:              func(_ *cobra.Command, args []string) error { return a.showBug(f, args[0]) },
	}
	fs := c.Flags()
	fs.StringVar(&f.scenario, "scenario", "", "scenario to run (default: the first one of the fault)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of stalls, and of what the scenario leaves open")
	fs.StringVar(&f.mode, "mode", "full", "full or digest")
	fs.StringVar(&f.runs, "runs", session.RunsDir, "directory of run folders")
	fs.BoolVar(&f.json, "json", false, "print the verdict as JSON")
	complete(c, "mode", "full", "digest")
	return c
}

// source makes the stimulus of a scenario for the preset that faults are hunted in.
func source(name string, seed uint64) (stimulus.List, error) {
	file, err := load(name)
	if err != nil {
		return nil, err
	}
	p, _ := preset.ByName(faults.Preset)
	c, err := scenario.Compile(file, scenario.Options{Params: p, Seed: seed, Name: name})
	if err != nil {
		return nil, err
	}
	return c.Program.Items, nil
}

func (f *bugFlags) options(a *app) faults.Options {
	return faults.Options{Root: a.checkout, RunsDir: f.runs, Source: source, Seed: f.seed, Tries: f.tries}
}

func (a *app) hunt(f *bugFlags, names []string) error {
	list := faults.All()
	if len(names) > 0 {
		var err error
		if list, err = faults.ByName(names); err != nil {
			return err
		}
	}
	o := f.options(a)
	stop := a.building("planted faults")
	once := false
	begin := func() { // the first outcome means that the simulator is there
		if !once {
			once = true
			stop()
			if !f.json {
				faults.Head(a.out)
			}
		}
	}
	o.Done = func(x faults.Outcome) {
		begin()
		if !f.json {
			x.Row(a.out, a.paint)
		}
	}
	all, err := faults.Hunt(a.ctx, o, list)
	begin()
	if err != nil {
		return err
	}
	line, ok := faults.Closing(all, len(list))
	if f.json {
		if err := a.json(all); err != nil {
			return err
		}
	} else {
		for i := range all {
			again(a.out, &all[i])
		}
		fmt.Fprintf(a.out, "\n%s\n", a.paint(ok, line))
	}
	if !ok {
		return &status{result: lockstep.Diverged}
	}
	return nil
}

// again prints the line that repeats a catch.
func again(w io.Writer, o *faults.Outcome) {
	if o.Full != nil && o.Full.Rerun != "" {
		fmt.Fprintf(w, "  again: %s\n", o.Full.Rerun)
	}
}

func (a *app) showBug(f *bugFlags, name string) error {
	list, err := faults.ByName([]string{name})
	if err != nil {
		return err
	}
	try := faults.Try{Scenario: f.scenario, Seed: f.seed}
	if try.Scenario == "" {
		try.Scenario = list[0].Stimuli[0]
	}
	if try.Mode, err = target.ParseMode(f.mode); err != nil {
		return err
	}
	stop := a.building("planted faults")
	v := faults.Show(a.ctx, f.options(a), &list[0], try)
	stop()
	if f.json {
		if err := a.json(v); err != nil {
			return err
		}
		return done(v.Result)
	}
	fmt.Fprintf(a.out, "planted in %s: %s\n", list[0].Place(), list[0].What)
	o := suite.Outcome{Name: v.Name, Seed: v.Seed, Verdict: v, Result: v.Result, Rerun: v.Rerun}
	o.Explain(a.out)
	fmt.Fprintln(a.out, a.paint(v.Result == lockstep.Match, v.Line))
	return done(v.Result)
}
