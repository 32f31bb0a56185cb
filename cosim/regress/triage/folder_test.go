package triage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
)

// rtlCase is a case that diverges on RTL in an engine.
func rtlCase(test string, seed int, engine string, events uint64) (plan.Case, result.Record) {
	c := plan.Case{Suite: "s", Test: test, Seed: result.Seed(seed), Iteration: seed, What: plan.What{Random: 1}, Preset: "tiny", Dut: "rtl"}
	r := c.Record()
	r.Verdict, r.Events, r.Folder = result.Divergence, events, "tests/"+r.ID()
	r.Signature = &result.Signature{Kind: "differs", Engine: engine, Field: "f"}
	return c, r
}

// folder writes the folder of a run.
func folder(t *testing.T, cases []plan.Case, records []result.Record) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p-1")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write := func(name string, v any) {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), append(b, '\n'), 0o644))
	}
	began := time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC)
	digest, err := result.DigestOf(records)
	require.NoError(t, err)
	write(run.HeaderFile, run.Header{Version: run.Version, ID: "p-1", Plan: "p", Cases: len(cases), Began: began.UnixMilli(), Digest: digest, Binaries: map[string]string{"tiny": "/sim"}})
	var text []byte
	for i := range cases {
		b, err := json.Marshal(&cases[i])
		require.NoError(t, err)
		text = append(append(text, b...), '\n')
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, run.CasesFile), text, 0o644))
	require.NoError(t, result.WriteFile(filepath.Join(dir, run.ResultsFile), records))
	return dir
}

// TestResultsThatWereChanged: a run whose results lack one, or say something else than they did, is none to judge.
func TestResultsThatWereChanged(t *testing.T) {
	c, r := rtlCase("a", 1, "window", 5)
	d, q := rtlCase("b", 2, "ack", 5)
	dir := folder(t, []plan.Case{c, d}, []result.Record{r, q})
	passed := q
	passed.Verdict, passed.Signature = result.Match, nil
	for want, list := range map[string][]result.Record{"has 1 executions": {r}, "it was changed since": {r, passed}} {
		require.NoError(t, result.WriteFile(filepath.Join(dir, run.ResultsFile), list))
		_, err := Read(dir)
		assert.ErrorContains(t, err, want)
	}
}

func TestFolderComesBack(t *testing.T) {
	c, r := rtlCase("a", 1, "window", 5)
	dir := folder(t, []plan.Case{c}, []result.Record{r})
	x, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, "p-1", x.Run)
	assert.Equal(t, known.Day("2026-11-29"), x.Day)
	assert.Equal(t, "tandem rerun p-1/s/a@0000000000000001", x.Buckets[0].Rerun)
	x.Buckets[0].Shrunk = &Shrunk{File: "f", Before: 9, After: 1}
	x.Buckets[0].Waves = []Wave{{ID: "i"}}
	require.NoError(t, x.Write())
	again, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, x, again, "what others found out stays")

	require.NoError(t, os.WriteFile(filepath.Join(dir, known.FileName), []byte("known: [{engine: window, issue: i, expires: 2026-11-28, why: w}]\n"), 0o644))
	again, err = Read(dir)
	require.NoError(t, err)
	assert.True(t, again.Buckets[0].Expired, "by the day on which the run began")
	require.NoError(t, os.WriteFile(filepath.Join(dir, known.FileName), []byte("known: 7\n"), 0o644))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "known.yaml:1:8: a known failure is the value 7")
	require.NoError(t, os.Remove(filepath.Join(dir, known.FileName)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte("{"), 0o644))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "triage.json: unexpected end")
	require.NoError(t, os.Remove(filepath.Join(dir, run.ResultsFile)))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "p-1 has no results yet")
}

func TestWaves(t *testing.T) {
	var cases []plan.Case
	var records []result.Record
	add := func(test string, seed int, engine string, events uint64, change func(*result.Record)) {
		c, r := rtlCase(test, seed, engine, events)
		if change != nil {
			change(&r)
		}
		cases, records = append(cases, c), append(records, r)
	}
	add("a", 1, "window", 9, nil)
	add("a", 2, "window", 5, nil)
	add("b", 1, "window", 7, nil)
	add("c", 1, "key", 7, func(r *result.Record) { r.Folder = "" })
	add("c", 2, "key", 9, nil)
	add("d", 1, "ack", 7, nil)
	add("e", 1, "place", 7, func(r *result.Record) { r.Dut = "model" })
	add("f", 1, "traffic", 7, func(r *result.Record) { r.Signature.Kind = "breach" })
	add("g", 1, "recv", 7, func(r *result.Record) { r.Verdict = result.Crash })
	add("h", 1, "message", 7, nil)
	dir := folder(t, cases, records)
	require.NoError(t, os.WriteFile(filepath.Join(dir, known.FileName), []byte("known: [{engine: ack, issue: i, expires: 2026-11-29, why: w}]\n"), 0o644))
	x, err := Read(dir)
	require.NoError(t, err)
	var asked, notes []string
	o := WaveOptions{Most: 2, Say: func(id string) { asked = append(asked, id) }, Note: func(id, why string) { notes = append(notes, id+": "+why) },
		Dump: func(_ context.Context, c *plan.Case, _, binary, folder string, _ io.Writer) (*lockstep.Divergence, error) {
			assert.Equal(t, "/sim", binary)
			assert.Equal(t, filepath.Join(dir, "tests", c.ID()), folder)
			if c.Test == "h" {
				return nil, errors.New("no disk")
			}
			return &lockstep.Divergence{Cycle: 700, WaveFrom: 100, WaveTo: 760}, nil
		}}
	require.NoError(t, x.Waves(context.Background(), o))
	assert.ElementsMatch(t, []string{"s/a@0000000000000002", "s/b@0000000000000001", "s/c@0000000000000002", "s/h@0000000000000001"}, asked,
		"the smallest, then of another test; none of what is known, not kept, not RTL, or has no cycle")
	assert.Contains(t, notes, "s/h@0000000000000001: no disk")
	assert.Contains(t, notes, "bucket "+x.Bucket(&records[6]).ID+": it has no divergence of RTL whose folder was kept")
	assert.Contains(t, notes, "bucket "+x.Bucket(&records[5]).ID+": it is known")
	assert.Len(t, notes, 5)
	w := x.Bucket(&records[0]).Waves
	require.Len(t, w, 2)
	assert.Equal(t, Wave{ID: "s/a@0000000000000002", File: "tests/s/a@0000000000000002/wave.fst", GTKWave: "tests/s/a@0000000000000002/wave.gtkw", Surfer: "tests/s/a@0000000000000002/wave.sucl", From: 100, To: 760, Cycle: 700}, w[0])

	asked, o.Most = nil, 3
	require.NoError(t, x.Waves(context.Background(), o))
	assert.ElementsMatch(t, []string{"s/a@0000000000000001", "s/h@0000000000000001"}, asked, "none is made twice")
	ended, stop := context.WithCancel(context.Background())
	stop()
	assert.ErrorIs(t, x.Waves(ended, WaveOptions{Most: 9, Dump: o.Dump}), context.Canceled)
}
