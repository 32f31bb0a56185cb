package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/rtl"
)

func checkout(t *testing.T) string {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	return root
}

// A fault whose text is gone has lost its place: whoever changed the line finds out here, not in the long run.
func TestEveryFaultFindsItsPlace(t *testing.T) {
	texts, err := Texts(checkout(t), All())
	require.NoError(t, err)
	for file, text := range texts {
		assert.False(t, strings.Contains(text, "PLANTED"), file)
	}
}

func TestCatalogue(t *testing.T) {
	least := map[Group]int{Step: 8, Plumbing: 8, Told: 4, Bridge: 4}
	names, numbers := map[string]bool{}, map[int]bool{0: true}
	for _, f := range All() {
		least[f.Group]--
		assert.False(t, names[f.Name], "name %s is used twice", f.Name)
		assert.False(t, numbers[f.Number], "number %d is used twice, or 0", f.Number)
		names[f.Name], numbers[f.Number] = true, true
		assert.NotEmpty(t, f.What, f.Name)
		assert.NotEmpty(t, f.Stimuli, f.Name)
		chosen := false
		for _, e := range f.Edits {
			chosen = chosen || strings.Contains(e.To, "PLANTED")
		}
		assert.True(t, chosen, "%s: no plusarg can turn it on", f.Name)
	}
	for group, missing := range least {
		assert.LessOrEqual(t, missing, 0, "too few faults of group %s", group)
	}
	_, err := ByName([]string{"window-edge", "no-such-fault"})
	assert.ErrorContains(t, err, "no-such-fault")
}

// Bad edits are all reported, and nothing is planted.
func TestBadEdits(t *testing.T) {
	root := t.TempDir()
	for _, e := range choosing {
		path := filepath.Join(root, e.File)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		b, err := os.ReadFile(filepath.Join(checkout(t), e.File))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "x.sv"), []byte("one two two three"), 0o644))
	fault := func(name string, edits ...Edit) Fault { return Fault{Number: 1, Name: name, Edits: edits} }
	_, err := Plant(root, t.TempDir(), []Fault{
		fault("gone", Edit{"x.sv", "four", "PLANTED"}),
		fault("twice", Edit{"x.sv", "two", "PLANTED"}),
		fault("nowhere", Edit{"y.sv", "two", "PLANTED"}),
		fault("a", Edit{"x.sv", "one t", "PLANTED"}),
		fault("b", Edit{"x.sv", "e two t", "PLANTED"}),
	})
	for _, want := range []string{"gone: x.sv holds", "twice: x.sv holds", "nowhere", "a and b change the same text"} {
		assert.ErrorContains(t, err, want)
	}
	dir := t.TempDir()
	sources, err := Plant(root, dir, []Fault{fault("good", Edit{"x.sv", "three", "PLANTED ? four : three"})})
	require.NoError(t, err)
	text, err := os.ReadFile(sources["x.sv"])
	require.NoError(t, err)
	assert.Equal(t, "one two two (mr_pkg::FaultNumber == 1) ? four : three", string(text))
}
