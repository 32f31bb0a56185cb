package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/triage"
)

// What a mail or a merge request has room for; the page has all.
const (
	mdBuckets  = 20
	mdTests    = 5
	mdSlowest  = 5
	mdChanges  = 20
	mdOpenBins = 10
)

// markdown writes text in which nothing of a run is markup.
type markdown struct{ *bufio.Writer }

func (m markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// mdText escapes a text for a line or a cell of a table.
var mdEscape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "@", "&#64;", "!", `\!`)

func mdText(s string) string { return mdEscape.Replace(oneLine(s)) }

// mdCode is a text as code: with more backticks around it than it has in a row. Not for tables, where a | would end it.
func mdCode(s string) string {
	s = oneLine(s)
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// Markdown writes the report in short.
func (r *Report) Markdown(w io.Writer) error {
	m := markdown{bufio.NewWriter(w)}
	h := &r.Run
	m.line("# %s: %s\n\n%s\n", mdText(h.ID), h.Verdict, mdText(r.Sentence))
	if r.Partial {
		m.line("**Partial**: %s goes on with the rest.\n", mdCode("tandem regress --resume "+h.ID))
	}
	dirty := ""
	if h.Dirty {
		dirty = " with changes on top"
	}
	m.line("| | |\n|---|---|\n| plan | %s, base seed %s |\n| results | %s |\n| revision | %s%s |\n| devices, presets | %s; %s |\n| begun | %s, took %s |\n| compared | %s events, %s device cycles |",
		mdText(h.Plan), h.Base, mdCode(h.Digest), mdCode(h.Revision), dirty, mdText(strings.Join(r.Devices, ", ")), mdText(strings.Join(r.Presets, ", ")), moment(h.Began), span(h.Wall),
		thousands(h.Events), thousands(h.Cycles))
	m.line("\n| suite | tests | runs | match | time |\n|---|--:|--:|--:|--:|")
	for _, s := range r.Suites {
		m.line("| %s | %d | %d | %d | %s |", mdText(s.Name), s.Tests, s.Runs, s.Match, span(s.Duration))
	}
	m.causes(r)
	m.unmet(r)
	if r.Against != nil {
		m.against(r.Against)
	}
	m.stages(r)
	if r.Coverage != nil {
		m.coverage(r.Coverage)
	}
	if len(r.Slowest) > 0 {
		m.line("\n## Slowest\n\n| execution | time |\n|---|--:|")
		for _, t := range r.Slowest[:min(len(r.Slowest), mdSlowest)] {
			m.line("| %s | %s |", mdText(t.ID), span(t.Duration))
		}
	}
	if len(r.Absent) > 0 {
		m.line("\nNot in this report: %s.", mdText(strings.Join(r.Absent, "; ")))
	}
	return m.Flush()
}

func (m markdown) causes(r *Report) {
	if len(r.Buckets) == 0 {
		return
	}
	m.line("\n## Causes\n")
	for i := range r.Buckets {
		b := &r.Buckets[i]
		if i == mdBuckets {
			m.line("\nand %s more.", plural(len(r.Buckets)-i, "cause"))
			break
		}
		known := ""
		if b.Known != nil {
			known = fmt.Sprintf(" (%s)", mdText(b.Known.Text(b.Expired)))
		}
		m.line("%d. **%s** in %s: %s%s", b.Number, b.Verdict, plural(b.Count, "execution"), mdText(b.Signature.String()), known)
		for _, w := range b.Why {
			m.line("   - %s", mdText(w))
		}
		more := ""
		if n := len(b.Tests) - mdTests; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		m.line("   - tests: %s%s", mdText(strings.Join(b.Tests[:min(len(b.Tests), mdTests)], ", ")), more)
		if b.Rerun != "" {
			m.line("   - again: %s", mdCode(b.Rerun))
		}
		if b.Shrunk != nil {
			m.line("   - shrunk from %d to %d events: %s", b.Shrunk.Before, b.Shrunk.After, mdCode(b.Shrunk.Again))
		}
	}
}

// unmet lists known failures that did not occur: who reads no more than this would never take them off the list.
func (m markdown) unmet(r *Report) {
	for i := range r.Known {
		if e := &r.Known[i]; e.State == triage.Absent {
			m.line("\nKnown, but did not occur: %s, %s (%s).", mdText(e.Issue), mdText(e.Why), mdText(e.Place))
		}
	}
}

func (m markdown) stages(r *Report) {
	if len(r.Stages) == 0 {
		return
	}
	m.line("\n## Testplan\n\n| stage | point | | match | runs | rules |\n|---|---|---|--:|--:|---|")
	for _, s := range r.Stages {
		for i := range s.Points {
			p := &s.Points[i]
			m.line("| %s | %s | %s | %d | %d | %s |", s.Name, mdText(p.Name), p.State, p.Match, p.Runs, mdText(strings.Join(p.Rules, ", ")))
		}
	}
}

func (m markdown) coverage(c *coverage.Report) {
	m.line("\n## Coverage\n\n| | hit of what is not waived | waived | all |\n|---|--:|--:|--:|")
	if f := c.Functional; f != nil {
		m.line("| functional bins | %s | %d | %d |", percent(f.Hit, f.Bins-f.Waived), f.Waived, f.Bins)
	}
	for _, x := range []struct {
		name string
		code *coverage.Code
	}{{"lines", c.Line}, {"branches", c.Branch}, {"toggles", c.Toggle}} {
		if x.code != nil {
			m.line("| %s | %s | %d | %d |", x.name, percent(x.code.Hit, x.code.Points-x.code.Waived), x.code.Waived, x.code.Points)
		}
	}
	if c.Functional == nil {
		return
	}
	n := 0
	for _, g := range c.Functional.Groups {
		for _, bin := range g.Open {
			if n++; n <= mdOpenBins {
				m.line("%s- open: %s", form(n, "\n", ""), mdText(g.Name+" "+bin))
			}
		}
	}
	if n > mdOpenBins {
		m.line("- and %d more", n-mdOpenBins)
	}
}

func (m markdown) against(c *Comparison) {
	m.line("\n## Against %s\n\n%s", mdText(c.Old.ID), mdText(c.Result.Sentence))
	for _, x := range []struct {
		title string
		list  []Change
	}{{"New failures", c.Failures}, {"Flaky", c.Flaky}, {"Still failing", c.Still}, {"Fixed", c.Fixed}} {
		if len(x.list) == 0 {
			continue
		}
		m.line("\n%s:\n\n| execution | was | is |\n|---|---|---|", x.title)
		for i, ch := range x.list {
			if i == mdChanges {
				m.line("\nand %d more", len(x.list)-i)
				break
			}
			m.line("| %s | %s | %s |", mdText(ch.ID), mdText(ch.Was), mdText(ch.Now()))
		}
	}
	for _, s := range c.Slower {
		m.line("- slower: %s, %s before, %s now", mdText(s.Test), span(s.Was), span(s.Is))
	}
	for i, l := range c.Lost {
		if i == mdOpenBins {
			m.line("- and %d more", len(c.Lost)-i)
			break
		}
		m.line("- coverage lost: %s", mdText(l))
	}
}
