package report

import (
	_ "embed"
	"html/template"
	"io"

	"metaroce/tandem/experiment"
	"metaroce/tandem/experiment/chart"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// Page writes one page of all results. It needs no other file and no network.
func Page(w io.Writer, list []*experiment.Result) error {
	p := pageData{Style: template.CSS(chart.Style), Of: Ours, Many: len(list) > 1}
	for _, r := range list {
		p.Sections = append(p.Sections, sectionOf(r))
	}
	return page.Execute(w, p)
}

type pageData struct {
	Style    template.CSS
	Of       string
	Many     bool
	Sections []section
}

// section is the part of the page that one experiment has. Everything is text by now, pictures aside.
type section struct {
	Name, Claim, Source, About string
	Call                       string
	State, Class               string
	Partial                    bool
	Done, Cells                int
	Compared                   []line
	Gates                      []pageGate
	Pictures                   []pagePicture
	Heads                      []head
	Rows                       [][]datum
	Parameters                 []parameter
	Failed                     []failed
}

type line struct{ What, Unit, Ours, Baseline, Limit, Why, Published string }

type pageGate struct {
	Name, Rule, State, Class string
	Checks                   []pageCheck
}

type pageCheck struct{ What, Value, Sign, Bound, Class string }

type pagePicture struct {
	Note string
	SVG  template.HTML
}

type head struct {
	Name, Unit, What string
	Key              bool
}

type datum struct {
	Text string
	Key  bool
}

type parameter struct {
	Name, Value, Range, Why string
	Set                     bool
}

func sectionOf(r *experiment.Result) section {
	e := r.Experiment
	s := section{Name: r.Title(), Claim: e.Claim, Source: e.Source, About: e.About, Call: call(r), Partial: r.Partial, Done: r.Done, Cells: r.Cells()}
	s.State, s.Class = summary(r)
	for _, c := range r.Comparisons {
		s.Compared = append(s.Compared, line{c.What, c.Unit, figure(c.Ours), figure(c.Baseline), figure(c.Limit), c.Why, orDash(c.Published)})
	}
	for _, v := range r.Verdicts {
		s.Gates = append(s.Gates, pageGateOf(v))
	}
	for _, p := range Pictures(r) {
		s.Pictures = append(s.Pictures, pagePicture{p.Note, template.HTML(p.Chart.SVG())}) // our own text, its labels escaped
	}
	for _, c := range r.Plan.Columns {
		s.Heads = append(s.Heads, head{c.Name, c.Unit, c.What, c.Key})
	}
	for _, row := range r.Rows {
		var line []datum
		for _, c := range r.Plan.Columns {
			line = append(line, datum{orDash(row.Text(c.Name)), c.Key})
		}
		s.Rows = append(s.Rows, line)
	}
	for _, set := range r.Settings {
		p, _ := e.Params.Find(set.Name)
		s.Parameters = append(s.Parameters, parameter{p.Name, set.Text, p.Range(), p.Why, set.Text != p.Default})
	}
	for _, f := range r.Failures {
		s.Failed = append(s.Failed, failed{f.Cell, f.Error, Again(r, f.Cell)})
	}
	return s
}

func pageGateOf(v experiment.Verdict) pageGate {
	g := pageGate{Name: v.Name, Rule: v.Rule, State: v.State.String(), Class: stateClass(v.State)}
	for _, c := range v.Checks {
		x := pageCheck{What: c.What, Value: c.Value.String(), Sign: c.Sign(), Bound: c.Bound.String(), Class: "good"}
		if c.Missing {
			x.Value = "nothing measured"
		}
		if !c.Holds() {
			x.Class = "bad"
		}
		g.Checks = append(g.Checks, x)
	}
	return g
}

func stateClass(s experiment.State) string {
	switch s {
	case experiment.Held:
		return "good"
	case experiment.Failed:
		return "bad"
	}
	return "open"
}

// summary is the word of a whole experiment, and its class.
func summary(r *experiment.Result) (text, class string) {
	switch o := r.Outcome(); {
	case o.Failures > 0:
		return "cells failed", "bad"
	case r.Partial:
		return "partial", "open"
	case o.Gates[experiment.Failed] > 0:
		return "a gate fails", "bad"
	case o.Gates[experiment.NothingToJudge] > 0:
		return "not all gates judged", "open"
	case len(r.Verdicts) == 0:
		return "reported", "open"
	}
	if len(r.Verdicts) == 1 {
		return "the gate holds", "good"
	}
	return "all gates hold", "good"
}
