package experiment

import (
	"fmt"
	"strings"
)

// Sweep is an experiment at many points. A point is the experiment with its values set: same cells, same seeds, same
// figures as a run of its own.
func Sweep(e *Experiment, settings []Setting, overs []Over) (Values, *Plan, []error) {
	points, bad := crossed(overs, settings)
	fixed, more := e.Params.Read(settings)
	if bad = append(bad, more...); len(bad) > 0 {
		return fixed, nil, bad
	}
	whole := &Plan{}
	var parts []*part
	for _, at := range points {
		v, problems := e.Params.Read(append(append([]Setting{}, settings...), at...))
		if len(problems) == 0 {
			p, err := e.Plan(v)
			if err == nil {
				x := &part{name: pointName(at), at: at, plan: p}
				parts = append(parts, x)
				x.into(whole)
				continue
			}
			problems = []error{fmt.Errorf("at %s: %w", pointName(at), err)}
		}
		bad = append(bad, problems...)
	}
	if len(bad) > 0 {
		return fixed, nil, bad
	}
	whole.Derive = func(rows []Row) {
		for _, x := range parts {
			if x.plan.Derive != nil {
				x.plan.Derive(x.rows(rows))
			}
		}
	}
	for _, o := range overs {
		whole.Over = append(whole.Over, o.Name)
	}
	whole.Plots = headlines(e, whole)
	return fixed, whole, nil
}

// crossed are all combinations of the values, the last parameter fastest.
func crossed(overs []Over, settings []Setting) ([][]Setting, []error) {
	var bad []error
	points := [][]Setting{nil}
	seen := map[string]bool{}
	for _, s := range settings {
		seen[s.Name] = true
	}
	for _, o := range overs {
		if seen[o.Name] {
			bad = append(bad, &Problem{o.Name, "given twice", "vary it once, and do not set it as well"})
		}
		seen[o.Name] = true
		if len(points)*len(o.Texts) > mostPoints {
			return nil, append(bad, &Problem{"--over", fmt.Sprintf("%d times %d points", len(points), len(o.Texts)), fmt.Sprintf("want at most %d", mostPoints)})
		}
		var more [][]Setting
		for _, p := range points {
			for _, t := range o.Texts {
				more = append(more, append(append([]Setting{}, p...), Setting{o.Name, t}))
			}
		}
		points = more
	}
	if len(overs) == 0 {
		bad = append(bad, &Problem{"--over", "not given", "a sweep varies something: --over key=a..b"})
	}
	return points, bad
}

func pointName(at []Setting) string {
	var parts []string
	for _, s := range at {
		parts = append(parts, s.Name+"="+s.Text)
	}
	return strings.Join(parts, "/")
}

// part is one point of a sweep.
type part struct {
	name string
	at   []Setting
	plan *Plan
}

// into appends cells and gates of the point to the plan of the whole sweep.
func (x *part) into(whole *Plan) {
	if whole.Columns == nil {
		whole.Columns, whole.Actors = x.columns(), x.plan.Actors
	}
	for _, c := range x.plan.Cells {
		inner := c
		if c.Seed = inner.Seed; c.Seed == "" {
			c.Seed = inner.Name
		}
		c.Name = x.name + "/" + inner.Name
		c.Run = func(ctx *Context) (Output, error) {
			out, err := inner.Run(ctx)
			for i := range out.Rows {
				out.Rows[i] = x.mark(out.Rows[i])
			}
			return out, err
		}
		whole.Cells = append(whole.Cells, c)
	}
	for _, g := range x.plan.Gates {
		judge := g.Judge
		g.Name = x.name + ": " + g.Name
		g.Judge = func(rows []Row) []Check { return judge(x.rows(rows)) }
		whole.Gates = append(whole.Gates, g)
	}
}

// columns are those of the experiment, with the varied parameters before them. One that is a key already stays where it is.
func (x *part) columns() []Column {
	var first []Column
	for _, s := range x.at {
		if !x.plan.has(s.Name) {
			first = append(first, Column{Name: s.Name, Key: true, What: "varied"})
		}
	}
	return append(first, x.plan.Columns...)
}

func (p *Plan) has(column string) bool {
	for _, c := range p.Columns {
		if c.Name == column {
			return true
		}
	}
	return false
}

func (x *part) mark(r Row) Row {
	for _, s := range x.at {
		if !x.plan.has(s.Name) {
			r = r.Word(s.Name, s.Text)
		}
	}
	return r
}

// rows are those of the point.
func (x *part) rows(all []Row) []Row {
	var mine []Row
	for _, r := range all {
		if strings.HasPrefix(r.Cell, x.name+"/") {
			mine = append(mine, r)
		}
	}
	return mine
}

// headlines are the plots of a sweep: each headline figure over what is varied first.
func headlines(e *Experiment, p *Plan) []Plot {
	x := p.Over[0]
	var series []string
	for _, c := range p.Columns {
		if c.Key && c.Name != x {
			series = append(series, c.Name)
		}
	}
	var plots []Plot
	for _, name := range e.Headline {
		for _, c := range p.Columns {
			if c.Name == name {
				plots = append(plots, Plot{Name: name, Title: name + " over " + x, X: x, Y: name, YUnit: c.Unit, Series: series, Note: c.What})
			}
		}
	}
	return plots
}
