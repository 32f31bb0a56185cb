package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// sourceKinds are the files that cite rules.
var sourceKinds = map[string]bool{".go": true, ".sv": true, ".svh": true, ".c": true, ".h": true, ".cpp": true, ".tbl": true, ".scn": true, ".yaml": true, ".md": true, ".txt": true}

// eachSource calls f with every committed kind of text below the root, tests and their data aside: those plant ids.
func eachSource(t *testing.T, f func(path, text string)) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			switch e.Name() {
			case ".git", "bin", "build", "runs", "testdata", "arch":
				return filepath.SkipDir
			}
			return nil
		}
		if !sourceKinds[filepath.Ext(path)] || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			n++
			f(path, string(text))
		}
		return err
	})
	require.NoError(t, err)
	return n
}

func TestEveryRuleAndTagIsDefined(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "protocol.md"))
	require.NoError(t, err)
	defined, bad := ReadProtocol(string(text))
	assert.Empty(t, bad)
	require.Greater(t, len(defined.Rules), 40)
	require.Greater(t, len(defined.Tags), 20)
	n := eachSource(t, func(path, text string) {
		assert.Empty(t, defined.Undefined(path, text))
	})
	assert.Greater(t, n, 20, "next to nothing was read")
}

// TestEveryKnobIsRead: a value that can be set and that no engine looks at would be swept over in vain.
func TestEveryKnobIsRead(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "model", "spec", "constant.tbl"))
	require.NoError(t, err)
	var model strings.Builder
	eachSource(t, func(path, text string) {
		if strings.HasPrefix(path, filepath.Join(root, "model")) && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_gen.go") {
			model.WriteString(text)
		}
	})
	knobs := regexp.MustCompile(`(?m)^knob (\w+)`).FindAllStringSubmatch(string(table), -1)
	require.Greater(t, len(knobs), 30)
	for _, k := range knobs {
		field := ""
		for _, word := range strings.Split(k[1], "_") {
			field += strings.ToUpper(word[:1]) + word[1:]
		}
		assert.True(t, regexp.MustCompile(`\.`+field+`\b`).MatchString(model.String()), "no engine reads knob %s", k[1])
	}
}

func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	links := 0
	eachSource(t, func(path, text string) {
		if filepath.Ext(path) != ".md" {
			return
		}
		for _, to := range Links(text) {
			links++
			_, err := os.Stat(filepath.Join(filepath.Dir(path), to))
			assert.NoError(t, err, "%s links to %s", path, to)
		}
	})
	assert.Greater(t, links, 5, "no link was looked at")
}

func TestPlantedDocs(t *testing.T) {
	page := "| id | rule |\n|---|---|\n| R-KEY | x |\n| R-KEY-TWO | y |\n\n| tag |\n| `ann:sack` | z |\n| `ann:a-spec`, `ann:a-suite` | z |\n"
	d, bad := ReadProtocol(page)
	assert.Empty(t, bad)
	assert.Empty(t, d.Undefined("f", "R-KEY and R-KEY-TWO from ann:sack, ann:a-suite."))
	assert.Equal(t, []string{"f: rule R-KEYS is not in docs/protocol.md"}, d.Undefined("f", "// R-KEYS R-KEYS"))
	assert.Equal(t, []string{"f: tag ann:sacks is not in docs/protocol.md, section 10"}, d.Undefined("f", "(ann:sacks)"))
	_, bad = ReadProtocol(page + "| R-KEY | again |\n")
	assert.Equal(t, []string{"R-KEY is defined twice"}, bad)
	assert.Equal(t, []string{"wire.md", "../x.md"}, Links("[a](wire.md) [b](../x.md#y) [c](https://example.com/) [d](#here)"))
}
