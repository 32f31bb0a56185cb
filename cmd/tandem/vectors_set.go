package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/vectors/export"
	"metaroce/tandem/vectors/mrv"
)

func (a *app) vectorsDiff() *cobra.Command {
	asJSON := false
	c := &cobra.Command{Use: "diff A B", Short: "says what differs between two files or folders of vectors", Args: exactly("A", "B"),
		Long:    "Vectors are the same by name, stimulus by id; differences of expectations are counted by rule. Equal sets exit with 0, others with 1.",
		Example: "  tandem vectors diff old.mrv new.mrv\n  tandem vectors diff vectors/golden /tmp/golden",
		RunE: func(_ *cobra.Command, args []string) error {
			_, old, err := readVectors(args[:1], nil)
			_, now, err2 := readVectors(args[1:], nil)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			d := vector.Diff(old, now)
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

func (a *app) vectorsExport() *cobra.Command {
	as, out, only := "", "", []string(nil)
	c := &cobra.Command{Use: "export [FILE...]", Short: "writes vectors as pcapng, JSON or a Verilog bench",
		Long: `pcapng: the frames of each vector with a comment on what becomes of them; a file for each vector in the folder -o, or one
file if there is one vector. json: all of them in one file. verilog: a folder with a self-checking bench, its memories and run.sh,
which runs in Icarus and Verilator with neither this program nor a socket: OUT/run.sh rtl`,
		Example: "  tandem vectors export --as json -o set.json my.mrv\n  tandem vectors export --as verilog -o out --only 'directed/*' vectors/golden\n  tandem vectors export --as pcapng -o gaps.pcapng --only directed/gaps vectors/golden",
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage(c, "-o is missing: where to write")
			}
			header, list, err := readVectors(orGolden(args), only)
			if err != nil {
				return err
			}
			switch as {
			case "verilog":
				err = export.Verilog(out, list)
			case "json":
				err = writeFile(out, func(f *os.File) error { return export.JSON(f, header, list) })
			case "pcapng":
				err = exportCaptures(out, list)
			default:
				return usage(c, "--as %q: want pcapng, json or verilog", as)
			}
			if err == nil {
				fmt.Fprintf(a.out, "%s: %d vectors\n", out, len(list))
			}
			return err
		}}
	c.Flags().StringVar(&as, "as", "", "form: pcapng, json or verilog")
	c.Flags().StringVarP(&out, "output", "o", "", "file or folder to write")
	c.Flags().StringArrayVar(&only, "only", nil, "export only vectors of this `name`, which may hold *; may be given again")
	complete(c, "as", "pcapng", "json", "verilog")
	return c
}

func exportCaptures(out string, list []*mrv.Vector) error {
	var receive []*mrv.Vector
	for _, v := range list {
		if len(v.Steps) == 0 {
			receive = append(receive, v)
		}
	}
	switch len(receive) {
	case 0:
		return errors.New("there are no frames in vectors of blocks")
	case 1:
		return writeFile(out, func(f *os.File) error { return export.Pcapng(f, receive[0]) })
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, v := range receive {
		name := filepath.Join(out, strings.ReplaceAll(v.Name, "/", "-")+".pcapng")
		if err := writeFile(name, func(f *os.File) error { return export.Pcapng(f, v) }); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, write func(*os.File) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func (a *app) vectorsBless() *cobra.Command {
	dir, reason, drop, workers, asJSON := goldenDir, "", []string(nil), 0, false
	only := []string(nil)
	c := &cobra.Command{Use: "bless", Short: "makes the golden set anew, shows what changes by rule, and takes it over", Args: noArgs,
		Long: `Makes every vector of the golden set anew and compares. Without a change it says so and exits with 0. A change is shown by
rule and taken over only with --reason, which goes into CHANGES.md with the new version; else the files are written beside
the old ones with the ending .rej, and the exit code is 1. A vector that would be gone has to be named with --drop.`,
		Example: "  tandem vectors bless\n  tandem vectors bless --reason \"R-WINDOW: a psn exactly 2^31 ahead is too old\"",
		RunE: func(*cobra.Command, []string) error {
			store, err := vector.OpenStore(dir)
			if err != nil {
				return err
			}
			parts, err := vector.GoldenParts(only)
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
