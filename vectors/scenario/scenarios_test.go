package scenario

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/scenarios"
)

// TestWrittenScenarios holds every scenario of the project to the language, to its canonical form, and to all presets.
func TestWrittenScenarios(t *testing.T) {
	names, err := fs.Glob(scenarios.Files, "*.scn")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 25)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			text, err := scenarios.Files.ReadFile(name)
			require.NoError(t, err)
			f, err := Parse(name, text)
			require.NoError(t, err)
			assert.Equal(t, string(text), string(Format(f)), "not in canonical form: tandem scenario fmt mends it")
			for _, p := range []preset.Params{preset.Tiny, preset.Small, preset.Full} {
				if f.Preset() != "" && f.Preset() != p.Name {
					continue
				}
				c, err := Compile(f, Options{Params: p})
				require.NoError(t, err)
				assert.NotEmpty(t, c.Title)
				assert.NotEmpty(t, c.Covers)
				assert.NotEmpty(t, c.Expect)
				assert.NotEmpty(t, c.Program.Frames)
			}
		})
	}
}
