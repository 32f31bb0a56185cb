package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/internal/atomicfile"
)

// Plusarg chooses a fault in a planted simulator; 0 is none.
func Plusarg(number int) string { return fmt.Sprintf("+tandem_fault=%d", number) }

const (
	packageFile = "rtl/gen/mr_pkg.sv"
	benchFile   = "cosim/dpi/mr_bench.sv"
)

// choosing brings the number of the chosen fault to where it is needed: a variable of the package for everything in
// SystemVerilog, one of the shim for C. The bench reads the plusarg before the first edge.
var choosing = []Edit{
	{packageFile, "\nendpackage", "\n  int FaultNumber = 0;\nendpackage"},
	{benchFile, "`include \"tandem_dpi.svh\"", "`include \"tandem_dpi.svh\"\nimport \"DPI-C\" function void tandem_plant(input int number);"},
	{benchFile, `if (!$value$plusargs("tandem_seed=%h", seed)) seed = 0;`, `if (!$value$plusargs("tandem_seed=%h", seed)) seed = 0;
    if (!$value$plusargs("tandem_fault=%d", mr_pkg::FaultNumber)) mr_pkg::FaultNumber = 0;
    tandem_plant(mr_pkg::FaultNumber);`},
	{shimRecord, `#define PIECE 64u`, `int tandem_fault, tandem_once;
static int tandem_pieces;
void tandem_plant(int number);
void tandem_plant(int number) { tandem_fault = number; }
#define PIECE 64u`},
	{shimStim, `#define ITEM_BYTES 40`, "extern int tandem_fault, tandem_once;\n#define ITEM_BYTES 40"},
}

// placed is an edit at its place in the original text.
type placed struct {
	at   int
	edit Edit
	from string // name of the fault
}

// Texts returns every source that the faults touch, by name relative to root, with all of them planted. All mistakes
// are reported at once.
func Texts(root string, list []Fault) (map[string]string, error) {
	edits := map[string][]placed{}
	text := map[string]string{}
	var errs []error
	add := func(name string, number int, e Edit) {
		if _, ok := text[e.File]; !ok {
			b, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				errs = append(errs, fmt.Errorf("fault %s: %w", name, err))
			}
			text[e.File] = string(b)
		}
		if n := strings.Count(text[e.File], e.From); n != 1 {
			errs = append(errs, fmt.Errorf("fault %s: %s holds %q %d times, and one is expected: its place has changed, change cosim/faults with it",
				name, e.File, e.From, n))
			return
		}
		e.To = strings.ReplaceAll(e.To, "PLANTED", condition(e.File, number))
		edits[e.File] = append(edits[e.File], placed{strings.Index(text[e.File], e.From), e, name})
	}
	for _, e := range choosing {
		add("(choice)", 0, e)
	}
	for i := range list {
		for _, e := range list[i].Edits {
			add(list[i].Name, list[i].Number, e)
		}
	}
	out := map[string]string{}
	for file, p := range edits {
		s, err := apply(file, text[file], p)
		errs = append(errs, err)
		out[file] = s
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// condition is true where the fault is chosen.
func condition(file string, number int) string {
	if strings.HasSuffix(file, ".c") {
		return fmt.Sprintf("(tandem_fault == %d)", number)
	}
	return fmt.Sprintf("(mr_pkg::FaultNumber == %d)", number)
}

// apply makes all edits of a file. Two faults cannot share a piece of text.
func apply(file, text string, edits []placed) (string, error) {
	sort.Slice(edits, func(i, j int) bool { return edits[i].at < edits[j].at })
	var b strings.Builder
	end, last := 0, ""
	for _, p := range edits {
		if p.at < end {
			return "", fmt.Errorf("faults %s and %s change the same text of %s", last, p.from, file)
		}
		b.WriteString(text[end:p.at])
		b.WriteString(p.edit.To)
		end, last = p.at+len(p.edit.From), p.from
	}
	b.WriteString(text[end:])
	return b.String(), nil
}

// Plant writes the planted sources below dir and returns them as replacements for a build.
func Plant(root, dir string, list []Fault) (map[string]string, error) {
	texts, err := Texts(root, list)
	if err != nil {
		return nil, target.Fail("build", err, "the faults cannot be planted")
	}
	sources := map[string]string{}
	for file, text := range texts {
		path := filepath.Join(dir, file)
		if err := writeFile(path, text); err != nil {
			return nil, target.Fail("build", err, "the faults cannot be planted")
		}
		sources[file] = path
	}
	return sources, nil
}

// writeFile replaces a file in one step, so that a build that runs beside it reads the one text or the other.
func writeFile(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(text))
}
