package scenario

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write the reference part of docs/scenarios.md again")

const (
	manual = "../../docs/scenarios.md"
	begin  = "<!-- reference: written by go test ./vectors/scenario -rewrite -->\n"
	finish = "<!-- end of reference -->\n"
)

// TestManual holds the manual to the vocabulary, and every example in it to the parser and compiler.
func TestManual(t *testing.T) {
	text, err := os.ReadFile(manual)
	require.NoError(t, err)
	front, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, "%s has no line %q", manual, begin)
	got, back, ok := strings.Cut(rest, finish)
	require.True(t, ok)
	want := "\n" + Reference() + "\n"
	if *rewrite {
		require.NoError(t, os.WriteFile(manual, []byte(front+begin+want+finish+back), 0o644))
		return
	}
	assert.Equal(t, want, got, "out of date: go test ./vectors/scenario -rewrite")
	examples := 0
	for _, part := range strings.Split(front, "```scn\n")[1:] {
		example, _, _ := strings.Cut(part, "```")
		_, err := compile(t, example)
		assert.NoError(t, err, example)
		examples++
	}
	assert.Greater(t, examples, 3)
}

// TestEveryWordIsInTheReference: the reference has an order of its own, which must not lose a word.
func TestEveryWordIsInTheReference(t *testing.T) {
	n := 0
	for _, g := range order {
		for _, w := range g.words {
			assert.NotNil(t, vocabulary[w], w)
			n++
		}
	}
	assert.Equal(t, len(vocabulary), n)
	for f := range familyText {
		assert.Contains(t, Reference(), "`"+f+".`")
	}
}
