package rtl_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

func config(m target.Mode) target.Config { return target.Config{Preset: "tiny", Seed: 11, Mode: m} }

// shortDir is a run folder whose path leaves room for a socket, wherever tests run.
func shortDir(t *testing.T) string {
	t.Helper()
	d, err := os.MkdirTemp("", "tr")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	return d
}

func traffic(t *testing.T) stimulus.List {
	t.Helper()
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: 11, Packets: 600, Stalls: true})
	require.NoError(t, err)
	return p.Items
}

// endless keeps a device busy with nothing for longer than any test.
var endless = stimulus.List{{Kind: stimulus.KindRead, Addr: 0}, {Kind: stimulus.KindWaitCycles, Value: 4_000_000_000}}

func TestLockstep(t *testing.T) {
	for _, m := range []target.Mode{target.ModeFull, target.ModeDigest} {
		var first, second bytes.Buffer
		for _, j := range []*bytes.Buffer{&first, &second} {
			d := rtl.New(rtl.Options{RunDir: shortDir(t)})
			r := lockstep.Run{Name: "t", Device: d, Config: config(m), Stimulus: traffic(t), Journal: j}
			v := r.Do(context.Background())
			require.NoError(t, d.Close())
			require.Equal(t, lockstep.Match, v.Result, v.Line)
			assert.Greater(t, v.Transactions, uint64(3000))
			assert.Equal(t, d.End().Transactions, v.Transactions)
		}
		assert.True(t, bytes.Equal(first.Bytes(), second.Bytes()), "equal seeds give equal runs, to the last byte")
	}
}

// TestSeedsHave64Bits: seeds that are derived from names have all of them.
func TestSeedsHave64Bits(t *testing.T) {
	for _, seed := range []uint64{1 << 63, 1<<64 - 1, 0x0123456789abcdef} {
		d := rtl.New(rtl.Options{RunDir: shortDir(t)})
		r := lockstep.Run{Name: "t", Device: d, Config: target.Config{Preset: "tiny", Seed: seed}, Stimulus: traffic(t)[:50]}
		v := r.Do(context.Background())
		require.NoError(t, d.Close())
		assert.Equal(t, lockstep.Match, v.Result, v.Line)
	}
}

// altered gives the device another frame than the model gets.
type altered struct{ *rtl.Device }

func (a altered) Apply(ctx context.Context, items stimulus.List) error {
	l := append(stimulus.List(nil), items...)
	for i, n := 0, 0; i < len(l); i++ {
		if l[i].Kind == stimulus.KindFrame {
			if n++; n == 300 {
				l[i].Data = append([]byte(nil), l[i].Data...)
				l[i].Data[0] ^= 1
			}
		}
	}
	return a.Device.Apply(ctx, l)
}

func TestDivergenceIsNamed(t *testing.T) {
	for _, m := range []target.Mode{target.ModeFull, target.ModeDigest} {
		d := rtl.New(rtl.Options{RunDir: shortDir(t)})
		r := lockstep.Run{Name: "t", Device: altered{d}, Config: config(m), Stimulus: traffic(t)}
		v := r.Do(context.Background())
		require.NoError(t, d.Close())
		require.Equal(t, lockstep.Diverged, v.Result, v.Line)
		assert.Equal(t, "packet_in", v.Divergence.Kind)
		assert.Equal(t, "in.hash", v.Divergence.Field)
		assert.Equal(t, uint32(300), v.Divergence.Xid)
		assert.NotContains(t, fmt.Sprint(v.NotCompared), "second look", "it was answered")
	}
}

// running is a device in the middle of a run, and its process.
func running(t *testing.T) (*rtl.Device, int, string) {
	t.Helper()
	dir := shortDir(t)
	d := rtl.New(rtl.Options{RunDir: dir})
	t.Cleanup(func() { _ = d.Close() })
	ctx := context.Background()
	require.NoError(t, d.Reset(ctx, config(target.ModeFull)))
	require.NoError(t, d.Apply(ctx, endless))
	require.NoError(t, d.Finish(ctx))
	_, err := d.Drain(ctx)
	require.NoError(t, err)
	pids := simulators(dir)
	require.Len(t, pids, 1)
	return d, pids[0], dir
}

// simulators are the processes that work in a run folder.
func simulators(dir string) []int {
	var pids []int
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range list {
		b, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(b, []byte("+tandem_socket="+dir)) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func gone(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(simulators(dir)) == 0 }, time.Minute, 20*time.Millisecond, "no process is left")
}

func drainUntilError(d *rtl.Device, ctx context.Context) error {
	for {
		if _, err := d.Drain(ctx); err != nil {
			return err
		}
	}
}

func TestSimulatorKilled(t *testing.T) {
	d, pid, dir := running(t)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	err := drainUntilError(d, context.Background())
	assert.ErrorContains(t, err, "device: closed the socket before the end of the run; the simulator was killed by signal 9 (killed)")
	assert.ErrorContains(t, err, "(last record: register op 0")
	require.NoError(t, d.Close())
	gone(t, dir)
}

func TestSimulatorStopped(t *testing.T) {
	d, pid, dir := running(t)
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	err := drainUntilError(d, context.Background())
	assert.ErrorContains(t, err, "device: was silent for 1.5s")
	require.NoError(t, d.Close())
	gone(t, dir)
}

func TestInterrupted(t *testing.T) {
	d, _, dir := running(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := drainUntilError(d, ctx)
	assert.ErrorContains(t, err, "host: interrupted")
	require.NoError(t, d.Close())
	require.NoError(t, d.Close(), "twice is fine")
	gone(t, dir)
	_, err = os.Stat(filepath.Join(dir, "bridge.sock"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestHostKilled kills the whole host: the simulator that nobody waits for any more ends by itself, with a reason.
func TestHostKilled(t *testing.T) {
	const env = "TANDEM_TEST_RTL_HOST"
	if dir := os.Getenv(env); dir != "" {
		d := rtl.New(rtl.Options{RunDir: dir})
		ctx := context.Background()
		require.NoError(t, d.Reset(ctx, config(target.ModeFull)))
		require.NoError(t, d.Apply(ctx, endless))
		require.NoError(t, d.Finish(ctx))
		_, err := d.Drain(ctx)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ran"), nil, 0o600))
		require.NoError(t, drainUntilError(d, ctx))
	}
	_, err := rtl.Build(context.Background(), preset.Tiny, &rtl.Options{})
	require.NoError(t, err)
	dir := shortDir(t)
	host := exec.Command(os.Args[0], "-test.run=^TestHostKilled$")
	host.Env = append(os.Environ(), env+"="+dir)
	require.NoError(t, host.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "ran")); return err == nil }, time.Minute, 20*time.Millisecond)
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	gone(t, dir)
	log, err := os.ReadFile(filepath.Join(dir, "sim.log"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "tandem device: the host closed the socket before the end of the run")
}

func TestAnotherPresetIsRefused(t *testing.T) {
	binary, err := rtl.Build(context.Background(), preset.Tiny, &rtl.Options{})
	require.NoError(t, err)
	dir := shortDir(t)
	d := rtl.New(rtl.Options{RunDir: dir, Binary: binary})
	defer d.Close()
	err = d.Reset(context.Background(), target.Config{Preset: "small"})
	assert.ErrorContains(t, err, "refused before cycle 0: preset is tiny in the device, small here; parameter conns is 4 in the device, 64 here")
	require.NoError(t, d.Close())
	gone(t, dir)
}

func TestSocketPathTooLong(t *testing.T) {
	dir := filepath.Join(shortDir(t), strings.Repeat("x", 110))
	require.NoError(t, os.Mkdir(dir, 0o755))
	d := rtl.New(rtl.Options{RunDir: dir})
	defer d.Close()
	err := d.Reset(context.Background(), config(target.ModeFull))
	assert.ErrorContains(t, err, "host: socket path of ")
	assert.ErrorContains(t, err, "is too long, 107 are possible")
}

func TestPlainAndWaves(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a simulator with tracing")
	}
	dir := shortDir(t)
	file := filepath.Join(dir, "stimulus.bin")
	require.NoError(t, journal.WriteStimulus(file, traffic(t)))
	r, err := rtl.Plain(context.Background(), rtl.Options{RunDir: dir}, config(target.ModeFull), file)
	require.NoError(t, err)
	assert.Greater(t, r.Cycles, r.From)
	assert.Positive(t, r.RunNs)

	d := rtl.New(rtl.Options{RunDir: dir})
	run := lockstep.Run{Name: "t", Device: d, Config: config(target.ModeDigest), Stimulus: traffic(t)}
	v := run.Do(context.Background())
	require.NoError(t, d.Close())
	require.Equal(t, lockstep.Match, v.Result, v.Line)
	assert.Equal(t, v.Cycles, r.Cycles, "with or without a host, the device does the same")

	opt := rtl.Options{RunDir: dir, Trace: true, TraceFrom: 1500, TraceTo: 1600}
	_, err = rtl.Plain(context.Background(), opt, config(target.ModeFull), file)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, journal.WaveFile))
	require.NoError(t, err)
	assert.Greater(t, info.Size(), int64(1000))
	assert.Less(t, info.Size(), int64(8<<20), "a window, not the run")
}

// TestCoverage: a simulator that counts does the same, and says at its end what it counted, of the device and not of the
// bench, under names of the checkout, whose text it keeps.
func TestCoverage(t *testing.T) {
	dir := shortDir(t)
	verdicts := map[string]*lockstep.Verdict{}
	for _, opt := range []rtl.Options{{RunDir: dir}, {RunDir: dir, Coverage: rtl.Lines, CoverageFile: filepath.Join(dir, "coverage.dat")}} {
		d := rtl.New(opt)
		run := lockstep.Run{Name: "t", Device: d, Config: config(target.ModeDigest), Stimulus: traffic(t)}
		verdicts[string(opt.Coverage)] = run.Do(context.Background())
		require.NoError(t, d.Close())
	}
	plain, counted := verdicts[""], verdicts["line"]
	require.Equal(t, lockstep.Match, counted.Result, counted.Line)
	assert.Equal(t, []any{plain.Result, plain.Cycles, plain.Transactions}, []any{counted.Result, counted.Cycles, counted.Transactions})
	b, err := os.ReadFile(filepath.Join(dir, "coverage.dat"))
	require.NoError(t, err)
	assert.Contains(t, string(b), "C '\x01f\x02rtl/window/mr_window_step.sv\x01l\x02")
	assert.NotContains(t, string(b), "\x01f\x02cosim/dpi")

	binary, err := rtl.Build(context.Background(), preset.Tiny, &rtl.Options{Coverage: rtl.Lines})
	require.NoError(t, err)
	kept, err := os.ReadFile(filepath.Join(filepath.Dir(binary), rtl.SourceFolder, "rtl/window/mr_window_step.sv"))
	require.NoError(t, err)
	own, err := os.ReadFile("../../rtl/window/mr_window_step.sv")
	require.NoError(t, err)
	assert.Equal(t, string(own), string(kept))
}

func TestUnknownPreset(t *testing.T) {
	d := rtl.New(rtl.Options{})
	err := d.Reset(context.Background(), target.Config{Preset: "huge"})
	var u *target.Unsupported
	assert.ErrorAs(t, err, &u)
}

func TestBrokenSource(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.sv")
	require.NoError(t, os.WriteFile(bad, []byte("module mr_fifo; this is no Verilog"), 0o600))
	cache := t.TempDir()
	opt := rtl.Options{CacheDir: cache, Sources: map[string]string{"rtl/common/mr_fifo.sv": bad}}
	_, err := rtl.Build(context.Background(), preset.Tiny, &opt)
	require.ErrorContains(t, err, "build: the simulator does not build: %Error: ")
	log := err.Error()[strings.LastIndex(err.Error(), "see ")+4:]
	log = log[:strings.Index(log, ".log")+4]
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Contains(t, string(b), "syntax error")
	left, err := filepath.Glob(filepath.Join(cache, "build-*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	opt.Sources = map[string]string{"rtl/no/such.sv": bad}
	_, err = rtl.Build(context.Background(), preset.Tiny, &opt)
	assert.ErrorContains(t, err, "rtl/no/such.sv is to be replaced, but no build has such a source")
}
