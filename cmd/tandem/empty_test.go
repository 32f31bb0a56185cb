package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/vectors/mrv"
)

// TestNoVectors: a sound file with nothing in it is no pass.
func TestNoVectors(t *testing.T) {
	b, err := mrv.Encode(vector.NewFile(nil), 1)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "none.mrv")
	require.NoError(t, os.WriteFile(name, b, 0o644))
	for _, args := range [][]string{{"check", name}, {"lint", name}, {"show", name}, {"diff", name, name}, {"shrink", name}, {"grade", name},
		{"export", "--as", "json", "-o", name + ".json", name}, {"export", "--as", "verilog", "-o", name + ".d", name}} {
		var out, bad bytes.Buffer
		assert.Equal(t, 3, run(append([]string{"vectors"}, args...), &out, &bad), "%v: %s%s", args, &out, &bad)
		if args[0] != "check" {
			assert.Contains(t, bad.String(), name)
			assert.Contains(t, bad.String(), "no vector in ")
		}
	}
	assert.NoFileExists(t, name+".json")
	assert.NoDirExists(t, name+".d")
}

// TestUnknownKind: what this program does not know is run as nothing else, and exported as nothing else.
func TestUnknownKind(t *testing.T) {
	b, err := mrv.Encode(vector.NewFile([]*mrv.Vector{{Name: "v", Kind: "toaster", Preset: "tiny"}}), 1)
	require.NoError(t, err)
	dir := t.TempDir()
	name := filepath.Join(dir, "odd.mrv")
	require.NoError(t, os.WriteFile(name, b, 0o644))
	for _, c := range []struct {
		code int
		args []string
	}{{4, []string{"check"}}, {4, []string{"shrink"}}, {2, []string{"lint"}}, {4, []string{"export", "--as", "verilog", "-o", filepath.Join(dir, "v")}}, {4, []string{"export", "--as", "pcapng", "-o", filepath.Join(dir, "p")}}} {
		var out, bad bytes.Buffer
		assert.Equal(t, c.code, run(append(append([]string{"vectors"}, c.args...), name), &out, &bad), "%v", c.args)
		assert.Contains(t, out.String()+bad.String(), `"toaster"`, "%v", c.args)
	}
}

// TestHeadersOfAllFiles: a note about one file is not lost behind the next, and one header does not stand for two.
func TestHeadersOfAllFiles(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, model := range []string{"0123456789abcdef", ""} {
		f := vector.NewFile([]*mrv.Vector{{Name: fmt.Sprint("v", i), Kind: "ctimer", Preset: "tiny"}})
		if model != "" {
			f.Header.Model = model
		}
		b, err := mrv.Encode(f, 1)
		require.NoError(t, err)
		names = append(names, filepath.Join(dir, fmt.Sprint(i, ".mrv")))
		require.NoError(t, os.WriteFile(names[i], b, 0o644))
	}
	var out, bad bytes.Buffer
	assert.Equal(t, 3, run(append([]string{"vectors", "check"}, names...), &out, &bad))
	assert.Contains(t, out.String(), "note: made with model 0123456789abcdef")
	assert.Equal(t, 2, run(append([]string{"vectors", "export", "--as", "json", "-o", filepath.Join(dir, "x.json")}, names...), &out, &bad))
	assert.Contains(t, bad.String(), "made by 2 programs or models")
}
