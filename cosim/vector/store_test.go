package vector

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/vectors/mrv"
)

// small is a golden file as it is on disk, so that every test can have a set of its own.
func small(name string) ([]*mrv.Vector, error) {
	f, err := mrv.ReadFile(filepath.Join(golden, name, "steps.mrv"))
	if err != nil {
		return nil, err
	}
	return f.Vectors, nil
}

// someParts are two small parts; change may alter what they make.
func someParts(change func(list []*mrv.Vector) []*mrv.Vector) []Part {
	engine := func(name string) Part {
		return Part{name + "/steps.mrv", func(context.Context) ([]*mrv.Vector, error) {
			list, err := small(name)
			if change != nil && name == "ctimer" {
				list = change(list)
			}
			return list, err
		}}
	}
	return []Part{engine("ctimer"), engine("coalesce")}
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	require.NoError(t, err)
	return s
}

// TestBlessing walks through the life of a set: nothing is written without a reason, nothing goes unnamed, versions say
// what a change means.
func TestBlessing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	var refused *Refusal
	b, err := BlessStore(ctx, open(t, dir), someParts(nil), " ", nil, 1)
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "needs a reason")
	assert.False(t, b.Written)
	assert.FileExists(t, filepath.Join(dir, "coalesce", "steps.mrv.rej"))
	assert.NoFileExists(t, filepath.Join(dir, "coalesce", "steps.mrv"))

	b, err = BlessStore(ctx, open(t, dir), someParts(nil), "the first", nil, 2)
	require.NoError(t, err)
	assert.True(t, b.Written)
	assert.Equal(t, "0.1.0", b.Version)
	assert.NoFileExists(t, filepath.Join(dir, "coalesce", "steps.mrv.rej"), "what was refused earlier is swept away")
	before, err := os.ReadFile(filepath.Join(dir, "ctimer", "steps.mrv"))
	require.NoError(t, err)

	b, err = BlessStore(ctx, open(t, dir), someParts(nil), "again", nil, 1)
	require.NoError(t, err)
	assert.True(t, b.Change.None())
	assert.False(t, b.Written)

	changed := func(list []*mrv.Vector) []*mrv.Vector {
		list[1].Steps[0].After[0] ^= 1
		return list
	}
	b, err = BlessStore(ctx, open(t, dir), someParts(changed), "", nil, 1)
	require.ErrorAs(t, err, &refused)
	require.Len(t, b.Change.Expected, 1)
	assert.Equal(t, map[string]int{"R-CTIMER": 1}, b.Change.Rules)
	assert.Contains(t, b.Change.Examples[0], "out.push")
	now, err := os.ReadFile(filepath.Join(dir, "ctimer", "steps.mrv"))
	require.NoError(t, err)
	assert.Equal(t, before, now, "the original stays")
	assert.FileExists(t, filepath.Join(dir, "ctimer", "steps.mrv.rej"))
	assert.NoFileExists(t, filepath.Join(dir, "coalesce", "steps.mrv.rej"), "of what does not change there is nothing to see")
	b, err = BlessStore(ctx, open(t, dir), someParts(changed), "R-CTIMER: otherwise", nil, 1)
	require.NoError(t, err)
	assert.Equal(t, "1.0.0", b.Version)

	fewer := func(list []*mrv.Vector) []*mrv.Vector { return changed(list)[1:] }
	list, err := small("ctimer")
	require.NoError(t, err)
	name := list[0].Name
	_, err = BlessStore(ctx, open(t, dir), someParts(fewer), "shrink", nil, 1)
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), name+": a set does not shrink")
	b, err = BlessStore(ctx, open(t, dir), someParts(fewer), "shrink", []string{name, "nope", list[1].Name}, 1)
	assert.Nil(t, b)
	assert.EqualError(t, err, "--drop \"nope\": no vector of that name would be gone\n--drop \""+list[1].Name+"\": no vector of that name would be gone")
	b, err = BlessStore(ctx, open(t, dir), someParts(fewer), "shrink", []string{name}, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{name}, b.Change.Removed)
	assert.Equal(t, "2.0.0", b.Version)

	titled := func(list []*mrv.Vector) []*mrv.Vector {
		list = fewer(list)
		list[0].Title += "!"
		return list
	}
	b, err = BlessStore(ctx, open(t, dir), someParts(titled), "words", nil, 1)
	require.NoError(t, err)
	assert.Equal(t, "2.0.1", b.Version)
	b, err = BlessStore(ctx, open(t, dir), append(someParts(titled), Part{"place/steps.mrv", someEngine("place")}), "more", nil, 1)
	require.NoError(t, err)
	assert.Equal(t, "2.1.0", b.Version)

	log, err := os.ReadFile(filepath.Join(dir, ChangesFile))
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^# Changes.*## 2\.1\.0.*more.*## 2\.0\.1.*words.*## 2\.0\.0.*shrink.*removed 1: `+name+`.*## 1\.0\.0.*R-CTIMER: 1 differences.*## 0\.1\.0`, string(log))
	assert.Equal(t, Manifest("2.1.0", open(t, dir).Files), read(t, filepath.Join(dir, ManifestFile)))
}

func someEngine(name string) func(context.Context) ([]*mrv.Vector, error) {
	return func(context.Context) ([]*mrv.Vector, error) { return small(name) }
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// TestDamagedStore: all damaged files are told, and nothing is made of the others.
func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a.mrv", "b.mrv"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, n), []byte("damaged"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestFile), []byte("<<<<<<< HEAD\n"), 0o600))
	_, err := OpenStore(dir)
	assert.ErrorContains(t, err, `manifest.txt:1: "<<<<<<< HEAD": want the version of the set`)
	assert.ErrorContains(t, err, "a.mrv: byte 0")
	assert.ErrorContains(t, err, "b.mrv: byte 0")
}

// TestWhole: a file that is gone, one that is not listed and one with other vectors are told, each; a folder without a manifest is no set.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Whole(dir))
	_, err := BlessStore(context.Background(), open(t, dir), someParts(nil), "first", nil, 1)
	require.NoError(t, err)
	require.NoError(t, Whole(dir))
	ctimer, coalesce, own, manifest := filepath.Join(dir, "ctimer", "steps.mrv"), filepath.Join(dir, "coalesce", "steps.mrv"), filepath.Join(dir, "own.mrv"), filepath.Join(dir, ManifestFile)
	f, err := mrv.ReadFile(ctimer)
	require.NoError(t, err)
	f.Vectors = f.Vectors[1:]
	b, err := mrv.Encode(f, 1)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(ctimer, b, 0o600))
	assert.NotContains(t, Whole(dir).Error(), coalesce, "only what is wrong is told")
	require.NoError(t, os.WriteFile(own, b, 0o600))
	require.NoError(t, os.Remove(coalesce))
	err = Whole(dir)
	assert.ErrorContains(t, err, coalesce+" is not there, and "+manifest+" lists it")
	assert.ErrorContains(t, err, ctimer+" has other vectors than "+manifest+" lists")
	assert.ErrorContains(t, err, own+" is there, and "+manifest+" does not list it")
	require.NoError(t, os.WriteFile(manifest, []byte("<<<<<<< HEAD\n"), 0o600))
	assert.ErrorContains(t, Whole(dir), "want the version of the set")
}

func TestLint(t *testing.T) {
	good := text(t, twoMessages)
	good.ID = good.Identify()
	require.NoError(t, Lint(ctx, []*mrv.Vector{good}))
	bad, twin := *good, *good
	bad.Name, bad.Rules, bad.Requires, bad.Title = "bad", []string{"R-NOTHING"}, []string{"magic"}, ""
	bad.Want.Fates = append(bad.Want.Fates[:0:0], bad.Want.Fates...)
	bad.Want.Fates[0].Addr++
	bad.ID = "other"
	twin.Name, twin.Rules = "twin", nil
	odd := &mrv.Vector{Name: "odd", Kind: "toaster", ID: "x"}
	hollow := &mrv.Vector{Name: "hollow", Kind: "window", ID: "y", Items: good.Items}
	steps := &mrv.Vector{Name: "steps", Kind: mrv.Receive, ID: "z", Steps: make([]mrv.Step, 1)}
	mixed := &mrv.Vector{Name: "mixed", Kind: "window", ID: "m", Items: good.Items, Steps: make([]mrv.Step, 1)}
	err := Lint(ctx, []*mrv.Vector{good, &bad, &twin, odd, hollow, steps, mixed})
	for _, want := range []string{"bad: rule R-NOTHING", `bad: it requires "magic"`, "bad: it has no title", "bad: its outcome hangs on time", "twin: it names no rule",
		"twin: it has the same stimulus as t", "odd: it expects nothing", `odd: kind "toaster": there are receive, endpoint, admit`, "hollow: it is of engine window and has no steps",
		"steps: 1 steps, which are for engines", "mixed: 45 frames and accesses, which an engine is not given",
		"mixed: step 0: window: a body of 0 bytes"} {
		assert.ErrorContains(t, err, want)
	}
	ended, end := context.WithCancel(ctx)
	end()
	assert.EqualError(t, Lint(ended, []*mrv.Vector{good, odd}), "host: interrupted: context canceled")
}

// TestInterrupted: one line, however many parts there are.
func TestInterrupted(t *testing.T) {
	ended, end := context.WithCancel(ctx)
	end()
	files, err := MakeAll(ended, append(someParts(nil), someParts(nil)...), 2)
	assert.Nil(t, files)
	assert.EqualError(t, err, "host: interrupted: context canceled")
}

// TestDiffOfOneNameTwice: two files may hold a name each; none is lost, and equal sets are equal.
func TestDiffOfOneNameTwice(t *testing.T) {
	list, err := small("ctimer")
	require.NoError(t, err)
	twin := *list[1]
	twin.Name = list[0].Name
	set := []*mrv.Vector{list[0], &twin}
	assert.True(t, Diff(set, set).None())
	assert.Equal(t, []string{twin.Name}, Diff(set, set[:1]).Removed)
	assert.Equal(t, []string{twin.Name}, Diff(set[:1], set).Added)
}

func TestSelect(t *testing.T) {
	list := []*mrv.Vector{{Name: "a/b", ID: "0123456789"}, {Name: "a/bc", ID: "ff"}, {Name: "d"}}
	for pattern, want := range map[string][]string{"a/*": {"a/b", "a/bc"}, "*b*": {"a/b", "a/bc"}, "d": {"d"}, "*c": {"a/bc"}, "01234567": {"a/b"}, "*": {"a/b", "a/bc", "d"}} {
		got, err := Select(list, []string{pattern})
		require.NoError(t, err)
		var names []string
		for _, v := range got {
			names = append(names, v.Name)
		}
		assert.Equal(t, want, names, pattern)
	}
	_, err := Select(list, []string{"x*", "d", "0123"})
	assert.EqualError(t, err, "no vector is called x* or 0123", "one that is there does not hide those that are not")
}
