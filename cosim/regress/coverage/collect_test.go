package coverage_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/model/event"
)

// folder is a run folder with what executions left.
type folder struct {
	t   *testing.T
	run *coverage.Run
	toy string
}

func newFolder(t *testing.T) *folder {
	toy, err := os.ReadFile("testdata/toy.dat")
	require.NoError(t, err)
	return &folder{t, &coverage.Run{Dir: t.TempDir(), Counted: map[string]string{}, Sources: map[string]string{"sim": "testdata"}, Waivers: &coverage.Waivers{Day: "2026-11-29"}}, string(toy)}
}

func (f *folder) put(name, text string) {
	path := filepath.Join(f.run.Dir, name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(f.t, os.WriteFile(path, []byte(text), 0o644))
}

// execution leaves bins of a drop for each reason, and points.
func (f *folder) execution(seed result.Seed, points string, reasons ...event.Reason) string {
	c := cover.New()
	for _, reason := range reasons {
		var b [event.MaxRecord]byte
		n := (&event.Admit{Out: event.AdmitOut{Reason: reason}}).Encode(&b)
		c.Observe(b[:n])
	}
	r := result.Record{Name: "s/t", Seed: seed, Verdict: result.Match}
	r.Coverage = coverage.BinsFile(r.ID())
	f.put(r.Coverage, string(c.Encode()))
	if points != "" {
		f.put(coverage.PointsFile(r.ID()), points)
		f.run.Counted[r.ID()] = "sim"
	}
	f.run.Records = append(f.run.Records, r)
	return r.ID()
}

func (f *folder) collect() *coverage.Report {
	r, err := coverage.Collect(f.run)
	require.NoError(f.t, err)
	return r
}

func (f *folder) read(name string) string {
	b, err := os.ReadFile(filepath.Join(f.run.Dir, name))
	require.NoError(f.t, err)
	return string(b)
}

func TestCollect(t *testing.T) {
	f := newFolder(t)
	a := f.execution(1, f.toy, event.ReasonNone, event.ReasonOverrun)
	b := f.execution(2, strings.ReplaceAll(f.toy, "' 0\n", "' 3\n"), event.ReasonNone)
	f.execution(3, "", event.ReasonNone)
	r := f.collect()
	assert.Equal(t, 3, r.Executions)
	assert.Equal(t, 2, r.Functional.Hit)
	assert.Equal(t, [2]int{13, 13}, [2]int{r.Line.Points, r.Line.Hit})
	assert.Equal(t, []coverage.Ranked{{ID: b, Adds: 57, Sum: 57, Of: 58}, {ID: a, Adds: 1, Sum: 58, Of: 58}}, r.Rank, "the third adds nothing")
	assert.Empty(t, r.Missing)
	read, err := coverage.Read(f.run.Dir)
	require.NoError(t, err)
	assert.Equal(t, r, read)
	assert.Contains(t, f.read(coverage.SumFile), "' 78\n", "39 and 39")

	again, err := coverage.Again(f.run.Dir, f.run.Waivers)
	require.NoError(t, err)
	assert.Equal(t, r, again)
	require.NoError(t, os.Remove(filepath.Join(f.run.Dir, coverage.BinsSumFile)))
	_, err = coverage.Again(f.run.Dir, f.run.Waivers)
	assert.ErrorContains(t, err, "copied in part")
	assert.NotErrorIs(t, err, fs.ErrNotExist)

	// nothing is left of it when the records say so
	for i := range f.run.Records {
		f.run.Records[i].Verdict = result.Divergence
	}
	assert.Nil(t, f.collect())
	_, err = coverage.Read(f.run.Dir)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.NoFileExists(t, filepath.Join(f.run.Dir, coverage.SumFile))
}

// TestMissing: an execution counts with all that it left, or not at all, and is told of.
func TestMissing(t *testing.T) {
	last := func(s string) string { return s[:strings.LastIndex(s, "\nC ")+1] }
	for what, c := range map[string]struct {
		spoil func(f *folder, id string)
		want  string
	}{
		"no points": {func(f *folder, id string) {
			require.NoError(t, os.Remove(filepath.Join(f.run.Dir, coverage.PointsFile(id))))
		}, "no such file"},
		"cut off":      {func(f *folder, id string) { f.put(coverage.PointsFile(id), f.toy[:len(f.toy)-9]) }, "s/t@0000000000000002.dat:57: byte "},
		"points short": {func(f *folder, id string) { f.put(coverage.PointsFile(id), last(f.toy)) }, "has 55 points, and other ones than the first file of the simulator sim, which has 56"},
		"no bins": {func(f *folder, id string) {
			require.NoError(t, os.Remove(filepath.Join(f.run.Dir, coverage.BinsFile(id))))
		}, "no such file"},
		"bins garbled": {func(f *folder, id string) { f.put(coverage.BinsFile(id), "x") }, "bins: the file is"},
	} {
		f := newFolder(t)
		f.execution(1, f.toy, event.ReasonNone)
		alone := f.collect()
		sums := f.read(coverage.SumFile) + f.read(coverage.BinsSumFile)
		id := f.execution(2, f.toy, event.ReasonOverrun)
		c.spoil(f, id)
		r := f.collect()
		require.Len(t, r.Missing, 1, what)
		assert.Contains(t, r.Missing[0], id+": ", what)
		assert.Contains(t, r.Missing[0], c.want, what)
		r.Missing = nil
		assert.Equal(t, alone, r, what)
		assert.Equal(t, sums, f.read(coverage.SumFile)+f.read(coverage.BinsSumFile), what)
	}
}

// TestTexts: gaps have the lines that the simulator was made of.
func TestTexts(t *testing.T) {
	f := newFolder(t)
	f.execution(1, f.toy, event.ReasonNone)
	assert.Equal(t, []coverage.Gap{{Line: 26, Text: "if (x) return 0; else return 1;"}}, f.collect().Line.Files[0].Gaps)
	f.run.Sources = nil
	assert.Equal(t, []coverage.Gap{{Line: 26}}, f.collect().Line.Files[0].Gaps)
}
