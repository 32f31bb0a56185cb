package source

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestValues(t *testing.T) {
	f, v := Parse("f.yaml", []byte(`
text: some words
seed: 0000000000000012
quoted: "a: b"
long: |
  two
  lines
n: 1_000
yes: true
took: 90s
bytes: 2GiB
cycles: 5M
list: [a, 2, true]
one: alone
base: &base {x: 1}
again: *base
free: {b: 1, a: 2}
`))
	m := v.Map("text", "seed", "quoted", "long", "n", "yes", "took", "bytes", "cycles", "list", "one", "base", "again", "free", "absent")
	assert.Equal(t, "some words", m.Get("text").Text())
	assert.Equal(t, "0000000000000012", m.Get("seed").Text(), "not an octal number")
	assert.Equal(t, "a: b", m.Get("quoted").Text())
	assert.Equal(t, "two\nlines", m.Get("long").Text())
	assert.Equal(t, 1000, m.Get("n").Int(0, 1000, 7))
	assert.True(t, *m.Get("yes").Bool())
	assert.Equal(t, int64(90_000), m.Get("took").Duration(time.Second, time.Hour))
	assert.Equal(t, uint64(2<<30), m.Get("bytes").Amount(1, math.MaxUint64))
	assert.Equal(t, uint64(5_000_000), m.Get("cycles").Amount(1, math.MaxUint64))
	assert.Equal(t, []string{"a", "2", "true"}, m.Get("list").Texts())
	assert.Equal(t, []string{"alone"}, m.Get("one").Texts())
	assert.Equal(t, 1, m.Get("again").Map("x").Get("x").Int(0, 9, 0))
	var keys []string
	m.Get("free").Free(func(k string, _ Value) { keys = append(keys, k) })
	assert.Equal(t, []string{"b", "a"}, keys, "the order of the text")
	assert.Equal(t, "f.yaml:2:7", m.Get("text").Place())
	none := m.Get("absent")
	assert.False(t, none.There())
	assert.Equal(t, 7, none.Int(0, 9, 7))
	assert.Equal(t, "x", none.Word("x", "y"))
	assert.Nil(t, none.Bool())
	assert.Empty(t, none.List())
	assert.Empty(t, none.Text())
	assert.Zero(t, none.Amount(1, 2)+uint64(none.Duration(1, 2)))
	require.NoError(t, f.Err())
}

// TestEveryMistakeAtItsPlace reads one file that is wrong in every way.
func TestEveryMistakeAtItsPlace(t *testing.T) {
	f, v := Parse("f.yaml", []byte(`text: [a]
n: 11
n: 3
word: zz
yes: maybe
took: 5
bytes: 99999999999G
nul:
empty: ""
sed: 1
map: text
alias: *gone
list: [{a: 1}, ok]
free: {a: 1, a: 2}
`))
	v.what = "a plan"
	m := v.Map("text", "n", "word", "yes", "took", "bytes", "nul", "empty", "seed", "map", "alias", "list", "free", "want")
	m.Get("text").Text()
	m.Get("n").Int(0, 10, 0)
	assert.Equal(t, "a", m.Get("word").Word("a", "b"))
	m.Get("yes").Bool()
	m.Get("took").Duration(time.Second, time.Minute)
	m.Get("bytes").Amount(1, math.MaxUint64)
	m.Get("nul").Text()
	m.Get("empty").Text()
	m.Get("map").Map("a")
	m.Get("alias").Text()
	assert.Equal(t, []string{"ok"}, m.Get("list").Texts())
	m.Get("free").Free(func(string, Value) {})
	m.Need("want")
	f.Fail("not good")
	assert.Equal(t, `f.yaml: not good
f.yaml:1:1: a plan lacks the key "want"
f.yaml:1:7: text is a list; one value is wanted
f.yaml:2:4: n "11": want a number, 0 to 10
f.yaml:3:1: "n" stands twice
f.yaml:4:7: word "zz": want a, b
f.yaml:5:6: yes "maybe": want true or false
f.yaml:6:7: took "5": want a time from 1s to 1m0s, as 30s, 5m or 2h
f.yaml:7:8: bytes "99999999999G": want 1 to 18446744073709551615, with KiB, MiB, GiB, k, M or G behind it if need be
f.yaml:8:5: nul has no value
f.yaml:9:8: empty has no value
f.yaml:10:1: a plan has no key "sed"; meant is perhaps "seed" (there are text, n, word, yes, took, bytes, nul, empty, seed, map, alias, list, free, want)
f.yaml:11:6: map is the value text; a mapping (key: value) is wanted
f.yaml:12:8: alias *gone: no anchor &gone before it
f.yaml:13:8: list is a mapping; one value is wanted
f.yaml:14:14: "a" stands twice`, f.Err().Error())
}

func TestNoYAML(t *testing.T) {
	for text, want := range map[string]string{
		"":                "f:1:1: the file is empty",
		"# only\n":        "f:1:1: the file is empty",
		"a: 1\n---\nb: 2": "f:3:2: a second document",
		"a: [1\nb: 2":     "f:",
		"a: 1\n\tb: 2":    "f:2:1: found character '\t' that cannot start any token",
		"\"":              "f:1:1: ",
	} {
		f, v := Parse("f", []byte(text))
		v.Map("a")
		assert.ErrorContains(t, f.Err(), want, "%q", text)
	}
}

// TestNearest holds the distance against its definition.
func TestNearest(t *testing.T) {
	assert.Equal(t, "seeds", Nearest("sedes", []string{"presets", "seeds"}))
	assert.Empty(t, Nearest("zebra", []string{"presets", "seeds"}))
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "":
			return len(b)
		case b == "":
			return len(a)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,5}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		assert.Equal(t, slow(a, b), distance(a, b))
	})
}

// TestGlob holds patterns against regular expressions.
func TestGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*?]{0,6}`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "text")
		re := regexp.MustCompile("^" + strings.NewReplacer("*", ".*", "?", ".").Replace(pattern) + "$")
		assert.Equal(t, re.MatchString(text), Glob(pattern, text))
	})
	assert.False(t, Glob(strings.Repeat("*a", 5000), strings.Repeat("a", 4999)+"b"), "and does not take for ever")
}

func FuzzParse(f *testing.F) {
	f.Add("a: [1, {b: 2}]\nc: &x y\nd: *x\n")
	f.Add("a: &a *a\n")
	f.Add("? a\n: b\n")
	f.Add("<<: {a: 1}\n")
	f.Add("a: !!int 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, v := Parse("f", []byte(text))
		m := v.Map("a", "b")
		m.Get("a").Texts()
		m.Get("a").Map("b").Get("b").Amount(1, 5)
		m.Get("b").List()
		m.Get("b").Free(func(_ string, v Value) { v.Text() })
		if err := file.Err(); err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "f:"), err.Error())
		}
	})
}
