package wave

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(b)
}

// kinds are all engines and boundaries that RTL has.
func kinds() []string {
	var list []string
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Built && !e.Boundary || ports[e.Name] != "" {
			list = append(list, e.Name)
		}
	}
	return list
}

// TestSignalsStandInTheSources: a name that is no more would open an empty line.
func TestSignalsStandInTheSources(t *testing.T) {
	require.Greater(t, len(kinds()), 10)
	for _, kind := range kinds() {
		d := &lockstep.Divergence{What: "differs", Kind: kind, Cycle: 5000, WaveFrom: 4400, WaveTo: 5060}
		n := 0
		for _, s := range signals(d) {
			if s.name == "" {
				continue
			}
			n++
			text := read(t, "cosim/dpi/mr_bench.sv")
			if scope, ok := strings.CutPrefix(s.name, core+"u_"); ok {
				engine, _, _ := strings.Cut(scope, ".")
				found, err := filepath.Glob(filepath.Join("..", "..", "rtl", "*", "mr_"+engine+".sv"))
				require.NoError(t, err)
				require.Len(t, found, 1, engine)
				text = read(t, filepath.Join("rtl", filepath.Base(filepath.Dir(found[0])), filepath.Base(found[0])))
			}
			short := s.name[strings.LastIndexByte(s.name, '.')+1:]
			assert.Regexp(t, `\b`+short+`\b`, text, s.name)
		}
		assert.Greater(t, n, 20, kind)
		assert.True(t, ports[kind] != "" || streams[kind] != "", "%s is shown no signals of its own", kind)
	}
}

// TestCommitIsAsWideAsInRTL holds the layout against the generated package.
func TestCommitIsAsWideAsInRTL(t *testing.T) {
	text := read(t, "rtl/gen/mr_pkg.sv")
	for kind := range streams {
		name := strings.ToUpper(kind[:1]) + kind[1:] + "CommitW"
		m := regexp.MustCompile(`\b` + name + `\s*=\s*(\d+)`).FindStringSubmatch(text)
		require.NotNil(t, m, name)
		want, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		parts, width := commit(kind)
		assert.Equal(t, want, width, kind)
		next := 0
		for _, p := range parts {
			assert.Equal(t, next, p.low, p.name)
			next += p.width
		}
	}
}

func TestSave(t *testing.T) {
	d := &lockstep.Divergence{
		What: "differs", Kind: "coalesce", Op: "packet", Cycle: 2236, WaveFrom: 1636, WaveTo: 2296, Field: "out.push", Device: "1", Model: "0", Rule: "R-COALESCE",
		Fields: []lockstep.FieldDiff{{Field: "out.push", Device: "1", Model: "0"}, {Field: "path.seen", Device: "1", Model: strings.Repeat("long ", 50)}},
	}
	dir := t.TempDir()
	require.NoError(t, Save(dir, d))
	b, err := os.ReadFile(filepath.Join(dir, GTKWaveFile))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	assert.Contains(t, lines, "[timestart] 8876000")
	assert.Contains(t, lines, "*-15.000000 8976000"+strings.Repeat(" -1", 26), "the marker stands at the cycle")
	assert.Contains(t, lines, "-out.push: device 1, model 0")
	vector := regexp.MustCompile(`^#\{([a-z_]+)(\[\d+:0\])?\}((?: \(\d+\)` + regexp.QuoteMeta(core) + `u_coalesce\.trace_o\[118:0\])+)$`)
	plain := regexp.MustCompile(`^bench\.[a-z_.]+(\[\d+:0\])?$`)
	at := 0
	for at < len(lines) && !strings.HasPrefix(lines[at], "@") {
		at++
	}
	var names []string
	for ; at < len(lines); at += 2 { // a flag, and what it is for
		require.Regexp(t, `^@[0-9]+$`, lines[at])
		switch s := lines[at+1]; {
		case lines[at] == flagComment:
			assert.LessOrEqual(t, len(s), longestLine+1)
		case vector.MatchString(s):
			names = append(names, vector.FindStringSubmatch(s)[1])
		default:
			assert.Regexp(t, plain, s)
		}
	}
	assert.Equal(t, []string{"head_op", "head_xid", "head_conn", "head_path", "head_stream", "out_push", "out_arm", "in_path_row", "in_ack_now", "in_builds", "in_pending", "path_seen"}, names,
		"of the state only what is wrong")
	assert.Contains(t, string(b), "#{head_op[7:0]} (111)"+core+"u_coalesce.trace_o[118:0]", "bits count from the left")

	b, err = os.ReadFile(filepath.Join(dir, SurferFile))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(b), "variable_add "+core+"u_coalesce.trace_o\n"))
	assert.NotRegexp(t, `(?m)^\S+ \S+ `, string(b), "a command has one word behind it at most")
	assert.True(t, strings.HasSuffix(string(b), "\ncursor_set 8976000\ngoto_cursor\n"))
	assert.Error(t, Save(filepath.Join(dir, "gone"), d))
}

// TestTimeOfEarlyCycles: nothing wraps.
func TestTimeOfEarlyCycles(t *testing.T) {
	d := &lockstep.Divergence{What: "late", Kind: "register", Cycle: 3}
	assert.Contains(t, string(gtkwave(d, signals(d))), "[timestart] 32000\n")
}
