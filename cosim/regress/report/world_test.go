package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/divergence/planted"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/history"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
	"metaroce/tandem/model/event"
)

// nasty is a text that no form may take for its own markup.
const nasty = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1> \"'` | # ]]> & \x07 {{.}}"

// epoch is when the first records began.
const epoch = 1_800_000_000_000 // ms

// world makes run folders.
type world struct {
	t   testing.TB
	dir string
	n   int
}

func newWorld(t testing.TB) *world { return &world{t: t, dir: t.TempDir()} }

func (w *world) write(path string, v any) {
	b, err := json.Marshal(v)
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(path, b, 0o644))
}

// run makes a folder of records; change may alter its header, which is complete and right.
func (w *world) run(list []result.Record, change func(*run.Header)) string {
	w.t.Helper()
	w.n++
	id := fmt.Sprintf("p-%d", w.n)
	dir := filepath.Join(w.dir, id)
	require.NoError(w.t, os.MkdirAll(dir, 0o755))
	h := run.Header{Version: run.Version, ID: id, Plan: "p", About: "about it", Base: 1, Keep: "failure", Revision: "0123456789abcdef", Program: "x", Cases: len(list), Host: "host",
		Launcher: "local", Workers: 2, Began: epoch + int64(w.n)*3_600_000, Wall: 65_000, State: run.Done, Verdict: result.Worst(list), Counts: map[result.Verdict]int{}}
	h.Ended = h.Began + h.Wall
	list = slices.Clone(list)
	for i := range list {
		if x := list[i].Times; x != nil {
			moved := *x
			moved.Begin += h.Began - epoch
			list[i].Times = &moved
		}
	}
	for i := range list {
		h.Counts[list[i].Verdict]++
		h.Events += list[i].Events
		h.Cycles += list[i].Cycles
	}
	var err error
	h.Digest, err = result.DigestOf(list)
	require.NoError(w.t, err)
	if change != nil {
		change(&h)
	}
	w.write(filepath.Join(dir, run.HeaderFile), &h)
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, run.CasesFile), nil, 0o644)) // nothing here looks into it
	require.NoError(w.t, result.WriteFile(filepath.Join(dir, run.ResultsFile), list))
	return dir
}

// index puts a folder into the history beside it.
func (w *world) index(dir string) {
	f, err := run.Open(dir)
	require.NoError(w.t, err)
	list, err := f.Results()
	require.NoError(w.t, err)
	s, err := history.Open(filepath.Join(w.dir, history.FileName))
	require.NoError(w.t, err)
	defer s.Close()
	require.NoError(w.t, s.Add(f.Row(), list))
}

// match is a record that matches; its times follow from n.
func match(name string, n int) result.Record {
	return result.Record{Name: name, Variant: "tiny", Iteration: n, Seed: result.Derive(1, name, "", "", n), Preset: "tiny", Dut: "rtl", Digest: "d", Verdict: result.Match,
		Events: 1000 + uint64(n), Cycles: 50_000 + uint64(n)*100,
		Times: &result.Times{Begin: epoch + int64(n)*100, Duration: 150 + int64(n%37)*20, Host: "host", Shard: fmt.Sprintf("r0-%04d", n%4+1)}}
}

// fails is a record that does not.
func fails(name string, n int, v result.Verdict, s result.Signature, line string) result.Record {
	r := match(name, n)
	r.Verdict, r.Signature, r.Line = v, &s, line
	return r
}

// kept is a folder with a real divergence; it is made once.
var kept = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "report-test-")
	if err != nil {
		return "", err
	}
	dir, _, err = planted.Folder(context.Background(), dir, 60, 7, planted.Fault{Kind: event.KindWindow, Skip: 700, Change: planted.Set(event.KindWindow, "path.ce", 90)})
	return dir, err
})

// atEnd is called when all tests are through, the last first.
var atEnd []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(atEnd) {
		f()
	}
	if dir, err := kept(); err == nil {
		_ = os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// keep puts the divergence into a run folder, as that of an execution.
func (w *world) keep(dir string, r *result.Record) {
	from, err := kept()
	require.NoError(w.t, err)
	r.Folder = filepath.Join("tests", r.ID())
	require.NoError(w.t, os.CopyFS(filepath.Join(dir, r.Folder), os.DirFS(from)))
}

var windowSignature = result.Signature{Rule: "R-WINDOW", Engine: "window", Field: "path.ce", Kind: "differs"}

// some is a run with everything in it: several causes, texts that are not to be trusted, a testplan, coverage, a known
// failure, history, and with view the folder of a divergence.
func (w *world) some(view bool) string {
	var list []result.Record
	for n := range 12 {
		list = append(list, match("random/mixed", n))
	}
	a := fails("bugs/ce", 0, result.Divergence, windowSignature, "divergence: window packet: path.ce is 90 in the device, 0 in the model (R-WINDOW)")
	a.Events = 10
	if view {
		a.Folder = filepath.Join("tests", a.ID())
	}
	list = append(list, a,
		fails("bugs/ce", 1, result.Divergence, windowSignature, "divergence: the same again"),
		fails("bugs/"+nasty, 0, result.Crash, result.Signature{Engine: "sh", Kind: "exit 7", Field: nasty}, "sh ended: "+nasty),
		fails("bugs/hang", 0, result.Timeout, result.Signature{Kind: "wall"}, "the limit of wall time is passed: 3s"),
		fails("bugs/known", 0, result.Divergence, result.Signature{Engine: "expect", Kind: "unmet", Field: "completions=7"}, "s.scn:4:8: expected completions=7, saw 1"))
	w.index(w.run([]result.Record{match("random/mixed", 0), match("random/mixed", 1)}, nil))
	dir := w.run(list, nil)
	if view {
		w.keep(dir, &a)
	}
	w.write(filepath.Join(dir, run.TestplanFile), &plan.Testplan{Unmapped: []string{"bugs/hang+tiny"}, Points: []plan.Point{
		{Name: "order", Stage: "V1", Rules: []string{"R-PLACE"}, Goal: "in order " + nasty, Tests: []string{"random/mixed+tiny"}},
		{Name: "window", Stage: "V2", Rules: []string{"R-WINDOW"}, Goal: "window", Tests: []string{"bugs/ce+tiny", "random/mixed+tiny"}},
		{Name: "later", Stage: "V3", Goal: "later", Tests: []string{}},
		{Name: "absent", Stage: "V3", Goal: "not selected", Tests: []string{"random/huge+tiny"}}}})
	w.write(filepath.Join(dir, coverage.ReportFile), covered("class=new epoch=next", "class=old epoch=next"))
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, "known.yaml"), []byte("known:\n  - {issue: B-12, expires: 2027-12-31, why: on its way, tests: [bugs/known]}\n"), 0o644))
	w.index(dir)
	return dir
}

// covered is a coverage report in which these bins are open.
func covered(open ...string) *coverage.Report {
	return &coverage.Report{Version: coverage.Version, Executions: 12,
		Functional: &coverage.Functional{Bins: 20, Hit: 17 - len(open), Waived: 3, Groups: []coverage.Group{
			{Name: "window", Text: "class by epoch", Bins: 20, Hit: 17 - len(open), Waived: 3, Least: 2, Open: open}}},
		Line: &coverage.Code{Points: 10, Hit: 8, Waived: 1, Files: []coverage.File{{File: "rtl/window/mr_window_step.sv", Points: 10, Hit: 8, Waived: 1,
			Gaps: []coverage.Gap{{Line: 12, What: "if", Text: "if (a < b)"}, {Line: 20, What: "else", Text: "else", Waived: "cannot be"}}}}},
		Rank: []coverage.Ranked{{ID: "random/mixed+tiny@1", Adds: 15, Sum: 15, Of: 23}}}
}

func read(t testing.TB, dir string, o Options) *Report {
	t.Helper()
	r, err := Read(context.Background(), dir, o)
	require.NoError(t, err)
	return r
}

// large is a run of so many executions, one in 50 of which fails, for one of 20 causes.
func (w *world) large(n int) string {
	var list []result.Record
	for i := range n {
		name := fmt.Sprintf("random/t%02d", i%60)
		if i%50 == 7 {
			cause := result.Signature{Rule: "R-WINDOW", Engine: "window", Field: fmt.Sprintf("path.f%d", i/50%20), Kind: "differs"}
			list = append(list, fails(name, i, result.Divergence, cause, "divergence: window packet xid 0x1a conn 2 path 0 at cycle 3346: path.f is 1 in the device, 2 in the model (R-WINDOW)"))
			continue
		}
		list = append(list, match(name, i))
	}
	return w.run(list, nil)
}
