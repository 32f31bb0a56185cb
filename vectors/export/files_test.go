package export

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
)

// TestDistinct: no vector is written over another; all that would be are told.
func TestDistinct(t *testing.T) {
	list := load(t, "receive/directed.mrv")[:4]
	require.NoError(t, Distinct(list))
	for i, name := range []string{"a/b", "a b", "c", "-c."} {
		v := *list[i]
		v.Name, list[i] = name, &v
	}
	for _, write := range []func(string, []*mrv.Vector) error{Verilog, Captures} {
		dir := filepath.Join(t.TempDir(), "out")
		err := write(dir, list)
		assert.ErrorContains(t, err, "a/b ("+list[0].ID[:8]+"), a b ("+list[1].ID[:8]+") would all be written to a-b")
		assert.ErrorContains(t, err, ", -c. ("+list[3].ID[:8]+") would all be written to c")
		assert.NoDirExists(t, dir)
	}
	assert.Equal(t, "0123", FileName(&mrv.Vector{Name: "//", ID: "0123"}))
}

// TestCaptures: a file of each vector.
func TestCaptures(t *testing.T) {
	dir := t.TempDir()
	list := load(t, "receive/directed.mrv")[:3]
	require.NoError(t, Captures(dir, list))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, len(list))
	for i, v := range list {
		var want bytes.Buffer
		require.NoError(t, Pcapng(&want, v))
		got, err := os.ReadFile(filepath.Join(dir, entries[i].Name()))
		require.NoError(t, err)
		assert.Equal(t, want.Bytes(), got)
	}
}

// TestLeftOver: what run.sh would run beside is refused, and nothing is changed; the same groups are written again.
func TestLeftOver(t *testing.T) {
	dir := t.TempDir()
	steps := load(t, "ctimer/steps.mrv")
	require.NoError(t, Verilog(dir, steps))
	require.NoError(t, Verilog(dir, steps[:1]))
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.ErrorContains(t, Verilog(dir, load(t, "receive/directed.mrv")[:1]), dir+" holds block-ctimer, which run.sh would run")
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Equal(t, len(before), len(after))
}

// TestRunUsage: what run.sh cannot do it says, with what it would want; nothing is built.
func TestRunUsage(t *testing.T) {
	dir, rtl := t.TempDir(), t.TempDir()
	require.NoError(t, Verilog(dir, load(t, "receive/directed.mrv")[:1]))
	require.NoError(t, os.WriteFile(filepath.Join(rtl, "files.f"), nil, 0o600))
	for want, args := range map[string][]string{
		"RTL is missing\nusage: ":                                              {},
		"there is no files.f in nowhere\nusage: ":                              {"nowhere"},
		"modelsim: want icarus, verilator or both\nusage: ":                    {rtl, "modelsim"},
		"nothing was run: no vector of " + dir + " is called like VEC_ONLY=x$": {rtl, "icarus"},
	} {
		cmd := exec.Command("bash", append([]string{filepath.Join(dir, "run.sh")}, args...)...)
		cmd.Env = append(os.Environ(), "VEC_ONLY=x$")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, 2, exit.ExitCode())
		assert.Contains(t, string(out), want)
	}
}

// TestOtherLayout: steps of other records are neither shown nor exported as if they were of these.
func TestOtherLayout(t *testing.T) {
	v := *load(t, "ctimer/steps.mrv")[0]
	v.Source.Revision = "1 layout 00000000"
	assert.ErrorContains(t, Verilog(t.TempDir(), []*mrv.Vector{&v}), "vector "+v.Name+": written for layout 00000000 of ctimer's records")
	var b strings.Builder
	require.NoError(t, Text(&b, &v))
	assert.Contains(t, b.String(), "steps that mean nothing here: written for layout 00000000")
	assert.NotContains(t, b.String(), "row  ")
	v.Source.Revision, v.Steps = "", []mrv.Step{{Op: 9}}
	b.Reset()
	require.NoError(t, Text(&b, &v))
	assert.Contains(t, b.String(), "step 0: ctimer: a body of 0 bytes")
}

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// keys lists every key of a JSON value.
func keys(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			into[k] = true
			keys(x, into)
		}
	case []any:
		for _, x := range v {
			keys(x, into)
		}
	}
}

// TestJSONKeys: one style for all keys, and names where the text has names.
func TestJSONKeys(t *testing.T) {
	list := append(load(t, "receive/directed.mrv"), load(t, "window/steps.mrv")[:2]...)
	every := *list[0]
	mask := uint64(3)
	every.Acts = []mrv.Act{{What: "post", Values: []mrv.Named{{Name: "n", Data: []byte{1}}}}}
	every.Sees = []expect.See{{What: "nak"}, {What: "ack", Rule: "R-ACK", Order: expect.Never, Within: true, Lo: 1, Hi: 2, Anchor: 3, Where: "x", Text: "ack never", Fields: []expect.Field{
		{Name: "a", Any: []expect.Alternative{{Lo: 0, Hi: 5}, {Lo: 1, Mask: mask}, {Wide: append(make([]byte, 31), 0x80)}}}}}}
	var b bytes.Buffer
	require.NoError(t, JSON(&b, mrv.Header{Schema: 1}, append(list, &every)))
	var v any
	require.NoError(t, json.Unmarshal(b.Bytes(), &v))
	all := map[string]bool{}
	keys(v, all)
	for k := range all {
		assert.Regexp(t, snake, k)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{`"command": "conn_set"`, `"op": "flush"`, `"opcode": "write", "length"`, `"high_valid":`, `"path": `, `"source": { "kind": "directed", "name": `, `"end": { "frames": `,
		`"sees": [ { "what": "nak", "order": "next",`, `"order": "never", "after": { "frames": 0, "accesses": 0 }, "window": { "frame": 3, "lo": 1, "hi": 2 }`,
		`"any": [ { "lo": 0, "hi": 5 }, { "value": 1, "mask": 3 }, { "wide": "0x80` + strings.Repeat("0", 62) + `" } ]`,
		`"acts": [ { "endpoint": 0, "what": "post", "values": [ { "name": "n", "value": 0, "data": "01" } ] } ]`} {
		assert.True(t, strings.Contains(text, want), want) // the text is too long to print
	}
	assert.True(t, regexp.MustCompile(`"vector": "0x[0-9a-f]{63}[1-9a-f]"`).MatchString(text))
}
