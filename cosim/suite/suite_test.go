package suite_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
)

const text = "conn 0\nkey 0\nmessage write bytes=2k mtu=100\nexpect completions=1 mem=ok\n"

func job(t *testing.T, name, text string) suite.Job {
	t.Helper()
	f, err := scenario.Parse(name+".scn", []byte(text))
	require.NoError(t, err)
	j, err := suite.FromScenario(f, name, "tiny", 1)
	require.NoError(t, err)
	j.Rerun = "tandem run " + name
	return j
}

func seeds(t *testing.T, n int) (jobs []suite.Job) {
	t.Helper()
	for i := range n {
		j, err := suite.FromSeed("tiny", uint64(i+1), 200, true)
		require.NoError(t, err)
		jobs = append(jobs, j)
	}
	return jobs
}

func options(t *testing.T) suite.Options {
	return suite.Options{Device: "model", RunsDir: t.TempDir(), Journal: "never", Cover: true}
}

func TestEverythingMatches(t *testing.T) {
	r := suite.Run(context.Background(), append(seeds(t, 3), job(t, "one", text)), options(t))
	assert.Equal(t, lockstep.Match, r.Result)
	assert.Contains(t, r.Line, "4 of 4 runs match, ")
	var table bytes.Buffer
	r.Table(&table, suite.Plain)
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	require.Len(t, lines, 4, "a row for the scenario, one for all seeds, the sum")
	assert.True(t, strings.HasPrefix(lines[1], "one ") && strings.HasPrefix(lines[2], "random, 3 seeds") && strings.HasPrefix(lines[3], "4 runs"), table.String())
	for _, o := range r.Outcomes {
		var b bytes.Buffer
		o.Explain(&b)
		assert.Empty(t, b.String())
	}
}

// TestSideBySide: the same jobs give the same report, however many run at a time.
func TestSideBySide(t *testing.T) {
	jobs := append(seeds(t, 4), job(t, "one", text), job(t, "two", text))
	var reports []*suite.Report
	for _, n := range []int{1, 4, 50} {
		o := options(t)
		o.Workers = n
		told := 0
		o.Done = func(suite.Outcome) { told++ }
		r := suite.Run(context.Background(), jobs, o)
		r.Demand(0, nil, "")
		assert.Equal(t, len(jobs), told)
		reports = append(reports, r)
	}
	for _, r := range reports[1:] {
		assert.Equal(t, reports[0].Compared, r.Compared)
		assert.Equal(t, reports[0].Bins, r.Bins)
		assert.Equal(t, reports[0].Line, r.Line)
	}
}

// TestEqualNames: runs of one name and seed do not share a folder.
func TestEqualNames(t *testing.T) {
	o := options(t)
	o.Workers, o.Journal = 4, "always"
	j := job(t, "one", text)
	r := suite.Run(context.Background(), []suite.Job{j, j, j, j}, o)
	require.Equal(t, lockstep.Match, r.Result, r.Line)
	folders := map[string]bool{}
	for _, x := range r.Outcomes {
		folders[x.Verdict.Folder] = true
		assert.Equal(t, lockstep.Match, session.Replay(context.Background(), x.Verdict.Folder, nil).Result)
	}
	assert.Len(t, folders, 4)
}

func TestExpectationNotMet(t *testing.T) {
	bad := job(t, "bad", strings.Replace(text, "completions=1", "completions=2", 1))
	r := suite.Run(context.Background(), []suite.Job{bad, job(t, "good", text)}, options(t))
	assert.Equal(t, lockstep.Diverged, r.Result)
	assert.Contains(t, r.Line, "1 of 2 runs match")
	var b bytes.Buffer
	r.Outcomes[0].Explain(&b)
	assert.Contains(t, b.String(), "bad: divergence\n  bad.scn:4:8: expected completions=2, saw 1")
	assert.Contains(t, b.String(), "again:  tandem run bad")
}

// TestIntentNotMet: device and model agree, and what the traffic meant is something else.
func TestIntentNotMet(t *testing.T) {
	j := job(t, "wrong", text)
	right := j.Make
	j.Make = func(ctx context.Context) (*compose.Program, []observe.Expectation, error) {
		p, e, err := right(ctx)
		p.Frames[3].Packet.Addr++
		return p, e, err
	}
	r := suite.Run(context.Background(), []suite.Job{j}, options(t))
	assert.Equal(t, lockstep.Diverged, r.Result)
	require.NotEmpty(t, r.Outcomes[0].Breaches)
	assert.Contains(t, r.Outcomes[0].Breaches[0], "it belongs to")
}

func TestCaptures(t *testing.T) {
	whole, err := suite.FromFrames("whole.pcap", "tiny", 1, [][]byte{make([]byte, 60), make([]byte, 7)})
	require.NoError(t, err)
	broken := whole
	broken.Name, broken.Trouble = "broken.pcap", &suite.Trouble{What: "broken.pcap: at byte 9"}
	foreign, err := suite.FromFrames("foreign.pcap", "tiny", 1, nil)
	require.NoError(t, err)
	foreign.Trouble = &suite.Trouble{What: "foreign.pcap: link type 101", Foreign: true}
	nothing, err := suite.FromFrames("empty.pcap", "tiny", 1, nil)
	require.NoError(t, err)
	r := suite.Run(context.Background(), []suite.Job{whole, broken, foreign, nothing}, options(t))
	var got []lockstep.Result
	for _, o := range r.Outcomes {
		got = append(got, o.Result)
	}
	assert.Equal(t, []lockstep.Result{lockstep.Match, lockstep.BenchFailed, lockstep.Unsupported, lockstep.Inconclusive}, got)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.True(t, foreign.Skip() && !broken.Skip())
	var b bytes.Buffer
	r.Outcomes[0].Frames(&b)
	assert.Contains(t, b.String(), "2 reached the device, 0 admitted, 2 dropped (ethertype 1, runt 1), 0 bytes placed")
	r.Outcomes[1].Explain(&b)
	assert.Contains(t, b.String(), "broken.pcap: at byte 9")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t)
	n := 0
	o.Done = func(suite.Outcome) {
		if n++; n == 2 {
			cancel()
		}
	}
	r := suite.Run(ctx, seeds(t, 40), o)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Less(t, len(r.Outcomes), 6)
	assert.Contains(t, r.Line, "interrupted after ")
	assert.Equal(t, 40, r.Jobs)
}

// TestDemand: too few events of an engine, empty bins and stale waivers make a match inconclusive, never better.
func TestDemand(t *testing.T) {
	run := func() *suite.Report {
		return suite.Run(context.Background(), []suite.Job{job(t, "one", text)}, options(t))
	}
	r := run()
	r.Demand(1000, nil, "")
	assert.Equal(t, lockstep.Inconclusive, r.Result)
	assert.Contains(t, r.Line, "fewer than 1000 events of admit")
	assert.Contains(t, r.Line, "empty")
	assert.False(t, r.Bins.OK())

	o := options(t)
	o.Cover = false
	r = suite.Run(context.Background(), []suite.Job{job(t, "one", text)}, o)
	r.Demand(0, nil, "")
	assert.Equal(t, lockstep.Match, r.Result)
	assert.Nil(t, r.Bins)

	waivers, err := cover.ParseWaivers("w", []byte("window class=new # seen all the same\n"))
	require.NoError(t, err)
	r = run()
	r.Demand(0, waivers, "")
	assert.Contains(t, fmt.Sprint(r.Bins.Stale), "was hit after all")
}

func TestUnknownPresetAndDevice(t *testing.T) {
	_, err := suite.FromSeed("huge", 1, 10, false)
	assert.ErrorContains(t, err, `preset "huge"`)
	_, err = suite.FromTouch("huge", 1)
	assert.Error(t, err)
	_, err = suite.FromFrames("x", "huge", 1, nil)
	assert.Error(t, err)
	o := options(t)
	o.Device = "fpga"
	r := suite.Run(context.Background(), []suite.Job{job(t, "one", text)}, o)
	assert.Equal(t, lockstep.Unsupported, r.Result)
}

// TestFailureOfAJob: a stimulus that cannot be made ends its own run only.
func TestFailureOfAJob(t *testing.T) {
	broken := job(t, "broken", text)
	broken.Make = func(context.Context) (*compose.Program, []observe.Expectation, error) {
		return nil, nil, fmt.Errorf("no such thing")
	}
	r := suite.Run(context.Background(), []suite.Job{broken, job(t, "one", text)}, options(t))
	assert.Equal(t, []lockstep.Result{lockstep.BenchFailed, lockstep.Match}, []lockstep.Result{r.Outcomes[0].Result, r.Outcomes[1].Result})
	assert.Contains(t, r.Outcomes[0].Verdict.Line, "no such thing")
}

// TestUnmetExpectationKeepsItsFolder: what is to be looked at is there, though device and model agree.
func TestUnmetExpectationKeepsItsFolder(t *testing.T) {
	o := options(t)
	o.Journal = "failure"
	r := suite.Run(context.Background(), []suite.Job{job(t, "one", text), job(t, "unmet", text+"expect completions=77\n")}, o)
	require.Equal(t, []lockstep.Result{lockstep.Match, lockstep.Diverged}, []lockstep.Result{r.Outcomes[0].Result, r.Outcomes[1].Result})
	assert.Empty(t, r.Outcomes[0].Verdict.Folder)
	assert.FileExists(t, filepath.Join(r.Outcomes[1].Verdict.Folder, "verdict.json"))
}

// TestStreamOpenedTwice: what came in the second life is not forgotten when the first is seen to begin.
func TestStreamOpenedTwice(t *testing.T) {
	r := suite.Run(context.Background(), []suite.Job{job(t, "twice", "conn 0\nkey 0\nwrite\nstream 0.0\nstream 0.0\nwrite\nexpect frames=2\n")}, options(t))
	assert.Equal(t, lockstep.Match, r.Outcomes[0].Result, "%v", r.Outcomes[0].Breaches)
}

// TestLineThatMakesWaves: a divergence of RTL names it, unless the waves are there or the run had none to show.
func TestLineThatMakesWaves(t *testing.T) {
	const line = "  waves:  tandem run x --wave\n"
	for name, c := range map[string]struct {
		device, rerun string
		d             *lockstep.Divergence
		want          bool
	}{
		"rtl":       {"rtl (Verilator 5.006)", "tandem run x", &lockstep.Divergence{WaveTo: 9}, true},
		"there":     {"rtl (Verilator 5.006)", "tandem run x", &lockstep.Divergence{WaveTo: 9, WaveFile: "wave.fst"}, false},
		"model":     {"model", "tandem run x", &lockstep.Divergence{WaveTo: 9}, false},
		"a failure": {"rtl (Verilator 5.006)", "tandem run x", nil, false},
		"replay":    {"rtl (Verilator 5.006)", "tandem replay x", &lockstep.Divergence{WaveTo: 9}, false},
	} {
		o := suite.Outcome{Name: "x", Result: lockstep.Diverged, Rerun: c.rerun, Verdict: &lockstep.Verdict{Device: c.device, Divergence: c.d}}
		var b bytes.Buffer
		o.Explain(&b)
		assert.Equal(t, c.want, strings.Contains(b.String(), line), "%s: %s", name, &b)
	}
}

// TestManyFailures: the first three in full, each with the last of its history; of the others two lines.
func TestManyFailures(t *testing.T) {
	r := &suite.Report{}
	for i := range 5 {
		d := &lockstep.Divergence{What: "differs", Kind: "window", Op: "packet", Field: "path.cum", Device: "7", Model: "8", Rule: "R-WINDOW",
			DeviceRecord: "record", History: []string{"h1", "h2", "h3", "h4", "h5"}}
		r.Outcomes = append(r.Outcomes, &suite.Outcome{Name: "x", Result: lockstep.Diverged, Rerun: fmt.Sprintf("tandem run x --seed %d", i),
			Verdict: &lockstep.Verdict{Device: "model", Folder: fmt.Sprintf("runs/x-%d", i), Divergence: d}})
	}
	r.Outcomes[4].Verdict.Divergence, r.Outcomes[4].Unmet = nil, []string{"x.scn:1:1: expected a", "x.scn:2:1: expected b"}
	var b bytes.Buffer
	r.Explain(&b)
	full, brief, found := strings.Cut(b.String(), "the others in short")
	require.True(t, found, &b)
	assert.Equal(t, 3, strings.Count(full, "  device: record\n"))
	assert.Equal(t, 3, strings.Count(full, "    h3\n    h4\n    h5\n    the rest, 2 earlier: runs/x-"))
	assert.NotContains(t, full, "h2")
	assert.Equal(t, []string{
		"  divergence: window packet xid 0x0 conn 0 path 0 at cycle 0: path.cum is 7 in the device, 8 in the model (R-WINDOW)",
		"  again:  tandem run x --seed 3", "  x.scn:1:1: expected a (and 1 more)", "  again:  tandem run x --seed 4", "",
	}, strings.Split(brief, "\n")[1:])

	r.Outcomes = r.Outcomes[:3]
	b.Reset()
	r.Explain(&b)
	assert.NotContains(t, b.String(), "in short")
}

// TestTimes: the worst kind of event on a line, all of them in the table, and nothing where nothing was measured.
func TestTimes(t *testing.T) {
	r := &suite.Report{}
	var b bytes.Buffer
	r.SkewLine(&b)
	r.Skew(&b)
	assert.Empty(t, b.String())
	for _, p99 := range []uint64{4, 9} {
		r.Outcomes = append(r.Outcomes, &suite.Outcome{Verdict: &lockstep.Verdict{Skew: []lockstep.SkewRow{
			{Kind: "admit", Events: 3, P99: 2}, {Kind: "place", Events: 2, P99: p99}, {Kind: "ack", Events: 1, P99: 5}}}})
	}
	r.SkewLine(&b)
	assert.Equal(t, "\ntime: p99 9 cycles beside the model's prediction, worst at place; not part of the verdict; --skew lists all", b.String())
	b.Reset()
	r.Skew(&b)
	assert.Len(t, strings.Split(strings.TrimSpace(b.String()), "\n"), 4)
	assert.Contains(t, b.String(), "\nplace                 4         0       0       9       0\n")
}
