package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	inlineCall = regexp.MustCompile("`((?:bin/)?tandem [^`]+)`")
	fencedCall = regexp.MustCompile(`(?m)^(?:\$ )?((?:bin/)?tandem .+)$`)
	quoted     = regexp.MustCompile(`'[^']*'`)
	flagName   = regexp.MustCompile(`^--[a-z][a-z-]*`)
	stands     = regexp.MustCompile(`\.\.\.|\|| [A-Z]|=[A-Z]`) // for something else
)

// callsOf are the calls that a text prints, without what stands behind them in the line.
func callsOf(text string) []string {
	var calls []string
	for i, part := range strings.Split(text, "```") { // every other one is fenced
		for _, m := range []*regexp.Regexp{inlineCall, fencedCall}[i%2].FindAllStringSubmatch(part, -1) {
			call, _, _ := strings.Cut(quoted.ReplaceAllString(m[1], "quoted"), "   ")
			call, _, _ = strings.Cut(call, ";")
			calls = append(calls, strings.TrimPrefix(call, "bin/"))
		}
	}
	return calls
}

// wrong says what is wrong with a call; "": nothing. No call is run; of a simulation names and values are looked at.
func wrong(t *testing.T, call string) string {
	args := strings.Fields(call)[1:]
	root := newApp(t.Context(), io.Discard, io.Discard).root()
	c, _, err := root.Find(args)
	switch {
	case err != nil:
		return err.Error()
	case c == root && !strings.HasPrefix(args[0], "-") && args[0] != strings.ToUpper(args[0]):
		return "there is no command " + args[0]
	}
	c.InitDefaultHelpFlag()
	for _, a := range args {
		if f := flagName.FindString(a); f != "" && c.Flags().Lookup(f[2:]) == nil && c.InheritedFlags().Lookup(f[2:]) == nil {
			return c.CommandPath() + " has no " + f
		}
	}
	if c.Name() == "sim" && len(args) > 1 && !stands.MatchString(call) {
		var out bytes.Buffer
		if run(append(args, "--list"), &out, &out) != 0 {
			return out.String()
		}
	}
	return ""
}

// TestCallsInTheDocuments: what is printed as a call is one. Figures that were measured stand beside their call: a constant
// that is renamed, or an experiment that takes something else, is found here.
func TestCallsInTheDocuments(t *testing.T) {
	files := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, more...)
	}
	n := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, call := range callsOf(string(text)) {
			n++
			assert.Empty(t, wrong(t, call), "%s: %s", name, call)
		}
	}
	assert.Greater(t, n, 100)
	for _, bad := range []string{"tandem simulate loss", "tandem run --sed 5", "tandem sim los", "tandem sim loss --set mr.thresh=5", "tandem sim loss --set loss=70%"} {
		assert.NotEmpty(t, wrong(t, bad), bad)
	}
	assert.Equal(t, []string{"tandem run a", "tandem sim loss --list"}, callsOf("x `bin/tandem run a` y\n```\ntandem sim loss --list     what may be set; --foo: no flag\n```\n"))
}
