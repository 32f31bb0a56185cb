package report

import (
	"encoding/csv"
	"io"

	"metaroce/tandem/experiment"
)

// CSV writes the rows: a head with column and unit, then one line a row. What was not measured is empty.
func CSV(w io.Writer, r *experiment.Result) error {
	out := csv.NewWriter(w)
	head := []string{"cell"}
	for _, c := range r.Plan.Columns {
		h := c.Name
		if c.Unit != "" {
			h += " [" + c.Unit + "]"
		}
		head = append(head, h)
	}
	lines := [][]string{head}
	for _, row := range r.Rows {
		line := []string{row.Cell}
		for _, c := range r.Plan.Columns {
			line = append(line, row.Text(c.Name))
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// TracesCSV writes the points of all traces, one line a point.
func TracesCSV(w io.Writer, r *experiment.Result) error {
	lines := [][]string{{"cell", "plot", "label", "x", "y"}}
	for _, t := range r.Traces {
		for _, p := range t.Points {
			lines = append(lines, []string{t.Cell, t.Plot, t.Label, p.X.String(), p.Y.String()})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
