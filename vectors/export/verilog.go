package export

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

//go:embed bench/mr_vector_tb.sv bench/mr_step_tb.sv bench/run.sh
var bench embed.FS

// Bench gives a file of the bench by name.
func Bench(name string) ([]byte, error) { return bench.ReadFile("bench/" + name) }

// Verilog writes vectors as folders with a bench, and run.sh, which runs them all. Vectors of whole endpoints cannot be
// exported yet, since there is no device for them.
//
//	DIR/run.sh DIR/mr_vector_tb.sv DIR/mr_step_tb.sv
//	DIR/receive-PRESET/vector_sizes.svh, NAME/*.hex     vectors of the receive side
//	DIR/block-ENGINE/step.hex, step_sizes.svh           vectors of a block, one behind the other
func Verilog(dir string, vectors []*mrv.Vector) error {
	groups := map[string][]*mrv.Vector{}
	for _, v := range vectors {
		switch {
		case block.ByName(v.Kind) != nil:
			groups["block-"+v.Kind] = append(groups["block-"+v.Kind], v)
		case v.Kind == mrv.Receive && len(v.Acts) == 0:
			groups["receive-"+v.Preset] = append(groups["receive-"+v.Preset], v)
		default:
			return fmt.Errorf("vector %s is of a whole endpoint, for which there is no bench", v.Name)
		}
	}
	names := make([]string, 0, len(groups))
	for n := range groups {
		names = append(names, n)
	}
	sort.Strings(names)
	var errs []error
	for _, n := range names {
		out := filepath.Join(dir, n)
		if strings.HasPrefix(n, "block-") {
			errs = append(errs, writeBlock(out, groups[n]))
		} else {
			errs = append(errs, writeReceive(out, groups[n]))
		}
	}
	for _, name := range []string{"mr_vector_tb.sv", "mr_step_tb.sv", "run.sh"} {
		b, err := Bench(name)
		if err == nil {
			err = write(filepath.Join(dir, name), b, name == "run.sh")
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
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

var unsafePart = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)

// folder is a vector's name as a folder: nothing in it that a shell or simulator minds.
func folder(name string) string {
	return strings.Trim(unsafePart.ReplaceAllString(name, "-"), "-.")
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
			if err := write(filepath.Join(dir, folder(v.Name), name+".hex"), []byte(t.mem[name].b.String()), false); err != nil {
				return err
			}
			if n := t.mem[name].n; n > max.mem[name].n {
				max.mem[name].n = n
			}
		}
		fmt.Fprintln(&index, folder(v.Name))
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
