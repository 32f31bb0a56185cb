package plan

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/faults"
)

// TestPlansOfTheProject: each can be run, and every planted fault is in the plan that is about them.
func TestPlansOfTheProject(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	suites := map[string]map[string]bool{}
	for _, name := range []string{"smoke", "nightly", "full", "five-bugs", "faults"} {
		p, err := Load(filepath.Join(root, "plans", name+".yaml"), Rules(root))
		require.NoError(t, err)
		cases, err := p.Expand(context.Background(), Options{})
		require.NoError(t, err, name)
		assert.NotEmpty(t, p.Known, name)
		suites[name] = map[string]bool{}
		for i := range cases {
			suites[name][cases[i].Suite] = true
			if name == "faults" {
				assert.Equal(t, cases[i].Suite, cases[i].Fault)
			}
		}
	}
	for _, f := range faults.All() {
		assert.True(t, suites["faults"][f.Name], "plans/faults.yaml lacks %s", f.Name)
	}
}
