package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/mutate/grade"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/vectors/block"
)

// Where a grading leaves its report, and what it reads, in the checkout.
const (
	gradeDir     = "build/grade"
	gradeWaivers = "vectors/golden/survivors.txt"
	keptFile     = "vectors/block/kept.txt"
)

type grading struct {
	grade.Options
	check, keep, asJSON bool
	out                 string
	every               time.Duration
}

func (a *app) vectorsGrade() *cobra.Command {
	g := grading{}
	c := &cobra.Command{Use: "grade [FILE...]", Short: "grades vectors by the mutants of the RTL that they kill",
		Long: fmt.Sprintf(`Yosys changes one bit of one cell of the RTL at a time: in the step of each block, alone, and in what is around it. Each mutant
is given all vectors (the golden set, if no file is named). Of the steps every vector is tried, so that it is known which vector
kills what no other does; around them the vectors of the receive side run in lockstep, and scenarios and random traffic behind
them, until one kills the mutant. What survives is proven to have no effect, or listed by line of source.

With --check it exits with 1 where a block has less than %d %% of its effective mutants killed by a named rule, where more than
%d %% of all have no effect, or where a survivor has no reason in %s.
Ctrl-C leaves a report of the mutants that are through by then, which says so; the exit code is 2, with --check too.
--keep writes a step for each survivor of a step into %s; then make golden. docs/faults.md has the rest.`, grade.GateKilled, grade.GateEqual, gradeWaivers, keptFile),
		Example: "  tandem vectors grade --check\n  tandem vectors grade --block window --around 0\n  tandem vectors grade --steps 0 --around 20 --block parse\n  tandem vectors grade --block window --keep && make golden",
		RunE:    func(c *cobra.Command, args []string) error { return a.grade(c, &g, args) }}
	fs := c.Flags()
	fs.StringSliceVar(&g.Blocks, "block", nil, "only these blocks: "+strings.Join(grade.Names(), ", "))
	fs.IntVar(&g.Steps, "steps", grade.StepCount, "mutants of each step; 0: none")
	fs.IntVar(&g.Around, "around", grade.AroundCount, "mutants around each step; 0: none, and no simulator is built")
	fs.Uint64Var(&g.Seed, "seed", grade.Seed, "seed of Yosys' choice")
	fs.DurationVar(&g.Limit, "limit", grade.Limit, "how long the solver may take for a mutant of a step")
	fs.IntVar(&g.Workers, "jobs", 0, "simulations side by side (0: one a processor)")
	logEvery(c, &g.every)
	atLeast(c, 0, "jobs")
	fs.BoolVar(&g.check, "check", false, "exit with 1 if the gate does not hold")
	fs.BoolVar(&g.keep, "keep", false, "write steps that kill survivors into "+keptFile)
	fs.BoolVar(&g.asJSON, "json", false, "print every mutant and vector as JSON")
	fs.StringVarP(&g.out, "output", "o", "", "folder for report.json and report.md ("+gradeDir+" in the checkout)")
	complete(c, "block", grade.Names()...)
	return c
}

func (a *app) grade(c *cobra.Command, g *grading, args []string) error {
	if g.Steps == 0 && g.Around == 0 {
		return &status{result: lockstep.Inconclusive, err: errors.New("--steps 0 and --around 0: nothing to grade")}
	}
	if err := g.mistakes(c.Flags().Changed); err != nil {
		return usage(c, "%w", err)
	}
	var err error
	if g.Root = a.checkout; g.Root == "" {
		if g.Root, err = rtl.FindRoot(); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		args = []string{filepath.Join(g.Root, goldenDir)}
	}
	s, err := readSome(args, nil)
	if err != nil {
		return err
	}
	g.Vectors = s.list
	if g.Around > 0 {
		if g.Lockstep, err = mutantStimuli(); err != nil {
			return err
		}
	}
	if g.Waivers, err = readWaivers(filepath.Join(g.Root, gradeWaivers)); err != nil {
		return err
	}
	if g.out == "" {
		g.out = filepath.Join(g.Root, gradeDir)
	}
	if g.keep {
		return a.keepSteps(g)
	}
	if err := os.MkdirAll(g.out, 0o755); err != nil {
		return err
	}
	t := a.tallied(g)
	r, failed := grade.Run(a.ctx, g.Options)
	t.end()
	if r == nil {
		return failed
	}
	err = a.graded(g, r)
	if failed != nil {
		return errors.Join(err, a.notWhole(failed, len(r.Mutants), r.Planned, "the report"))
	}
	if err == nil && g.check && len(r.Failures()) > 0 {
		return &status{result: lockstep.Diverged}
	}
	return err
}

// tallied has a grading tell how far it is.
func (a *app) tallied(g *grading) *tally {
	parts := []grade.Part{grade.Step, grade.Around}
	t := a.tally(g.every, []string{"steps", "rest"}, []string{string(grade.Killed), string(grade.Survived), string(grade.Equal)})
	g.Log, g.Expect = t, func(steps, around int) { t.expect(steps, around) }
	g.Done = func(m grade.Mutant) { t.through(slices.Index(parts, m.Part), string(m.State)) }
	return t
}

// mistakes finds what is wrong with the flags, and those that nothing would take.
func (g *grading) mistakes(given func(string) bool) error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if g.keep && g.check {
		bad("--keep and --check: a set is changed, or held against the gate")
	}
	if g.Workers < 0 || g.Workers > 1024 {
		bad("--jobs %d: want 0 to 1024", g.Workers)
	}
	if err := wantTime(g.every); err != nil {
		errs = append(errs, err)
	}
	if given("limit") && (g.Limit < time.Millisecond || g.Limit > 24*time.Hour) {
		bad("--limit %v: want 1ms to 24h", g.Limit)
	}
	if given("limit") && g.Steps == 0 {
		bad("--limit: the solver is for mutants of steps, and --steps is 0")
	}
	if g.keep {
		for _, name := range []string{"json", "output", "around"} {
			if given(name) {
				bad("--%s: --keep writes steps into %s, and neither a report nor what is around the steps", name, keptFile)
			}
		}
		if g.Steps == 0 {
			bad("--keep: there is nothing to keep of --steps 0")
		}
	}
	return errors.Join(errs...)
}

func readWaivers(name string) ([]*grade.Waiver, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return grade.ParseWaivers(name, string(b), time.Now().Truncate(24*time.Hour))
}

// graded prints a report and leaves it in its folder.
func (a *app) graded(g *grading, r *grade.Report) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var page bytes.Buffer
	r.Markdown(&page)
	if err := errors.Join(atomicfile.Write(filepath.Join(g.out, "report.json"), append(b, '\n')), atomicfile.Write(filepath.Join(g.out, "report.md"), page.Bytes())); err != nil {
		return err
	}
	if g.asJSON {
		if err := a.json(r); err != nil {
			return err
		}
	} else {
		r.Text(a.out, a.paint)
		fmt.Fprintf(a.out, "every mutant: %s\n", filepath.Join(g.out, "report.md"))
	}
	return nil
}

// keepSteps appends to the kept steps of vectors/block, in one step.
func (a *app) keepSteps(g *grading) error {
	t := a.tallied(g)
	lines, err := grade.Keep(a.ctx, g.Options)
	t.end()
	if err != nil {
		return err
	}
	file := filepath.Join(g.Root, keptFile)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(b)
	added := 0
	for _, l := range lines {
		if !strings.Contains(text, l) {
			text += l + "\n"
			added++
		}
	}
	if _, err := block.ParseKept(text); err != nil {
		return err
	}
	if err := atomicfile.Write(file, []byte(text)); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s more; make golden shows what that changes\n", keptFile, plural(added, "step"))
	return nil
}
