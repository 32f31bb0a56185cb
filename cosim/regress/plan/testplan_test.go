package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const mapped = `== p.yaml
plan: p
testplan: [tp.yaml, dv/uart_testplan.hjson]
suites:
  - suite: r
    tests:
      - {test: mixed, random: 9, presets: [tiny, small]}
      - {test: edges, touch: true}
      - {test: uart_smoke, touch: true}
      - {test: uart_csr_rw, touch: true}
      - {test: uart_aon_csr_rw, touch: true}
== tp.yaml
testplan: own
points:
  - point: window
    stage: V1
    rules: [R-WINDOW]
    goal: every class of a step
    stimulus: random traffic
    check: lockstep
    tests: [r/mixed]
  - {point: later, stage: V3, goal: none yet, tests: N/A}
covergroups:
  - {name: window, what: classes by epoch}
== dv/uart_testplan.hjson
{
  // of a silicon team
  name: "uart"
  intf: ["", "_aon"]
  import_testplans: ["lib/csr_testplan.hjson"]
  testpoints: [
    {
      name: smoke
      desc: '''
            **Goal**: it works (R-WINDOW).
            '''
      stage: V1
      tests: ["uart_smoke"]
      tags: ["fast"]
    }
    {
      name: "none"
      desc: "nothing yet"
      stage: V2S
      tests: ["N/A"]
    }
  ]
  covergroups: [
    { name: "fifo_cg", desc: "levels" }
  ]
}
== lib/csr_testplan.hjson
{
  name: csr
  testpoints: [
    { name: "csr", desc: "registers", stage: "V2", tests: ["{name}{intf}_csr_rw{gone}"] }
  ]
}
`

func TestTestplans(t *testing.T) {
	p := load(t, mapped)
	tp := p.Mapped()
	got := map[string]string{}
	for _, x := range tp.Points {
		got[x.Name] = x.Stage + " " + strings.Join(x.Tests, " ")
	}
	assert.Equal(t, map[string]string{
		"window": "V1 r/mixed+tiny r/mixed+small", "later": "V3 ", "smoke": "V1 r/uart_smoke+tiny", "none": "V2S ",
		"csr": "V2 r/uart_csr_rw+tiny r/uart_aon_csr_rw+tiny",
	}, got)
	assert.Equal(t, []string{"r/edges+tiny"}, tp.Unmapped)
	assert.Equal(t, []Covergroup{{"window", "classes by epoch"}, {"fifo_cg", "levels"}}, tp.Covergroups)
	for _, x := range tp.Points {
		if x.Name == "smoke" {
			assert.Equal(t, "**Goal**: it works (R-WINDOW).", x.Goal)
			assert.Equal(t, []string{"R-WINDOW"}, x.Rules)
			assert.True(t, strings.HasSuffix(x.Place, "uart_testplan.hjson:8:1"), x.Place)
		}
	}
	var chosen []string
	for _, c := range expand(t, p, Options{Select: []string{"stage:V1"}}) {
		chosen = append(chosen, c.FullName())
	}
	assert.Equal(t, []string{"r/mixed+tiny", "r/mixed+small", "r/uart_smoke+tiny"}, chosen)
}

func TestMistakesOfTestplansInHjson(t *testing.T) {
	dir := folder(t, `== p.yaml
plan: p
testplan: [a.hjson, b.hjson, gone.hjson, c.hjson]
suites: [{suite: r, tests: [{test: uart_smoke, touch: true}]}]
== a.hjson
{
  import_testplans: ["a.hjson", "lib.hjson"]
  covergroups: 7
  testpoints: [
    { name: "one", desc: "R-NOPE", stage: "V7", tests: ["uart_smok"] }
    { name: "one", desc: "", stage: "V1", tests: [7], test: "x" }
    { desc: "d", stage: "V1", tests: "x" }
  ]
}
== b.hjson
{ name: b
  testpoints: [
== c.hjson
{ name: "c", ]
`)
	_, err := Load(filepath.Join(dir, "p.yaml"), map[string]bool{"R-NONE": true})
	require.Error(t, err)
	got := strings.ReplaceAll(err.Error(), dir+"/", "")
	for _, want := range []string{
		`p.yaml:2:30: cannot be read: open gone.hjson`,
		`a.hjson: covergroups: want a list of objects`,
		`a.hjson: a testplan has a name`,
		`a.hjson: import_testplans: a.hjson imports itself`,
		`a.hjson: import_testplans: lib.hjson is neither here nor in a folder above`,
		`a.hjson:5:1: testpoint one: stage "V7": want V1, V2, V2S, V3`,
		`a.hjson:5:1: testpoint one: rule R-NOPE is not in docs/protocol.md; meant is perhaps R-NONE`,
		`a.hjson:5:1: "*/uart_smok" matches no test; meant is perhaps "r/uart_smoke"`,
		`a.hjson:6:1: point "one" stands already at a.hjson:5:1`,
		`a.hjson: one: desc: want a text, there is `,
		`a.hjson: one: tests: want texts, there is 7`,
		`a.hjson: one: a testpoint has no key "test"`,
		`a.hjson: testpoint name: want a text, there is <nil>`,
		`a.hjson: : tests: want a list of texts`,
		`c.hjson:1:14: Found ']' where a key name was expected`,
		`b.hjson: End of input while parsing an array`,
	} {
		assert.Contains(t, got, want)
	}
}

// TestWildcards: as many names as there are combinations, each of them with every place filled.
func TestWildcards(t *testing.T) {
	assert.Equal(t, []string{"plain"}, wildcards("plain", nil))
	rapid.Check(t, func(t *rapid.T) {
		values := map[string][]string{
			"a": rapid.SliceOfNDistinct(rapid.StringMatching(`[xyz]{1,2}`), 1, 3, rapid.ID).Draw(t, "a"),
			"b": rapid.SliceOfNDistinct(rapid.StringMatching(`[uv]{1,2}`), 1, 3, rapid.ID).Draw(t, "b"),
		}
		got := wildcards("{a}_{b}_{a}_{none}", values)
		var want []string
		for _, a := range values["a"] {
			for _, b := range values["b"] {
				want = append(want, a+"_"+b+"_"+a+"_")
			}
		}
		assert.ElementsMatch(t, want, got)
	})
}

func TestRules(t *testing.T) {
	rules := Rules("../../..")
	assert.Greater(t, len(rules), 40)
	assert.True(t, rules["R-WINDOW"])
	assert.Nil(t, Rules(t.TempDir()))
}

func FuzzHjson(f *testing.F) {
	f.Add(`{name: a, testpoints: [{name: b, desc: c, stage: V1, tests: ["{name}_x", N/A]}], x: [1, "{y}"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "import_testplans") {
			return
		}
		l := &loader{plan: &Plan{}}
		l.hjson("f.hjson", []byte(text))
		l.resolve()
	})
}
