package export

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

//go:embed bench/mr_vector_tb.sv bench/mr_step_tb.sv bench/run.sh
var bench embed.FS

// Bench gives a file of the bench by name.
func Bench(name string) ([]byte, error) { return bench.ReadFile("bench/" + name) }

// Verilog writes vectors as folders with a bench, and run.sh, which runs them all. Vectors of whole endpoints cannot be
// exported yet, since there is no device for them. All of it is written, or nothing is changed.
//
//	DIR/run.sh DIR/mr_vector_tb.sv DIR/mr_step_tb.sv
//	DIR/receive-PRESET/vector_sizes.svh, NAME/*.hex     vectors of the receive side
//	DIR/block-ENGINE/step.hex, step_sizes.svh           vectors of a block, one behind the other
func Verilog(dir string, vectors []*mrv.Vector) error {
	groups, err := grouped(vectors)
	if err != nil {
		return err
	}
	if err := leftOver(dir, groups); err != nil {
		return err
	}
	return atomicfile.Folder(dir, func(work string) error {
		for _, n := range slices.Sorted(maps.Keys(groups)) {
			into := writeReceive
			if strings.HasPrefix(n, blockGroup) {
				into = writeBlock
			}
			if err := into(filepath.Join(work, n), groups[n]); err != nil {
				return err
			}
		}
		for _, name := range []string{"mr_vector_tb.sv", "mr_step_tb.sv", "run.sh"} {
			b, err := Bench(name)
			if err == nil {
				err = write(filepath.Join(work, name), b, name == "run.sh")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Names of groups begin with one of these: run.sh runs all that do.
const (
	blockGroup   = "block-"
	receiveGroup = "receive-"
)

// grouped puts vectors into the folders that they go to, or says which cannot, all of them.
func grouped(vectors []*mrv.Vector) (map[string][]*mrv.Vector, error) {
	groups := map[string][]*mrv.Vector{}
	var errs []error
	for _, v := range vectors {
		switch {
		case block.ByName(v.Kind) != nil:
			groups[blockGroup+v.Kind] = append(groups[blockGroup+v.Kind], v)
		case v.Kind == mrv.Receive && len(v.Acts) == 0:
			groups[receiveGroup+v.Preset] = append(groups[receiveGroup+v.Preset], v)
		default:
			errs = append(errs, fmt.Errorf("vector %s is of kind %s: there is a bench for the receive side and for engines", v.Name, v.Kind))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		if strings.HasPrefix(n, receiveGroup) {
			errs = append(errs, Distinct(groups[n]))
		}
	}
	return groups, errors.Join(errs...)
}

// leftOver finds groups of an earlier export that this one has not: run.sh would run them too.
func leftOver(dir string, groups map[string][]*mrv.Vector) error {
	var old []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if n := e.Name(); groups[n] == nil && (strings.HasPrefix(n, blockGroup) || strings.HasPrefix(n, receiveGroup)) {
			old = append(old, n)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case old != nil:
		return fmt.Errorf("%s holds %s, which run.sh would run beside what is exported now: remove it, or export into another folder", dir, strings.Join(old, ", "))
	}
	return nil
}

func write(path string, b []byte, exec bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if exec {
		mode = 0o755
	}
	return os.WriteFile(path, b, mode)
}

func writeReceive(dir string, vectors []*mrv.Vector) error {
	p, ok := preset.ByName(vectors[0].Preset)
	if !ok {
		return fmt.Errorf("vector %s: preset %q", vectors[0].Name, vectors[0].Preset)
	}
	max := newTables(p)
	var index strings.Builder
	for _, v := range vectors {
		t, err := tablesOf(v, p)
		if err != nil {
			return fmt.Errorf("vector %s: %w", v.Name, err)
		}
		for _, name := range tableNames {
			if err := write(filepath.Join(dir, FileName(v), name+".hex"), []byte(t.mem[name].b.String()), false); err != nil {
				return err
			}
			if n := t.mem[name].n; n > max.mem[name].n {
				max.mem[name].n = n
			}
		}
		fmt.Fprintln(&index, FileName(v))
	}
	if err := write(filepath.Join(dir, "index.txt"), []byte(index.String()), false); err != nil {
		return err
	}
	return write(filepath.Join(dir, "vector_sizes.svh"), []byte(sizes(max, p)), false)
}

func writeBlock(dir string, vectors []*mrv.Vector) error {
	e := block.ByName(vectors[0].Kind)
	var b strings.Builder
	b.WriteString(e.Header())
	n := 0
	for _, v := range vectors {
		if err := e.Fits(v); err != nil {
			return fmt.Errorf("vector %s: %w", v.Name, err)
		}
		fmt.Fprintf(&b, "// %s: vectors %d..%d, id %s\n", v.Name, n, n+len(v.Steps)-1, v.ID)
		for i := range v.Steps {
			l, err := e.Line(&v.Steps[i])
			if err != nil {
				return fmt.Errorf("vector %s: %w", v.Name, err)
			}
			b.WriteString(l + "\n")
			n++
		}
	}
	if err := write(filepath.Join(dir, "step.hex"), []byte(b.String()), false); err != nil {
		return err
	}
	return write(filepath.Join(dir, "step_sizes.svh"), []byte(stepSizes(e, n)), false)
}

// stepSizes are the macros of mr_step_tb.sv.
func stepSizes(e *block.Engine, lines int) string {
	in, out, rows := e.Widths()
	var b strings.Builder
	fmt.Fprintf(&b, "`define STEP mr_%s_step\n`define FILE \"step.hex\"\n`define LINES %d\n`define IN_W %d\n`define OUT_W %d\n", e.Name, lines, in, out)
	switch len(rows) {
	case 0:
		b.WriteString("`define NO_ROW\n`define ROW_W 0\n")
	case 1:
		fmt.Fprintf(&b, "`define ROW_W %d\n", rows[0])
	default:
		fmt.Fprintf(&b, "`define ROW_W %d\n`define ROW2_W %d\n", rows[0], rows[1])
	}
	return b.String()
}
