package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/cosim/regress/triage"
)

var update = flag.Bool("update", false, "write the golden files again; look at the difference")

// text is a report in one of its forms.
func text(t testing.TB, r *Report, name string) string {
	t.Helper()
	list, err := ParseFormats(name)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, list[0].write(r, &b))
	return b.String()
}

// TestGolden: the short forms as they are.
func TestGolden(t *testing.T) {
	w := newWorld(t)
	r := read(t, w.some(false), Options{Against: filepath.Join(w.dir, "p-1")})
	for _, name := range []string{"md", "junit", "tap"} {
		got := text(t, r, name)
		path := filepath.Join("testdata", "some."+name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "%s; go test ./cosim/regress/report -update writes it again", path)
	}
}

func TestModel(t *testing.T) {
	w := newWorld(t)
	r := read(t, w.some(true), Options{})
	assert.Equal(t, "5 of 17 executions do not match, for 4 causes: 3 divergence, 1 crash, 1 timeout. 1 of the causes is known.", r.Sentence)
	assert.False(t, r.Good)
	assert.False(t, r.Partial)
	require.Len(t, r.Buckets, 4)
	b := &r.Buckets[0]
	assert.Equal(t, windowSignature, b.Signature)
	require.NotNil(t, b.View)
	assert.Contains(t, b.Why[1], "path.ce is 90 (0x5a) in the device")
	assert.Equal(t, "B-12", r.Buckets[3].Known.Issue)
	for i := range r.Buckets {
		assert.NotEmpty(t, r.Buckets[i].Why)
		n := 0
		for _, x := range r.Tests {
			if x.Bucket == i+1 {
				n++
			}
		}
		assert.Equal(t, r.Buckets[i].Count, n)
	}
	states := map[string]PointState{}
	for _, s := range r.Stages {
		for _, p := range s.Points {
			states[p.Name] = p.State
		}
	}
	assert.Equal(t, map[string]PointState{"order": Shown, "window": Failed, "later": NoTests, "absent": NotRun}, states)
	assert.Empty(t, r.Absent)
	require.Len(t, r.Trend, 2)
	assert.Equal(t, 12, r.Trend[1].Matched)
	assert.Equal(t, "bugs", r.Suites[0].Name)
	assert.Equal(t, []Rate{{"rtl", "tiny", 17, r.Rates[0].Low, r.Rates[0].Median, r.Rates[0].High}}, r.Rates)
	for i := 1; i < len(r.Slowest); i++ {
		assert.LessOrEqual(t, r.Slowest[i].Duration, r.Slowest[i-1].Duration)
	}
}

// TestFoundOut: shrunk cases and waves that others wrote into triage.json stand in every form that has room for them.
func TestFoundOut(t *testing.T) {
	w := newWorld(t)
	dir := w.some(false)
	tr, err := triage.Read(dir)
	require.NoError(t, err)
	tr.Buckets[0].Shrunk = &triage.Shrunk{File: "shrunk/x.mrv", Before: 5000, After: 12, Runs: 61, Again: "tandem run shrunk/x.scn"}
	tr.Buckets[0].Waves = []triage.Wave{{ID: "bugs/ce+tiny@1", File: "waves/x.fst", GTKWave: "waves/x.gtkw", Surfer: "waves/x.surf", From: 5, To: 99, Cycle: 50}}
	require.NoError(t, tr.Write())
	r := read(t, dir, Options{})
	for _, name := range []string{"html", "md", "junit", "json", "tap"} {
		assert.Contains(t, text(t, r, name), "tandem run shrunk/x.scn", name)
	}
	html := text(t, r, "html")
	assert.Contains(t, html, `data-copy="tandem run shrunk/x.scn"`)
	assert.Contains(t, html, "From 5000 events of stimulus to 12, in 61 runs")
	for _, file := range []string{"waves/x.fst", "waves/x.gtkw", "waves/x.surf", "cycles 5 to 99, divergence at 50"} {
		assert.Contains(t, html, file)
	}
}

// TestWhatIsNotThere: a run of nothing but results is reported, and every part that is missing is named in every form
// that has room for it.
func TestWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	r := read(t, w.run([]result.Record{match("a/b", 0)}, nil), Options{})
	assert.Len(t, r.Absent, 3)
	assert.True(t, r.Good)
	assert.Equal(t, "The one execution matches: 1,000 events compared in 50,000 device cycles.", r.Sentence)
	for _, name := range []string{"html", "md", "json"} {
		for _, what := range []string{"testplan: ", "coverage: ", "history: "} {
			assert.Contains(t, text(t, r, name), what, name)
		}
	}
	assert.Contains(t, text(t, r, "html"), "None: every execution matches.")
}

// TestNoReport: what is no whole run is refused, with the reason.
func TestNoReport(t *testing.T) {
	w := newWorld(t)
	list := []result.Record{match("a/b", 0), match("a/b", 1)}
	good := w.run(list, nil)
	write := func(name, text string) string {
		dir := w.run(list, nil)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		return dir
	}
	none := w.run(list, func(h *run.Header) { h.State = run.Running })
	require.NoError(t, os.Remove(filepath.Join(none, run.ResultsFile)))
	ended, caseless := w.run(list, nil), w.run(list, nil)
	require.NoError(t, os.Remove(filepath.Join(ended, run.ResultsFile)))
	require.NoError(t, os.Remove(filepath.Join(caseless, run.CasesFile)))
	results, err := os.ReadFile(filepath.Join(good, run.ResultsFile))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(results), "\n")
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(w.dir, "nowhere"), "is no run of a regression"},
		{none, "no results in " + none + ": the run is running; `tandem regress --resume " + none + "` goes on with it"},
		{ended, ended + " is damaged: the run has ended, and results.jsonl is not there"},
		{caseless, caseless + " is damaged: cases.jsonl is not there"},
		{write(run.ResultsFile, ""), "no results in"},
		{write(run.ResultsFile, first+"\n"), "is damaged: results.jsonl has 1 executions, run.json says 2"},
		{write(run.ResultsFile, string(results[:len(results)-9])), "results.jsonl:2: the file is cut off"},
		{write(run.ResultsFile, strings.Replace(string(results), `"events":1001`, `"events":1002`, 1)), "it was changed since"},
		{write(run.HeaderFile, "{"), "run.json"},
		{write(run.HeaderFile, `{"version":99}`), "form 99"},
		{write(run.TestplanFile, "["), "testplan.json"},
		{write("coverage.json", "["), "coverage.json"},
		{write("coverage.json", `{"version":99}`), "form 99"},
		{write("triage.json", "["), "triage.json"},
	} {
		_, err := Read(context.Background(), c.dir, Options{})
		assert.ErrorContains(t, err, c.want)
	}
	// times are no part of what the digest covers
	slow := strings.Replace(string(results), `"duration_ms":150`, `"duration_ms":151`, 1)
	require.NotEqual(t, string(results), slow)
	_, err = Read(context.Background(), write(run.ResultsFile, slow), Options{})
	assert.NoError(t, err)
}

// TestEscaped: no text of a run is markup in any form.
func TestEscaped(t *testing.T) {
	r := read(t, newWorld(t).some(true), Options{})
	html := text(t, r, "html")
	assert.NotContains(t, html, "<script>window")
	assert.NotContains(t, html, "<img src=x")
	assert.Equal(t, 2, strings.Count(html, "<script"), "data and program")
	assert.Equal(t, 2, strings.Count(html, "</script"))
	assert.NotContains(t, regexp.MustCompile("``.*``").ReplaceAllString(text(t, r, "md"), ""), "<script>window", "but in code")
	for _, line := range strings.Split(text(t, r, "tap"), "\n") {
		if strings.HasPrefix(line, "not ok") {
			assert.NotContains(t, strings.ReplaceAll(line, `\#`, ""), "#", "a directive")
		}
	}
	d := xml.NewDecoder(strings.NewReader(text(t, r, "junit")))
	names := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "testcase" {
			if strings.Contains(e.Attr[0].Value, "<script>window.pwned=1</script>") {
				names++
			}
		}
	}
	assert.Equal(t, 1, names)
}

// TestAlone: the page asks for nothing of the network, and says so to the browser.
func TestAlone(t *testing.T) {
	html := text(t, read(t, newWorld(t).some(true), Options{}), "html")
	assert.Contains(t, html, `content="default-src 'none';`)
	for _, x := range regexp.MustCompile(`(?:src|href|action|url)\s*[=(]\s*["']?([^"'\s>)]*)`).FindAllStringSubmatch(html, -1) {
		assert.Regexp(t, `^(#|data:,|&#34;|x$|"?#bucket-)`, x[1], x[0])
	}
	assert.NotContains(t, strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""), "http://")
	assert.NotContains(t, html, "https://")
}

// TestDeterministic: equal results give equal files, wherever and whenever.
func TestDeterministic(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	x, y := read(t, a.some(true), Options{}), read(t, b.some(true), Options{})
	for _, f := range Formats() {
		assert.Equal(t, text(t, x, f.Name), text(t, y, f.Name), f.Name)
		assert.NotContains(t, text(t, x, f.Name), a.dir, "%s names a path of this machine", f.Name)
	}
}

// TestPartial: a run that was interrupted says so first, in every form, and none of them passes.
func TestPartial(t *testing.T) {
	skipped := fails("a/b", 2, result.Skipped, result.Signature{Engine: "run", Kind: "interrupted"}, "interrupted")
	skipped.Times = nil
	dir := newWorld(t).run([]result.Record{match("a/b", 0), match("a/b", 1), skipped}, func(h *run.Header) { h.State = run.Interrupted })
	r := read(t, dir, Options{})
	assert.True(t, r.Partial)
	assert.False(t, r.Good)
	assert.Equal(t, "Partial: 1 of 3 executions has no result. 1 of 3 executions does not match, for 1 cause: 1 skipped.", r.Sentence)
	assert.Contains(t, text(t, r, "html"), "tandem regress --resume p-1")
	assert.Contains(t, text(t, r, "md"), "**Partial**")
	assert.Contains(t, text(t, r, "junit"), `errors="1"`)
	assert.Contains(t, text(t, r, "tap"), "\nnot ok 3 - ")
	assert.Contains(t, text(t, r, "tap"), "\nBail out! Partial: ")
}

// TestJSON: it reads back to the same report.
func TestJSON(t *testing.T) {
	r := read(t, newWorld(t).some(true), Options{})
	var back Report
	require.NoError(t, json.Unmarshal([]byte(text(t, r, "json")), &back))
	assert.Equal(t, r.Sentence, back.Sentence)
	assert.Equal(t, len(r.Tests), len(back.Tests))
	assert.Equal(t, r.Buckets[0].Key, back.Buckets[0].Key)
}

func TestWrite(t *testing.T) {
	w := newWorld(t)
	r := read(t, w.some(false), Options{})
	out := filepath.Join(t.TempDir(), "a", "b")
	names, err := r.Write(out, Formats())
	require.NoError(t, err)
	assert.Len(t, names, 5)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, entries, 5, "nothing half-written is left")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = r.Write(file, Formats())
	assert.Error(t, err)
	_, err = ParseFormats("html,pdf")
	assert.ErrorContains(t, err, `format "pdf": there are html, md, junit, json, tap`)
}

// TestLarge: a page of 3,000 executions is small enough to mail.
func TestLarge(t *testing.T) {
	r := read(t, newWorld(t).large(3000), Options{})
	html := text(t, r, "html")
	t.Logf("%d bytes", len(html))
	assert.Less(t, len(html), 5<<20)
	assert.Greater(t, strings.Count(html, "random/t"), 3000)
}

// TestKnownInMarkdown: that a known failure has expired, and that one did not occur, is told in the short form too.
func TestKnownInMarkdown(t *testing.T) {
	w := newWorld(t)
	dir := w.some(false)
	require.NoError(t, os.WriteFile(filepath.Join(dir, known.FileName), []byte("known:\n  - {issue: B-12, expires: 2027-01-14, why: on its way, tests: [bugs/known]}\n"+
		"  - {issue: B-13, expires: 2027-12-31, why: mended, rule: R-ACK}\n"), 0o600))
	md := text(t, read(t, dir, Options{}), "md")
	assert.Contains(t, md, "(known until 2027-01-14, B-12, and expired)")
	assert.Contains(t, md, "\nKnown, but did not occur: B-13, mended (known.yaml:3:5).")
	assert.NotContains(t, md, "did not occur: B-12")
}
