package catalog

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/experiment"
	"metaroce/tandem/experiment/report"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// tiny are settings with which each experiment runs in no time, and has something for most of its gates.
var tiny = map[string][]string{
	"loss":          {"messages=4", "loss=0%,1%,10%"},
	"planes":        {"hosts=4", "connections=4,12", "planes=1,2", "host-bytes=512k"},
	"failover":      {"hosts=2", "planes=2", "senders=4", "kill=150us", "return=450us", "end=750us", "rate=50g"},
	"incast":        {"senders=8", "bytes=200000", "buffers=1000"},
	"collectives":   {"hosts=4", "loss=0%,1%", "pair=64k", "slice=32k", "rate=100g"},
	"fairness":      {"senders=3", "time=300us", "rate=100g"},
	"scale-across":  {"site=2", "base-rtt=100us", "rtts=6", "rate=40g", "message=64k", "loss=0%"},
	"storage":       {"fan=4,100", "answer=4k", "rounds=2"},
	"first-message": {"bytes=4k,64k"},
	"streams":       {"messages=6", "times=1,3", "load=900"},
	"fabrics":       {"hosts=8", "bytes=100000"},
}

func settingsOf(texts []string) []experiment.Setting {
	var list []experiment.Setting
	for _, t := range texts {
		name, text, _ := strings.Cut(t, "=")
		list = append(list, experiment.Setting{Name: name, Text: text})
	}
	return list
}

func planOf(t *testing.T, e *experiment.Experiment, texts []string) (experiment.Values, *experiment.Plan) {
	v, bad := e.Params.Read(settingsOf(texts))
	require.Empty(t, bad)
	p, err := e.Plan(v)
	require.NoError(t, err)
	return v, p
}

// typed is what can be typed in a shell without quotes.
var typed = regexp.MustCompile(`^[A-Za-z0-9=%./-]+$`)

// TestPlansByDefault: every plan is sound and says what it is about.
func TestPlansByDefault(t *testing.T) {
	names := map[string]bool{}
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			assert.False(t, names[e.Name])
			names[e.Name] = true
			for _, text := range []string{e.Short, e.Claim, e.Source, e.About} {
				assert.NotEmpty(t, text)
			}
			for _, p := range e.Params {
				assert.NotEmpty(t, p.Why, p.Name)
			}
			_, p := planOf(t, e, nil)
			columns := map[string]bool{}
			for _, c := range p.Columns {
				assert.NotEmpty(t, c.What, c.Name)
				assert.False(t, columns[c.Name], c.Name)
				columns[c.Name] = true
			}
			for _, c := range p.Cells {
				assert.Regexp(t, typed, c.Name)
				assert.Positive(t, c.Weight)
			}
			for _, h := range e.Headline {
				assert.True(t, columns[h], h)
			}
			for _, plot := range p.Plots {
				assert.Regexp(t, typed, plot.Name)
				if plot.Kind == experiment.Traces {
					continue
				}
				for _, c := range append([]string{plot.X, plot.Y}, plot.Series...) {
					assert.True(t, columns[c], "%s of plot %s", c, plot.Name)
				}
			}
		})
	}
}

// TestTinyRuns runs every experiment to its end: all cells, no failure, same bytes with other workers, all plots drawn.
func TestTinyRuns(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			v, p := planOf(t, e, tiny[e.Name])
			var files [2]bytes.Buffer
			var r *experiment.Result
			for i, workers := range []int{1, 3} {
				var err error
				r, err = experiment.Run(t.Context(), e, v, p, experiment.Options{Seed: 3, Workers: workers})
				require.NoError(t, err)
				require.NoError(t, report.JSON(&files[i], []*experiment.Result{r}))
			}
			for _, f := range r.Failures {
				t.Errorf("%s: %.200s", f.Cell, f.Error)
			}
			require.Equal(t, len(p.Cells), r.Done)
			assert.True(t, files[0].String() == files[1].String(), "other bytes with other workers")
			assert.Len(t, report.Pictures(r), len(p.Plots))
			assert.NotEmpty(t, r.Comparisons)
			checkLimits(t, r)
			checkGatesBite(t, r)
		})
	}
}

// checkLimits: what a limit says no transport can pass, none has passed.
func checkLimits(t *testing.T, r *experiment.Result) {
	one := experiment.Decimal("1")
	for _, row := range r.Rows {
		limit, ok := row.Number("limit")
		if !ok {
			continue
		}
		if slow, ok := row.Number("slowdown"); ok {
			assert.GreaterOrEqual(t, slow.Compare(one), 0, "%s: slowdown %s", row.Cell, slow)
			continue
		}
		for _, column := range []string{"share", "last"} {
			got, ok := row.Number(column)
			switch {
			case !ok:
			case column == "last":
				assert.GreaterOrEqual(t, got.Compare(limit), 0, "%s: last %s, limit %s", row.Cell, got, limit)
			case r.Experiment.Name != "planes":
				assert.LessOrEqual(t, got.Compare(limit), 0, "%s: share %s, limit %s", row.Cell, got, limit)
			}
		}
		if r.Experiment.Name == "planes" || r.Experiment.Name == "collectives" {
			assert.LessOrEqual(t, limit.Compare(one), 0, "%s: limit %s of time", row.Cell, limit)
		}
	}
}

// checkGatesBite: for each gate that looks at something there is a figure of ours that makes it fail, by being 0 or huge.
func checkGatesBite(t *testing.T, r *experiment.Result) {
	for i, v := range r.Verdicts {
		if len(v.Checks) == 0 {
			continue
		}
		bites := false
		for _, c := range r.Plan.Columns {
			for _, n := range []int64{0, 1 << 40} {
				if c.Key {
					continue
				}
				for _, k := range r.Plan.Gates[i].Judge(with1(r, c, n)) {
					bites = bites || !k.Holds()
				}
			}
		}
		assert.True(t, bites, "gate %q holds whatever is measured", v.Name)
	}
}

// with1 are the rows with one column of ours replaced, where it is there.
func with1(r *experiment.Result, replaced experiment.Column, n int64) []experiment.Row {
	var rows []experiment.Row
	for _, row := range r.Rows {
		w := experiment.Row{Cell: row.Cell}
		for _, c := range r.Plan.Columns {
			f, ok := row.Get(c.Name)
			switch {
			case !ok:
			case c.Name == replaced.Name && row.Text("transport") == metaName:
				w = w.Num(c.Name, experiment.Whole(n))
			case f.IsNo:
				w = w.Num(c.Name, f.Num)
			default:
				w = w.Word(c.Name, f.Word)
			}
		}
		rows = append(rows, w)
	}
	return rows
}

// TestGatesThatTinyRunsJudge: with these settings every gate has something to look at, so that the test above tries it.
func TestGatesThatTinyRunsJudge(t *testing.T) {
	for _, e := range All() {
		_, p := planOf(t, e, nil)
		for _, g := range p.Gates {
			assert.NotEmpty(t, g.Rule, "%s: %s", e.Name, g.Name)
			assert.Empty(t, g.Judge(nil), "%s: %s judges nothing", e.Name, g.Name)
		}
	}
}

// TestKeptIsJudged: the gate that small slices are exempt from bites, on both sides of its bound.
func TestKeptIsJudged(t *testing.T) {
	row := func(work, kept string) experiment.Row {
		return experiment.Row{}.Word("work", work).Word("loss", "1%").Word("transport", metaName).Num("kept", experiment.Decimal(kept))
	}
	checks := judgeKept([]experiment.Row{row("ring", "0.9300"), row("all-to-all", "0.9299"), row("ring-whole", "0.1")})
	require.Len(t, checks, 2, "unsliced rings are reported")
	assert.True(t, checks[0].Holds())
	assert.False(t, checks[1].Holds())
}

// TestConstantsAreParameters: a constant of the protocol that is set reaches the NICs, and is in the report.
func TestConstantsAreParameters(t *testing.T) {
	figures := func(set ...string) (string, *experiment.Result) {
		e := first()
		v, p := planOf(t, e, append([]string{"bytes=64k", "transports=metaroce"}, set...))
		r, err := experiment.Run(t.Context(), e, v, p, experiment.Options{Seed: 3})
		require.NoError(t, err)
		require.Empty(t, r.Failures)
		return r.Rows[0].Text("time"), r
	}
	usual, _ := figures()
	free, r := figures("mr.allowance=64")
	assert.NotEqual(t, usual, free, "64 KB are within the allowance: no round trip to ask")
	assert.Contains(t, r.Settings, experiment.Setting{Name: "mr.allowance", Text: "64"})
	slow, _ := figures("nic=cycles")
	assert.NotEqual(t, usual, slow, "stages take time")
	_, bad := first().Params.Read(settingsOf([]string{"mr.allowance=65"}))
	assert.NotEmpty(t, bad)
}

// TestFolded: streams are folded, and nothing else of a message changes.
func TestFolded(t *testing.T) {
	g, err := workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Stream: 5, Bytes: 7, Count: 2}})
	require.NoError(t, err)
	f := folded{g, 4}
	var got []workload.Message
	f.Start(0, func(_ sim.Picos, m workload.Message) { got = append(got, m) })
	f.Done(1, got[0], func(_ sim.Picos, m workload.Message) { got = append(got, m) })
	assert.Equal(t, []workload.Message{{Src: 0, Dst: 1, Stream: 1, Bytes: 7}, {Src: 0, Dst: 1, Stream: 1, Bytes: 7, Tag: 1}}, got)
}

// TestImpossible: what cannot be is refused before anything runs, all of it at once, each once.
func TestImpossible(t *testing.T) {
	cases := []struct {
		name string
		set  []string
		want []string
	}{
		{"loss", []string{"base-rtt=1us", "rate=1g"}, []string{"base-rtt is 1us: switches, NICs"}},
		{"loss", []string{"messages=100000", "depth=1024", "bytes=2048m", "paths=3"}, nil},
		{"planes", []string{"planes=16,8", "paths=4", "connections=5000"}, []string{"Planes is 16: want 1..8 planes", "Paths is 4: want at least one a plane, 8", "Connections is 5000"}},
		{"failover", []string{"kill=1us", "return=2us", "end=3us"}, []string{"kill is", "return is", "end is"}},
		{"collectives", []string{"hosts=16", "pair=2048m", "transports=rocev2"}, nil},
	}
	for _, c := range cases {
		var e *experiment.Experiment
		for _, x := range All() {
			if x.Name == c.name {
				e = x
			}
		}
		v, bad := e.Params.Read(settingsOf(c.set))
		require.Empty(t, bad)
		_, err := e.Plan(v)
		if c.want == nil {
			assert.NoError(t, err, "%v", c.set)
			continue
		}
		require.Error(t, err)
		for _, w := range c.want {
			assert.Equal(t, 1, strings.Count(err.Error(), w), "%s in %s", w, err)
		}
	}
}
