package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shrink"
	"metaroce/tandem/cosim/regress/triage"
	"metaroce/tandem/cosim/vector"
)

// TestChanged: the folder of a simulator is named by what it is made of; what the run did not have cannot have changed.
func TestChanged(t *testing.T) {
	then := map[string]string{"tiny": "/a/build/sim/tiny-0123/mr_bench", "small": "/a/build/sim/small-4567/mr_bench"}
	assert.False(t, changed(then, nil))
	assert.False(t, changed(nil, then))
	assert.False(t, changed(then, map[string]string{"tiny": "/elsewhere/sim/tiny-0123/mr_bench"}))
	assert.False(t, changed(then, map[string]string{"full": "/a/build/sim/full-89ab/mr_bench"}))
	assert.True(t, changed(then, map[string]string{"full": "/a/build/sim/full-89ab/mr_bench", "tiny": "/a/build/sim/tiny-89ab/mr_bench"}))
}

// TestVectorAgain: a vector that does not hold is told with the line that runs it alone.
func TestVectorAgain(t *testing.T) {
	s, err := readVectors([]string{"../../vectors/golden/receive/directed.mrv"}, []string{"directed/gaps", "directed/in-order"})
	require.NoError(t, err)
	require.Len(t, s.list, 2)
	s.list[0].Want.Fates[0].Addr++
	var out bytes.Buffer
	a := newApp(t.Context(), &out, &out)
	require.Error(t, a.checkAll(s, vector.Options{Target: vector.Blocks}, "tandem vectors check --dut blocks my.mrv", false))
	assert.Contains(t, out.String(), "\n  again:  tandem vectors check --dut blocks my.mrv --only "+s.list[0].ID+"\n")
	assert.NotContains(t, out.String(), s.list[1].ID)
}

// TestShrunkLess: whether more can go from a small case is told with it, and the line that tries.
func TestShrunkLess(t *testing.T) {
	b := triage.Bucket{Verdict: result.Divergence, Smallest: result.Record{Name: "s/t", Variant: "tiny", Seed: 1, Verdict: result.Divergence}, Shrunk: &triage.Shrunk{Before: 348, After: 62, Runs: 98}}
	told := func() string {
		var out bytes.Buffer
		newApp(t.Context(), &out, &out).bucket(&b, "runs/r-1", nil)
		return out.String()
	}
	assert.Contains(t, told(), "\n  less:   tandem shrink runs/r-1/s/t+tiny@0000000000000001 --runs 294 (it ended after 98 runs: more lines may go)\n")
	b.Shrunk.Minimal = true
	assert.NotContains(t, told(), "less:")
}

// TestShrunkNoted: an execution that is made small again is told as it is now by all who tell of its cause.
func TestShrunkNoted(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "p.yaml")
	require.NoError(t, os.WriteFile(text, []byte("plan: p\nsuites: [{suite: s, tests: [{test: t, command: [\"false\"]}]}]\n"), 0o600))
	var out bytes.Buffer
	require.NotZero(t, run([]string{"regress", text, "--dir", filepath.Join(dir, "runs")}, &out, &out))
	q := quarry{run: filepath.Join(dir, "runs", "p-1")}
	tr, err := triage.Read(q.run)
	require.NoError(t, err, out.String())
	c := plan.Case{Suite: "s", Test: "t", Seed: tr.Buckets[0].Smallest.Seed}
	require.Equal(t, tr.Buckets[0].Smallest.ID(), c.ID())
	q.c, q.out = c, filepath.Join(dir, "own.scn")
	require.NoError(t, q.note(&shrink.Result{Before: 9, After: 4, Runs: 5}, "again"))
	q.out = filepath.Join(q.run, execute.TestsFolder, c.ID(), shrink.Name)
	for _, want := range []*triage.Shrunk{nil, {File: filepath.Join(execute.TestsFolder, c.ID(), shrink.Name), Before: 9, After: 3, Runs: 7, Again: "again", Minimal: true}} {
		tr, err = triage.Read(q.run)
		require.NoError(t, err)
		assert.Equal(t, want, tr.Buckets[0].Shrunk)
		require.NoError(t, q.note(&shrink.Result{Before: 9, After: 3, Runs: 7, Minimal: true}, "again"))
	}
	q.run = filepath.Join(dir, "nowhere")
	require.NoError(t, q.note(&shrink.Result{}, ""))
}
