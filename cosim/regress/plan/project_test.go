package plan

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/faults"
	"metaroce/tandem/experiment/catalog"
)

// TestPlansOfTheProject: each can be run, and every planted fault is in the plan that is about them.
func TestPlansOfTheProject(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	suites := map[string]map[string]bool{}
	for _, name := range []string{"smoke", "nightly", "weekly", "full", "five-bugs", "faults"} {
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

// TestClaimsOfTheProject: every experiment stands in the plans of a week and of a release, with its gates.
func TestClaimsOfTheProject(t *testing.T) {
	want := []string{}
	for _, e := range catalog.All() {
		want = append(want, e.Name)
	}
	for _, name := range []string{"weekly", "full"} {
		got := []string{}
		for _, c := range casesOf(t, name) {
			if c.Suite == "claims" {
				require.Equal(t, []string{"tandem", "sim", c.Test, "--check", "--seed", "1"}, c.Command)
				got = append(got, c.Test)
			}
		}
		assert.ElementsMatch(t, want, got, name)
	}
}

// TestEveryTestHasAPoint: the page of a regression says what a test is good for.
func TestEveryTestHasAPoint(t *testing.T) {
	p, err := Load(filepath.Join(projectRoot, "plans", "full.yaml"), nil)
	require.NoError(t, err)
	assert.Empty(t, p.Mapped().Unmapped, "no point asks for these: name them in one of plans/*.testplan.yaml")
}

// TestCovergroupsOfTheProject: all groups of bins, those of the send side too, have to be closed.
func TestCovergroupsOfTheProject(t *testing.T) {
	p, err := Load(filepath.Join(projectRoot, "plans", "smoke.yaml"), nil)
	require.NoError(t, err)
	got := []string{}
	for _, g := range p.Covergroups {
		got = append(got, g.Name)
	}
	assert.ElementsMatch(t, append(cover.NewAll().Groups(), "line", "branch"), got)
}

var projectRoot = filepath.Join("..", "..", "..")

// casesOf are those of a plan of the project.
func casesOf(t *testing.T, name string) []Case {
	p, err := Load(filepath.Join(projectRoot, "plans", name+".yaml"), nil)
	require.NoError(t, err)
	cases, err := p.Expand(context.Background(), Options{})
	require.NoError(t, err)
	return cases
}
