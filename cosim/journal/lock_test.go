package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLock(t *testing.T) {
	runs := t.TempDir()
	var none *Folders
	a, freeA, err := none.Lock(runs, "x-1")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(runs, "x-1"), a)
	_, err = CheckSeal(a)
	assert.ErrorContains(t, err, "a run still writes")
	b, freeB, err := none.Lock(runs, "x-1")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(runs, "x-1.2"), b)
	freeA()
	_, err = CheckSeal(a)
	assert.ErrorContains(t, err, "was broken off")
	again, freeAgain, err := none.Lock(runs, "x-1")
	require.NoError(t, err)
	assert.Equal(t, a, again, "a folder that nobody holds is used again")
	require.NoError(t, os.RemoveAll(a))
	freeAgain()
	freeB()
}

func TestFoldersOfOnePlan(t *testing.T) {
	runs := t.TempDir()
	f := &Folders{}
	for _, want := range []string{"x-1", "x-1.2", "x-1.3"} {
		dir, free, err := f.Lock(runs, "x-1")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(runs, want), dir)
		free()
	}
}

func TestLockFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, _, err := (&Folders{}).Lock(file, "x-1")
	assert.ErrorContains(t, err, "run folder: cannot make it")
}
