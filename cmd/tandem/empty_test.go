package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/vector"
	"metaroce/tandem/vectors/mrv"
)

// TestCheckOfNoVectors: a sound file with nothing in it is no pass.
func TestCheckOfNoVectors(t *testing.T) {
	b, err := mrv.Encode(vector.NewFile(nil), 1)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "none.mrv")
	require.NoError(t, os.WriteFile(name, b, 0o644))
	var out, bad bytes.Buffer
	assert.Equal(t, 3, run([]string{"vectors", "check", name}, &out, &bad), "%s%s", &out, &bad)
}
