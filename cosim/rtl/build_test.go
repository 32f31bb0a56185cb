package rtl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/preset"
)

func testBuild(t *testing.T, opt *Options) *build {
	t.Helper()
	root, err := FindRoot()
	require.NoError(t, err)
	src, err := find(root)
	require.NoError(t, err)
	return &build{opt: opt, params: preset.Tiny, root: root, src: src, version: "Verilator 5.006"}
}

func TestSources(t *testing.T) {
	s := testBuild(t, &Options{}).src
	assert.Equal(t, packageFile, s.verilog[0], "packages come first")
	assert.Contains(t, s.verilog, "rtl/window/mr_window_step.sv")
	assert.Contains(t, s.verilog, "cosim/dpi/mr_bench.sv")
	assert.Contains(t, s.headers, "rtl/gen/mr_types.svh")
	for _, f := range s.verilog {
		assert.NotContains(t, f, "/tb/")
		assert.NotContains(t, f, "rtl/formal")
	}
}

// The key is over everything that the binary depends on.
func TestKey(t *testing.T) {
	key := func(b *build) string {
		k, err := b.key()
		require.NoError(t, err)
		return k
	}
	plain := key(testBuild(t, &Options{}))
	assert.Equal(t, plain, key(testBuild(t, &Options{RunDir: "elsewhere", Plusargs: []string{"+x"}})), "how it is started is no part of it")

	same := filepath.Join(t.TempDir(), "same.sv")
	b := testBuild(t, &Options{})
	text, err := os.ReadFile(b.path("rtl/common/mr_fifo.sv"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(same, text, 0o600))
	assert.Equal(t, plain, key(testBuild(t, &Options{Sources: map[string]string{"rtl/common/mr_fifo.sv": same}})), "contents, not names")
	other := filepath.Join(t.TempDir(), "other.sv")
	require.NoError(t, os.WriteFile(other, append(text, ' '), 0o600))

	keys := map[string]string{"plain": plain}
	for name, opt := range map[string]*Options{
		"source":    {Sources: map[string]string{"rtl/common/mr_fifo.sv": other}},
		"shim":      {Sources: map[string]string{"cosim/dpi/tandem_stim.c": other}},
		"trace":     {Trace: true},
		"line":      {Coverage: Lines},
		"toggle":    {Coverage: Toggles},
		"define":    {Defines: []string{"X"}},
		"parameter": {Parameters: map[string]int{"Recvs": 8}},
	} {
		keys[name] = key(testBuild(t, opt))
	}
	b = testBuild(t, &Options{})
	b.params = preset.Small
	keys["preset"] = key(b)
	b = testBuild(t, &Options{})
	b.version = "Verilator 5.030"
	keys["tool"] = key(b)
	seen := map[string]string{}
	for name, k := range keys {
		assert.Empty(t, seen[k], "%s and %s share a build", name, seen[k])
		seen[k] = name
	}
}

func TestCacheIsUsed(t *testing.T) {
	_, err := Version()
	require.NoError(t, err)
	cache := t.TempDir()
	b := testBuild(t, &Options{CacheDir: cache})
	b.version, err = Version()
	require.NoError(t, err)
	k, err := b.key()
	require.NoError(t, err)
	binary := filepath.Join(cache, "tiny-"+k, "mr_bench")
	require.NoError(t, os.Mkdir(filepath.Dir(binary), 0o755))
	require.NoError(t, os.WriteFile(binary, nil, 0o755))
	got, err := Build(context.Background(), preset.Tiny, &Options{CacheDir: cache})
	require.NoError(t, err)
	assert.Equal(t, binary, got, "nothing was built")
}

func TestInterruptedBuildLeavesNothing(t *testing.T) {
	cache := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := Build(ctx, preset.Tiny, &Options{CacheDir: cache})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, pattern := range []string{"build-*", "tiny-*/mr_bench"} {
		left, err := filepath.Glob(filepath.Join(cache, pattern))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	inside, most := 0, 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			unlock, err := lock(context.Background(), path)
			assert.NoError(t, err)
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			mu.Lock()
			inside--
			mu.Unlock()
			unlock()
		})
	}
	wg.Wait()
	assert.Equal(t, 1, most)

	unlock, err := lock(context.Background(), path)
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = lock(ctx, path)
	assert.ErrorContains(t, err, "interrupted while another build ran")
}

func TestFindRoot(t *testing.T) {
	root, err := FindRoot()
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, packageFile))
	t.Chdir(t.TempDir())
	_, err = FindRoot()
	assert.ErrorContains(t, err, "no checkout with rtl/ and cosim/dpi/ above")
}

// What a killed build left goes with the next one; what a living one works in stays.
func TestSweep(t *testing.T) {
	cache := t.TempDir()
	mine, unlock, err := workFolder(cache)
	require.NoError(t, err)
	defer unlock()
	for _, dir := range []string{mine + doneSuffix, filepath.Join(cache, "build-1"), filepath.Join(cache, "build-1.done"), filepath.Join(cache, "tiny-x")} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	sweep(cache)
	for dir, want := range map[string]bool{mine: true, mine + doneSuffix: true, "build-1": false, "build-1.done": false, "tiny-x": true} {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cache, dir)
		}
		_, err := os.Stat(dir)
		assert.Equal(t, want, err == nil, dir)
	}
}

// The guard ends children of children as soon as the pipe to us is closed, which is what our death does.
func TestGuard(t *testing.T) {
	g, err := newGuard()
	require.NoError(t, err)
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", "sleep 600 & wait")
	g.member(cmd)
	require.NoError(t, cmd.Start())
	require.NoError(t, g.end.Close())
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	_ = g.cmd.Wait()
	require.Eventually(t, func() bool { return syscall.Kill(-g.cmd.Process.Pid, 0) != nil }, time.Minute, time.Millisecond, "the group is empty")
}

func TestFirstError(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	assert.Equal(t, "no log", firstError(log))
	for text, want := range map[string]string{
		"": "nothing in the log", "a\nb\n": "b",
		"%Warning-X: y\n%Error: a.sv:3:1: syntax error\n%Error: more\n": "%Error: a.sv:3:1: syntax error",
		"x.c: In function f\nx.c:3:1: error: no\nmake: gone":            "x.c:3:1: error: no",
	} {
		require.NoError(t, os.WriteFile(log, []byte(text), 0o600))
		assert.Equal(t, want, firstError(log))
	}
}
