package triage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/regress/known"
	"metaroce/tandem/cosim/regress/result"
)

const today = known.Day("2026-11-29")

func failing(name string, seed int, v result.Verdict, engine, field string, events uint64) result.Record {
	return result.Record{Name: name, Seed: result.Seed(seed), Iteration: seed, Verdict: v, Events: events, Folder: fmt.Sprintf("tests/%s@%d", name, seed),
		Signature: &result.Signature{Kind: "differs", Engine: engine, Field: field}, Line: fmt.Sprintf("at cycle %d", seed), Times: &result.Times{Duration: int64(seed)}}
}

func matching(name string, seed int) result.Record {
	return result.Record{Name: name, Seed: result.Seed(seed), Iteration: seed, Verdict: result.Match, Events: 1}
}

func TestBuckets(t *testing.T) {
	list := []result.Record{
		failing("b/x", 3, result.Divergence, "window", "out.class", 50), failing("a/x", 1, result.Divergence, "window", "out.class", 70),
		failing("a/x", 2, result.Divergence, "window", "out.class", 50), failing("a/y", 1, result.Crash, "device", "assertion *", 9),
		failing("a/y", 2, result.Divergence, "key", "out.verdict", 3), matching("a/z", 1), failing("c/x", 1, result.Skipped, "run", "", 0),
	}
	b := Make(list, nil, today)
	require.Len(t, b.Buckets, 4)
	w := b.Buckets[0]
	assert.Equal(t, "divergence | differs | window | out.class | ", w.Key)
	assert.Equal(t, 3, w.Count)
	assert.Equal(t, "a/x@0000000000000001", w.First.ID())
	assert.Equal(t, "b/x@0000000000000003", w.Last.ID())
	assert.Equal(t, "a/x@0000000000000002", w.Smallest.ID(), "the first of the smallest")
	assert.Equal(t, "tests/a/x@2", w.Folder)
	assert.Equal(t, []string{"a/x", "b/x"}, w.Tests)
	assert.Nil(t, w.First.Times)
	assert.Equal(t, []result.Verdict{result.Divergence, result.Divergence, result.Crash, result.Skipped},
		[]result.Verdict{b.Buckets[0].Verdict, b.Buckets[1].Verdict, b.Buckets[2].Verdict, b.Buckets[3].Verdict})
	assert.Equal(t, result.Divergence, b.New)
	assert.Equal(t, map[result.Verdict]int{result.Divergence: 4, result.Crash: 1, result.Skipped: 1, result.Match: 1}, b.Counts)
	assert.Equal(t, &b.Buckets[0], b.Bucket(&list[0]))
	assert.Nil(t, b.Bucket(&list[5]))
}

func TestKnownFailures(t *testing.T) {
	window := []result.Record{failing("a/x", 1, result.Divergence, "window", "out.class", 5), failing("a/x", 2, result.Divergence, "window", "out.class", 5)}
	key := failing("b/x", 1, result.Divergence, "key", "out.verdict", 5)
	skipped := failing("b/y", 1, result.Skipped, "window", "out.class", 0)
	good := matching("a/z", 1)
	entry := func(engine, test string, day known.Day) known.Entry {
		e := known.Entry{Engine: engine, Issue: "#1", Why: "w", Expires: day}
		if test != "" {
			e.Tests = []string{test}
		}
		return e
	}
	for _, c := range []struct {
		what    string
		records []result.Record
		entries []known.Entry
		new     result.Verdict
		states  []State
		first   string // engine of the first bucket
		excused []bool
	}{
		{"none", append(window, good), nil, result.Divergence, nil, "window", []bool{false}},
		{"known", append(window, good), []known.Entry{entry("window", "", today)}, result.Match, []State{Seen}, "window", []bool{true}},
		{"expired", append(window, good), []known.Entry{entry("window", "", "2026-11-28")}, result.Divergence, []State{Overdue}, "window", []bool{false}},
		{"expired, and again with another day", append(window, good), []known.Entry{entry("window", "", "2026-11-28"), entry("win*", "", today)}, result.Match, []State{Covered, Seen}, "window", []bool{true}},
		{"nothing matched", window, []known.Entry{entry("window", "", today)}, result.Inconclusive, []State{Seen}, "window", []bool{true}},
		{"another cause beside it", append(window, key, good), []known.Entry{entry("window", "", today)}, result.Divergence, []State{Seen}, "key", []bool{false, true}},
		{"known in one test, seen in another", append(window, good, failing("c/x", 1, result.Divergence, "window", "out.class", 5)), []known.Entry{entry("", "a", today)}, result.Divergence, []State{Seen}, "window", []bool{false}},
		{"did not occur", append(window, good), []known.Entry{entry("key", "", today)}, result.Divergence, []State{Absent}, "window", []bool{false}},
		{"its tests did not run", append(window, good, skipped), []known.Entry{entry("key", "b", today)}, result.Divergence, []State{NotRun}, "window", []bool{false, false}},
		{"what was not begun is never known", []result.Record{good, skipped}, []known.Entry{entry("*", "", today)}, result.Skipped, []State{Absent}, "window", []bool{false}},
	} {
		b := Make(c.records, c.entries, today)
		assert.Equal(t, c.new, b.New, c.what)
		var states []State
		for _, e := range b.Entries {
			states = append(states, e.State)
		}
		assert.Equal(t, c.states, states, c.what)
		assert.Equal(t, c.first, b.Buckets[0].Signature.Engine, c.what)
		for i, want := range c.excused {
			assert.Equal(t, want, b.Buckets[i].Excused(), "%s, bucket %d", c.what, i)
		}
	}
	assert.Equal(t, result.Inconclusive, Make(nil, nil, today).New, "a run of nothing passes nothing")
}

// TestMakeAgainstItsDefinition counts in the obvious way, and shuffles.
func TestMakeAgainstItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []result.Record
		for i := range rapid.IntRange(0, 30).Draw(t, "n") {
			name := rapid.SampledFrom([]string{"a/x", "a/y", "b/x"}).Draw(t, "name")
			if rapid.Bool().Draw(t, "match") {
				list = append(list, matching(name, i))
				continue
			}
			v := rapid.SampledFrom(result.Verdicts()[1:]).Draw(t, "verdict")
			list = append(list, failing(name, i, v, rapid.SampledFrom([]string{"window", "key"}).Draw(t, "engine"), rapid.SampledFrom([]string{"f", "g|", "|g"}).Draw(t, "field"), uint64(i%5)))
		}
		b := Make(list, nil, today)
		n := 0
		for i := range b.Buckets {
			x := &b.Buckets[i]
			n += x.Count
			same := 0
			for k := range list {
				r := &list[k]
				if r.Verdict == x.Verdict && r.Signature != nil && *r.Signature == x.Signature {
					same++
					assert.GreaterOrEqual(t, r.Events, x.Smallest.Events)
					assert.Contains(t, x.Tests, r.FullName())
					assert.LessOrEqual(t, result.Compare(&x.First, r), 0)
					assert.GreaterOrEqual(t, result.Compare(&x.Last, r), 0)
				}
			}
			assert.Equal(t, same, x.Count)
			for k := range i {
				assert.NotEqual(t, b.Buckets[k].ID, x.ID)
			}
		}
		assert.Equal(t, len(list)-b.Counts[result.Match], n)
		want, err := json.Marshal(b)
		require.NoError(t, err)
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		got, err := json.Marshal(Make(list, nil, today))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	})
}
