package conn_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/modeltest"
)

var rewrite = flag.Bool("rewrite", false, "write the traces that came over those that were expected")

// TestScripts runs the scenarios of testdata and compares their traces.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 14, "scenarios are missing")
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			out, err := modeltest.RunScript(text)
			require.NoError(t, err)
			if *rewrite {
				require.NoError(t, os.WriteFile(name, append(out, '\n'), 0o644))
				return
			}
			require.Equal(t, string(text), string(out)+"\n", "the trace changed; if that is meant: go test ./model/conn -run TestScripts -rewrite")
		})
	}
}
