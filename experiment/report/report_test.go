package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/experiment"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files again; look at the difference")

func plain(_ bool, s string) string { return s }

// sample is an experiment with all that a report shows, and nothing that is simulated.
func sample(t *testing.T, bad bool) *experiment.Result {
	e := &experiment.Experiment{Name: "sample", Short: "s", Claim: `Goodput "holds" under <loss>`, Source: "ann:r-loss", About: "Nothing is simulated.",
		Params: experiment.Params{{Name: "loss", Kind: experiment.Numbers, Unit: experiment.PerMill, Max: 100_000, Default: "0%,1%", Why: "two"}}}
	p := &experiment.Plan{
		Columns: []experiment.Column{{Name: "loss", Key: true, What: "of packets"}, {Name: "transport", Key: true, What: "which"},
			{Name: "goodput", Unit: "of line", What: "payload over time"}, {Name: "limit", Unit: "of line", What: "what can be"}},
		Gates: []experiment.Gate{
			{Name: "goodput at 1 %", Rule: "at least 0.955", Judge: experiment.AtLeast(experiment.Where{"loss": "1%", "transport": "metaroce"}, "goodput", "0.955", "loss")},
			{Name: "nobody", Rule: "looks at nothing", Judge: experiment.AtLeast(experiment.Where{"loss": "2%"}, "goodput", "0.9")},
		},
		Plots: []experiment.Plot{
			{Name: "goodput", Title: "goodput over loss", X: "loss", Y: "goodput", Series: []string{"transport"}, Also: []experiment.Extra{{Column: "limit", Label: "limit"}},
				Levels: []experiment.Level{{Y: experiment.Decimal("0.955"), Label: "gate"}}, Note: "One cell each."},
			{Name: "time", Title: "over time", Kind: experiment.Traces, X: "time", XUnit: "us", Y: "rate"},
			{Name: "nothing", Title: "of no rows", X: "loss", Y: "goodput", Where: experiment.Where{"transport": "none"}},
		},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			at := func(who string) *experiment.Fixed {
				return experiment.Fig(experiment.One(rows, experiment.Where{"loss": "1%", "transport": who}, "goodput"))
			}
			limit := experiment.Decimal("0.966")
			return []experiment.Comparison{{What: "goodput at 1 % loss", Unit: "of line", Ours: at("metaroce"), Baseline: at("rocev2"), Published: "about 0.86 (ann:r-loss)", Limit: &limit, Why: "99 % of 4096 of 4196 bytes"}}
		},
	}
	cell := func(loss, who, goodput string) {
		p.Cells = append(p.Cells, experiment.Cell{Name: "loss=" + loss + "/" + who, Run: func(*experiment.Context) (experiment.Output, error) {
			if bad && who == "rocev2" {
				return experiment.Output{}, errors.New("work outstanding: 3 messages")
			}
			row := experiment.Row{}.Word("loss", loss).Word("transport", who).Num("limit", experiment.Decimal("0.9760"))
			if goodput != "" {
				row = row.Num("goodput", experiment.Decimal(goodput))
			}
			tr := experiment.Trace{Plot: "time", Label: who, Points: []experiment.Point{{X: experiment.Whole(0), Y: experiment.Whole(1)}, {X: experiment.Whole(10), Y: experiment.Decimal("0.50")}}}
			return experiment.Output{Rows: []experiment.Row{row}, Traces: []experiment.Trace{tr}}, nil
		}})
	}
	cell("0%", "metaroce", "0.9756")
	cell("0%", "rocev2", "")
	cell("1%", "metaroce", "0.9652")
	cell("1%", "rocev2", "0.0321")
	v, problems := e.Params.Read(nil)
	require.Empty(t, problems)
	r, err := experiment.Run(t.Context(), e, v, p, experiment.Options{Seed: 1, Workers: 2, Set: []experiment.Setting{{Name: "loss", Text: "0%,1%"}}})
	require.NoError(t, err)
	return r
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Text(&b, sample(t, false), plain))
	golden(t, "sample.txt", b.String())
	b.Reset()
	require.NoError(t, Text(&b, sample(t, true), plain))
	golden(t, "failed.txt", b.String())
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	r := sample(t, false)
	require.NoError(t, CSV(&b, r))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 5)
	assert.Equal(t, []string{"cell", "loss", "transport", "goodput [of line]", "limit [of line]"}, lines[0])
	assert.Equal(t, []string{"loss=0%/rocev2", "0%", "rocev2", "", "0.9760"}, lines[2])
	b.Reset()
	require.NoError(t, TracesCSV(&b, r))
	assert.Contains(t, b.String(), "loss=1%/rocev2,time,rocev2,10,0.50\n")
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []*experiment.Result{sample(t, true)}))
	golden(t, "failed.json", b.String())
	assert.True(t, json.Valid(b.Bytes()))
	b.Reset()
	require.NoError(t, JSON(&b, nil))
	assert.Equal(t, "[]\n", b.String())
}

// TestPage: everything is in it, text is escaped, nothing is fetched.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Page(&b, []*experiment.Result{sample(t, false), sample(t, true)}))
	text := b.String()
	for _, want := range []string{"figures are of this project&#39;s own model, not of hardware", "Goodput &#34;holds&#34; under &lt;loss&gt;", "0.9652", "0.0321", "about 0.86 (ann:r-loss)", "99 % of 4096 of 4196 bytes", "<svg",
		"tandem sim sample --seed 1 --set loss=0%,1%", "work outstanding: 3 messages", "tandem sim sample --seed 1 --set loss=0%,1% --only loss=0%/rocev2",
		"nothing to look at", "not all gates judged", "cells failed", "prefers-color-scheme: dark", "width=device-width", "is what MetaRoCE cannot pass under the same conditions", "may stand beyond it", `href="#sample"`} {
		assert.True(t, strings.Contains(text, want), want)
	}
	text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, not := range []string{"src=", "url(", "<script", "<link", "@import", "http", "ZgotmplZ"} { // the last: a value that the template took for dangerous
		assert.False(t, strings.Contains(text, not), not)
	}
}

// TestOneGate: one is not called all of them.
func TestOneGate(t *testing.T) {
	r := sample(t, false)
	r.Verdicts = []experiment.Verdict{{State: experiment.Held}}
	var b bytes.Buffer
	require.NoError(t, Page(&b, []*experiment.Result{r}))
	assert.Contains(t, b.String(), ">the gate holds<")
	assert.Contains(t, r.Line(), "cells, the gate holds")
	r.Verdicts = append(r.Verdicts, r.Verdicts[0])
	assert.Contains(t, r.Line(), "cells, all 2 gates hold")
}

// TestOnlyInTheCall: what was made of one cell is made again by a call that says so.
func TestOnlyInTheCall(t *testing.T) {
	r := sample(t, false)
	r.Only = "loss=0%/rocev2"
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []*experiment.Result{r}))
	assert.Contains(t, b.String(), `"call": "tandem sim sample --seed 1 --set loss=0%,1% --only loss=0%/rocev2"`)
}

// TestFiles: the same bytes twice, each file whole.
func TestFiles(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "deep", "a"), t.TempDir()
	names, err := Files(a, []*experiment.Result{sample(t, false)})
	require.NoError(t, err)
	assert.Equal(t, []string{"results.json", "results.csv", "traces.csv", "goodput.svg", "goodput.png", "time.svg", "time.png", "index.html"}, names)
	_, err = Files(b, []*experiment.Result{sample(t, false)})
	require.NoError(t, err)
	for _, n := range names {
		x, err := os.ReadFile(filepath.Join(a, n))
		require.NoError(t, err)
		y, err := os.ReadFile(filepath.Join(b, n))
		require.NoError(t, err)
		assert.Equal(t, string(x), string(y), n)
	}
	two, err := Files(b, []*experiment.Result{sample(t, false), sample(t, true)})
	require.NoError(t, err)
	assert.Contains(t, two, "sample/results.json")
	assert.Equal(t, "index.html", two[len(two)-1])
	left, err := filepath.Glob(filepath.Join(b, "*.part"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o644))
	names, err := Files(dir, []*experiment.Result{sample(t, false)})
	assert.Empty(t, names)
	assert.ErrorContains(t, err, "cannot write "+filepath.Join(dir, "results.json"))
}
