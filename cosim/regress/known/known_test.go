package known

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/result"
)

const list = `known:
  - {kind: differs, engine: window, field: out.ack_*, rule: R-WINDOW, issue: "#12", expires: 2026-12-31, why: waits for the new coalescer}
  - tests: [random/mixed, scenarios]
    issue: "#13"
    expires: 2027-02-28
    why: >
      two
      lines
`

func record(name, variant string, v result.Verdict, s result.Signature) *result.Record {
	return &result.Record{Name: name, Variant: variant, Preset: "tiny", Verdict: v, Signature: &s}
}

func TestEntries(t *testing.T) {
	f, l := Parse("known.yaml", []byte(list), map[string]bool{"R-WINDOW": true})
	require.NoError(t, f.Err())
	require.Len(t, l, 2)
	assert.Equal(t, "kind: differs, engine: window, field: out.ack_*, rule: R-WINDOW", l[0].String())
	assert.Equal(t, "tests: random/mixed, scenarios", l[1].String())
	assert.Equal(t, Entry{Tests: []string{"random/mixed", "scenarios"}, Issue: "#13", Why: "two lines", Expires: "2027-02-28", Place: "known.yaml:3:5"}, l[1])

	wrong := result.Signature{Kind: "differs", Engine: "window", Field: "out.ack_now", Rule: "R-WINDOW"}
	other := wrong
	other.Field = "out.class"
	for _, c := range []struct {
		what  string
		r     *result.Record
		first bool
		asks  bool // of the second
	}{
		{"the signature", record("tables/touch", "tiny", result.Divergence, wrong), true, false},
		{"another field", record("tables/touch", "tiny", result.Divergence, other), false, false},
		{"the test", record("random/mixed", "calm.tiny", result.Divergence, other), false, true},
		{"the suite", record("scenarios/gaps", "tiny", result.Crash, other), false, true},
		{"another test of the suite", record("random/long", "tiny", result.Divergence, wrong), true, false},
		{"not begun", record("random/mixed", "tiny", result.Skipped, wrong), false, true},
		{"no result", record("random/mixed", "tiny", result.Lost, wrong), false, true},
		{"a match", &result.Record{Name: "random/mixed", Verdict: result.Match}, false, true},
	} {
		ended := c.r.Verdict == result.Divergence || c.r.Verdict == result.Crash
		assert.Equal(t, c.first, l[0].Matches(c.r), c.what)
		assert.Equal(t, c.asks, l[1].Asks(c.r), c.what)
		assert.Equal(t, c.asks && ended, l[1].Matches(c.r), c.what)
	}
	for pattern, want := range map[string]bool{"random/mixed+calm": true, "random/mixed+calm.tiny": true, "random/mixed+calm.small": false, "random/*+tiny": false, "r*": true} {
		e := Entry{Tests: []string{pattern}}
		assert.Equal(t, want, e.Asks(record("random/mixed", "calm.tiny", result.Crash, wrong)), pattern)
	}
}

func TestEveryMistakeAtItsPlace(t *testing.T) {
	f, _ := Parse("known.yaml", []byte(`known:
  - {issue: "#1", expires: 2026-12-31, why: no pattern}
  - {rule: R-WINDW, expires: 2026-2-31, why: w}
  - {tests: ["tag:slow", ""], isue: x, issue: y, expires: tomorrow, why: `+strings.Repeat("long ", 100)+`}
  - {tests: [], issue: y, expires: 2026-02-30, why: w}
  - text
more: 1
`), map[string]bool{"R-WINDOW": true})
	assert.EqualError(t, f.Err(), `known.yaml:2:5: the entry says nothing of what is known (kind, engine, field, rule, tests): it would match every failure
known.yaml:3:5: a known failure lacks the key "issue"
known.yaml:3:12: rule "R-WINDW" stands nowhere in docs/protocol.md
known.yaml:3:30: expires "2026-2-31": want the last day on which it is known, as 2026-12-31
known.yaml:4:14: tests "tag:slow": a result has neither tags nor stages; want suite, suite/test or suite/test+variant
known.yaml:4:26: tests has no value
known.yaml:4:31: a known failure has no key "isue"; meant is perhaps "issue" (there are kind, engine, field, rule, tests, issue, expires, why)
known.yaml:4:59: expires "tomorrow": want the last day on which it is known, as 2026-12-31
known.yaml:4:74: 499 bytes, 400 are possible: the issue is the place for the rest
known.yaml:5:13: tests: the list is empty
known.yaml:5:36: expires "2026-02-30": want the last day on which it is known, as 2026-12-31
known.yaml:6:5: a known failure is the value text; a mapping (key: value) is wanted
known.yaml:7:1: a list of known failures has no key "more" (there are known)`)
}

func TestDays(t *testing.T) {
	east := time.FixedZone("east", 14*3600)
	assert.Equal(t, Day("2026-12-31"), DayOf(time.Date(2027, 1, 1, 13, 59, 0, 0, east)))
	assert.Less(t, Day("2026-09-30"), Day("2026-10-01"))
}

func FuzzParse(f *testing.F) {
	f.Add(list)
	f.Add("known: []\n")
	f.Add("known: {tests: a, issue: b, expires: 2026-01-01, why: c}\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, l := Parse("k", []byte(text), nil)
		if file.Err() != nil {
			assert.True(t, strings.HasPrefix(file.Err().Error(), "k:"))
			return
		}
		for i := range l {
			assert.NotEmpty(t, l[i].String()+l[i].Issue)
			assert.Len(t, string(l[i].Expires), 10)
			l[i].Matches(record("a/b", "c.tiny", result.Crash, result.Signature{Kind: "k"}))
		}
	})
}
