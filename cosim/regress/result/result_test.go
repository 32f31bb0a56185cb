package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/lockstep"
)

func record(t *rapid.T) Record {
	word := rapid.StringMatching(`[a-z]{1,3}`)
	r := Record{
		Name: word.Draw(t, "suite") + "/" + word.Draw(t, "test"), Variant: rapid.SampledFrom([]string{"", "tiny", "stalls.tiny"}).Draw(t, "variant"),
		Iteration: rapid.IntRange(0, 5).Draw(t, "iteration"), Copy: rapid.IntRange(0, 1).Draw(t, "copy"), Seed: Seed(rapid.Uint64().Draw(t, "seed")),
		Verdict: rapid.SampledFrom(Verdicts()).Draw(t, "verdict"), Line: rapid.String().Draw(t, "line"), Events: rapid.Uint64().Draw(t, "events"),
	}
	if r.Verdict != Match {
		r.Signature = &Signature{Kind: word.Draw(t, "kind"), Field: rapid.String().Draw(t, "field")}
	}
	if rapid.Bool().Draw(t, "timed") {
		r.Times = &Times{Begin: 1, Duration: rapid.Int64().Draw(t, "duration"), Host: rapid.String().Draw(t, "host")}
	}
	return r
}

func TestLinesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Custom(record)).Draw(t, "records")
		var b []byte
		var err error
		for i := range list {
			b, err = list[i].Append(b)
			require.NoError(t, err)
		}
		assert.Equal(t, len(list), bytes.Count(b, []byte("\n")))
		// cut anywhere: whole lines come back, the torn one is told of and left out
		cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
		got, torn, err := Read("r", bytes.NewReader(b[:cut]))
		require.NoError(t, err)
		n := bytes.Count(b[:cut], []byte("\n"))
		assert.Equal(t, n, len(got))
		assert.Equal(t, cut > 0 && b[cut-1] != '\n', torn)
		for i := range got {
			assert.Equal(t, list[i], got[i])
		}
	})
}

func TestFileIsSortedAndDigestIgnoresTimesAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(record), 1, 12).Draw(t, "records")
		dir, err := os.MkdirTemp("", "result")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "results.jsonl")
		require.NoError(t, WriteFile(path, list))
		got, err := ReadFile(path)
		require.NoError(t, err)
		require.Len(t, got, len(list))
		for i := 1; i < len(got); i++ {
			assert.LessOrEqual(t, Compare(&got[i-1], &got[i]), 0)
		}
		want, err := DigestOf(list)
		require.NoError(t, err)
		other := append([]Record(nil), list...)
		for i := range other {
			other[i].Times = nil
		}
		if distinct(other) { // equal keys with other contents have no order of their own
			rand.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		}
		same, err := DigestOf(other)
		require.NoError(t, err)
		assert.Equal(t, want, same)
		other[0].Events++
		moved, err := DigestOf(other)
		require.NoError(t, err)
		assert.NotEqual(t, want, moved)
	})
}

func distinct(list []Record) bool {
	s := Sorted(list)
	for i := 1; i < len(s); i++ {
		if Compare(&s[i-1], &s[i]) == 0 {
			return false
		}
	}
	return true
}

func TestGarbledFilesAreRefused(t *testing.T) {
	good := `{"name":"a/b","iteration":0,"seed":"0000000000000001","verdict":"match","events":1,"cycles":2}` + "\n"
	for what, c := range map[string]struct{ text, err string }{
		"not JSON":              {good + "x\n", "r:2: invalid character"},
		"unknown field":         {strings.Replace(good, "events", "event", 1), `r:1: json: unknown field "event"`},
		"two on a line":         {strings.TrimSpace(good) + good, "more than one record"},
		"short seed":            {strings.Replace(good, "0000000000000001", "1", 1), "want 16 hexadecimal digits"},
		"unknown verdict":       {strings.Replace(good, `"match"`, `"pass"`, 1), `verdict "pass" unknown`},
		"failure, no signature": {strings.Replace(good, `"match"`, `"divergence"`, 1), "without a signature"},
		"nothing":               {"{}\n", "no name\nverdict"},
	} {
		_, _, err := Read("r", strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.err, what)
	}
	path := filepath.Join(t.TempDir(), "r")
	require.NoError(t, os.WriteFile(path, []byte(good+good[:20]), 0o644))
	_, err := ReadFile(path)
	assert.ErrorContains(t, err, "r:2: the file is cut off")
	assert.Error(t, WriteFile(filepath.Join(path, "below"), nil), "a file is no folder")
}

// TestDerive holds the seed against the definition, written out.
func TestDerive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 9, -1)
		base, suite, test, variant := rapid.Uint64().Draw(t, "base"), s.Draw(t, "suite"), s.Draw(t, "test"), s.Draw(t, "variant")
		n := rapid.IntRange(0, 1<<20).Draw(t, "n")
		var b bytes.Buffer
		be := binary.BigEndian
		_ = binary.Write(&b, be, base)
		for _, x := range []string{suite, test, variant} {
			_ = binary.Write(&b, be, uint32(len(x)))
			b.WriteString(x)
		}
		_ = binary.Write(&b, be, uint64(n))
		sum := sha256.Sum256(b.Bytes())
		assert.Equal(t, Seed(be.Uint64(sum[:])), Derive(Seed(base), suite, test, variant, n))
	})
	assert.NotEqual(t, Derive(1, "a", "bc", "", 0), Derive(1, "ab", "c", "", 0))
	// a seed that moves makes every seed written down anywhere worthless
	assert.Equal(t, "ed53789af86b8466", Derive(1, "random", "mixed", "tiny", 0).String())
}

func TestParseSeed(t *testing.T) {
	for text, want := range map[string]Seed{"7": 7, "0x10": 16, "00000000000000ff": 255, "18446744073709551615": 1<<64 - 1} {
		got, err := ParseSeed(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "-1", "x", "18446744073709551616", "0x", "1.5"} {
		_, err := ParseSeed(text)
		assert.Error(t, err, text)
	}
}

func TestVerdicts(t *testing.T) {
	assert.Equal(t, Inconclusive, Worst(nil), "of nothing, nothing is known")
	rec := func(v ...Verdict) (list []Record) {
		for _, x := range v {
			list = append(list, Record{Verdict: x})
		}
		return list
	}
	assert.Equal(t, Match, Worst(rec(Match, Match)))
	assert.Equal(t, Skipped, Worst(rec(Match, Skipped)))
	assert.Equal(t, Divergence, Worst(rec(Crash, Divergence, Lost)))
	for _, v := range Verdicts() {
		assert.Equal(t, v == Match, v.Exit() == lockstep.Match, "%s: only a match is a pass", v)
	}
	assert.Equal(t, -1, Verdict("pass").Rank())
	assert.Equal(t, lockstep.BenchFailed, Verdict("pass").Exit())
	for r := lockstep.Match; r <= lockstep.Unsupported; r++ {
		assert.Equal(t, r, Of(r).Exit())
	}
}

func TestNames(t *testing.T) {
	r := Record{Name: "random/mixed", Variant: "tiny", Seed: 0xab, Copy: 2}
	assert.Equal(t, "random/mixed+tiny", r.FullName())
	assert.Equal(t, "tandem rerun runs/x/random/mixed+tiny@00000000000000ab~2", r.Rerun("runs/x"))
	r.Variant, r.Copy = "", 0
	assert.Equal(t, "random/mixed@00000000000000ab", r.ID())
}

func TestSignatures(t *testing.T) {
	var none *Signature
	assert.Empty(t, none.Key()+none.String())
	s := &Signature{Rule: "R-WINDOW", Engine: "window", Field: "out.ack_now", Kind: "differs"}
	assert.Equal(t, "window differs out.ack_now (R-WINDOW)", s.String())
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[a| ]{0,3}`)
		draw := func() *Signature {
			return &Signature{part.Draw(t, "rule"), part.Draw(t, "engine"), part.Draw(t, "field"), part.Draw(t, "kind")}
		}
		a, b := draw(), draw()
		assert.Equal(t, *a == *b, a.Key() == b.Key(), "%q %q", a.Key(), b.Key())
	})
}

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ one, other, want string }{
		{"panic: index out of range [17] with length 4", "panic: index out of range [3] with length 1,024", "panic: index out of range [*] with length *"},
		{"%Error: /tmp/x-1/rtl/mr_step.sv:41: Assertion failed", "%Error: rtl/mr_step.sv:7: Assertion failed", "%Error: mr_step.sv:*: Assertion failed"},
		{"SIGSEGV at pc=0xdeadbeef after 1,234 ms in mr_step2", "SIGSEGV at pc=0x7F after 3 ms in mr_step2", "SIGSEGV at pc=* after * ms in mr_step2"},
		{"seed 00c0ffee00c0ffee  took 12.5s", "seed 9C1F0E5A77B3D204 took 1m30.25s", "seed * took *"},
		{"worker[4711]: killed, pid=99", "worker[12]: killed, pid=100342", "worker[*]: killed, pid=*"},
		{"cannot open runs/smoke-1/tandem-81/sim12345.log", "cannot open /tmp/tandem-9/sim99999.log", "cannot open sim*.log"},
		{"job 6ba7b810-9dad-11d1-80b4-00c04fd430c8 gone", "job ffffffff-abcd-abcd-abcd-abcdefabcdef gone", "job * gone"},
		{"main.f(0x1, {0x2, (3)}) at f.go:7 +0x1d", "main.f() at f.go:19 +0x2", "main.f at f.go:* +*"},
		{"counts differ: 5 and 6 (last record: packet_out op 0, conn", "counts differ: 50 and 61 (last record: register)", "counts differ: * and *"},
		{"127.0.0.1:4242: refused in 1.5e-3 s", "10.0.0.17:80: refused in 2 s", "*:*: refused in * s"},
		{"(all of it)", "(all of it)", "(all of it)"},
	} {
		assert.Equal(t, c.want, Normalise(c.one))
		assert.Equal(t, c.want, Normalise(c.other))
	}
	for a, b := range map[string]string{"assertion u_window.a1 failed": "assertion u_key.a1 failed", "signal: killed": "signal: segmentation fault", "mr_step2.sv: x": "mr_step3.sv: x"} {
		assert.NotEqual(t, Normalise(a), Normalise(b), "two causes")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "line")
		assert.LessOrEqual(t, len(Normalise(s)), normalLength)
		assert.Equal(t, Normalise(strings.Repeat("x", 300)+" "+s), strings.Repeat("x", normalLength))
	})
}

// TestPlain: what others print to colour a terminal is no part of a line, nor of its cause; what a line was written over with is another.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[31mFAIL\x1b[0m: \x1b[1;38;5;9mx[1]\x1b[K": "FAIL: x[1]",
		"\x1b]0;title\x07made\x1b]8;;a\x1b\\ it":        "made it",
		"10%\r90%\rbroken\a":                            "10%\n90%\nbroken",
		"a\x00b\x1bc\u009bd\te\nf":                      "abcd\te\nf",
		"Δ says no":                                     "Δ says no",
	} {
		assert.Equal(t, want, Plain(text))
	}
	assert.Equal(t, Normalise("error: no"), Normalise("\x1b[31merror\x1b[0m: no"))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"name":"a/b","iteration":0,"seed":"0000000000000001","verdict":"match","events":1,"cycles":2}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _, err := Read("r", bytes.NewReader(b))
		if err != nil {
			return
		}
		var again []byte
		for i := range list {
			again, err = list[i].Append(again)
			require.NoError(t, err)
		}
		same, torn, err := Read("r", bytes.NewReader(again))
		require.NoError(t, err)
		assert.False(t, torn)
		assert.Equal(t, list, same)
	})
}
