package report

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"metaroce/tandem/experiment"
)

// document is the form of results.json. Figures are numbers with their places; what was not measured is not there.
type document struct {
	Experiment string       `json:"experiment"`
	Claim      string       `json:"claim"`
	Source     string       `json:"source"`
	Of         string       `json:"of"`
	Call       string       `json:"call"`
	Seed       uint64       `json:"seed"`
	Partial    bool         `json:"partial"`
	Cells      int          `json:"cells"`
	Done       int          `json:"done"`
	Parameters object       `json:"parameters"`
	Columns    []column     `json:"columns"`
	Rows       []object     `json:"rows"`
	Compared   []comparison `json:"side_by_side"`
	Gates      []gate       `json:"gates"`
	Failed     []failed     `json:"failed"`
	Traces     []trace      `json:"traces"`
}

type column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Key  bool   `json:"key,omitempty"`
	What string `json:"what"`
}

type comparison struct {
	What      string            `json:"what"`
	Unit      string            `json:"unit,omitempty"`
	Ours      *experiment.Fixed `json:"metaroce"`
	Baseline  *experiment.Fixed `json:"rocev2"`
	Limit     *experiment.Fixed `json:"limit"`
	Why       string            `json:"limit_is,omitempty"`
	Published string            `json:"published,omitempty"`
}

type gate struct {
	Name   string           `json:"name"`
	Rule   string           `json:"rule"`
	State  experiment.State `json:"state"`
	Checks []check          `json:"checks"`
}

type check struct {
	What  string            `json:"what"`
	Value *experiment.Fixed `json:"value"`
	Sign  string            `json:"relation"`
	Bound experiment.Fixed  `json:"bound"`
	Holds bool              `json:"holds"`
}

type failed struct {
	Cell  string `json:"cell"`
	Error string `json:"error"`
	Again string `json:"again"`
}

type trace struct {
	Cell   string                `json:"cell"`
	Plot   string                `json:"plot"`
	Label  string                `json:"label"`
	Points [][2]experiment.Fixed `json:"points"`
}

// Ours says of what the figures are; every output carries it.
const Ours = "figures are of this project's own model, not of hardware"

// JSON writes results as a list, one document each.
func JSON(w io.Writer, list []*experiment.Result) error {
	docs := []*document{}
	for _, r := range list {
		docs = append(docs, documentOf(r))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(docs); err != nil {
		return err
	}
	_, err := w.Write(pair.ReplaceAll(b.Bytes(), []byte("[$1, $2]")))
	return err
}

// pair is a point of a trace, which is to stand on one line. No string can match: a line break in it is escaped.
var pair = regexp.MustCompile(`\[\n\s+(-?[0-9.]+),\n\s+(-?[0-9.]+)\n\s+\]`)

func documentOf(r *experiment.Result) *document {
	d := &document{Experiment: r.Title(), Claim: r.Experiment.Claim, Source: r.Experiment.Source, Of: Ours, Call: call(r), Seed: r.Seed, Partial: r.Partial,
		Cells: r.Cells(), Done: r.Done, Columns: []column{}, Rows: []object{}, Compared: []comparison{}, Gates: []gate{}, Failed: []failed{}, Traces: []trace{}}
	for _, s := range r.Settings {
		d.Parameters = append(d.Parameters, member{s.Name, s.Text})
	}
	for _, c := range r.Plan.Columns {
		d.Columns = append(d.Columns, column{c.Name, c.Unit, c.Key, c.What})
	}
	for _, row := range r.Rows {
		d.Rows = append(d.Rows, rowObject(row, r.Plan.Columns))
	}
	for _, c := range r.Comparisons {
		d.Compared = append(d.Compared, comparison{c.What, c.Unit, c.Ours, c.Baseline, c.Limit, c.Why, c.Published})
	}
	for _, v := range r.Verdicts {
		d.Gates = append(d.Gates, gateOf(v))
	}
	for _, f := range r.Failures {
		d.Failed = append(d.Failed, failed{f.Cell, f.Error, Again(r, f.Cell)})
	}
	for _, t := range r.Traces {
		x := trace{Cell: t.Cell, Plot: t.Plot, Label: t.Label, Points: [][2]experiment.Fixed{}}
		for _, p := range t.Points {
			x.Points = append(x.Points, [2]experiment.Fixed{p.X, p.Y})
		}
		d.Traces = append(d.Traces, x)
	}
	return d
}

func gateOf(v experiment.Verdict) gate {
	g := gate{Name: v.Name, Rule: v.Rule, State: v.State, Checks: []check{}}
	for _, c := range v.Checks {
		x := check{What: c.What, Sign: c.Sign(), Bound: c.Bound, Holds: c.Holds()}
		if !c.Missing {
			x.Value = &c.Value
		}
		g.Checks = append(g.Checks, x)
	}
	return g
}

func rowObject(row experiment.Row, columns []experiment.Column) object {
	o := object{{"cell", row.Cell}}
	for _, c := range columns {
		f, ok := row.Get(c.Name)
		switch {
		case !ok:
		case f.IsNo:
			o = append(o, member{c.Name, f.Num})
		default:
			o = append(o, member{c.Name, f.Word})
		}
	}
	return o
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{m.name, m.value} {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			if j == 1 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
