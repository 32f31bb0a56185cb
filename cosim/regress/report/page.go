package report

import (
	_ "embed" // the page's parts
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"metaroce/tandem/cosim/divergence"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/experiment/chart"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// Everything that comes from a run is escaped by the template. Drawings escape their own texts.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"thousands": func(v any) string {
		switch v := v.(type) {
		case int:
			return thousands(v)
		case int64:
			return thousands(v)
		case uint64:
			return thousands(v)
		}
		panic(fmt.Sprintf("BUG: thousands of %T", v))
	},
	"plural": plural, "span": span, "moment": moment, "percent": percent, "meter": meter, "xid": xidText, "hex": hexShown,
	"join": func(list []string) string { return strings.Join(list, ", ") },
	"timing": func(v *divergence.View) template.HTML {
		return template.HTML(timing(v)) //nolint:gosec // see above
	},
	"wrong": func(list []divergence.Value, wrong bool) (some []divergence.Value) {
		for _, v := range list {
			if v.Wrong == wrong {
				some = append(some, v)
			}
		}
		return some
	},
	"dict": func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i+1 < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	},
}).Parse(pageText))

// hexBytes is how much of a part is shown.
const hexBytes = 96

func hexShown(b []byte) string {
	var s strings.Builder
	for i, x := range b {
		if i == hexBytes {
			fmt.Fprintf(&s, " … %d more", len(b)-i)
			break
		}
		if i > 0 && i%4 == 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%02x", x)
	}
	return s.String()
}

// meter is a small bar: what is hit, what is waived, of all.
func meter(hit, waived, all int) template.HTML {
	if all == 0 {
		return ""
	}
	class := "meter"
	if hit+waived < all {
		class = "meter bad"
	}
	return template.HTML(fmt.Sprintf(`<span class="%s"><i style="width:%.1f%%"></i><b style="width:%.1f%%"></b></span>`,
		class, 100*float64(hit)/float64(all), 100*float64(waived)/float64(all)))
}

// pageData is what the page is filled with.
type pageData struct {
	R        *Report
	Style    template.CSS
	Script   template.JS
	Buckets  []pageBucket
	AllMatch bool
	Verdicts []verdictCount
	Columns  []column
	Code     []pageCode
	Plots    []template.HTML
	Timeline template.HTML
	Skew     template.HTML
	SkewOf   string
	SkewRows []lockstep.SkewRow
	Trends   []template.HTML
	Data     any
}

type pageBucket struct {
	Bucket
	WavesCall string
}

type verdictCount struct {
	Verdict result.Verdict
	Count   int
}

// column of the list of executions; Name is that of page.js.
type column struct {
	Name, Head string
	Right      bool
}

type pageCode struct {
	Name string
	Code *coverage.Code
}

var columns = []column{{"id", "execution", false}, {"verdict", "verdict", false}, {"bucket", "cause", true}, {"device", "device", false}, {"preset", "preset", false},
	{"events", "events", true}, {"cycles", "cycles", true}, {"duration", "time", true}}

// HTML writes the page.
func (r *Report) HTML(w io.Writer) error {
	p := pageData{R: r, Style: template.CSS(chart.Style + pageStyle), Script: template.JS(pageScript), Columns: columns, Data: r.rows(),
		Timeline: template.HTML(timeline(r)), AllMatch: r.Run.Counts[result.Match] == r.Run.Cases}
	for i := range r.Buckets {
		b := pageBucket{Bucket: r.Buckets[i]}
		if b.Rerun != "" && b.Verdict == result.Divergence && b.Smallest.Dut == "rtl" {
			b.WavesCall = b.Rerun + " --waves"
		}
		p.Buckets = append(p.Buckets, b)
	}
	for _, v := range slices.Backward(result.Verdicts()) {
		if n := r.Run.Counts[v]; n > 0 {
			p.Verdicts = append(p.Verdicts, verdictCount{v, n})
		}
	}
	if c := r.Coverage; c != nil {
		p.Code = []pageCode{{"Lines", c.Line}, {"Branches", c.Branch}, {"Toggles", c.Toggle}}
	}
	for _, c := range []*chart.Chart{durations(r.Tests), throughput(r)} {
		if len(c.Series) > 0 {
			p.Plots = append(p.Plots, template.HTML(c.SVG()))
		}
	}
	if c := skews(r); c != nil {
		of, rows := r.Skew()
		p.Skew, p.SkewOf, p.SkewRows = template.HTML(c.SVG()), of.Smallest.ID(), rows
	}
	for _, c := range trends(r) {
		p.Trends = append(p.Trends, template.HTML(c.SVG()))
	}
	return page.Execute(w, &p)
}

// rows are the executions as the page's script reads them: lists instead of objects, because there are thousands.
func (r *Report) rows() any {
	list := make([][]any, len(r.Tests))
	for i, t := range r.Tests {
		list[i] = []any{t.ID, t.Verdict, t.Bucket, t.Device, t.Preset, t.Events, t.Cycles, t.Duration, t.Line, t.Folder}
	}
	return struct {
		Run      string           `json:"run"`
		Verdicts []result.Verdict `json:"verdicts"`
		Columns  []string         `json:"columns"`
		Rows     [][]any          `json:"rows"`
	}{r.Run.ID, result.Verdicts(), []string{"id", "verdict", "bucket", "device", "preset", "events", "cycles", "duration", "line", "folder"}, list}
}
