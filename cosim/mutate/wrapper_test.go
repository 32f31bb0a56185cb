package mutate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/rtl"
)

func TestWrapperOfTheTop(t *testing.T) {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(root, topFile))
	require.NoError(t, err)
	text, err := wrapper(string(b))
	require.NoError(t, err)
	os.WriteFile("/tmp/wrapper.sv", []byte(text), 0o644)
}
