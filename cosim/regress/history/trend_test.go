package history

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/result"
)

// TestTrend: the runs of a plan up to one of them, with what did not always come to the same.
func TestTrend(t *testing.T) {
	s := open(t)
	add := func(id string, began int64, change func(*Run), list ...result.Record) {
		r := run(id, began)
		if change != nil {
			change(&r)
		}
		require.NoError(t, s.Add(r, list))
	}
	add("p-1", 100, nil, rec("a/b", 1, result.Match, 5), rec("a/b", 2, result.Match, 5))
	add("p-2", 200, nil, rec("a/b", 1, result.Divergence, 5), rec("a/b", 2, result.Match, 5))
	add("q-1", 250, func(r *Run) { r.Plan = "q" }, rec("a/b", 2, result.Match, 5))
	add("p-3", 300, func(r *Run) { r.Revision = "other" }, rec("a/b", 1, result.Match, 5), rec("a/b", 2, result.Divergence, 5))
	add("p-4", 400, func(r *Run) { r.Dirty = true }, rec("a/b", 2, result.Divergence, 5))
	require.NoError(t, s.Cover("p-2", 100, 80))
	require.NoError(t, s.Cover("p-2", 100, 90))
	assert.ErrorContains(t, s.Cover("p-9", 1, 1), "no run p-9")

	point := func(id string, began int64, revision string, flaky, bins, hit int) Point {
		return Point{ID: id, Began: began, Duration: 5, Revision: revision, Cases: 3, Matched: 2, Flaky: flaky, Bins: bins, Hit: hit}
	}
	all, err := s.Trend("p", 1000, 10)
	require.NoError(t, err)
	want := []Point{point("p-1", 100, "abc", 1, 0, 0), point("p-2", 200, "abc", 1, 100, 90), point("p-3", 300, "other", 0, 0, 0), point("p-4", 400, "abc", 0, 0, 0)}
	assert.Equal(t, want, all, "another revision, or changes on top, explain another end")

	first, err := s.Trend("p", 100, 10)
	require.NoError(t, err)
	assert.Equal(t, []Point{point("p-1", 100, "abc", 0, 0, 0)}, first, "what came later changes nothing")
	last, err := s.Trend("p", 1000, 2)
	require.NoError(t, err)
	assert.Equal(t, want[2:], last)
	require.NoError(t, s.Add(run("p-2", 200), nil))
	all, err = s.Trend("p", 1000, 10)
	require.NoError(t, err)
	assert.Zero(t, all[1].Bins, "a run that is put in anew brings its own")
}
