package report

import (
	"cmp"
	"fmt"
	"slices"

	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/experiment/chart"
)

// dotsShown is how many executions a picture has; of more, evenly spread ones are taken.
const dotsShown = 1500

// durations counts executions by how long they took, in steps of 1, 2, 5.
func durations(tests []Test) *chart.Chart {
	c := &chart.Chart{Title: "How long executions took", XLabel: "less than", YLabel: "executions", Kind: chart.Bars}
	var bounds []int64
	for decade := int64(10); decade <= 1_000_000; decade *= 10 {
		bounds = append(bounds, decade, 2*decade, 5*decade)
	}
	bounds = append(bounds, 1<<62)
	counts := make([]int, len(bounds))
	for i := range tests {
		if tests[i].Begin != 0 {
			n, _ := slices.BinarySearch(bounds, tests[i].Duration+1)
			counts[n]++
		}
	}
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	if first < 0 {
		return c
	}
	s := chart.Series{}
	for i := first; i < len(counts); i++ {
		if !slices.ContainsFunc(counts[i:], func(n int) bool { return n > 0 }) {
			break
		}
		label := "more"
		if i < len(bounds)-1 {
			label = short(bounds[i])
		}
		s.Points = append(s.Points, chart.Point{X: float64(len(c.Categories)), Y: float64(counts[i]), Text: thousands(counts[i])})
		c.Categories = append(c.Categories, label)
	}
	c.Series = []chart.Series{s}
	return c
}

// short is a duration on an axis.
func short(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%d s", ms/1000)
}

// spread takes so many of a list, evenly.
func spread[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}

// throughput shows the speed of executions over the time of the run, a series for each device and preset.
func throughput(r *Report) *chart.Chart {
	c := &chart.Chart{Title: "Speed of the device over the run", XLabel: "seconds since the run began", YLabel: "1000 cycles/s", Kind: chart.Dots, LogY: true}
	at := map[string]int{}
	for _, t := range spread(r.Tests, dotsShown) {
		if t.Cycles == 0 || t.Duration <= 0 || t.Begin == 0 {
			continue
		}
		label := t.Device + " " + t.Preset
		if _, ok := at[label]; !ok {
			at[label] = len(c.Series)
			c.Series = append(c.Series, chart.Series{Label: label})
		}
		s := &c.Series[at[label]]
		rate := float64(t.Cycles) * 1000 / float64(t.Duration)
		s.Points = append(s.Points, chart.Point{X: float64(t.Begin-r.Run.Began) / 1000, Y: rate / 1000, Text: thousands(int64(rate)) + " cycles/s, " + t.ID})
	}
	slices.SortFunc(c.Series, func(a, b chart.Series) int { return cmp.Compare(a.Label, b.Label) })
	for i := range c.Series {
		c.Series[i].Colour = i
	}
	return c
}

// skews shows how far the model in cycles lies beside the device, by engine.
func skews(r *Report) *chart.Chart {
	of, rows := r.Skew()
	if of == nil {
		return nil
	}
	c := &chart.Chart{Title: "Cycles since a frame's last beat: device and prediction", XLabel: "event", YLabel: "cycles, mean", Kind: chart.Bars}
	device, model := chart.Series{Label: "device"}, chart.Series{Label: "model in cycles", Colour: 1}
	for i, x := range rows {
		c.Categories = append(c.Categories, x.Kind)
		text := func(mean uint64) string {
			return fmt.Sprintf("%d", mean)
		}
		device.Points = append(device.Points, chart.Point{X: float64(i), Y: float64(x.DeviceMean), Text: text(x.DeviceMean)})
		model.Points = append(model.Points, chart.Point{X: float64(i), Y: float64(x.PredictMean), Text: text(x.PredictMean)})
	}
	c.Series = []chart.Series{device, model}
	return c
}

// trends are the charts of the history; none: it has less than two runs.
func trends(r *Report) []*chart.Chart {
	if len(r.Trend) < 2 {
		return nil
	}
	flaky := slices.ContainsFunc(r.Trend, func(p history.Point) bool { return p.Flaky > 0 })
	draw := func(title, unit string, kind chart.Kind, value func(i int) (float64, string, bool)) *chart.Chart {
		c := &chart.Chart{Title: title, XLabel: "run", YLabel: unit, Kind: kind}
		s := chart.Series{}
		for i := range r.Trend {
			c.Categories = append(c.Categories, r.Trend[i].ID)
			if y, text, ok := value(i); ok {
				s.Points = append(s.Points, chart.Point{X: float64(i), Y: y, Text: text})
			}
		}
		c.Series = []chart.Series{s}
		return c
	}
	list := []*chart.Chart{
		draw("Pass rate", "% match", chart.Lines, func(i int) (float64, string, bool) {
			p := &r.Trend[i]
			return 100 * float64(p.Matched) / float64(max(p.Cases, 1)), fmt.Sprintf("%d of %d", p.Matched, p.Cases), p.Cases > 0
		}),
		draw("Duration", "seconds", chart.Lines, func(i int) (float64, string, bool) {
			ms := r.Trend[i].Duration
			return float64(ms) / 1000, span(ms), ms > 0
		}),
		draw("Flaky executions", "executions", chart.Bars, func(i int) (float64, string, bool) {
			n := r.Trend[i].Flaky
			return float64(n), fmt.Sprint(n), flaky
		}),
		draw("Functional bins", "% hit", chart.Lines, func(i int) (float64, string, bool) {
			p := &r.Trend[i]
			return 100 * float64(p.Hit) / float64(max(p.Bins, 1)), fmt.Sprintf("%d of %d", p.Hit, p.Bins), p.Bins > 0
		}),
	}
	return slices.DeleteFunc(list, func(c *chart.Chart) bool { return len(c.Series[0].Points) == 0 })
}

// lane is the executions of one shard in the picture of the run's time.
type lane struct {
	name  string
	tests []Test
}

// lanes puts executions by shard, in the order in which the shards began.
func lanes(tests []Test) []lane {
	by := map[string]*lane{}
	var list []*lane
	sorted := slices.Clone(tests)
	slices.SortStableFunc(sorted, func(a, b Test) int { return cmp.Compare(a.Begin, b.Begin) })
	for _, t := range sorted {
		if t.Begin == 0 || t.Verdict == result.Skipped {
			continue
		}
		if by[t.Shard] == nil {
			by[t.Shard] = &lane{name: t.Shard}
			list = append(list, by[t.Shard])
		}
		by[t.Shard].tests = append(by[t.Shard].tests, t)
	}
	out := make([]lane, len(list))
	for i, l := range list {
		out[i] = *l
	}
	return out
}
