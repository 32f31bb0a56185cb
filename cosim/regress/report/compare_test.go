package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/run"
)

func ids(list []Change) (s []string) {
	for _, c := range list {
		s = append(s, c.ID)
	}
	return s
}

var otherSignature = result.Signature{Rule: "R-ACK", Engine: "ack", Field: "head.conn", Kind: "differs"}

func diverges(name string, n int, s result.Signature) result.Record {
	return fails(name, n, result.Divergence, s, "divergence")
}

func skipped(name string, n int) result.Record {
	r := fails(name, n, result.Skipped, result.Signature{Engine: "run", Kind: "interrupted"}, "")
	r.Times = nil
	return r
}

func compare(t *testing.T, before, after []result.Record, change func(*run.Header)) *Comparison {
	t.Helper()
	w := newWorld(t)
	c, err := Compare(w.run(before, nil), w.run(after, change))
	require.NoError(t, err)
	return c
}

func edited(h *run.Header) { h.Revision = "fedcba" }

func TestCompare(t *testing.T) {
	before := []result.Record{match("a/same", 0), match("a/breaks", 0), diverges("a/fixed", 0, windowSignature), diverges("a/still", 0, windowSignature),
		diverges("a/other", 0, windowSignature), match("a/gone", 0), skipped("a/late", 0)}
	after := []result.Record{match("a/same", 0), diverges("a/breaks", 0, windowSignature), match("a/fixed", 0), diverges("a/still", 0, windowSignature),
		diverges("a/other", 0, otherSignature), diverges("a/late", 0, windowSignature), match("a/new", 0), diverges("a/new", 1, windowSignature),
		fails("a/new", 2, result.Crash, otherSignature, "crash")}
	c := compare(t, before, after, edited)
	assert.Equal(t, []string{before[1].ID(), after[8].ID(), before[4].ID()}, ids(c.Failures), "matched before; another cause; not there before, of a cause that was not there")
	assert.Equal(t, []string{before[2].ID()}, ids(c.Fixed))
	assert.Equal(t, []string{before[3].ID()}, ids(c.Still))
	assert.Equal(t, []string{before[5].ID()}, c.NoResult)
	assert.Empty(t, c.Flaky, "the sources are others")
	assert.Equal(t, 5, c.Common)
	assert.Equal(t, lockstep.Diverged, c.Result.Result)
	assert.Contains(t, c.Result.Sentence, "3 new failures; 1 execution without a result; 1 fixed, 1 still failing")

	// with the same sources, what came to another end is flaky
	c = compare(t, before, after, nil)
	assert.Equal(t, []string{before[1].ID(), before[2].ID(), before[4].ID()}, ids(c.Flaky))
	c = compare(t, before, after, func(h *run.Header) { h.Dirty = true })
	assert.Empty(t, c.Flaky)
}

// TestCompareWithItself: two names of one run are no comparison, and would never find anything.
func TestCompareWithItself(t *testing.T) {
	dir := newWorld(t).run([]result.Record{match("a/b", 0)}, nil)
	latest := filepath.Join(t.TempDir(), "latest")
	require.NoError(t, os.Symlink(dir, latest))
	_, err := Compare(dir, latest)
	assert.EqualError(t, err, fmt.Sprintf("%s and %s are one run: name an older one to compare it with", dir, latest))
}

// TestCompareResults: nothing passes because it was not run.
func TestCompareResults(t *testing.T) {
	one, two := match("a/b", 0), match("a/b", 1)
	for _, c := range []struct {
		before, after []result.Record
		want          lockstep.Result
		says          string
	}{
		{[]result.Record{one, two}, []result.Record{one, two}, lockstep.Match, "no new failures; "},
		{[]result.Record{one}, []result.Record{one, two}, lockstep.Match, "no new failures; "},
		{[]result.Record{one, two}, []result.Record{one}, lockstep.Inconclusive, "1 execution of the older run has no result"},
		{[]result.Record{one, two}, []result.Record{one, skipped("a/b", 1)}, lockstep.Inconclusive, "1 execution of the older run has no result"},
		{[]result.Record{one}, []result.Record{two}, lockstep.Inconclusive, "nothing was run in both"},
		{[]result.Record{skipped("a/b", 0)}, []result.Record{one}, lockstep.Inconclusive, "nothing was run in both"},
		{[]result.Record{two}, []result.Record{diverges("a/b", 0, windowSignature)}, lockstep.Diverged, "1 new failure"},
		{[]result.Record{diverges("a/b", 0, windowSignature)}, []result.Record{diverges("a/b", 0, windowSignature)}, lockstep.Match, "1 still failing"},
	} {
		got := compare(t, c.before, c.after, edited)
		assert.Equal(t, c.want, got.Result.Result, got.Result.Sentence)
		assert.Contains(t, got.Result.Sentence, c.says)
	}
	w := newWorld(t)
	_, err := Compare(filepath.Join(w.dir, "x"), filepath.Join(w.dir, "y"))
	assert.ErrorContains(t, err, filepath.Join(w.dir, "x"))
	assert.ErrorContains(t, err, filepath.Join(w.dir, "y"), "both at once")
}

// TestEveryExecutionHasItsPlace: what ran in both is in exactly one list if it fails or failed, and in none if not.
func TestEveryExecutionHasItsPlace(t *testing.T) {
	ends := []func(n int) result.Record{
		func(n int) result.Record { return match("a/b", n) },
		func(n int) result.Record { return diverges("a/b", n, windowSignature) },
		func(n int) result.Record { return diverges("a/b", n, otherSignature) },
		func(n int) result.Record { return fails("a/b", n, result.Timeout, otherSignature, "") },
	}
	end := rapid.IntRange(0, len(ends)-1)
	rapid.Check(t, func(t *rapid.T) {
		c := &Comparison{}
		var before, after []result.Record
		var failures, fixed, still int
		for n := range rapid.IntRange(1, 30).Draw(t, "executions") {
			x, y := end.Draw(t, "before"), end.Draw(t, "after")
			before, after = append(before, ends[x](n)), append(after, ends[y](n))
			switch {
			case y == 0 && x != 0:
				fixed++
			case y != 0 && x == y:
				still++
			case y != 0:
				failures++
			}
		}
		c.executions(before, after, true)
		require.Equal(t, []int{failures, fixed, still, len(before), 0}, []int{len(c.Failures), len(c.Fixed), len(c.Still), c.Common, len(c.NoResult)})
		for _, ch := range append(c.Failures, c.Fixed...) {
			require.Contains(t, c.Flaky, ch)
		}
	})
}

func TestSlower(t *testing.T) {
	list := func(name string, ms ...int64) (out []result.Record) {
		for n, d := range ms {
			r := match(name, n)
			r.Times.Duration = d
			out = append(out, r)
		}
		return out
	}
	before := slices.Concat(list("a/slow", 1000, 1000, 90_000), list("a/noise", 10, 10, 10), list("a/steady", 1000, 1000, 1000), list("a/worse", 1000))
	after := slices.Concat(list("a/slow", 1600, 1600, 1600), list("a/noise", 100, 100, 100), list("a/steady", 1400, 1400, 9000), list("a/worse", 5000))
	assert.Equal(t, []Slower{{"a/worse+tiny", 1000, 5000}, {"a/slow+tiny", 1000, 1600}}, slower(before, after))
}

func TestCoverageLost(t *testing.T) {
	before, after := covered("a=1"), covered("a=1", "a=2")
	assert.Equal(t, []string{"window a=2"}, lost(before, after))
	assert.Empty(t, lost(after, before))
	after.Line.Files[0].Gaps = append(after.Line.Files[0].Gaps, coverage.Gap{Line: 7, What: "if", Text: "if (c)"}, coverage.Gap{Line: 8, Text: "x", Waived: "why not"})
	after.Line.Files[0].Gaps[0].Line = 99 // lines move
	assert.Equal(t, []string{"window a=2", "line rtl/window/mr_window_step.sv: if if (c)"}, lost(before, after))
	after.Functional, after.Line = nil, nil
	assert.Empty(t, lost(before, after), "what was not measured is not lost")

	w := newWorld(t)
	a, b := w.run([]result.Record{match("a/b", 0)}, nil), w.run([]result.Record{match("a/b", 0)}, nil)
	w.write(filepath.Join(a, coverage.ReportFile), covered())
	c, err := Compare(a, b)
	require.NoError(t, err)
	assert.Equal(t, []string{"coverage: p-2 has no coverage.json"}, c.Unknown)
	w.write(filepath.Join(b, coverage.ReportFile), covered("a=3"))
	c, err = Compare(a, b)
	require.NoError(t, err)
	assert.Equal(t, []string{"window a=3"}, c.Lost)
	assert.Contains(t, c.Result.Sentence, "1 point of coverage lost")
}
