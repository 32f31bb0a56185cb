package plan

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blocks are the texts of a language on the page of regressions.
func blocks(t *testing.T, root, language string) []string {
	page, err := os.ReadFile(filepath.Join(root, "docs", "howto", "regress.md"))
	require.NoError(t, err)
	var list []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(string(page), -1) {
		list = append(list, m[1])
	}
	return list
}

// TestPlanOfThePage: plan, testplan, known failures and scenario of docs/howto/regress.md, beside the plans of the project, can be
// run as they are printed.
func TestPlanOfThePage(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	dir := t.TempDir()
	for _, name := range []string{"tests.yaml", "receive.testplan.yaml", "sender.testplan.yaml"} {
		text, err := os.ReadFile(filepath.Join(root, "plans", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	written := map[string]bool{}
	for _, text := range append(blocks(t, root, "yaml"), blocks(t, root, "scn")...) {
		for begin, name := range map[string]string{"plan:": "nightly.yaml", "testplan:": "own.testplan.yaml", "# known.yaml": "known.yaml", "title": "my.scn"} {
			if strings.HasPrefix(text, begin) {
				written[name] = true
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
		}
	}
	require.Len(t, written, 4)
	p, err := Load(filepath.Join(dir, "nightly.yaml"), Rules(root))
	require.NoError(t, err)
	cases, err := p.Expand(context.Background(), Options{})
	require.NoError(t, err)
	suites := map[string]bool{}
	for i := range cases {
		suites[cases[i].Suite] = true
	}
	assert.Equal(t, map[string]bool{"endpoints": true, "own": true, "random": true, "scenarios": true}, suites)
}
