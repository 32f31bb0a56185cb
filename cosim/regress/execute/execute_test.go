package execute

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/regress/coverage"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/suite"
	"metaroce/tandem/model/event"
)

func env(t *testing.T) *Env {
	t.Helper()
	dir := t.TempDir()
	return &Env{Root: dir, Run: filepath.Join(dir, "run"), Work: filepath.Join(dir, "w"), Tests: TestsFolder, Keep: "failure", Cover: true}
}

func do(t *testing.T, e *Env, c *plan.Case) result.Record {
	t.Helper()
	require.NoError(t, e.Clear())
	r, ok := e.Do(context.Background(), c)
	require.True(t, ok)
	require.NotNil(t, r.Times)
	if r.Verdict != result.Match {
		require.NotNil(t, r.Signature)
	}
	return r
}

func random(seed result.Seed) *plan.Case {
	return &plan.Case{Suite: "r", Test: "mixed", Variant: "tiny", Seed: seed, What: plan.What{Random: 300}, Preset: "tiny", Dut: "model", Mode: "full", Limits: plan.Defaults}
}

func scenarioCase(t *testing.T, e *Env, text string) *plan.Case {
	t.Helper()
	path := filepath.Join(e.Root, "s.scn")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return &plan.Case{Suite: "s", Test: "own", Seed: 1, What: plan.What{Scenario: path}, Text: plan.TextDigest([]byte(text)), Preset: "tiny", Dut: "model", Mode: "full", Limits: plan.Defaults}
}

func TestMatchLeavesBinsOnly(t *testing.T) {
	e := env(t)
	r := do(t, e, random(5))
	assert.Equal(t, result.Match, r.Verdict)
	assert.Equal(t, coverage.BinsFile(r.ID()), r.Coverage)
	assert.Greater(t, r.Events, uint64(300))
	assert.Positive(t, r.Cycles)
	assert.Empty(t, r.Folder+r.Line)
	assert.Equal(t, "tandem run --random 300 --dut model --preset tiny --mode full --seed 0x0000000000000005", r.Again)
	f, err := os.Open(filepath.Join(e.Run, r.Coverage))
	require.NoError(t, err)
	defer f.Close()
	c := cover.New()
	require.NoError(t, c.Add(f))
	assert.Equal(t, r.Events, c.Records())
	assert.NoDirExists(t, filepath.Join(e.Run, TestsFolder))
	again := do(t, e, random(5))
	assert.Equal(t, r.Without(), again.Without())
}

// TestPoints: what a simulator counted is put beside the bins, if it is whole.
func TestPoints(t *testing.T) {
	e := env(t)
	require.NoError(t, e.Clear())
	r := random(5).Record()
	assert.ErrorContains(t, e.points(r), "the simulator wrote no coverage")
	for text, want := range map[string]string{"# SystemC::Coverage-3\nC '": "coverage.dat:2: byte 22: the file is cut off", "": "cut off", "# SystemC::Coverage-3\n": "no points"} {
		require.NoError(t, os.WriteFile(e.pointsFile(), []byte(text), 0o644))
		assert.ErrorContains(t, e.points(r), want)
	}
	require.NoError(t, os.WriteFile(e.pointsFile(), []byte("# SystemC::Coverage-3\nC '\x01f\x02a.sv\x01l\x021\x01page\x02v_line/a' 7\n"), 0o644))
	require.NoError(t, e.points(r))
	assert.FileExists(t, filepath.Join(e.Run, "cover", "r", "mixed+tiny@0000000000000005.dat"))
}

// TestSimulators: coverage is another simulator, but not where waves are looked at.
func TestSimulators(t *testing.T) {
	e := env(t)
	c := random(5)
	c.Dut, c.Coverage = "rtl", "line"
	e.Binaries = map[string]string{"tiny": "/plain", "tiny+line": "/counts"}
	o, err := e.simulator(c)
	require.NoError(t, err)
	assert.Equal(t, [2]string{"/counts", e.pointsFile()}, [2]string{o.Binary, o.CoverageFile})
	e.Cover = false
	o, err = e.simulator(c)
	require.NoError(t, err)
	assert.Empty(t, o.CoverageFile)
	e.Waves = true
	o, err = e.simulator(c)
	require.NoError(t, err)
	assert.Empty(t, o.Binary+string(o.Coverage))
	c.Coverage = ""
	assert.Equal(t, "tiny", BinaryKey(c))
}

func TestKeptFolderKnowsItsPlace(t *testing.T) {
	e := env(t)
	e.Keep = "always"
	r := do(t, e, random(5))
	require.Equal(t, "tests/r/mixed+tiny@0000000000000005", r.Folder)
	b, err := os.ReadFile(filepath.Join(e.Run, r.Folder, "verdict.json"))
	require.NoError(t, err)
	var v lockstep.Verdict
	require.NoError(t, json.Unmarshal(b, &v))
	assert.Equal(t, filepath.Join(e.Run, r.Folder), v.Folder)
	assert.FileExists(t, filepath.Join(e.Run, r.Folder, "seal.json"))
	assert.NotContains(t, string(b), e.Work)
	e.Keep = "never"
	assert.Empty(t, do(t, e, random(5)).Folder)
}

const unmet = "conn 0\nkey 0\nmessage write bytes=2k mtu=100\nexpect completions=7\n"

func TestUnmetExpectation(t *testing.T) {
	e := env(t)
	c := scenarioCase(t, e, unmet)
	r := do(t, e, c)
	assert.Equal(t, result.Divergence, r.Verdict)
	assert.Equal(t, result.Signature{Engine: "expect", Kind: "unmet", Field: "completions=7"}, *r.Signature)
	assert.Contains(t, r.Line, "s.scn:4:8: expected completions=7, saw 1")
	assert.FileExists(t, filepath.Join(e.Run, r.Folder, "run.json"), "though device and model agreed")
	assert.Empty(t, r.Coverage)

	require.NoError(t, os.WriteFile(c.Scenario, []byte(unmet+"\n"), 0o644))
	r = do(t, e, c)
	assert.Equal(t, result.Bench, r.Verdict)
	assert.Contains(t, r.Line, "is another than when the run was planned")
	require.NoError(t, os.Remove(c.Scenario))
	assert.Equal(t, result.Bench, do(t, e, c).Verdict)
}

// outcome is one of a run whose expectation was not met.
func outcome() *suite.Outcome {
	return &suite.Outcome{Verdict: &lockstep.Verdict{Result: lockstep.Match}, Result: lockstep.Diverged, Unmet: []string{"f:1:2: expected a=1, saw 2"}}
}

func TestBreach(t *testing.T) {
	o := outcome()
	o.Unmet, o.Breaches = nil, []string{"cycle 12, xid 0x3: a psn that is new twice: 7"}
	s, line := signature(o)
	assert.Equal(t, result.Signature{Engine: "traffic", Kind: "breach", Field: "a psn that is new twice: *"}, s)
	assert.Equal(t, o.Breaches[0], line)
}

func TestDivergenceGivesItsSignature(t *testing.T) {
	o := outcome()
	o.Verdict.Divergence = &lockstep.Divergence{What: "differs", Kind: "window", Field: "out.ack_now", Rule: "R-WINDOW", Device: "0", Model: "1"}
	s, line := signature(o)
	assert.Equal(t, result.Signature{Rule: "R-WINDOW", Engine: "window", Kind: "differs", Field: "out.ack_now"}, s)
	assert.Contains(t, line, "out.ack_now is 0 in the device")
	for what, field := range map[string]string{"illegal": "no room for * beats", "late": "", "missing": ""} {
		o.Verdict.Divergence = &lockstep.Divergence{What: what, Kind: "admit", Rule: "R-ADMIT", Why: "no room for 7 beats (of 64)"}
		s, _ = signature(o)
		assert.Equal(t, result.Signature{Rule: "R-ADMIT", Engine: "admit", Kind: what, Field: field}, s)
	}
}

func TestLimits(t *testing.T) {
	e := env(t)
	c := random(5)
	c.Limits.Cycles = 50
	r := do(t, e, c)
	assert.Equal(t, result.Timeout, r.Verdict)
	assert.Equal(t, "cycles", r.Signature.Kind)

	for cause, kind := range map[error]string{ErrWall: "wall", ErrStall: "stall"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		require.NoError(t, e.Clear())
		r, ok := e.Do(ctx, random(5))
		require.True(t, ok)
		assert.Equal(t, result.Timeout, r.Verdict)
		assert.Equal(t, kind, r.Signature.Kind)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, e.Clear())
	_, ok := e.Do(ctx, random(5))
	assert.False(t, ok, "an interrupted case is not done")
}

func TestBeats(t *testing.T) {
	e := env(t)
	var phases []string
	last := uint64(0)
	e.Beat = func(b Beat) {
		if len(phases) == 0 || phases[len(phases)-1] != b.Phase {
			phases = append(phases, b.Phase)
		}
		if b.Phase == "run" {
			assert.GreaterOrEqual(t, b.Cycle, last)
			last = b.Cycle
		}
	}
	do(t, e, random(5))
	assert.Equal(t, []string{"make", "run", "end"}, phases)
}

func TestNothingThatCouldBeRun(t *testing.T) {
	e := env(t)
	c := random(5)
	c.Random = 0
	assert.Equal(t, result.Bench, do(t, e, c).Verdict)
	c = random(5)
	c.Mode = "odd"
	assert.Equal(t, result.Bench, do(t, e, c).Verdict)
	c = random(5)
	c.Dut = "chip"
	assert.Equal(t, result.Unsupported, do(t, e, c).Verdict)
	c = random(5)
	c.Dut, c.Fault = "rtl", "none such"
	r := do(t, e, c)
	assert.Equal(t, "build", r.Signature.Engine)
}

func sh(script string) *plan.Case {
	return &plan.Case{Suite: "c", Test: "cmd", Seed: 1<<63 + 5, What: plan.What{Command: []string{"sh", "-c", script}}, Limits: plan.Defaults}
}

func TestExitCodesOfCommands(t *testing.T) {
	e := env(t)
	for script, want := range map[string]result.Verdict{
		"exit 0": result.Match, "exit 1": result.Divergence, "exit 2": result.Bench, "exit 3": result.Inconclusive, "exit 4": result.Unsupported,
		"exit 5": result.Crash, "kill -SEGV $$": result.Crash,
	} {
		assert.Equal(t, want, do(t, e, sh(script)).Verdict, script)
	}
	r := do(t, e, sh("echo first; echo 'panic: index 17 out of range' >&2; exit 2"))
	assert.Equal(t, result.Signature{Engine: "sh", Kind: "exit 2", Field: "panic: index * out of range"}, *r.Signature)
	b, err := os.ReadFile(filepath.Join(e.Run, r.Folder, outputFile))
	require.NoError(t, err)
	assert.Equal(t, "first\npanic: index 17 out of range\n", string(b))
	r = do(t, e, sh(`printf '10%%\r\033[31mwrong\033[0m: \001no\n\033[0m\n'; exit 1`))
	assert.Equal(t, "sh ended with exit code 1: wrong: no", r.Line, "colours are the terminal's")
	assert.Equal(t, "wrong: no", r.Signature.Field)
	c := sh("")
	c.Command = []string{"/no/such/program"}
	r = do(t, e, c)
	assert.Equal(t, result.Bench, r.Verdict)
	assert.Contains(t, r.Line, "no such file")
	r = do(t, e, sh("sleep 1000 &"))
	assert.Equal(t, result.Bench, r.Verdict)
	assert.Equal(t, "sh ended with exit code 0, and what it started has its output open still: wait for it, or send its output elsewhere", r.Line)
}

func TestPlacesOfCommands(t *testing.T) {
	e := env(t)
	r := do(t, e, sh(`echo {seed} {seedhex} {seed31} "{preset}"; echo kept > {folder}/mine; exit 1`))
	b, err := os.ReadFile(filepath.Join(e.Run, r.Folder, outputFile))
	require.NoError(t, err)
	assert.Equal(t, "9223372036854775813 8000000000000005 1073741824 \n", string(b))
	assert.FileExists(t, filepath.Join(e.Run, r.Folder, "mine"))
	e.Program = "/bin/false"
	c := sh("")
	c.Command = []string{"tandem"}
	assert.Equal(t, result.Divergence, do(t, e, c).Verdict, "the word tandem is this program")
}

func TestWhatCommandsTell(t *testing.T) {
	e := env(t)
	r := do(t, e, sh(`echo '{"signature":{"kind":"late","rule":"R-TIME"},"line":"too late","events":7,"cycles":9}' > $TANDEM_RESULT; exit 1`))
	assert.Equal(t, result.Signature{Kind: "late", Rule: "R-TIME"}, *r.Signature)
	assert.Equal(t, "too late", r.Line)
	assert.Equal(t, uint64(16), r.Events+r.Cycles)
	r = do(t, e, sh(`echo '{"events":7}' > $TANDEM_RESULT`))
	assert.Equal(t, result.Match, r.Verdict)
	assert.Equal(t, uint64(7), r.Events)
	r = do(t, e, sh(`echo '{"evnts":7}' > $TANDEM_RESULT`))
	assert.Equal(t, result.Bench, r.Verdict, "a word that nobody understands is no pass")
}

// TestBinsOfCommands: where bins are counted a command may leave some; what nobody can read is no pass.
func TestBinsOfCommands(t *testing.T) {
	e := env(t)
	e.Cover = false
	r := do(t, e, sh(`test -z "$TANDEM_BINS"`))
	assert.Equal(t, result.Match, r.Verdict, "nobody counts")
	e.Cover = true
	assert.Empty(t, do(t, e, sh("true")).Coverage)
	sender := cover.NewSender()
	sender.Observe(make([]byte, event.RecordSize))
	r = do(t, e, sh("cat > $TANDEM_BINS <<'.'\n"+string(sender.Encode())+".\n"))
	require.Equal(t, result.Match, r.Verdict, r.Line)
	b, err := os.ReadFile(filepath.Join(e.Run, r.Coverage))
	require.NoError(t, err)
	assert.Equal(t, string(sender.Encode()), string(b))
	r = do(t, e, sh("echo bins > $TANDEM_BINS"))
	assert.Equal(t, result.Bench, r.Verdict)
	assert.Contains(t, r.Line, "the file TANDEM_BINS that the command wrote cannot be read: bins: ")
	r = do(t, e, sh("echo bins > $TANDEM_BINS; exit 1"))
	assert.Equal(t, result.Divergence, r.Verdict, "what did not match is not counted")
}

// TestCommandsAreEnded: with all that they began, and without waiting for it.
func TestCommandsAreEnded(t *testing.T) {
	e := env(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	e.Beat = func(b Beat) {
		if b.Phase == "output" {
			cancel(ErrWall)
		}
	}
	require.NoError(t, e.Clear())
	r, ok := e.Do(ctx, sh("sleep 1000 & echo begun; sleep 1000"))
	require.True(t, ok)
	assert.Equal(t, "wall", r.Signature.Kind)
	assert.NotEmpty(t, r.Folder, "what it printed is kept")

	// one that ends and leaves another behind, which would keep on printing
	e.Beat = nil
	r = do(t, e, sh("sleep 1000 >/dev/null 2>&1 & echo $! > "+filepath.Join(e.Root, "pid")))
	assert.Equal(t, result.Match, r.Verdict)
	b, err := os.ReadFile(filepath.Join(e.Root, "pid"))
	require.NoError(t, err)
	stat := "/proc/" + strings.TrimSpace(string(b)) + "/stat"
	assert.Eventually(t, func() bool {
		s, err := os.ReadFile(stat)
		return err != nil || strings.Contains(string(s), ") Z ")
	}, time.Minute, 10*time.Millisecond)
}

func TestOutputIsBounded(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	w := &output{file: f, beat: func(Beat) {}}
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 20 {
		n, err := w.Write(line)
		require.NoError(t, err)
		assert.Len(t, line, n)
	}
	_, _ = w.Write([]byte("the end\n"))
	s, err := f.Stat()
	require.NoError(t, err)
	assert.InDelta(t, outputLimit, s.Size(), 100)
	assert.Equal(t, "the end", w.last())
}

func TestMoveAcrossFileSystems(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "x", "b")
	require.NoError(t, os.MkdirAll(filepath.Join(from, "deep"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(from, "deep", "f"), []byte("1"), 0o644))
	require.NoError(t, copyTree(from, filepath.Join(dir, "copy")))
	assert.FileExists(t, filepath.Join(dir, "copy", "deep", "f"))
	require.NoError(t, os.MkdirAll(filepath.Join(to, "old"), 0o755))
	require.NoError(t, Move(from, to))
	assert.FileExists(t, filepath.Join(to, "deep", "f"))
	assert.NoDirExists(t, filepath.Join(to, "old"))
	assert.NoDirExists(t, from)
	assert.Error(t, Move(from, to), "there is nothing to move")
}
