package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"metaroce/tandem/experiment"
)

// Paint colours a text as good or bad; without a terminal it returns it as it is.
type Paint func(good bool, text string) string

// Text writes a result for a reader at a terminal: table, comparison, gates, what failed.
func Text(w io.Writer, r *experiment.Result, paint Paint) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s\n", r.Title(), r.Experiment.Claim)
	table(b, r)
	compared(b, r)
	verdicts(b, r, paint)
	for _, f := range r.Failures {
		fmt.Fprintf(b, "%s %s: %s\n  again: %s\n", paint(false, "failed"), f.Cell, f.Error, Again(r, f.Cell))
	}
	return b.Flush()
}

func table(b *bufio.Writer, r *experiment.Result) {
	if len(r.Rows) == 0 {
		fmt.Fprintln(b, "no rows")
		return
	}
	head, units := []string{}, []string{}
	for _, c := range r.Plan.Columns {
		head, units = append(head, c.Name), append(units, c.Unit)
	}
	lines := [][]string{head, units}
	for _, row := range r.Rows {
		var line []string
		for _, c := range r.Plan.Columns {
			line = append(line, orDash(row.Text(c.Name)))
		}
		lines = append(lines, line)
	}
	left := make([]bool, len(head))
	for i, c := range r.Plan.Columns {
		left[i] = c.Key
	}
	columns(b, lines, left)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// columns writes lines of equal length, each column as wide as it needs; those marked left begin at their left edge.
func columns(b *bufio.Writer, lines [][]string, left []bool) {
	wide := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, s := range line {
			wide[i] = max(wide[i], len([]rune(s)))
		}
	}
	for _, line := range lines {
		var out strings.Builder
		for i, s := range line {
			pad := strings.Repeat(" ", wide[i]-len([]rune(s)))
			if left[i] {
				out.WriteString(s + pad)
			} else {
				out.WriteString(pad + s)
			}
			out.WriteString("  ")
		}
		fmt.Fprintln(b, strings.TrimRight(out.String(), " "))
	}
}

func compared(b *bufio.Writer, r *experiment.Result) {
	if len(r.Comparisons) == 0 {
		return
	}
	lines := [][]string{{"side by side", "", "MetaRoCE", "RoCEv2", "limit", "published"}}
	for _, c := range r.Comparisons {
		lines = append(lines, []string{c.What, c.Unit, figure(c.Ours), figure(c.Baseline), figure(c.Limit), orDash(c.Published)})
	}
	fmt.Fprintln(b)
	columns(b, lines, []bool{true, true, false, false, false, true})
}

func figure(f *experiment.Fixed) string {
	if f == nil {
		return "-"
	}
	return f.String()
}

func verdicts(b *bufio.Writer, r *experiment.Result, paint Paint) {
	if len(r.Verdicts) > 0 {
		fmt.Fprintln(b)
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(b, "gate %s: %s\n", v.Name, paint(v.State == experiment.Held, v.State.String()))
		for _, c := range v.Checks {
			fmt.Fprintf(b, "  %s\n", Check(c, paint))
		}
	}
}

// Check writes one comparison of a gate.
func Check(c experiment.Check, paint Paint) string {
	word := "ok  "
	if !c.Holds() {
		word = "FAIL"
	}
	value := c.Value.String()
	if c.Missing {
		value = "nothing measured"
	}
	return fmt.Sprintf("%s %s: %s, want %s %s", paint(c.Holds(), word), c.What, value, c.Sign(), c.Bound)
}

// Again is the call that repeats one cell.
func Again(r *experiment.Result, cell string) string {
	return whole(r) + " --only " + cell
}

// call is the call that makes this result again.
func call(r *experiment.Result) string {
	if r.Only != "" {
		return Again(r, r.Only)
	}
	return whole(r)
}

// whole is the call with all cells.
func whole(r *experiment.Result) string {
	var b strings.Builder
	if len(r.Plan.Over) > 0 {
		fmt.Fprintf(&b, "tandem sim sweep --of %s", r.Experiment.Name)
	} else {
		fmt.Fprintf(&b, "tandem sim %s", r.Experiment.Name)
	}
	for _, o := range r.Over {
		fmt.Fprintf(&b, " --over %s=%s", o.Name, o.Text)
	}
	fmt.Fprintf(&b, " --seed %d", r.Seed)
	for _, s := range r.Set {
		fmt.Fprintf(&b, " --set %s=%s", s.Name, s.Text)
	}
	return b.String()
}
