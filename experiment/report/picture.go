package report

import (
	"slices"
	"strings"

	"metaroce/tandem/experiment"
	"metaroce/tandem/experiment/chart"
)

// Picture is a plot, ready to be drawn.
type Picture struct {
	Name, Note string
	Chart      *chart.Chart
}

// Pictures makes charts of the plots of a result, those with nothing to show left out.
func Pictures(r *experiment.Result) []Picture {
	var list []Picture
	for i := range r.Plan.Plots {
		p := &r.Plan.Plots[i]
		c := charted(p, r.Rows)
		if p.Kind == experiment.Traces {
			c = traced(p, r.Traces)
		}
		colour(c, r.Plan.Actors)
		if len(c.Series) > 0 {
			list = append(list, Picture{p.Name, p.Note, c})
		}
	}
	return list
}

// colour gives each series the colour of its actor, and those of one actor shades. Others have colours of their own.
func colour(c *chart.Chart, actors []string) {
	used, next := map[int]int{}, len(actors)
	for i := range c.Series {
		s := &c.Series[i]
		if s.Reference {
			continue
		}
		actor, _, _ := strings.Cut(s.Label, ", ")
		s.Colour = slices.Index(actors, actor)
		if s.Colour < 0 {
			s.Colour = next
			next++
		}
		s.Shade = used[s.Colour]
		used[s.Colour]++
	}
}

func frame(p *experiment.Plot) *chart.Chart {
	kind := map[experiment.PlotKind]chart.Kind{experiment.Lines: chart.Lines, experiment.Bars: chart.Bars, experiment.Traces: chart.XY}[p.Kind]
	c := &chart.Chart{Title: p.Title, Sub: p.Published, XLabel: axisLabel(p.X, p.XUnit), YLabel: axisLabel(p.Y, p.YUnit), Kind: kind, LogY: p.LogY}
	for _, l := range p.Levels {
		c.Levels = append(c.Levels, chart.Level{Y: l.Y.Float(), Label: l.Label})
	}
	return c
}

func axisLabel(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " [" + unit + "]"
}

// charted draws rows: a place on the X axis for each text in column X, a series for each text in the series columns.
func charted(p *experiment.Plot, rows []experiment.Row) *chart.Chart {
	c := frame(p)
	picked := experiment.Pick(rows, p.Where)
	place := map[string]int{}
	for _, row := range picked {
		x := row.Text(p.X)
		if _, ok := place[x]; !ok {
			place[x] = len(c.Categories)
			c.Categories = append(c.Categories, x)
		}
	}
	add := func(s *chart.Series, row experiment.Row, column string) {
		if y, ok := row.Number(column); ok {
			s.Points = append(s.Points, chart.Point{X: float64(place[row.Text(p.X)]), Y: y.Float(), Text: y.String()})
		}
	}
	for _, label := range labels(p, picked) {
		s := chart.Series{Label: label}
		for _, row := range picked {
			if seriesName(p, row) == label {
				add(&s, row, p.Y)
			}
		}
		keep(c, s)
	}
	for _, e := range p.Also {
		s := chart.Series{Label: e.Label, Reference: true}
		seen := map[string]bool{}
		for _, row := range picked {
			if x := row.Text(p.X); !seen[x] {
				add(&s, row, e.Column)
				seen[x] = true
			}
		}
		keep(c, s)
	}
	return c
}

// keep takes a series that has points.
func keep(c *chart.Chart, s chart.Series) {
	if len(s.Points) > 0 {
		c.Series = append(c.Series, s)
	}
}

// labels are the names of all series, in the order in which rows bring them.
func labels(p *experiment.Plot, rows []experiment.Row) []string {
	var list []string
	seen := map[string]bool{}
	for _, row := range rows {
		if l := seriesName(p, row); !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	}
	return list
}

func seriesName(p *experiment.Plot, row experiment.Row) string {
	var parts []string
	for _, s := range p.Series {
		if t := row.Text(s); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, ", ")
}

// traced draws the traces that name the plot.
func traced(p *experiment.Plot, traces []experiment.Trace) *chart.Chart {
	c := frame(p)
	for _, t := range traces {
		if t.Plot != p.Name {
			continue
		}
		s := chart.Series{Label: t.Label}
		for _, q := range t.Points {
			s.Points = append(s.Points, chart.Point{X: q.X.Float(), Y: q.Y.Float(), Text: q.Y.String()})
		}
		keep(c, s)
	}
	return c
}
