package cover

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func filled(t *rapid.T, label string) *Cover {
	c := New()
	c.records = rapid.Uint64Max(1<<40).Draw(t, label+" records")
	for range rapid.IntRange(0, 20).Draw(t, label+" hits") {
		g := c.groups[rapid.IntRange(0, len(c.groups)-1).Draw(t, "group")]
		g.hits[rapid.IntRange(0, len(g.hits)-1).Draw(t, "bin")] += rapid.Uint64Range(1, 1<<40).Draw(t, "n")
	}
	return c
}

// TestCountsAddUp: what is written and read by way of a file is what Merge does in memory.
func TestCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := filled(t, "a"), filled(t, "b")
		got := New()
		require.NoError(t, got.Add(bytes.NewReader(a.Encode())))
		assert.Equal(t, a.Encode(), got.Encode())
		require.NoError(t, got.Add(bytes.NewReader(b.Encode())))
		a.Merge(b)
		assert.Equal(t, a.Encode(), got.Encode())
		assert.Equal(t, a.Records(), got.Records())
	})
}

func TestGarbledCountsAddNothing(t *testing.T) {
	c := New()
	c.group("window").hits[3] = 7
	good := string(c.Encode())
	for what, text := range map[string]string{
		"nothing":       "",
		"other layout":  strings.Replace(good, c.Layout(), "0000000000000000", 1),
		"cut off":       good[:strings.Index(good, "\n")],
		"no records":    strings.Replace(good, "records 0", "records x", 1),
		"unknown group": strings.Replace(good, "window", "windows", 1),
		"half a pair":   strings.TrimSuffix(good, " 7\n"),
		"no such bin":   strings.Replace(good, "window 3", "window 99999999", 1),
		"no hits":       strings.Replace(good, "3 7", "3 0", 1),
	} {
		sum := New()
		assert.ErrorContains(t, sum.Add(strings.NewReader(text)), "bins: ", what)
		assert.Equal(t, New().Encode(), sum.Encode(), what)
	}
}
