package history

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/regress/result"
)

func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), FileName))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func run(id string, began int64) Run {
	return Run{ID: id, Plan: "p", Base: 1 << 63, Revision: "abc", Launcher: "local", Workers: 2, Began: began, Ended: began + 1000, Wall: 5, State: "done", Verdict: result.Match, Digest: "d", Cases: 3, Matched: 2, Events: 1 << 40, Cycles: 7}
}

func rec(name string, seed result.Seed, v result.Verdict, ms int64) result.Record {
	r := result.Record{Name: name, Variant: "tiny", Seed: seed, Digest: "x", Verdict: v, Times: &result.Times{Duration: ms}}
	if v != result.Match {
		r.Signature = &result.Signature{Kind: string(v)}
	}
	return r
}

func TestRunsComeBack(t *testing.T) {
	s := open(t)
	a, b := run("p-1", 100), run("p-2", 200)
	b.Plan, b.Dirty, b.Verdict = "q", true, result.Divergence
	require.NoError(t, s.Add(a, nil))
	require.NoError(t, s.Add(b, nil))
	got, err := s.Runs("", 10)
	require.NoError(t, err)
	assert.Equal(t, []Run{b, a}, got)
	got, err = s.Runs("p", 10)
	require.NoError(t, err)
	assert.Equal(t, []Run{a}, got)
	a.State = "interrupted"
	require.NoError(t, s.Add(a, nil), "a run that is known is put in anew")
	got, err = s.Runs("", 1)
	require.NoError(t, err)
	assert.Equal(t, []Run{b}, got)
	require.NoError(t, s.Forget("p-1"))
	got, err = s.Runs("p", 10)
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestPast(t *testing.T) {
	s := open(t)
	old := rec("s/a", 1, result.Divergence, 100)
	old.Digest = "old"
	require.NoError(t, s.Add(run("p-1", 1), []result.Record{old, rec("s/b", 2, result.Divergence, 10)}))
	require.NoError(t, s.Add(run("p-2", 2), []result.Record{rec("s/a", 1, result.Match, 200), rec("s/a", 5, result.Crash, 300), rec("s/c", 3, result.Skipped, 0)}))
	past, err := s.Past()
	require.NoError(t, err)
	require.Len(t, past, 2, "what was not begun says nothing")
	a := past["s/a+tiny"]
	assert.Equal(t, "x", a.Digest)
	assert.Equal(t, map[result.Seed]bool{5: true}, a.Failed, "of its latest run")
	assert.Equal(t, int64(200), a.Duration)
	assert.Equal(t, map[result.Seed]bool{2: true}, past["s/b+tiny"].Failed, "its latest run is another one")
	require.NoError(t, s.Add(run("p-1", 1), nil))
	past, err = s.Past()
	require.NoError(t, err)
	assert.Nil(t, past["s/b+tiny"], "results go with their run")
}

// TestPastAgainstATwin holds the queries against loops over everything.
func TestPastAgainstATwin(t *testing.T) {
	s := open(t)
	rapid.Check(t, func(t *rapid.T) {
		_, err := s.db.Exec("DELETE FROM runs")
		require.NoError(t, err)
		want := map[string]*Past{}
		runs := rapid.IntRange(0, 13).Draw(t, "runs")
		sum, count := map[string]int64{}, map[string]int64{}
		latest := map[string][]int{} // runs by test
		all := make([][]result.Record, runs)
		for k := range runs {
			for i := range rapid.IntRange(0, 4).Draw(t, "n") {
				r := rec("s/"+rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), result.Seed(i), rapid.SampledFrom([]result.Verdict{result.Match, result.Crash, result.Skipped, result.Lost}).Draw(t, "v"), int64(rapid.IntRange(0, 9).Draw(t, "ms")))
				r.Digest = fmt.Sprint("d", k)
				all[k] = append(all[k], r)
			}
			require.NoError(t, s.Add(run(fmt.Sprint("p-", k), int64(k)), all[k]))
		}
		for k := runs - 1; k >= 0; k-- {
			for _, r := range all[k] {
				if r.Verdict == result.Skipped || r.Verdict == result.Lost {
					continue
				}
				name := r.FullName()
				if l := latest[name]; len(l) == 0 || l[len(l)-1] != k {
					latest[name] = append(l, k)
				}
				if want[name] == nil {
					want[name] = &Past{Digest: r.Digest, Failed: map[result.Seed]bool{}}
				}
				if len(latest[name]) == 1 && r.Verdict != result.Match {
					want[name].Failed[r.Seed] = true
				}
				if len(latest[name]) <= pastRuns {
					sum[name] += r.Times.Duration
					count[name]++
				}
			}
		}
		for name := range want {
			want[name].Duration = sum[name] / count[name]
		}
		got, err := s.Past()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func TestFlakesAndRates(t *testing.T) {
	s := open(t)
	dirty := run("p-3", 3)
	dirty.Dirty = true
	require.NoError(t, s.Add(run("p-1", 1), []result.Record{rec("s/a", 1, result.Match, 10), rec("s/b", 1, result.Match, 10)}))
	require.NoError(t, s.Add(run("p-2", 2), []result.Record{rec("s/a", 1, result.Divergence, 30), rec("s/b", 1, result.Match, 10), rec("s/c", 4, result.Skipped, 0)}))
	require.NoError(t, s.Add(dirty, []result.Record{rec("s/b", 1, result.Crash, 10)}))
	f, err := s.Flakes()
	require.NoError(t, err)
	assert.Equal(t, []Flake{{"s/a+tiny", 1, "abc", 2, 1, 2}}, f, "changed sources excuse another end")
	r, err := s.Rates("p", 2)
	require.NoError(t, err)
	assert.Equal(t, []Rate{{"s/a+tiny", 1, 0, 30}, {"s/b+tiny", 2, 1, 10}}, r)
}

// TestNamesOfFolders: what a URI would read as more than a path is of the path.
func TestNamesOfFolders(t *testing.T) {
	for _, name := range []string{"h#1", "q?mode=memory", "p%41", "two words", "a;b&c", "r\xff"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o755))
		s, err := Open(filepath.Join(dir, FileName))
		require.NoError(t, err, name)
		require.NoError(t, s.Close())
		assert.FileExists(t, filepath.Join(dir, FileName))
		beside, err := os.ReadDir(filepath.Dir(dir))
		require.NoError(t, err)
		assert.Len(t, beside, 1, name)
	}
}

func TestIndexesThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte("this is no database, and long enough to be taken for one that is broken"), 0o644))
	_, err := Open(path)
	assert.ErrorContains(t, err, "it is only an index")
	path = filepath.Join(t.TempDir(), FileName)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec("PRAGMA user_version = 99")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(path)
	assert.ErrorContains(t, err, "form 99, this program reads 2")
}

// TestReadOnly: an index that may only be read is read.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	s, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, s.Add(run("p-1", 100), nil))
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_txlock=immediate")
	require.NoError(t, err)
	defer db.Close()
	s = &Store{db}
	require.NoError(t, s.prepare())
	got, err := s.Runs("", 10)
	require.NoError(t, err)
	assert.Len(t, got, 1)
}

// TestOlderForm: an index without wall times gets those between begin and end, once, and new runs their own.
func TestOlderForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	s, err := Open(path)
	require.NoError(t, err)
	old, pause := run("p-1", 100), run("p-2", 200)
	require.NoError(t, s.Add(old, []result.Record{rec("a/b", 1, result.Match, 5)}))
	_, err = s.db.Exec("ALTER TABLE runs DROP COLUMN wall; PRAGMA user_version = 1")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for range 2 {
		s, err = Open(path)
		require.NoError(t, err)
		require.NoError(t, s.Add(pause, nil))
		got, err := s.Runs("p", 10)
		require.NoError(t, err)
		old.Wall = 1000
		assert.Equal(t, []Run{pause, old}, got)
		require.NoError(t, s.Close())
	}
}

// TestTwoProcessesWrite: a second connection waits for the first instead of failing.
func TestTwoProcessesWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	var wg sync.WaitGroup
	for k := range 3 {
		wg.Go(func() {
			s, err := Open(path)
			if !assert.NoError(t, err) {
				return
			}
			defer s.Close()
			for i := range 5 {
				assert.NoError(t, s.Add(run(fmt.Sprint("p-", k, "-", i), int64(i)), []result.Record{rec("s/a", 1, result.Match, 1)}))
			}
		})
	}
	wg.Wait()
	s, err := Open(path)
	require.NoError(t, err)
	defer s.Close()
	got, err := s.Runs("", 100)
	require.NoError(t, err)
	assert.Len(t, got, 15)
}
