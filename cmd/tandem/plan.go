package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/nic/capture"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
)

// written lists the scenarios of the project by name.
func written() []string {
	files, _ := fs.Glob(scenarios.Files, "*.scn") // embedded, and a fixed pattern: cannot fail
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f, ".scn")
	}
	return names
}

func completeScenario(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, n := range written() {
		if strings.HasPrefix(n, start) {
			list = append(list, n)
		}
	}
	return list, cobra.ShellCompDirectiveDefault
}

// load reads a scenario by name or file. A file is what ends in .scn or has a separator in it.
func load(arg string) (*scenario.File, error) {
	if strings.HasSuffix(arg, ".mrv") {
		return nil, fmt.Errorf("%s: a file of vectors is no scenario; what runs it is tandem vectors check --dut rtl %s", arg, session.ShellWord(arg))
	}
	if strings.HasSuffix(arg, ".scn") || strings.ContainsRune(arg, filepath.Separator) {
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, fmt.Errorf("scenario: %w", err)
		}
		return scenario.Parse(arg, text)
	}
	text, err := scenarios.Files.ReadFile(arg + ".scn")
	if err != nil {
		return nil, fmt.Errorf("scenario %q: no such name (tandem scenario list), and no file: those end in .scn", arg)
	}
	return scenario.Parse(arg+".scn", text)
}

// scenarioName is how runs of a scenario are called.
func scenarioName(arg string) string { return strings.TrimSuffix(filepath.Base(arg), ".scn") }

// plan makes the jobs of a run and finds every mistake in what is asked for.
func (f *runFlags) plan(ctx context.Context, args []string) ([]suite.Job, error) {
	if f.all {
		args = written()
		if f.random == 0 {
			f.random = allPackets
			f.seeds = max(f.seeds, allSeeds)
		}
	}
	if _, ok := preset.ByName(f.preset); !ok {
		return nil, nil // said already, and nothing can be planned
	}
	var jobs []suite.Job
	var errs []error
	add := func(j suite.Job, err error, what string) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		j.Rerun = f.rerun(what, &j)
		jobs = append(jobs, j)
	}
	for _, arg := range args {
		file, err := load(arg)
		if file != nil { // with mistakes or without: all of them are told at once
			err = compiles(ctx, file, f)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		j, err := suite.FromScenario(file, scenarioName(arg), f.preset, f.seed)
		add(j, err, session.ShellWord(arg))
	}
	if f.touch {
		j, err := suite.FromTouch(f.preset, f.seed)
		add(j, err, "--touch")
	}
	for _, name := range f.pcaps {
		j, err := fromCapture(name, f)
		add(j, err, "--pcap "+session.ShellWord(name))
	}
	for i := 0; f.random > 0 && i < f.seeds; i++ {
		j, err := suite.FromSeed(f.preset, f.seed+uint64(i), f.random, f.stalls || !f.stallsGiven)
		add(j, err, fmt.Sprintf("--random %d", f.random))
	}
	return jobs, errors.Join(errs...)
}

// compiles finds mistakes in values before the first run starts.
func compiles(ctx context.Context, file *scenario.File, f *runFlags) error {
	j, err := suite.FromScenario(file, file.Name, f.preset, f.seed)
	if err == nil {
		_, _, err = j.Make(ctx)
	}
	return err
}

// rerun is the line that repeats one job of this run.
func (f *runFlags) rerun(what string, j *suite.Job) string {
	a := suite.Again{What: what, Device: f.dut, Preset: j.Preset, Mode: f.mode, Fault: f.fault, Batch: f.batch, Seed: j.Seed, Runs: f.runs, Root: f.root}
	if f.stallsGiven {
		a.Stalls = &f.stalls
	}
	return a.String()
}

func fromCapture(name string, f *runFlags) (suite.Job, error) {
	file, err := os.Open(name)
	if err != nil {
		return suite.Job{}, fmt.Errorf("capture: %w", err)
	}
	defer file.Close()
	c, err := capture.Read(file)
	var broken *capture.Error
	if err != nil && !errors.As(err, &broken) {
		return suite.Job{}, fmt.Errorf("capture: %w", err)
	}
	j, err := suite.FromFrames(filepath.Base(name), f.preset, f.seed, c.Frames)
	if err != nil {
		return suite.Job{}, err
	}
	j.Note = c.Summary()
	if broken != nil {
		j.Trouble = &suite.Trouble{What: fmt.Sprintf("%s: %v", name, broken), Foreign: broken.Foreign}
	}
	return j, nil
}

// demand holds a report to what was asked for: so many events, no empty bin.
func (f *runFlags) demand(r *suite.Report, w *coverage.Waivers) {
	least := f.least
	if f.all && least == 0 {
		least = allLeast
	}
	r.Demand(least, w.Bins, w.Day)
}
