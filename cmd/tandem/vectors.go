package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/export"
	"metaroce/tandem/vectors/mrv"
)

// goldenDir is where the project's own vectors are.
const goldenDir = "vectors/golden"

func (a *app) vectors() *cobra.Command {
	c := &cobra.Command{
		Use:   "vectors",
		Short: "makes, checks, compares and exports test vectors",
		Long: `A vector is a stimulus with what must be seen, in a form that holds for every device however fast (docs/vectors.md).
Its text source is a scenario; its canonical form is a file that ends in .mrv.`,
		Example: `  tandem vectors gen my.scn -o my.mrv
  tandem vectors check                        the golden set on the model
  tandem vectors check --dut rtl my.mrv
  tandem vectors show vectors/golden/receive/directed.mrv directed/gaps
  tandem vectors export --as verilog -o out vectors/golden`,
	}
	c.AddCommand(a.vectorsGen(), a.vectorsFmt(), a.vectorsLint(), a.vectorsShow(), a.vectorsCheck(), a.vectorsDiff(), a.vectorsExport(), a.vectorsShrink(), a.vectorsBless(), a.vectorsGrade())
	return c
}

func (a *app) orGolden(args []string) []string {
	if len(args) == 0 {
		return []string{a.golden()}
	}
	return args
}

// golden is the folder of the golden set: here, else in the checkout.
func (a *app) golden() string {
	if root, err := a.rootOr(); err == nil {
		if _, err := os.Stat(goldenDir); err != nil {
			return filepath.Join(root, goldenDir)
		}
	}
	return goldenDir
}

func (a *app) vectorsFmt() *cobra.Command {
	c := a.scenarioFmt()
	c.Short = "prints text sources of vectors in their canonical form"
	c.Example = "  tandem vectors fmt --write mine.scn\n  tandem vectors fmt --check *.scn"
	return c
}

func (a *app) vectorsLint() *cobra.Command {
	preset := "tiny"
	c := &cobra.Command{Use: "lint FILE...", Short: "finds all mistakes in text sources and in vectors",
		Long: `Of a text: words, values, rules, and whether its outcome hangs on time. Of a file of vectors: the form, ids, names, rules,
kinds, capabilities, stimulus that stands twice, nothing expected, and an outcome that hangs on time.`,
		Example: "  tandem vectors lint mine.scn\n  tandem vectors lint vectors/golden", Args: between(1, many, "files or folders"),
		RunE: func(c *cobra.Command, args []string) error {
			texts := slices.ContainsFunc(args, isText)
			if err := presetFlag(c, preset, texts, "vectors have theirs: it goes with texts, which end in .scn"); err != nil {
				return usage(c, "%w", err)
			}
			n, err := a.lint(args, preset)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: nothing is wrong\n", plural(n, "vector"))
			return nil
		}}
	c.Flags().StringVar(&preset, "preset", preset, "table sizes for texts that name none")
	complete(c, "preset", "tiny", "small", "full")
	return c
}

func isText(name string) bool { return strings.HasSuffix(name, ".scn") }

// presetFlag refuses a --preset that there is not, and one that nothing takes.
func presetFlag(c *cobra.Command, value string, taken bool, why string) error {
	if _, ok := preset.ByName(value); !ok {
		return fmt.Errorf("--preset %q: want tiny, small or full", value)
	}
	if c.Flags().Changed("preset") && !taken {
		return fmt.Errorf("--preset: %s", why)
	}
	return nil
}

// lint looks at texts and files and says at how many vectors.
func (a *app) lint(args []string, preset string) (n int, err error) {
	var errs []error
	var sets []string
	for _, arg := range args {
		if !isText(arg) {
			sets = append(sets, arg)
			continue
		}
		v, err := a.fromText(arg, preset, 1, false)
		if err == nil {
			n++
			v.ID = v.Identify()
			err = vector.Lint(a.ctx, []*mrv.Vector{v})
		}
		errs = append(errs, err)
	}
	empty := error(nil)
	if sets != nil {
		s, err := readSome(sets, nil)
		if s != nil {
			empty, err = err, errors.Join(whole(sets), vector.Lint(a.ctx, s.list))
			n += len(s.list)
		}
		errs = append(errs, err)
	}
	if a.ctx.Err() != nil {
		return n, vector.Interrupted(a.ctx)
	}
	if err := errors.Join(errs...); err != nil {
		return n, err
	}
	return n, empty
}

// fromText makes a vector of a text source. Mistakes of parser and compiler come together.
func (a *app) fromText(arg, preset string, seed uint64, settle bool) (*mrv.Vector, error) {
	f, err := load(arg)
	if f == nil {
		return nil, err
	}
	v, verr := vector.FromText(a.ctx, f, scenarioName(arg), preset, seed, settle)
	if verr != nil || err == nil {
		return v, verr
	}
	return nil, err
}

func (a *app) vectorsShow() *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "show FILE [NAME...]", Short: "lists vectors, or shows some as time lines", Args: between(1, many, "FILE, and names of vectors in it"),
		Long: `Without names: a line for each vector. Names may hold *; an id, or 8 digits of it, names a vector too. With --json: the list, or
the vectors whole, as tandem vectors export writes them.`,
		Example: "  tandem vectors show vectors/golden\n  tandem vectors show vectors/golden/receive/directed.mrv directed/gaps\n  tandem vectors show vectors/golden/window/steps.mrv 'window/packet/class=too_*'",
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := readSome(args[:1], args[1:])
			if err != nil {
				return err
			}
			switch {
			case asJSON && len(args) > 1:
				return vectorsJSON(a.out, s)
			case asJSON:
				return a.json(listOf(s))
			case len(args) > 1:
				for _, v := range s.list {
					if err := export.Text(a.out, v); err != nil {
						return err
					}
				}
				return nil
			}
			for _, h := range s.headers {
				fmt.Fprintf(a.out, "form %d, model/spec %s, model %s, by %s\n", h.Schema, h.Spec, h.Model, h.Generator)
			}
			for _, v := range s.list {
				fmt.Fprintf(a.out, "%-44s %s %6d %7d  %s\n", v.Name, v.ID[:8], max(v.Frames(), len(v.Steps)), v.Events(), v.Title)
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON; of vectors that are named, all of them")
	return c
}

// vectorList is what there is in files of vectors.
type vectorList struct {
	Headers []madeBy    `json:"headers"`
	Vectors []vectorRow `json:"vectors"`
}

// madeBy is a header of files.
type madeBy struct {
	Schema    uint32 `json:"schema"`
	Spec      string `json:"spec"`
	Model     string `json:"model"`
	Generator string `json:"generator"`
}

// vectorRow is a vector without what is in it.
type vectorRow struct {
	Name   string   `json:"name"`
	ID     string   `json:"id"`
	Kind   string   `json:"kind"`
	Title  string   `json:"title"`
	Preset string   `json:"preset"`
	Rules  []string `json:"rules"`
	Frames int      `json:"frames"`
	Steps  int      `json:"steps"`
	Events int      `json:"events"`
}

func listOf(s *vectorSet) vectorList {
	l := vectorList{Headers: []madeBy{}, Vectors: []vectorRow{}}
	for _, h := range s.headers {
		l.Headers = append(l.Headers, madeBy{h.Schema, h.Spec, h.Model, h.Generator})
	}
	for _, v := range s.list {
		l.Vectors = append(l.Vectors, vectorRow{v.Name, v.ID, v.Kind, v.Title, v.Preset, v.Rules, v.Frames(), len(v.Steps), v.Events()})
	}
	return l
}

func (a *app) vectorsCheck() *cobra.Command {
	dut, only, asJSON, runs := vector.Blocks, []string(nil), false, session.RunsDir
	c := &cobra.Command{Use: "check [FILE...]", Short: "runs vectors and compares",
		Long: `Runs vectors (no file: the golden set) on a target and holds what it shows against what they expect. Targets: blocks, the
model without time; model, the model in cycles; rtl, the RTL in lockstep with the model. Vectors of blocks are held against
the steps of the model on every target.`,
		Example: "  tandem vectors check\n  tandem vectors check --dut rtl --only 'guided/*' vectors/golden\n  tandem vectors check my.mrv --json",
		RunE: func(c *cobra.Command, args []string) error {
			if dut != vector.Blocks && dut != vector.Model && dut != vector.RTL {
				return usage(c, "--dut %q: want blocks, model or rtl", dut)
			}
			if dut != vector.RTL && c.Flags().Changed("runs") {
				return usage(c, "--runs: only runs on RTL leave folders; it goes with --dut rtl")
			}
			s, err := readVectors(a.orGolden(args), only)
			if err == nil {
				err = whole(a.orGolden(args))
			}
			if err != nil {
				return err
			}
			again := "tandem vectors check --dut " + dut + session.PlaceFlags(runs, a.checkout)
			for _, file := range args {
				again += " " + session.ShellWord(file)
			}
			return a.checkAll(s, vector.Options{Target: dut, RTL: a.options(), RunsDir: runs}, again, asJSON)
		}}
	c.Flags().StringVar(&dut, "dut", dut, "target: blocks, model or rtl")
	c.Flags().StringArrayVar(&only, "only", nil, "check only vectors of this `name`, which may hold *; may be given again")
	c.Flags().BoolVar(&asJSON, "json", false, "print the outcomes as JSON")
	c.Flags().StringVar(&runs, "runs", runs, "directory of run folders of runs on RTL that do not match")
	complete(c, "dut", vector.Blocks, vector.Model, vector.RTL)
	return c
}

// checkAll runs vectors and prints those that do not hold, each with the line that runs it alone, and a last line. again is the
// call without a choice of vectors.
func (a *app) checkAll(s *vectorSet, o vector.Options, again string, asJSON bool) error {
	list := s.list
	outcomes := make([]*vector.Outcome, 0, len(list))
	compared, result, bad := 0, lockstep.Match, 0
	told := a.steady(len(list), "vectors")
	for i, v := range list {
		if a.ctx.Err() != nil {
			break
		}
		told.show(i)
		o.Rerun = again + " --only " + session.ShellWord(v.ID)
		out := vector.Check(a.ctx, v, o)
		outcomes = append(outcomes, out)
		compared += out.Compared
		if out.Result == lockstep.Match {
			continue
		}
		bad++
		result = worst(result, out.Result)
		if !asJSON {
			told.end()
			fmt.Fprintf(a.out, "%s (%s): %s: %s\n", v.Name, v.ID[:8], a.paint(false, out.Result.String()), out.Line)
			for i := 1; i < len(out.Mismatches) && i < 4; i++ {
				fmt.Fprintf(a.out, "  %s\n", out.Mismatches[i].String())
			}
			if out.Folder != "" {
				fmt.Fprintf(a.out, "  folder: %s\n", out.Folder)
			}
			fmt.Fprintf(a.out, "  again:  %s\n", o.Rerun)
		}
	}
	told.end()
	switch {
	case len(outcomes) < len(list):
		result = worst(result, lockstep.BenchFailed)
	case len(list) == 0:
		result = lockstep.Inconclusive
	}
	if asJSON {
		if err := a.json(outcomes); err != nil {
			return err
		}
		return done(result)
	}
	for _, h := range s.headers {
		if note := vector.OtherRevision(h); note != "" {
			fmt.Fprintln(a.out, note)
		}
	}
	fmt.Fprintf(a.out, "%s: %d of %d vectors hold on %s, %d compared\n", a.paint(result == lockstep.Match, result.String()), len(outcomes)-bad, len(list), o.Target, compared)
	return done(result)
}

// worst: a failure of the bench says nothing about the device and goes before all; then a divergence.
func worst(a, b lockstep.Result) lockstep.Result {
	order := []lockstep.Result{lockstep.Match, lockstep.Unsupported, lockstep.Inconclusive, lockstep.Diverged, lockstep.BenchFailed}
	at := func(r lockstep.Result) int {
		for i, x := range order {
			if x == r {
				return i
			}
		}
		return len(order)
	}
	if at(a) >= at(b) {
		return a
	}
	return b
}
