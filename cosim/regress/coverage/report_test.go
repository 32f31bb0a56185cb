package coverage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/coverage"
)

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := coverage.Read(dir)
	assert.ErrorIs(t, err, os.ErrNotExist)
	for text, want := range map[string]string{"{": "unexpected end", `{"version": 2}`: "form 2, this program reads 1"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, coverage.ReportFile), []byte(text), 0o644))
		_, err := coverage.Read(dir)
		assert.ErrorContains(t, err, want)
	}
}
