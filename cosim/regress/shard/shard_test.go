package shard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/execute"
	"metaroce/tandem/cosim/regress/plan"
	"metaroce/tandem/cosim/regress/result"
)

// TestMain plays worker and supervisor too: both are processes of their own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		if err := Work(os.Stdin, Answers(), play); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "supervise" {
		if err := Supervise(context.Background(), os.Args[2], quick()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // each of the many processes would wait a second at its end
	os.Exit(m.Run())
}

func quick() Options {
	return Options{Args: []string{"work"}, Look: 10 * time.Millisecond, BeatEvery: 10 * time.Millisecond, StopWait: 100 * time.Millisecond}
}

// play does what the name of the case's test says.
func play(ctx context.Context, e *execute.Env, c *plan.Case) (result.Record, bool) {
	r := c.Record()
	r.Verdict, r.Events = result.Match, 7
	forever := func() { time.Sleep(time.Hour) }
	switch c.Test {
	case "panic":
		panic("boom 17")
	case "exit":
		fmt.Fprintln(os.Stderr, "no more")
		os.Exit(7)
	case "segv":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		forever()
	case "hang":
		forever()
	case "obey", "interrupted":
		<-ctx.Done()
		if context.Cause(ctx) == context.Canceled {
			return r, false
		}
		return execute.TimedOut(r, c, context.Cause(ctx)), true
	case "busy": // never without progress
		for n := uint64(0); ctx.Err() == nil; n++ {
			e.Beat(execute.Beat{Phase: "run", Events: n})
			time.Sleep(time.Millisecond)
		}
		return execute.TimedOut(r, c, context.Cause(ctx)), true
	case "same": // tells the same over and over
		for ctx.Err() == nil {
			e.Beat(execute.Beat{Phase: "run", Events: 1})
			time.Sleep(time.Millisecond)
		}
		return execute.TimedOut(r, c, context.Cause(ctx)), true
	case "eat":
		eat()
	case "fork", "leave":
		start := exec.Command("sh", "-c", "setsid sleep 1000 & echo $! > "+filepath.Join(e.Run, c.Test+".pid")+"; exec sleep 1000")
		_ = start.Start()
		for {
			if _, err := os.Stat(filepath.Join(e.Run, c.Test+".pid")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if c.Test == "fork" {
			eat()
		}
	case "lie":
		r.Seed++
	case "holder": // what it starts has its pipe, and outlives it
		held := exec.Command("sleep", "1000")
		held.ExtraFiles = []*os.File{os.NewFile(3, "answers")}
		_ = held.Start()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		forever()
	case "garbage":
		_, _ = os.NewFile(3, "answers").WriteString("no JSON\n")
		forever()
	case "orphan":
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		forever()
	}
	return r, true
}

// eat takes more memory than a case may have, for ever.
func eat() {
	b := make([]byte, 300<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	time.Sleep(time.Hour)
	runtime.KeepAlive(b)
}

func shardOf(t *testing.T, tests ...string) *File {
	t.Helper()
	f := &File{Name: "0001", Env: execute.Env{Run: t.TempDir(), Tests: execute.TestsFolder, Keep: "failure"}}
	require.NoError(t, os.MkdirAll(filepath.Join(f.Env.Run, Folder), 0o755))
	for i, name := range tests {
		f.Cases = append(f.Cases, plan.Case{Suite: "s", Test: name, Seed: result.Seed(i + 1), What: plan.What{Random: 1}, Limits: plan.Limits{Wall: 60_000, Stall: 60_000}})
	}
	return f
}

// supervise runs a shard and returns its records by test.
func supervise(t *testing.T, f *File) map[string]result.Record {
	t.Helper()
	path, err := f.Write()
	require.NoError(t, err)
	require.NoError(t, Supervise(context.Background(), path, quick()))
	return records(t, path)
}

func records(t *testing.T, path string) map[string]result.Record {
	t.Helper()
	list, err := result.ReadFile(PathsOf(path).Records)
	require.NoError(t, err)
	by := map[string]result.Record{}
	for _, r := range list {
		_, name, _ := strings.Cut(r.Name, "/")
		require.Empty(t, by[name].Name, "two records of %s", name)
		require.NotNil(t, r.Times)
		by[name] = r
	}
	return by
}

func TestCrashesAreTheCasesOwn(t *testing.T) {
	f := shardOf(t, "ok", "panic", "two", "exit", "segv", "garbage", "lie", "holder", "three")
	by := supervise(t, f)
	require.Len(t, by, 9)
	for _, name := range []string{"ok", "two", "three"} {
		assert.Equal(t, result.Match, by[name].Verdict, name)
		assert.Empty(t, by[name].Folder)
		assert.Equal(t, "0001", by[name].Times.Shard)
	}
	for name, want := range map[string]result.Signature{
		"panic": {Engine: "worker", Kind: "exit 2", Field: "panic: boom *"}, "exit": {Engine: "worker", Kind: "exit 7", Field: "no more"},
		"segv":    {Engine: "worker", Kind: "signal killed"},
		"holder":  {Engine: "worker", Kind: "signal killed"},
		"garbage": {Engine: "worker", Kind: "garbled", Field: "invalid character 'o' in literal null"},
		"lie":     {Engine: "worker", Kind: "confused", Field: "lie@*"},
	} {
		r := by[name]
		assert.Equal(t, result.Crash, r.Verdict, name)
		assert.Equal(t, want, *r.Signature, name)
		assert.FileExists(t, filepath.Join(f.Env.Run, r.Folder, logFile), name)
	}
	log, err := os.ReadFile(filepath.Join(f.Env.Run, by["panic"].Folder, logFile))
	require.NoError(t, err)
	assert.Contains(t, string(log), "boom 17")
	assert.NotContains(t, string(log), "no more", "only what was said during the case")
	life, ok := ReadLife(PathsOf(filepath.Join(f.Env.Run, Folder, "0001.json")).Beat)
	require.True(t, ok)
	assert.True(t, life.Ended)
	assert.Equal(t, 9, life.Done)
}

func TestLimitsOfTime(t *testing.T) {
	f := shardOf(t, "hang", "obey", "busy", "same", "ok")
	for _, i := range []int{0, 1, 3} {
		f.Cases[i].Limits.Stall = 100
	}
	f.Cases[2].Limits = plan.Limits{Wall: 500, Stall: 60_000}
	by := supervise(t, f)
	for name, kind := range map[string]string{"hang": "stall", "obey": "stall", "busy": "wall", "same": "stall"} {
		assert.Equal(t, result.Timeout, by[name].Verdict, name)
		assert.Equal(t, kind, by[name].Signature.Kind, name)
	}
	assert.Equal(t, result.Match, by["ok"].Verdict, "and life goes on")
}

func TestLimitOfMemory(t *testing.T) {
	f := shardOf(t, "eat", "ok")
	for i := range f.Cases {
		f.Cases[i].Limits.Memory = 200 << 20
	}
	by := supervise(t, f)
	assert.Equal(t, result.Crash, by["eat"].Verdict)
	assert.Equal(t, "memory", by["eat"].Signature.Kind)
	assert.Greater(t, by["eat"].Times.Memory, int64(200<<20))
	assert.Equal(t, result.Match, by["ok"].Verdict)
}

// lives tells whether the process whose number a file holds runs.
func lives(t *testing.T, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := os.ReadFile("/proc/" + strings.TrimSpace(string(b)) + "/stat")
	return err == nil && !strings.Contains(string(s), ") Z ")
}

// TestNothingIsLeft: also what has a session of its own, and a parent that is gone.
func TestNothingIsLeft(t *testing.T) {
	f := shardOf(t, "fork", "leave", "ok")
	f.Cases[0].Limits.Memory = 200 << 20 // which it passes when it has forked, however long that took
	f.Cases[1].What = plan.What{Command: []string{"x"}}
	by := supervise(t, f)
	require.Equal(t, "memory", by["fork"].Signature.Kind)
	assert.Equal(t, result.Match, by["leave"].Verdict)
	assert.False(t, lives(t, filepath.Join(f.Env.Run, "fork.pid")))
	assert.False(t, lives(t, filepath.Join(f.Env.Run, "leave.pid")))
}

func TestInterruption(t *testing.T) {
	f := shardOf(t, "ok", "interrupted", "two")
	path, err := f.Write()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for {
			if n, _ := ReadBegun(PathsOf(path).Begun); n["s/interrupted@0000000000000002"] > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	require.ErrorIs(t, Supervise(ctx, path, quick()), context.Canceled)
	assert.Len(t, records(t, path), 1, "what ran then has no record")
	begun, err := ReadBegun(PathsOf(path).Begun)
	require.NoError(t, err)
	assert.Zero(t, begun["s/interrupted@0000000000000002"], "and is not to blame")
	life, _ := ReadLife(PathsOf(path).Beat)
	assert.False(t, life.Ended)
	require.ErrorIs(t, Supervise(ctx, path, quick()), context.Canceled)
	f.Cases[1].Test, f.Cases[1].Seed = "three", 9
	path, err = f.Write()
	require.NoError(t, err)
	require.NoError(t, Supervise(context.Background(), path, quick()))
	assert.Len(t, records(t, path), 3, "a shard goes on where it was")
}

// TestStopFile: shards that nobody can reach look for a file.
func TestStopFile(t *testing.T) {
	f := shardOf(t, "ok", "interrupted")
	path, err := f.Write()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(f.Env.Run, StopFile), nil, 0o644))
	require.ErrorIs(t, Supervise(context.Background(), path, quick()), ErrStopFile)
	assert.NotContains(t, records(t, path), "interrupted")
}

// TestSupervisorIsKilled: a worker notices, what it started ends, the next supervisor goes on; the case that did it twice
// is given up.
func TestSupervisorIsKilled(t *testing.T) {
	f := shardOf(t, "ok", "orphan", "two")
	path, err := f.Write()
	require.NoError(t, err)
	for range 2 {
		c := exec.Command(Self, "supervise", path)
		out, err := c.CombinedOutput()
		require.Error(t, err, string(out))
		require.Equal(t, "signal: killed", err.Error(), string(out))
		assert.Len(t, records(t, path), 1)
	}
	out, err := exec.Command(Self, "supervise", path).CombinedOutput()
	require.NoError(t, err, string(out))
	by := records(t, path)
	require.Len(t, by, 3)
	assert.Equal(t, result.Lost, by["orphan"].Verdict)
	assert.Equal(t, result.Match, by["two"].Verdict)
}

func TestTornRecordsAreRunAgain(t *testing.T) {
	f := shardOf(t, "ok", "two")
	path, err := f.Write()
	require.NoError(t, err)
	require.NoError(t, Supervise(context.Background(), path, quick()))
	name := PathsOf(path).Records
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, b[:len(b)-9], 0o644))
	require.NoError(t, Supervise(context.Background(), path, quick()))
	assert.Len(t, records(t, path), 2)
	require.NoError(t, os.WriteFile(name, append([]byte("garbage\n"), b...), 0o644))
	assert.ErrorContains(t, Supervise(context.Background(), path, quick()), "0001.jsonl:1:")
}

func TestOneSupervisorAtATime(t *testing.T) {
	f := shardOf(t, "ok")
	path, err := f.Write()
	require.NoError(t, err)
	held, err := os.Create(PathsOf(path).Records)
	require.NoError(t, err)
	defer held.Close()
	require.NoError(t, syscall.Flock(int(held.Fd()), syscall.LOCK_EX))
	assert.ErrorContains(t, Supervise(context.Background(), path, quick()), "another supervisor")
}

func TestFilesOfShards(t *testing.T) {
	f := shardOf(t, "a", "b")
	stalls := false
	f.Cases[0].Stalls = &stalls
	path, err := f.Write()
	require.NoError(t, err)
	got, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, f.Cases, got.Cases)
	assert.Equal(t, f.Env.Run, got.Env.Run)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for text, want := range map[string]string{
		string(b[:strings.LastIndex(strings.TrimSpace(string(b)), "\n")+1]): "cut off",
		string(b[:len(b)-5]): "case 2: unexpected EOF",
		strings.Replace(string(b), `"version":1`, `"version":2`, 1): "has form 2, this program reads 1",
		"": "EOF",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err = Read(path)
		assert.ErrorContains(t, err, want)
	}
	_, err = Read(path + "x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestScratchFoldersAreSwept(t *testing.T) {
	base := t.TempDir()
	left, err := os.MkdirTemp(base, scratchPattern)
	require.NoError(t, err)
	dir, held, err := heldFolder(base)
	require.NoError(t, err)
	sweep(base)
	assert.NoDirExists(t, left)
	assert.DirExists(t, dir)
	require.NoError(t, held.Close())
	sweep(base)
	assert.NoDirExists(t, dir)
	t.Setenv("TMPDIR", t.TempDir())
	dir, done, err := Scratch()
	require.NoError(t, err)
	defer done()
	assert.LessOrEqual(t, len(dir), scratchLength, "sockets must fit below it: %s", dir)
}
