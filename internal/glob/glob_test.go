package glob

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIn: the name of the folder is a name, whatever is in it.
func TestIn(t *testing.T) {
	for _, name := range []string{"plain", "run[1]", "a*b", "what?", `back\slash`, "[", "not utf \xff"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
		for _, file := range []string{"b.json", "a.json", "a.txt", "sub/c.json"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o644))
		}
		got, err := In(dir, "*.json")
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}, got, name)
		got, err = In(dir, "*/*.json")
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(dir, "sub", "c.json")}, got, name)
		t.Chdir(dir)
		got, err = In("", "*.json")
		require.NoError(t, err)
		assert.Equal(t, []string{"a.json", "b.json"}, got, name)
	}
}

func TestInNothing(t *testing.T) {
	got, err := In(filepath.Join(t.TempDir(), "none"), "*")
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = In(t.TempDir(), "[")
	assert.ErrorIs(t, err, path.ErrBadPattern)
}
