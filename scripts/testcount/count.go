package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
)

// event is one line of `go test -json` (see `go doc test2json`). Output of a failed build carries ImportPath, not Package.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// slow is the time in seconds from which a package gets a line of its own.
const slow = 20.0

// tally is what a run of go test came to.
type tally struct {
	passed   int
	failed   []string
	skipped  []string
	open     map[string]bool   // packages begun and not ended
	output   map[string]string // by test, by package, or by build, until its end is known
	packages int
	stray    []string // lines that are no events: messages of go itself
}

func newTally() *tally {
	return &tally{open: map[string]bool{}, output: map[string]string{}}
}

// read takes all events of r and writes to w what failed or was skipped, as it comes.
func (t *tally) read(r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), 1<<26)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Action == "" {
			t.stray = append(t.stray, lines.Text())
			continue
		}
		t.add(e, w)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("testcount: events of go test: %w", err)
	}
	return nil
}

func (t *tally) add(e event, w io.Writer) {
	name := e.Package
	if e.Test != "" {
		name += "." + e.Test
	}
	if e.ImportPath != "" {
		name = e.ImportPath
	}
	switch e.Action {
	case "start":
		t.open[e.Package] = true
	case "output", "build-output":
		t.output[name] += e.Output
	case "build-fail":
		t.report("build failed", name, &t.failed, w)
	case "pass", "fail", "skip":
		t.end(e, name, w)
	}
}

func (t *tally) end(e event, name string, w io.Writer) {
	switch {
	case e.Test == "":
		delete(t.open, e.Package)
		t.packages++
		if e.Action == "fail" {
			t.report("failed", name, &t.failed, w)
		}
		if e.Elapsed >= slow {
			fmt.Fprintf(w, "%s: %.0f s\n", e.Package, e.Elapsed)
		}
	case e.Action == "pass":
		t.passed++
	case e.Action == "fail":
		t.report("failed", name, &t.failed, w)
	case e.Action == "skip":
		t.report("skipped", name, &t.skipped, w)
	}
	delete(t.output, name)
}

func (t *tally) report(what, name string, list *[]string, w io.Writer) {
	*list = append(*list, name)
	fmt.Fprintf(w, "%s: %s\n%s", what, name, t.output[name])
}

// verdict lists what speaks against the run; empty means it is good.
func (t *tally) verdict(min int) []string {
	var bad []string
	if n := len(t.failed); n > 0 {
		bad = append(bad, fmt.Sprintf("%d failed: %s", n, strings.Join(t.failed, ", ")))
	}
	if n := len(t.skipped); n > 0 {
		bad = append(bad, fmt.Sprintf("%d skipped, and a skipped test tests nothing: %s", n, strings.Join(t.skipped, ", ")))
	}
	if len(t.open) > 0 {
		var names []string
		for name := range t.open {
			names = append(names, name)
		}
		sort.Strings(names)
		bad = append(bad, "cut short: no end was seen of "+strings.Join(names, ", "))
	}
	if t.passed < min {
		bad = append(bad, fmt.Sprintf("only %d tests passed, at least %d are expected", t.passed, min))
	}
	return bad
}
