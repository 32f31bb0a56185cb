package verbs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHowto: the program on the page is the example that runs, and what it prints is what the page says.
func TestHowto(t *testing.T) {
	page, err := os.ReadFile("../../docs/howto/verbs.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := strings.Split(string(page), "```")
	require.GreaterOrEqual(t, len(blocks), 5)
	program, prints := strings.TrimPrefix(blocks[1], "go\n"), strings.TrimPrefix(blocks[3], "\n")
	require.Contains(t, string(source), "func Example() {\n"+indent(program, "\t")+"\n\t// Output:\n"+indent(prints, "\t// ")+"}\n")
}

func indent(text, by string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "")
}
