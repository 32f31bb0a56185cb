package run

import (
	"bytes"
	"context"
	"encoding/json"
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

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/regress/shard"
)

// TestKilledAnywhere: runners, shards and workers are killed, again and again, and in the end it is as if nothing had been.
func TestKilledAnywhere(t *testing.T) {
	cases := append(traffic(4), cheap(60)[4:]...)
	whole := do(t, options(t.TempDir(), cases))
	dir := t.TempDir()
	b, err := json.Marshal(cases)
	require.NoError(t, err)
	list := filepath.Join(dir, "cases.json")
	require.NoError(t, os.WriteFile(list, b, 0o644))
	run := filepath.Join(dir, "p-1")
	begin := func(args ...string) *exec.Cmd {
		c := exec.Command(shard.Self, args...)
		require.NoError(t, c.Start())
		return c
	}
	runner := begin("regress", dir, list)
	struck := map[string]bool{}
	for kill := range 6 {
		until(t, func() bool { return recorded(run) >= 8*(kill+1) })
		switch kill % 3 {
		case 0:
			require.NoError(t, runner.Process.Kill())
			_ = runner.Wait()
			runner = begin("resume", run)
		case 1:
			strike(t, run, struck, func(supervisor int) int { return supervisor })
		case 2:
			strike(t, run, struck, childOf)
		}
	}
	_ = runner.Wait()
	f, err := Open(run)
	require.NoError(t, err)
	if f.Header.State != Done { // the last kill but one came late
		s, err := Resume(context.Background(), run, options("", nil).Common)
		require.NoError(t, err)
		f = s.Folder
	}
	assert.Equal(t, Done, f.Header.State)
	assert.Equal(t, bare(t, whole.Folder), bare(t, f))
	assert.Equal(t, tree(t, whole.Folder.Dir), tree(t, f.Dir), "kept folders")
	until(t, func() bool { return len(processesOf(dir)) == 0 })
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it does not come")
	}
}

// recorded counts the records of a run that is being done.
func recorded(run string) int {
	names, _ := filepath.Glob(filepath.Join(run, shard.Folder, "*.jsonl"))
	n := 0
	for _, name := range names {
		b, _ := os.ReadFile(name)
		n += bytes.Count(b, []byte("\n"))
	}
	return n
}

// strike kills a supervisor that runs, or what is its victim, but never twice while the same case runs: one that takes two
// with it is given up, as it should be. None runs at times: then nothing is killed.
func strike(t *testing.T, run string, struck map[string]bool, victim func(supervisor int) int) {
	until(t, func() bool {
		names, _ := filepath.Glob(filepath.Join(run, shard.Folder, "*.beat"))
		lives := false
		for _, name := range names {
			l, ok := shard.ReadLife(name)
			p := shard.PathsOf(name)
			if !ok || l.Ended || !held(p.Records) {
				continue
			}
			lives = true
			halt(t, l.Pid)
			id := caseOf(t, p)
			if !struck[id] {
				struck[id] = id != ""
				_ = syscall.Kill(victim(l.Pid), syscall.SIGKILL)
				_ = syscall.Kill(l.Pid, syscall.SIGCONT)
				return true
			}
			_ = syscall.Kill(l.Pid, syscall.SIGCONT)
		}
		return !lives
	})
}

// halt stops a process and waits until every thread of it stands, or it is gone.
func halt(t *testing.T, pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	until(t, func() bool {
		names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, name := range names {
			b, err := os.ReadFile(name)
			_, state, _ := bytes.Cut(b, []byte(") ")) // behind the name of the program
			if err == nil && !bytes.ContainsAny(state[:1], "TZX") {
				return false
			}
		}
		return true
	})
}

// caseOf is the case that the supervisor of a shard has begun, or tries again, and that has no record; empty: none.
func caseOf(t *testing.T, p shard.Paths) string {
	begun, err := shard.ReadBegun(p.Begun)
	require.NoError(t, err)
	b, err := os.ReadFile(p.Records)
	require.NoError(t, err)
	list, _, err := result.Read(p.Records, bytes.NewReader(b))
	require.NoError(t, err)
	for i := range list {
		delete(begun, list[i].ID())
	}
	for id, n := range begun {
		if n > 0 {
			return id
		}
	}
	return ""
}

// nobody is above the largest number of a process.
const nobody = 1 << 23

// childOf is a child of a process.
func childOf(parent int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // any thread may have started it
	for _, name := range names {
		more, _ := os.ReadFile(name)
		b = append(b, more...)
	}
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			return pid
		}
	}
	return nobody
}

// processesOf are those that name a folder in their command, this one apart.
func processesOf(dir string) []string {
	var list []string
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(dir)) {
			list = append(list, string(b))
		}
	}
	return list
}

// tree lists the files that were kept.
func tree(t *testing.T, run string) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"tests/*/*/*", "cover/*/*"} {
		names, err := filepath.Glob(filepath.Join(run, pattern))
		require.NoError(t, err)
		for _, name := range names {
			list = append(list, strings.TrimPrefix(name, run))
		}
	}
	return list
}
