package session

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

func options(t testing.TB, seed uint64, m target.Mode) Options {
	t.Helper()
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: seed, Packets: 400})
	require.NoError(t, err)
	return Options{
		Name: "random", Device: "model", Config: target.Config{Preset: "tiny", Seed: seed, Mode: m}, Stimulus: p.Items,
		RunsDir: t.TempDir(), Rerun: "tandem run --random",
	}
}

func TestRunFolder(t *testing.T) {
	for _, m := range []target.Mode{target.ModeFull, target.ModeDigest} {
		o := options(t, 2, m)
		v := Run(context.Background(), o)
		require.Equal(t, lockstep.Match, v.Result, v.Line)
		assert.Equal(t, filepath.Join(o.RunsDir, "random-2"), v.Folder)
		b, err := os.ReadFile(filepath.Join(v.Folder, journal.VerdictFile))
		require.NoError(t, err)
		var written lockstep.Verdict
		require.NoError(t, json.Unmarshal(b, &written))
		assert.Equal(t, *v, written)

		n := uint64(0)
		again := Replay(context.Background(), v.Folder, func([]byte) { n++ })
		require.Equal(t, lockstep.Match, again.Result, again.Line)
		assert.Equal(t, v.Transactions, n)
		assert.Equal(t, v.Compared, again.Compared)
		assert.Equal(t, v.Told, again.Told)
	}
}

func TestJournalIsKeptAsAsked(t *testing.T) {
	for keep, want := range map[string]bool{"": true, "always": true, "failure": false, "never": false} {
		o := options(t, 2, target.ModeDigest)
		o.Journal = keep
		v := Run(context.Background(), o)
		require.Equal(t, lockstep.Match, v.Result)
		_, err := os.Stat(filepath.Join(o.RunsDir, "random-2"))
		assert.Equal(t, want, err == nil, "journal %q", keep)
		assert.Equal(t, want, v.Folder != "")
	}
}

// reseal makes a folder pass for one that the run itself left like that.
func reseal(t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, journal.WriteSeal(folder, journal.Seal{}))
}

// A folder that was changed, or never finished, says nothing about the device.
func TestDamagedFolders(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, folder string)
		want string
	}{
		"record bit":   {func(t *testing.T, f string) { flip(t, f, journal.RecordsFile) }, "folder is damaged"},
		"stimulus bit": {func(t *testing.T, f string) { flip(t, f, journal.StimulusFile) }, "folder is damaged"},
		"ending bit":   {func(t *testing.T, f string) { flip(t, f, journal.EndingFile) }, "folder is damaged"},
		"emptied": {func(t *testing.T, f string) {
			require.NoError(t, os.Truncate(filepath.Join(f, journal.RecordsFile), 0))
		}, "has 0 bytes"},
		"killed": {func(t *testing.T, f string) { require.NoError(t, os.Remove(filepath.Join(f, journal.SealFile))) }, "folder is unfinished"},
		"bench failure": {func(t *testing.T, f string) {
			require.NoError(t, journal.WriteSeal(f, journal.Seal{Failure: "device: lost"}))
		}, "it ended with: device: lost"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, 2, target.ModeFull)
			v := Run(context.Background(), o)
			require.Equal(t, lockstep.Match, v.Result, v.Line)
			c.do(t, v.Folder)
			r := Replay(context.Background(), v.Folder, nil)
			assert.Equal(t, lockstep.BenchFailed, r.Result)
			assert.Contains(t, r.Line, c.want)
			_, err := Diff(v.Folder, v.Folder)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func flip(t *testing.T, folder, name string) {
	t.Helper()
	path := filepath.Join(folder, name)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

func TestBenchFailureIsRepeated(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t, 2, target.ModeFull)
	o.Observe = func([]byte) { cancel() }
	v := Run(ctx, o)
	require.Equal(t, lockstep.BenchFailed, v.Result)
	r := Replay(context.Background(), v.Folder, nil)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Contains(t, r.Line, "it ended with: host: interrupted")
}

func TestDiffOfStimulus(t *testing.T) {
	a, b := options(t, 2, target.ModeFull), options(t, 2, target.ModeFull)
	b.Stimulus = append(b.Stimulus[:len(b.Stimulus):len(b.Stimulus)], stimulus.Item{Kind: stimulus.KindWaitIdle})
	va, vb := Run(context.Background(), a), Run(context.Background(), b)
	d, err := Diff(va.Folder, vb.Folder)
	require.NoError(t, err)
	assert.False(t, d.Same)
	assert.Contains(t, d.What, "all records are equal, the stimulus is not")
	assert.True(t, d.RecordsEqual())
}

// damage changes one byte of the records of a run.
func damage(t *testing.T, folder string, at int, x byte) {
	t.Helper()
	path := filepath.Join(folder, journal.RecordsFile)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	b[at] ^= x
	require.NoError(t, os.WriteFile(path, b, 0o600))
	reseal(t, folder)
}

func TestReplayFindsWhatIsWrong(t *testing.T) {
	o := options(t, 2, target.ModeFull)
	v := Run(context.Background(), o)
	require.Equal(t, lockstep.Match, v.Result)
	damage(t, v.Folder, 40, 1) // hash or value of the first record
	r := Replay(context.Background(), v.Folder, nil)
	assert.Equal(t, lockstep.Diverged, r.Result)
	assert.Equal(t, uint64(0), r.Divergence.Seq)
	assert.Equal(t, "tandem replay "+v.Folder, r.Rerun)

	damage(t, v.Folder, 40, 1)
	require.Equal(t, lockstep.Match, Replay(context.Background(), v.Folder, nil).Result)
	require.NoError(t, os.Rename(filepath.Join(v.Folder, journal.EndingFile), filepath.Join(v.Folder, "kept")))
	reseal(t, v.Folder)
	r = Replay(context.Background(), v.Folder, nil)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Contains(t, r.Line, "the recording was broken off after ")
	require.NoError(t, os.Rename(filepath.Join(v.Folder, "kept"), filepath.Join(v.Folder, journal.EndingFile)))

	path := filepath.Join(v.Folder, journal.RecordsFile)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	last := len(b)
	for n, at := 0, 0; at < len(b); at += n {
		n, err = journal.Size(b[at:], target.ModeFull)
		require.NoError(t, err)
		last = at
	}
	require.NoError(t, os.WriteFile(path, b[:last], 0o600))
	reseal(t, v.Folder)
	r = Replay(context.Background(), v.Folder, nil)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Contains(t, r.Line, "records.bin holds ")

	require.NoError(t, os.WriteFile(path, b[:len(b)-10], 0o600))
	reseal(t, v.Folder)
	r = Replay(context.Background(), v.Folder, nil)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Contains(t, r.Line, "records.bin, byte ")
	assert.Contains(t, r.Line, "cut short")

	r = Replay(context.Background(), t.TempDir(), nil)
	assert.Equal(t, lockstep.BenchFailed, r.Result)
	assert.Contains(t, r.Line, "is no run folder")
}

func TestDiff(t *testing.T) {
	a, b := options(t, 2, target.ModeFull), options(t, 2, target.ModeFull)
	va, vb := Run(context.Background(), a), Run(context.Background(), b)
	d, err := Diff(va.Folder, vb.Folder)
	require.NoError(t, err)
	assert.True(t, d.Same)
	assert.Equal(t, va.Transactions, d.Transactions)

	damage(t, vb.Folder, 8, 0x80) // cycle
	d, err = Diff(va.Folder, vb.Folder)
	require.NoError(t, err)
	assert.True(t, d.OnlyTime(), "%v", d.Fields)
	assert.False(t, d.RecordsEqual())
	damage(t, vb.Folder, 8, 0x80)

	damage(t, vb.Folder, 43, 0x80)
	d, err = Diff(va.Folder, vb.Folder)
	require.NoError(t, err)
	assert.False(t, d.Same)
	assert.Zero(t, d.Transactions)
	require.Len(t, d.Fields, 1)
	assert.Contains(t, d.What, " is ")
	assert.NotEqual(t, d.A, d.B)
	assert.False(t, d.OnlyTime())

	path := filepath.Join(vb.Folder, journal.RecordsFile)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	reseal(t, vb.Folder)
	d, err = Diff(va.Folder, vb.Folder)
	require.NoError(t, err)
	assert.Equal(t, "the second run ends here", d.What)
	d, err = Diff(vb.Folder, va.Folder)
	require.NoError(t, err)
	assert.Equal(t, "the first run ends here", d.What)

	c := options(t, 2, target.ModeDigest)
	vc := Run(context.Background(), c)
	_, err = Diff(va.Folder, vc.Folder)
	assert.ErrorContains(t, err, "mode full with one in mode digest")
	_, err = Diff(va.Folder, "nowhere")
	assert.ErrorContains(t, err, "is no run folder")
}

// The model predicts itself without error: what the meter shows of RTL is RTL's.
func TestSkew(t *testing.T) {
	o := options(t, 2, target.ModeDigest)
	o.Skew = true
	v := Run(context.Background(), o)
	require.Equal(t, lockstep.Match, v.Result, v.Line)
	require.NotEmpty(t, v.Skew)
	for _, r := range v.Skew {
		assert.Positive(t, r.Events, r.Kind)
		assert.Zero(t, r.P50, "%+v", r)
	}
}

func TestWrongOptions(t *testing.T) {
	o := options(t, 2, target.ModeFull)
	o.Device = "abacus"
	v := Run(context.Background(), o)
	assert.Equal(t, lockstep.Unsupported, v.Result)
	assert.Contains(t, v.Line, `device "abacus"; there are rtl and model`)

	o = options(t, 2, target.ModeFull)
	o.Stimulus[0].Kind = 77
	v = Run(context.Background(), o)
	assert.Equal(t, lockstep.BenchFailed, v.Result)
	assert.Contains(t, v.Line, "item 0")

	o = options(t, 2, target.ModeFull)
	require.NoError(t, os.WriteFile(filepath.Join(o.RunsDir, "file"), nil, 0o600))
	o.RunsDir = filepath.Join(o.RunsDir, "file")
	v = Run(context.Background(), o)
	assert.Equal(t, lockstep.BenchFailed, v.Result)
	assert.Contains(t, v.Line, "run folder: cannot make it")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t, 2, target.ModeFull)
	o.Observe = func([]byte) { cancel() }
	v := Run(ctx, o)
	assert.Equal(t, lockstep.BenchFailed, v.Result)
	assert.Contains(t, v.Line, "host: interrupted")
	_, err := os.Stat(filepath.Join(v.Folder, journal.VerdictFile))
	assert.NoError(t, err, "the report is written all the same")
}

// TestDiskFull runs under a limit of file size, which a disk that is full looks like to the writer.
func TestDiskFull(t *testing.T) {
	const env = "TANDEM_TEST_DISK"
	if dir := os.Getenv(env); dir != "" {
		o := options(t, 2, target.ModeFull)
		o.RunsDir = dir
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 600 << 10, Max: 600 << 10}))
		v := Run(context.Background(), o)
		_, _ = os.Stdout.WriteString(v.Line + "\n")
		os.Exit(int(v.Result))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
	dir := t.TempDir() // the child ends before it can remove what it makes elsewhere
	cmd.Env = append(os.Environ(), env+"="+dir, "TMPDIR="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	assert.Equal(t, 2, exit.ExitCode(), "%s", out)
	assert.Contains(t, string(out), "bench failure: run folder: cannot write the journal")
	assert.Contains(t, string(out), "file too large")
	assert.Equal(t, 1, strings.Count(strings.TrimSpace(string(out)), "\n")+1, "one line: %s", out)
}

func TestShellWord(t *testing.T) {
	for _, word := range []string{"runs/in-order-1", "a b", "it's", "$(rm x)", "", "a;b", "ä", "x\ny", `"`} {
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+ShellWord(word)).Output()
		require.NoError(t, err)
		assert.Equal(t, word, string(out))
	}
	assert.Equal(t, "runs/in-order-1", ShellWord("runs/in-order-1"))
	assert.Equal(t, "./-x.scn", ShellWord("-x.scn"))
}

// TestDiffStimulus: what is said of two items tells them apart.
func TestDiffStimulus(t *testing.T) {
	for _, c := range []struct {
		a, b stimulus.Item
		want string
	}{
		{stimulus.Item{Kind: stimulus.KindWrite, Addr: 0x44, Value: 1}, stimulus.Item{Kind: stimulus.KindWrite, Addr: 0x44, Value: 2}, "write of 0x1 to register 0x44 here, write of 0x2 to register 0x44 there"},
		{stimulus.Item{Kind: stimulus.KindRead, Addr: 4}, stimulus.Item{Kind: stimulus.KindWaitIdle}, "read of register 0x4 here, wait-idle there"},
		{stimulus.Item{Kind: stimulus.KindWaitCycles, Value: 4}, stimulus.Item{Kind: stimulus.KindWaitCycles, Value: 5}, "wait of 4 cycles here, wait of 5 cycles there"},
		{stimulus.Item{Kind: stimulus.KindLatency, Lo: 4, Hi: 9}, stimulus.Item{Kind: stimulus.KindFault, Lo: 4, Hi: 9}, "latency 0x4 to 0x9 here, fault 0x4 to 0x9 there"},
		{stimulus.Item{Kind: stimulus.KindStall, Port: stimulus.PortAck, Permille: 4, Run: 9}, stimulus.Item{Kind: stimulus.KindStall, Port: stimulus.PortAck, Permille: 5, Run: 9},
			"stall of ack, 4 permille, at most 9 cycles here, stall of ack, 5 permille, at most 9 cycles there"},
		{stimulus.Item{Kind: stimulus.KindFrame, Data: []byte{1, 2, 3}}, stimulus.Item{Kind: stimulus.KindFrame, Data: []byte{1, 2, 4}}, "frame of 3 bytes after 0 cycles here, frame of 3 bytes after 0 cycles there, from byte 2 on"},
		{stimulus.Item{Kind: stimulus.KindFrame, Data: []byte{1}, Gap: 3}, stimulus.Item{Kind: stimulus.KindFrame, Data: []byte{1}}, "frame of 1 bytes after 3 cycles here, frame of 1 bytes after 0 cycles there"},
	} {
		assert.Equal(t, "item 0 of the stimulus is another: "+c.want, diffStimulus(stimulus.List{c.a}, stimulus.List{c.b}))
	}
}
