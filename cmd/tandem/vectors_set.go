package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/vectors/scenarios"
)

func (a *app) vectorsDiff() *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "diff A B", Short: "says what differs between two files or folders of vectors", Args: exactly("A", "B"),
		Long:    "Vectors are the same by name, stimulus by id; differences of expectations are counted by rule. Equal sets exit with 0, others with 1.",
		Example: "  tandem vectors diff old.mrv new.mrv\n  tandem vectors diff vectors/golden /tmp/golden",
		RunE: func(_ *cobra.Command, args []string) error {
			old, err := readVectors(args[:1], nil)
			now, err2 := readVectors(args[1:], nil)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			if len(old.list)+len(now.list) == 0 {
				return &status{result: lockstep.Inconclusive, err: fmt.Errorf("%s, %s: no vector in either: nothing was compared", args[0], args[1])}
			}
			d := vector.Diff(old.list, now.list)
			if asJSON {
				err = a.json(d)
			} else {
				for _, l := range d.Lines() {
					fmt.Fprintln(a.out, l)
				}
			}
			if err != nil || d.None() {
				return err
			}
			return &status{result: lockstep.Diverged}
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the difference as JSON")
	return c
}

func (a *app) vectorsBless() *cobra.Command {
	dir, reason, drop, workers, asJSON := goldenDir, "", []string(nil), 0, false
	only := []string(nil)
	c := &cobra.Command{Use: "bless", Short: "makes the golden set anew, shows what changes by rule, and takes it over", Args: noArgs,
		Long: `Makes every vector of the golden set anew and compares. Without a change it says so and exits with 0. A change is shown by
rule and taken over only with --reason, which goes into CHANGES.md with the new version; else the files are written beside
the old ones with the ending .rej, and the exit code is 1. A vector that would be gone has to be named with --drop.`,
		Example: "  tandem vectors bless\n  tandem vectors bless --reason \"R-WINDOW: a psn exactly 2^31 ahead is too old\"",
		RunE: func(c *cobra.Command, _ []string) error {
			parts, err := vector.GoldenParts(only)
			if workers < 0 || workers > 1024 {
				err = errors.Join(err, fmt.Errorf("--workers %d: want 0 to 1024", workers))
			}
			if err != nil {
				return usage(c, "%w", err)
			}
			if err := a.builtIn(); err != nil {
				return err
			}
			if !c.Flags().Changed("dir") {
				dir = a.golden()
			}
			store, err := vector.OpenStore(dir)
			if err != nil {
				return err
			}
			stop := a.waiting("making the golden set")
			b, err := vector.BlessStore(a.ctx, store, parts, reason, drop, workers)
			stop()
			if b == nil {
				return err
			}
			return a.blessed(b, err, asJSON)
		}}
	c.Flags().StringVar(&dir, "dir", dir, "folder of the set")
	c.Flags().StringVar(&reason, "reason", "", "why the set changes: a sentence for CHANGES.md")
	c.Flags().StringArrayVar(&drop, "drop", nil, "a vector that may be gone; may be given again")
	c.Flags().StringArrayVar(&only, "part", nil, "only this `file` of the set; the others stay as they are; may be given again")
	c.Flags().IntVar(&workers, "workers", 0, "parts made side by side (0: one a processor); the bytes do not depend on it")
	atLeast(c, 0, "workers")
	c.Flags().BoolVar(&asJSON, "json", false, "print the change as JSON")
	return c
}

// builtIn finds texts of the checkout that are not those inside this program, which is what the set is made of: a new one would
// be left out without a word, and "nothing changes" be said of it.
func (a *app) builtIn() error {
	root, err := a.rootOr()
	if err != nil {
		return err
	}
	here := os.DirFS(filepath.Join(root, "vectors", "scenarios"))
	names, err := fs.Glob(here, "*.scn")
	if err != nil || len(names) == 0 {
		return err // no checkout
	}
	inside, err := fs.Glob(scenarios.Files, "*.scn")
	if err != nil {
		return err
	}
	names = slices.Concat(names, inside)
	slices.Sort(names)
	var other []string
	for _, name := range slices.Compact(names) {
		was, errWas := fs.ReadFile(scenarios.Files, name)
		is, errIs := fs.ReadFile(here, name)
		if errWas != nil || errIs != nil || !bytes.Equal(was, is) {
			other = append(other, name)
		}
	}
	if len(other) == 0 {
		return nil
	}
	more := ""
	if len(other) > 1 {
		more = fmt.Sprintf(" and %d more", len(other)-1)
	}
	return fmt.Errorf("the texts in vectors/scenarios of %s are not those that this program was built with, of which it makes the set (%s%s): make build first, or make golden, which does", root, other[0], more)
}

func (a *app) blessed(b *vector.Blessing, err error, asJSON bool) error {
	if asJSON {
		if jerr := a.json(b); jerr != nil {
			return jerr
		}
	} else {
		for _, l := range b.Change.Lines() {
			fmt.Fprintln(a.out, l)
		}
		switch {
		case b.Written:
			fmt.Fprintf(a.out, "version %s -> %s\n", b.Before, b.Version)
		case b.Change.None():
			fmt.Fprintf(a.out, "nothing changes: version %s\n", b.Before)
		}
	}
	var r *vector.Refusal
	if errors.As(err, &r) {
		return &status{result: lockstep.Diverged, err: err}
	}
	return err
}
