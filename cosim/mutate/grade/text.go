package grade

import (
	"fmt"
	"io"
	"strings"
)

// Line is a mutant in one line, without what became of it.
func (m *Mutant) Line() string {
	return sprintf("%s %s %d: %s of %s %s, %s", m.Block, m.Part, m.Number, m.Mode, cell(m.Cell), m.Mutant.Port, m.Source)
}

// cell is the kind of a cell, as its name has it: $flatten\u_run.$reduce_and$rtl/...$1980 is a reduce_and.
func cell(name string) string {
	name = name[strings.LastIndex(name, ".$")+1:]
	kind, _, _ := strings.Cut(strings.TrimPrefix(name, "$"), "$")
	return kind
}

// Text writes a table of blocks, survivors by line of source, vectors that nobody would miss, and the closing line.
func (r *Report) Text(w io.Writer, paint func(good bool, text string) string) {
	fmt.Fprintf(w, "%-9s %8s %8s %8s %8s %8s %8s\n", "block", "mutants", "equal", "killed", "no rule", "survived", "share")
	row := func(b *Block) {
		fmt.Fprintf(w, "%-9s %8d %8d %8d %8d %8d %s\n", b.Name, b.Mutants, b.Equal, b.Killed, b.Nameless, b.Survived, paint(b.Holds(), sprintf("%6.1f %%", b.Share())))
	}
	for i := range r.Blocks {
		row(&r.Blocks[i])
	}
	row(&r.All)
	r.list(w, "survivors", func(m *Mutant) bool { return m.State == Survived })
	r.list(w, "killed, but by no rule", func(m *Mutant) bool { return m.State == Killed && m.Rule == "" })
	fmt.Fprintf(w, "\nvectors of steps: %s\n", r.worth())
	failures := r.Failures()
	for _, f := range failures {
		fmt.Fprintln(w, paint(false, f))
	}
	fmt.Fprintf(w, "\n%s\n", paint(len(failures) == 0, r.Closing()))
}

// extent says of a report that is not whole how far it goes.
func (r *Report) extent() string {
	return sprintf("partial: %d of %d mutants are through", len(r.Mutants), r.Planned)
}

// Closing sums up.
func (r *Report) Closing() string {
	of := ""
	if r.Partial {
		of = r.extent() + ": "
	}
	return of + sprintf("%d mutants of %s: %d have no effect (proven); of the other %d, %d are killed by a named rule (%.1f %%), %d survive",
		r.All.Mutants, count(len(r.Blocks), "block"), r.All.Equal, r.All.Effective(), r.All.Killed, r.All.Share(), r.All.Survived)
}

// count is a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return sprintf("%d %ss", n, what)
}

// worth says how many vectors kill what no other does.
func (r *Report) worth() string {
	alone, none := 0, 0
	for _, v := range r.Vectors {
		switch {
		case v.Alone > 0:
			alone++
		case v.Kills == 0:
			none++
		}
	}
	return sprintf("%d kill a mutant that no other does, %d only what others kill too, %d none", alone, len(r.Vectors)-alone-none, none)
}

func (r *Report) list(w io.Writer, title string, want func(*Mutant) bool) {
	n := 0
	for i := range r.Mutants {
		m := &r.Mutants[i]
		if !want(m) {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(w, "\n%s:\n", title)
		}
		reason := m.Reason
		if reason == "" {
			reason = m.Note
		}
		fmt.Fprintf(w, "  %s: %s\n", m.Line(), reason)
	}
}

// Markdown writes the report for people: blocks, survivors, vectors, and every mutant.
func (r *Report) Markdown(w io.Writer) {
	fmt.Fprint(w, "# Mutants and golden vectors\n\n")
	if r.Partial {
		fmt.Fprintf(w, "**This report is not whole: %d of %d mutants are through, and nothing is known of the others.**\n\n", len(r.Mutants), r.Planned)
	}
	fmt.Fprintf(w, "%s. Seed %d of Yosys' choice, %d mutants of each step, %d around each.\n\n", r.Closing(), r.Seed, r.Steps, r.Around)
	fmt.Fprint(w, "| block | mutants | no effect | killed by a rule | by none | survived | share |\n|---|---|---|---|---|---|---|\n")
	for _, b := range append(append([]Block(nil), r.Blocks...), r.All) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %.1f %% |\n", b.Name, b.Mutants, b.Equal, b.Killed, b.Nameless, b.Survived, b.Share())
	}
	fmt.Fprintf(w, "\n## Vectors of steps\n\n%s.\n\n| vector | kills | alone |\n|---|---|---|\n", r.worth())
	for _, v := range r.Vectors {
		fmt.Fprintf(w, "| %s | %d | %d |\n", v.Name, v.Kills, v.Alone)
	}
	fmt.Fprint(w, "\n## Mutants\n\n| block | part | no. | change | source | became | rule | by | at | field, note |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range r.Mutants {
		m := &r.Mutants[i]
		note := m.Field
		if m.State != Killed || m.Rule == "" {
			note = strings.ReplaceAll(strings.TrimSpace(m.Reason+" "+m.Note), "|", "\\|")
		}
		fmt.Fprintf(w, "| %s | %s | %d | %s of %s %s | %s | %s | %s | %s | %d | %s |\n",
			m.Block, m.Part, m.Number, m.Mode, strings.ReplaceAll(cell(m.Cell), "|", "\\|"), m.Mutant.Port, m.Source, m.State, m.Rule, m.Vector, m.At, note)
	}
}
