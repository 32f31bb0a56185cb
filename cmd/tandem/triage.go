package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	regression "metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
	"metaroce/tandem/cosim/session"
)

func (a *app) triage() *cobra.Command {
	dir, knownFile := "", ""
	asJSON, accept, waves := false, false, 0
	c := &cobra.Command{
		Use:   "triage RUN",
		Short: "puts what failed in a regression into buckets, one for each cause",
		Long: `Puts the executions of a run that did not match into buckets, one for each cause: verdict, engine, kind, field and rule of
the first divergence; of a crash, its last line without what is particular to one run. Of each it tells how many there are,
since which run, the smallest one and the line that runs it again; and whether it is known: plans/known.yaml, or the file
that the plan names, lists failures with an issue and the last day on which they may be there. The run keeps a copy of the
list as it was; --known takes another one over.

It writes triage.json into the run folder, as every regression does at its end.

Exit codes: 0 everything matches (with --accept-known: but for what is known and has not expired), 1 there is a divergence,
2 a crash, a limit, a lost execution or one that was not begun, 3 nothing or not enough was compared, 4 the device cannot
do something.`,
		Example: `  tandem triage latest
  tandem triage runs/regress/nightly-3 --json
  tandem triage nightly-3 --waves 1
  tandem triage nightly-3 --known plans/known.yaml --accept-known`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(c, "one argument: a run")
			}
			path, err := findRun(dir, args[0])
			if err != nil {
				return err
			}
			if waves < 0 || waves > plan.MostWaves {
				return usage(c, "--waves %d: want 0 to %d", waves, plan.MostWaves)
			}
			if knownFile != "" {
				if err := a.takeKnown(path, knownFile); err != nil {
					return err
				}
			}
			t, err := triage.Read(path)
			if err == nil {
				a.dump(t, waves)
				err = t.Write()
			}
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.json(t); err != nil {
					return err
				}
			} else {
				a.showTriage(t, dir, ownName(path), accept)
			}
			return done(t.CameTo(accept).Exit())
		},
	}
	fs := c.Flags()
	fs.StringVar(&dir, "dir", filepath.Join("runs", "regress"), "directory of the runs of regressions")
	fs.StringVar(&knownFile, "known", "", "list of known failures, in place of the one that the run has")
	fs.IntVar(&waves, "waves", 0, "waves of so many executions of each cause; the simulator for that is built if it is not there")
	fs.BoolVar(&accept, "accept-known", false, acceptKnown)
	fs.BoolVar(&asJSON, "json", false, "print the triage as JSON")
	return c
}

const acceptKnown = "a failure that is known and has not expired is no failure; exit code 0 then, if something matched"

// dump makes waves of a few executions of each cause. What cannot be dumped is told of, and changes nothing else.
func (a *app) dump(t *triage.Triage, most int) {
	if most == 0 || a.ctx.Err() != nil {
		return
	}
	stop := func() {}
	err := t.Waves(a.ctx, triage.WaveOptions{
		Most: most, Log: aboveLine{a.err, a.errTerm},
		Say: func(id string) {
			stop()
			stop = a.waiting("waves of " + id)
		},
		Note: func(id, why string) { fmt.Fprintf(aboveLine{a.err, a.errTerm}, "no waves of %s: %s\n", id, why) },
	})
	stop()
	if err != nil {
		complain(a.err, err)
	}
}

// takeKnown puts a list of known failures into a run folder, in place of the one that it has.
func (a *app) takeKnown(path, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	root, err := a.rootOr()
	if err != nil {
		return err
	}
	f, _ := known.Parse(file, text, plan.Rules(root))
	if err := f.Err(); err != nil {
		return err
	}
	folder, err := regression.Open(path)
	if err != nil {
		return err
	}
	return folder.CopyKnown(file)
}

// ownName is the run folder that a link such as latest stands for: lines that are kept must not point elsewhere tomorrow.
func ownName(path string) string {
	if to, err := os.Readlink(path); err == nil && !filepath.IsAbs(to) {
		return filepath.Join(filepath.Dir(path), to)
	}
	return path
}

// showTriage prints a table of the buckets, and then each of them.
func (a *app) showTriage(t *triage.Triage, dir, path string, accept bool) {
	if len(t.Buckets) > 0 {
		fmt.Fprintf(a.out, "%-8s %10s %5s  %-12s %-12s %s\n", "bucket", "executions", "tests", "verdict", "known until", "cause")
		for i := range t.Buckets {
			b := &t.Buckets[i]
			until := "-"
			if b.Known != nil {
				until = string(b.Known.Expires)
			}
			fmt.Fprintf(a.out, "%-8s %10d %5d  %-12s %-12s %s\n", b.ID, b.Count, len(b.Tests), b.Verdict, until, &b.Signature)
		}
	}
	a.buckets(t, shellPath(path), a.past(dir, path, t))
	v := t.CameTo(accept)
	fmt.Fprintf(a.out, "%s: %s\n", a.paint(v == result.Match, string(v)), triageLine(t))
}

// triageLine tells what a run's failures come down to.
func triageLine(t *triage.Triage) string {
	excused, expired := 0, 0
	for i := range t.Buckets {
		if b := &t.Buckets[i]; b.Excused() {
			excused++
		} else if b.Expired {
			expired++
		}
	}
	s := fmt.Sprintf("%d of %d match, %s", t.Counts[result.Match], t.Cases, counted(len(t.Buckets), "cause"))
	if excused > 0 {
		s += fmt.Sprintf(", %d known", excused)
	}
	if expired > 0 {
		s += fmt.Sprintf(", %d known and expired", expired)
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// past asks the index since when the causes are there; of an index that cannot be read nothing is told.
func (a *app) past(dir, path string, t *triage.Triage) map[string]history.Seen {
	file := filepath.Join(filepath.Dir(path), history.FileName)
	if _, err := os.Stat(file); err != nil {
		file = filepath.Join(dir, history.FileName)
	}
	if _, err := os.Stat(file); err != nil || len(t.Buckets) == 0 {
		return nil
	}
	seen := map[string]history.Seen{}
	err := withHistory(filepath.Dir(file), func(s *history.Store) error {
		for i := range t.Buckets {
			b := &t.Buckets[i]
			x, err := s.Seen(b.Verdict, &b.Signature)
			if err != nil {
				return err
			}
			seen[b.Key] = x
		}
		return nil
	})
	if err != nil {
		complain(a.err, fmt.Errorf("no history: %w", err))
		return nil
	}
	return seen
}

// causesShown is how many causes a terminal gets; triage.json has all.
const causesShown = 12

// buckets prints what failed, one entry for each cause, the ones to be known first at the top. folder is the run's, as a
// shell reads it.
func (a *app) buckets(t *triage.Triage, folder string, seen map[string]history.Seen) {
	for i := range t.Buckets {
		if i == causesShown {
			fmt.Fprintf(a.out, "%d more causes: tandem triage %s, %s/%s\n", len(t.Buckets)-i, folder, folder, triage.FileName)
			break
		}
		a.bucket(&t.Buckets[i], folder, seen)
	}
	for i := range t.Entries {
		if e := &t.Entries[i]; e.State == triage.Absent {
			fmt.Fprintf(a.out, "known, but did not occur: %s, %s (%s, at %s); if it is mended, take it off the list\n", e.Issue, e.Why, e.Pattern, e.Place)
		}
	}
}

func (a *app) bucket(b *triage.Bucket, folder string, seen map[string]history.Seen) {
	r := &b.Smallest
	head := fmt.Sprintf("%s in %s: %s", b.Verdict, executions(b.Count), &b.Signature)
	switch {
	case b.Known != nil:
		head = b.Known.Text(b.Expired) + ": " + head
	case b.KnownCount > 0:
		head += fmt.Sprintf(" (known in %d of them only)", b.KnownCount)
	}
	fmt.Fprintf(a.out, "%s\n  %s: %s\n", head, r.FullName(), r.Line)
	if b.Known != nil {
		fmt.Fprintf(a.out, "  why:    %s (%s)\n", b.Known.Why, b.Known.Place)
	}
	if s, ok := seen[b.Key]; ok && s.Runs > 1 {
		fmt.Fprintf(a.out, "  seen:   in %s, first in %s, last in %s\n", plural(s.Runs, "run"), s.First, s.Last)
	}
	if b.Folder != "" {
		fmt.Fprintf(a.out, "  folder: %s/%s\n", folder, b.Folder)
	}
	if r.Verdict != result.Skipped {
		fmt.Fprintf(a.out, "  again:  %s\n", r.Rerun(folder))
	}
	if s := b.Shrunk; s != nil {
		fmt.Fprintf(a.out, "  shrunk: %d of %d events, %s\n", s.After, s.Before, s.Again)
		if !s.Minimal {
			fmt.Fprintf(a.out, "  less:   tandem shrink %s/%s --runs %d (it ended after %d runs: more lines may go)\n", folder, session.ShellWord(r.ID()), 3*s.Runs, s.Runs)
		}
	}
	for _, w := range b.Waves {
		fmt.Fprintf(a.out, "  waves:  gtkwave %s/%s (cycle %d)\n", folder, w.GTKWave, w.Cycle)
	}
}
