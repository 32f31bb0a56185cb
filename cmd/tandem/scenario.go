package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
)

func (a *app) scenario() *cobra.Command {
	c := &cobra.Command{
		Use:   "scenario",
		Short: "lists, prints, checks and formats scenarios",
		Long:  "A scenario is a time line of packets and commands, and what must have been seen at the end. docs/scenarios.md is the manual of the language.",
	}
	c.AddCommand(a.scenarioList(), a.scenarioShow(), a.scenarioCheck(), a.scenarioFmt())
	return c
}

func (a *app) scenarioList() *cobra.Command {
	asJSON := false
	type row struct {
		Name   string `json:"name"`
		Title  string `json:"title"`
		Preset string `json:"preset,omitempty"` // that it needs
	}
	c := &cobra.Command{Use: "list", Short: "names and titles of the written scenarios", Args: noArgs, Example: "  tandem scenario list\n  tandem scenario list --json",
		RunE: func(*cobra.Command, []string) error {
			var list []row
			for _, name := range written() {
				f, err := load(name)
				if err != nil {
					return err
				}
				list = append(list, row{name, f.Title(), f.Preset()})
			}
			if asJSON {
				return a.json(list)
			}
			for _, r := range list {
				fmt.Fprintf(a.out, "%-18s %s\n", r.Name, r.Title)
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

func (a *app) scenarioShow() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "prints a written scenario", Args: exactly("NAME"), ValidArgsFunction: completeScenario,
		Example: "  tandem scenario show serial-wrap > mine.scn",
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := scenarios.Files.ReadFile(args[0] + ".scn")
			if err != nil {
				return fmt.Errorf("scenario %q: no such name (tandem scenario list)", args[0])
			}
			_, err = a.out.Write(text)
			return err
		}}
}

func (a *app) scenarioCheck() *cobra.Command {
	name := ""
	c := &cobra.Command{Use: "check SCENARIO...", Short: "finds all mistakes in scenarios, without running them", Example: "  tandem scenario check mine.scn",
		Args: between(1, many, "scenarios"), ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			params, ok := preset.ByName(name)
			if !ok {
				return fmt.Errorf("--preset %q: want tiny, small or full", name)
			}
			var errs []error
			for _, arg := range args {
				f, err := load(arg)
				if f == nil {
					errs = append(errs, err)
					continue
				}
				p := params
				if need, ok := preset.ByName(f.Preset()); ok {
					p = need
				}
				c, err := scenario.Compile(f, scenario.Options{Params: p, Seed: 1, Stop: a.ctx.Err})
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(a.out, "%s: %s, %s, %s\n", arg, plural(len(c.Program.Frames), "frame"), plural(len(c.Program.Items), "item"), plural(len(c.Expect), "expectation"))
			}
			return errors.Join(errs...)
		}}
	c.Flags().StringVar(&name, "preset", "tiny", "table sizes to check against, where the scenario names none")
	complete(c, "preset", "tiny", "small", "full")
	return c
}

func (a *app) scenarioFmt() *cobra.Command {
	write, list := false, false
	c := &cobra.Command{Use: "fmt FILE...", Short: "prints scenarios in their canonical form", Args: between(1, many, "files"),
		Example: "  tandem scenario fmt --write mine.scn\n  tandem scenario fmt --check *.scn",
		RunE: func(c *cobra.Command, args []string) error {
			if write && list {
				return usage(c, "--write and --check: the files are written, or only looked at")
			}
			var errs []error
			var other []string
			for _, name := range args {
				changed, err := a.format(name, write, list)
				if err != nil {
					errs = append(errs, err)
				} else if changed {
					other = append(other, name)
				}
			}
			if err := errors.Join(errs...); err != nil {
				return err
			}
			if list && other != nil {
				return &status{result: lockstep.Diverged, err: fmt.Errorf("not in canonical form: %s", strings.Join(other, ", "))}
			}
			return nil
		}}
	c.Flags().BoolVarP(&write, "write", "w", false, "write the files instead of printing")
	c.Flags().BoolVar(&list, "check", false, "print nothing; exit with 1 if a file would change")
	return c
}

// format prints, writes or only compares one file. It tells whether the file was in another form.
func (a *app) format(name string, write, check bool) (bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	f, err := scenario.Parse(name, text)
	if err != nil {
		return false, err
	}
	form := scenario.Format(f)
	changed := !bytes.Equal(form, text)
	switch {
	case check:
	case write && changed:
		err = atomicfile.Write(name, form)
	case !write:
		_, err = a.out.Write(form)
	}
	return changed, err
}
