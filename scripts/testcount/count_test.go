package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerdict(t *testing.T) {
	begun := `{"Action":"start","Package":"p"}` + "\n"
	ended := `{"Action":"pass","Package":"p","Elapsed":0.1}` + "\n"
	passed := `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n"
	cases := []struct {
		name, events, complaint string
	}{
		{"one test passed", begun + passed + ended, ""},
		{"no event at all", "", "only 0 tests passed"},
		{"package without tests", begun + `{"Action":"skip","Package":"p"}`, "only 0 tests passed"},
		{"failed test", begun + passed + `{"Action":"fail","Package":"p","Test":"TestB"}` + "\n" + ended, "1 failed: p.TestB"},
		{"failed package", begun + passed + `{"Action":"fail","Package":"p"}`, "1 failed: p"},
		{"failed build", passed + `{"Action":"build-fail","ImportPath":"q"}`, "1 failed: q"},
		{"skipped test", begun + passed + `{"Action":"skip","Package":"p","Test":"TestB"}` + "\n" + ended, "1 skipped"},
		{"cut short", begun + passed, "no end was seen of p"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tally := newTally()
			require.NoError(t, tally.read(strings.NewReader(c.events), &bytes.Buffer{}))
			bad := tally.verdict(1)
			if c.complaint == "" {
				assert.Empty(t, bad)
				return
			}
			assert.Contains(t, strings.Join(bad, "\n"), c.complaint)
		})
	}
}

func TestOutputOfWhatFailedIsShown(t *testing.T) {
	events := `{"Action":"output","Package":"p","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"want 1 have 2\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
go: a line of its own
`
	var shown bytes.Buffer
	tally := newTally()
	require.NoError(t, tally.read(strings.NewReader(events), &shown))
	assert.Contains(t, shown.String(), "want 1 have 2")
	assert.NotContains(t, shown.String(), "quiet")
	assert.Equal(t, []string{"go: a line of its own"}, tally.stray)
}
