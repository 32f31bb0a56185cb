package plan

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/regress/result"
)

var rewrite = flag.Bool("rewrite", false, "write testdata again; look at the difference")

// folder writes files: "== name" lines begin each.
func folder(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split(text, "== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(body), 0o644))
	}
	return dir
}

func load(t testing.TB, text string) *Plan {
	t.Helper()
	p, err := Load(filepath.Join(folder(t, text), "p.yaml"), nil)
	require.NoError(t, err)
	return p
}

func expand(t testing.TB, p *Plan, o Options) []Case {
	t.Helper()
	cases, err := p.Expand(context.Background(), o)
	require.NoError(t, err)
	return cases
}

func ids(cases []Case) []string {
	var list []string
	for i := range cases {
		list = append(list, fmt.Sprintf("%s#%d", cases[i].FullName(), cases[i].Iteration))
	}
	return list
}

const whole = `== p.yaml
plan: whole
about: all that can be said
seed: 0x10
keep: always
limits: {wall: 1m}
include: more.yaml
set:
  - tests: r/mixed+calm
    seeds: 3
  - {tests: r/all, limits: {memory: 1GiB}}
suites:
  - suite: r
    tags: [random]
    dut: model
    limits: {stall: 2s}
    tests:
      - test: mixed
        random: 2000
        seeds: 2
        presets: [tiny, small]
        variants:
          - variant: calm
            stalls: false
            random: 300
            presets: [tiny]
          - variant: digest
            mode: digest
      - {test: all, touch: true, seed: 7, tags: [slow]}
      - test: claim
        command: [tandem, sim, loss, --seed, "{seed}"]
        limits: {wall: 10m}
      - {test: sized, command: [x, "{preset}"], presets: [full]}
== more.yaml
limits: {cycles: 5M}
suites:
  - suite: s
    scenarios: [in-order, "gap*"]
    except: gaps-far
    tests:
      - {test: own, scenario: my.scn}
== my.scn
needs preset small
conn 0
key 0
message write bytes=2k mtu=100
expect completions=1 mem=ok
`

func TestExpand(t *testing.T) {
	w := strings.Replace(whole, "needs preset small", "preset small", 1)
	w = strings.Replace(w, "    except: gaps-far\n", "", 1)
	p := load(t, w)
	assert.Equal(t, "whole", p.Name)
	assert.Equal(t, "always", p.Keep)
	assert.Len(t, p.Files, 2)
	cases := expand(t, p, Options{})
	assert.Equal(t, []string{
		"s/in-order+tiny#0", "s/gaps+tiny#0", "s/own+small#0", "r/mixed+calm.tiny#0", "r/mixed+calm.tiny#1", "r/mixed+calm.tiny#2",
		"r/mixed+digest.tiny#0", "r/mixed+digest.tiny#1", "r/mixed+digest.small#0", "r/mixed+digest.small#1", "r/all+tiny#0", "r/claim#0", "r/sized+full#0",
	}, ids(cases))
	by := map[string]*Case{}
	for i := range cases {
		by[ids(cases[i : i+1])[0]] = &cases[i]
	}
	calm := by["r/mixed+calm.tiny#1"]
	assert.Equal(t, 300, calm.Random)
	assert.False(t, *calm.Stalls)
	assert.Equal(t, "model", calm.Dut)
	assert.Equal(t, result.Derive(16, "r", "mixed", "calm.tiny", 1), calm.Seed)
	assert.Equal(t, Limits{Wall: 60_000, Stall: 2000, Cycles: Defaults.Cycles, Memory: Defaults.Memory}, calm.Limits)
	assert.Equal(t, "digest", by["r/mixed+digest.small#0"].Mode)
	all := by["r/all+tiny#0"]
	assert.Equal(t, result.Seed(7), all.Seed, "fixed")
	assert.Equal(t, uint64(1<<30), all.Limits.Memory)
	assert.Equal(t, []string{"random", "slow"}, all.Tags)
	claim := by["r/claim#0"]
	assert.Equal(t, int64(600_000), claim.Limits.Wall)
	assert.Empty(t, claim.Dut+claim.Preset+claim.Mode, "a command has none of these")
	own := by["s/own+small#0"]
	assert.True(t, filepath.IsAbs(own.Scenario))
	assert.Len(t, own.Text, 64)
	assert.Equal(t, "rtl", own.Dut)
	assert.Equal(t, uint64(5_000_000), own.Limits.Cycles, "of the file that it stands in")
	assert.Zero(t, own.Limits.Wall-Defaults.Wall, "and not of the one that includes it")
}

func TestOptions(t *testing.T) {
	p := load(t, "== p.yaml\nplan: p\nsuites:\n  - suite: r\n    tests:\n      - {test: a, random: 100, seeds: 2}\n      - {test: b, random: 100}\n      - {test: c, random: 100, seed: 5}\n      - {test: d, command: [x]}\n")
	cases := expand(t, p, Options{Seeds: 4, Dut: "model"})
	assert.Equal(t, []string{"r/a+tiny#0", "r/a+tiny#1", "r/a+tiny#2", "r/a+tiny#3", "r/b+tiny#0", "r/c+tiny#0", "r/d#0"}, ids(cases),
		"only what says seeds has more of them")
	assert.Equal(t, "model", cases[0].Dut)
	assert.Empty(t, cases[6].Dut)
	base := result.Seed(99)
	moved := expand(t, p, Options{Base: &base})
	assert.NotEqual(t, cases[0].Seed, moved[0].Seed)
	assert.Equal(t, result.Seed(5), moved[3].Seed)
	assert.Equal(t, cases[0].Digest, moved[0].Digest, "neither seed nor device is part of what a test is")
	_, err := p.Expand(context.Background(), Options{Select: []string{"r/z", "r/a"}, Drop: []string{"tag:x"}})
	require.Error(t, err)
	assert.Equal(t, "--select \"r/z\" matches no test; meant is perhaps \"r/a\"\n--drop \"tag:x\" matches no test", err.Error())
	none, err := p.Expand(context.Background(), Options{Select: []string{"r/a"}, Drop: []string{"r"}})
	require.NoError(t, err)
	assert.Empty(t, none, "the caller says that nothing was selected")
}

// TestCoverage: the call over the variant over its test over the plan, and nothing where nothing can be counted.
func TestCoverage(t *testing.T) {
	p := load(t, "== p.yaml\nplan: p\ncoverage: line\nset:\n  - {tests: [r/e], coverage: toggle}\nsuites:\n  - suite: r\n    tests:\n      - {test: a, random: 9}\n"+
		"      - {test: b, random: 9, coverage: toggle, variants: [{variant: x}, {variant: y, coverage: off}]}\n      - {test: c, random: 9, dut: model}\n"+
		"      - {test: d, random: 9, fault: fifo-order}\n      - {test: e, random: 9}\n      - {test: f, command: [x]}\n")
	counted := func(o Options) string {
		var list []string
		for _, c := range expand(t, p, o) {
			list = append(list, c.Coverage)
		}
		return strings.Join(list, ",")
	}
	assert.Equal(t, "line,toggle,,,,toggle,", counted(Options{}))
	assert.Equal(t, ",,,,,,", counted(Options{Coverage: "off"}))
	assert.Equal(t, "toggle,toggle,toggle,,,toggle,", counted(Options{Coverage: "toggle"}))
	plain, line := expand(t, p, Options{Coverage: "off"})[0], expand(t, p, Options{})[0]
	assert.Equal(t, plain.Digest, line.Digest, "it decides nothing of what the test does")
	assert.Equal(t, plain.ID(), line.ID())
}

// TestSelectionMovesNoSeed: whatever is selected, in whatever number, an execution that is run in both has one seed.
func TestSelectionMovesNoSeed(t *testing.T) {
	p := load(t, "== p.yaml\nplan: p\nsuites:\n  - suite: r\n    presets: [tiny, small]\n    tests:\n      - {test: a, random: 100, seeds: 3}\n      - {test: b, touch: true, seeds: 2}\n      - {test: c, random: 9, seeds: 2, variants: [{variant: x}, {variant: y}]}\n")
	seeds := map[string]result.Seed{}
	used := map[result.Seed]string{}
	for _, c := range expand(t, p, Options{Seeds: 8}) {
		id := fmt.Sprint(c.FullName(), c.Iteration)
		seeds[id] = c.Seed
		assert.Empty(t, used[c.Seed], "%s has the seed of another", id)
		used[c.Seed] = id
	}
	rapid.Check(t, func(t *rapid.T) {
		sel := rapid.SliceOfN(rapid.SampledFrom([]string{"r/a", "r/b", "r/c+x*", "*small", "r/*+tiny"}), 0, 3).Draw(t, "select")
		cases, err := p.Expand(context.Background(), Options{Seeds: rapid.IntRange(0, 8).Draw(t, "seeds"), Select: sel})
		require.NoError(t, err)
		for _, c := range cases {
			assert.Equal(t, seeds[fmt.Sprint(c.FullName(), c.Iteration)], c.Seed)
		}
	})
}

func TestEveryMistakeAtOnce(t *testing.T) {
	dir := folder(t, `== p.yaml
plan: "a b"
seed: xyz
keep: some
selct: []
limits: {wall: 5, memory: 1k}
include: [gone.yaml, p.yaml, more.yaml]
select: [r/misced, tag:fast, stage:V1]
set: [{tests: q/*, seeds: 0}]
testplan: [tp.yaml]
suites:
  - suite: r
    dut: chip
    presets: [tiny, huge, tiny]
    tests:
      - {test: mixed, random: 0}
      - {test: mixed, random: 5, seed: 1, seeds: 2}
      - {test: two, random: 5, touch: true}
      - {test: none}
      - {test: no, touch: false}
      - {test: cmd, command: [], dut: rtl, mode: full}
      - {test: put, command: ["{seed}{folder}", "{sead}", "{\"json\": 1}"]}
      - {test: odd, scenario: no-such}
      - {test: bad, scenario: bad.scn}
      - test: v
        touch: true
        fault: no_fault
        variants: [{variant: a, random: 5}, {variant: a, dut: rtl}]
  - {suite: r, tests: [{test: x, touch: true}]}
  - {suite: empty, tests: []}
  - suite: planted
    dut: model
    tests:
      - {test: a, random: 5, fault: fifo-order, presets: [tiny, small]}
      - {test: b, random: 5, dut: rtl, fault: fifo-order}
      - test: c
        random: 5
        variants: [{variant: x, fault: window-edge}, {variant: y}]
      - {test: d, command: [x]}
  - {suite: scn, scenarios: [zzz*], except: [none*]}
== more.yaml
plan: p
suites: 7
== tp.yaml
testplan: t
points:
  - {point: a, stage: V9, rules: [R-WINDO], goal: g, tests: [r/zz]}
  - {point: a, stage: V1, goal: g, tests: [N/A]}
  - {point: b, stage: V1, goal: g, tests: []}
  - {point: c, stage: V1, goal: "", tests: [N/A], test: x}
== bad.scn
conn 0
mesage write
`)
	_, err := Load(filepath.Join(dir, "p.yaml"), map[string]bool{"R-WINDOW": true})
	require.Error(t, err)
	got := strings.ReplaceAll(err.Error(), dir+"/", "") + "\n"
	name := "testdata/mistakes.txt"
	if *rewrite {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestPlansWithoutTests(t *testing.T) {
	for text, want := range map[string]string{
		"== p.yaml\nplan: p\n":             "the plan has no tests",
		"== p.yaml\n":                      "p.yaml:1:1: the file is empty",
		"== p.yaml\nplan: p\nsuites: []\n": "the plan has no tests",
		"== p.yaml\nplan: [\n":             "p.yaml:",
		"== p.yaml\nplan: p\nsuites: [{suite: a, tests: [{test: t, touch: true}]}]\ndrop: [b]\n": `p.yaml:3:8: "b" matches no test`,
	} {
		_, err := Load(filepath.Join(folder(t, text), "p.yaml"), nil)
		assert.ErrorContains(t, err, want, text)
	}
	_, err := Load(filepath.Join(t.TempDir(), "p.yaml"), nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestKnownFailuresOfAPlan: the file beside it, or the one that it names; mistakes of it are mistakes of the plan.
func TestKnownFailuresOfAPlan(t *testing.T) {
	const suites = "suites: [{suite: a, tests: [{test: t, touch: true}]}]\n"
	rules := map[string]bool{"R-WINDOW": true}
	for _, c := range []struct{ text, file, err string }{
		{"== p.yaml\nplan: p\n" + suites, "", ""},
		{"== p.yaml\nplan: p\n" + suites + "== known.yaml\nknown: []\n", "known.yaml", ""},
		{"== p.yaml\nplan: p\nknown: d/other.yaml\n" + suites + "== known.yaml\nknown: 7\n== d/other.yaml\nknown: []\n", "d/other.yaml", ""},
		{"== p.yaml\nplan: p\nknown: gone.yaml\nseed: x\n" + suites, "", "p.yaml:2:8: cannot be read: open gone.yaml: no such file or directory\np.yaml:3:7: seed \"x\""},
		{"== p.yaml\nplan: p\nseed: x\n" + suites + "== known.yaml\nknown: [{rule: R-W, issue: i, why: w, expires: soon}]\n", "",
			"want 16 hexadecimal digits, 0x..., or a number below 2^64\nknown.yaml:1:16: rule \"R-W\" stands nowhere in docs/protocol.md\nknown.yaml:1:48: expires \"soon\""},
	} {
		dir := folder(t, c.text)
		p, err := Load(filepath.Join(dir, "p.yaml"), rules)
		if c.err != "" {
			require.Error(t, err, c.text)
			assert.Contains(t, strings.ReplaceAll(err.Error(), dir+"/", ""), c.err)
			continue
		}
		require.NoError(t, err, c.text)
		assert.Equal(t, c.file, strings.TrimPrefix(p.Known, dir+"/"), c.text)
	}
}

// TestScenariosAreCompiled: a value that is wrong is found before the first run.
func TestScenariosAreCompiled(t *testing.T) {
	p := load(t, "== p.yaml\nplan: p\nsuites: [{suite: a, tests: [{test: t, scenario: s.scn}]}]\n== s.scn\nconn 9999\n")
	_, err := p.Expand(context.Background(), Options{})
	assert.ErrorContains(t, err, "s.scn:1:1: connection 9999")
}

func FuzzPlan(f *testing.F) {
	f.Add(strings.TrimPrefix(strings.Split(whole, "== more")[0], "== p.yaml\n"))
	f.Add("plan: p\nsuites: [{suite: a, tests: [{test: t, random: 5, seeds: 2, variants: [{variant: b}]}]}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "include") || strings.Contains(text, "known") || strings.Contains(text, "testplan") || strings.Contains(text, ".scn") {
			return // other files
		}
		l := &loader{plan: &Plan{Base: 1}}
		l.main("p", []byte(text))
		l.resolve()
		if l.files[0].Err() != nil || len(l.foreign) > 0 {
			return
		}
		cases, err := l.plan.Expand(context.Background(), Options{Seeds: 3})
		if err == nil && len(l.plan.Select)+len(l.plan.Drop) == 0 {
			assert.NotEmpty(t, cases)
		}
	})
}
