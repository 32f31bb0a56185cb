package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/mrv"
)

// genFlags are the flags of tandem vectors gen.
type genFlags struct {
	out, preset string
	random      int
	seed        uint64
	seeds       int
	limits      []string
	reach       bool
	spread      int
	blocks      []string
	pcaps, runs []string
	settle      bool
	workers     int
}

func (a *app) vectorsGen() *cobra.Command {
	f := &genFlags{}
	c := &cobra.Command{Use: "gen [SCENARIO...] -o FILE", Short: "makes vectors of texts, random traffic, captures, failed runs, or to reach bins of coverage",
		Long: `Directed: scenarios by name or file. Random: --random, with --limit to constrain it; every purpose draws from a stream of its
own, so that one more draw for one moves no other. Guided by the model's state: --reach makes a vector for every bin of window
steps, --spread keeps random traffic that reaches a new bin elsewhere. --pcap feeds frames of a capture, --run takes the
stimulus of a recorded run. --block draws steps of an engine.

What must be seen is what the model without time shows, and the model in cycles, ready at once and held up everywhere, has to
show the same. Where time would decide, a wait for an idle device is put in; of scenarios and runs only with --settle.
Equal arguments give equal bytes, for any number of workers.`,
		Example: `  tandem vectors gen gaps duplicates -o two.mrv
  tandem vectors gen --random 500 --seed 3 --seeds 20 --limit lose=150 --limit mtu=1024 -o lossy.mrv
  tandem vectors gen --reach -o window.mrv
  tandem vectors gen --run runs/random-17 --settle -o failing.mrv
  tandem vectors gen --block window -o window.mrv`,
		ValidArgsFunction: completeScenario,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args); err != nil {
				return err
			}
			return a.generate(f, args)
		}}
	fs := c.Flags()
	fs.StringVarP(&f.out, "output", "o", "", "the `file`, which ends in .mrv")
	fs.StringVar(&f.preset, "preset", "tiny", "table sizes, where a scenario names none; a run has its own")
	fs.IntVar(&f.random, "random", 0, "random traffic of at least so many packets a vector")
	fs.Uint64Var(&f.seed, "seed", 1, "first seed")
	fs.IntVar(&f.seeds, "seeds", 1, "vectors of random traffic, from --seed upwards")
	fs.StringArrayVar(&f.limits, "limit", nil, "hold random traffic to `NAME=N`: "+strings.Join(generate.Limits(), ", "))
	fs.BoolVar(&f.reach, "reach", false, "a vector for every class, epoch and refusal of a window step")
	fs.IntVar(&f.spread, "spread", 0, "random traffic that reaches new bins, until so many seeds bring none")
	fs.StringArrayVar(&f.blocks, "block", nil, "steps of an `engine`, or all; may be given again")
	fs.StringArrayVar(&f.pcaps, "pcap", nil, "frames of a pcap or pcapng `file`; may be given again")
	fs.StringArrayVar(&f.runs, "run", nil, "stimulus of a run `folder`; may be given again")
	fs.BoolVar(&f.settle, "settle", false, "put waits into scenarios and runs where time would decide; into all others they are put anyway")
	fs.IntVar(&f.workers, "workers", 0, "vectors made side by side (0: one a processor)")
	atLeast(c, 0, "workers")
	complete(c, "preset", "tiny", "small", "full")
	return c
}

func (f *genFlags) check(c *cobra.Command, args []string) error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if !strings.HasSuffix(f.out, ".mrv") {
		bad("-o %q: want a file that ends in .mrv", f.out)
	}
	given := c.Flags().Changed
	number := func(name string, n, least, most int) {
		if given(name) && (n < least || n > most) {
			bad("--%s %d: want %d to %d", name, n, least, most)
		}
	}
	number("random", f.random, 1, 1_000_000)
	number("seeds", f.seeds, 1, 100_000)
	if f.seeds > 1 && f.seed > math.MaxUint64-uint64(f.seeds-1) {
		bad("--seed %d: %d seeds from there run past the last one, %d", f.seed, f.seeds, uint64(math.MaxUint64))
	}
	number("spread", f.spread, 1, 1000)
	number("workers", f.workers, 0, 1024)
	if _, err := generate.ParseLimits(f.limits); err != nil {
		errs = append(errs, err)
	}
	for _, b := range f.blocks {
		if b != "all" && block.ByName(b) == nil {
			bad("--block %q: there is no such engine", b)
		}
	}
	drawn := f.random != 0 || f.reach || f.spread != 0
	switch {
	case !drawn && len(f.blocks)+len(f.pcaps)+len(f.runs)+len(args) == 0:
		bad("nothing to make: name a scenario, or give --random, --reach, --spread, --block, --pcap or --run")
	default:
		errs = append(errs, f.untaken(given, drawn, len(args) > 0), presetFlag(c, f.preset, drawn || len(args)+len(f.pcaps) > 0,
			"engines have none, and a run has its own: it goes with scenarios, random traffic and captures"))
	}
	if err := errors.Join(errs...); err != nil {
		return usage(c, "%w", err)
	}
	return nil
}

// untaken finds flags that nothing here would take.
func (f *genFlags) untaken(given func(string) bool, drawn, texts bool) error {
	var errs []error
	for _, w := range []struct {
		name  string
		taken bool
		why   string
	}{
		{"limit", f.random != 0, "it holds random traffic: give --random"},
		{"seeds", f.random != 0, "it counts vectors of random traffic: give --random"},
		{"seed", drawn || texts || len(f.blocks) > 0, "captures and runs draw nothing"},
		{"settle", texts || len(f.runs) > 0, "it is for scenarios and runs: all others have waits where time would decide"},
	} {
		if given(w.name) && !w.taken {
			errs = append(errs, fmt.Errorf("--%s: %s", w.name, w.why))
		}
	}
	return errors.Join(errs...)
}

// generate makes the vectors, side by side, and writes the file only if all of them were made.
func (a *app) generate(f *genFlags, args []string) error {
	if err := atomicfile.Check(f.out); err != nil {
		return err
	}
	stop := a.waiting("making vectors")
	files, err := vector.MakeAll(a.ctx, a.parts(f, args), f.workers)
	stop()
	if err != nil {
		return err
	}
	var list []*mrv.Vector
	for _, file := range files {
		list = append(list, file.Vectors...)
	}
	b, err := mrv.Encode(vector.NewFile(list), f.workers)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(f.out, b); err != nil {
		return err
	}
	frames := 0
	for _, v := range list {
		frames += v.Frames() + len(v.Steps)
	}
	fmt.Fprintf(a.out, "%s: %s, %d frames and steps, %d bytes\n", f.out, plural(len(list), "vector"), frames, len(b))
	return nil
}

// parts are what is to be made, in the order of the file.
func (a *app) parts(f *genFlags, args []string) []vector.Part {
	var parts []vector.Part
	one := func(name string, make func() (*mrv.Vector, error)) {
		parts = append(parts, vector.Part{Path: name, Make: func(context.Context) ([]*mrv.Vector, error) {
			v, err := make()
			return []*mrv.Vector{v}, err
		}})
	}
	for _, arg := range args {
		one(arg, func() (*mrv.Vector, error) { return a.fromText(arg, f.preset, f.seed, f.settle) })
	}
	for _, b := range f.blocks {
		for i := range block.Engines {
			if e := &block.Engines[i]; b == "all" || b == e.Name {
				parts = append(parts, vector.Part{Path: e.Name, Make: func(context.Context) ([]*mrv.Vector, error) { return e.Vectors(f.seed), nil }})
			}
		}
	}
	if f.random > 0 {
		limits, _ := generate.ParseLimits(f.limits) // checked
		for i := range uint64(f.seeds) {
			seed := f.seed + i
			one(fmt.Sprintf("seed %d", seed), func() (*mrv.Vector, error) {
				return vector.FromSeed(a.ctx, fmt.Sprintf("random/%d", seed), f.preset, seed, f.random, limits)
			})
		}
	}
	if f.reach {
		parts = append(parts, vector.Part{Path: "reach", Make: func(ctx context.Context) ([]*mrv.Vector, error) { return vector.Reach(ctx, f.preset, f.seed) }})
	}
	if f.spread > 0 {
		parts = append(parts, vector.Part{Path: "spread", Make: func(ctx context.Context) ([]*mrv.Vector, error) {
			return vector.Spread(ctx, f.preset, f.seed, 60, f.spread)
		}})
	}
	for _, name := range f.pcaps {
		one(filepath.Base(name), func() (*mrv.Vector, error) { return vector.FromCapture(a.ctx, name, f.preset) })
	}
	for _, folder := range f.runs {
		one(filepath.Base(folder), func() (*mrv.Vector, error) { return vector.FromRun(a.ctx, folder, f.settle) })
	}
	return parts
}
