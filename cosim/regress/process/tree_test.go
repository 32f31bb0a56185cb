package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStat(t *testing.T) {
	p, ok := parseStat(5, []byte("5 (a) b (c) S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 1000 3 1"))
	require.True(t, ok)
	assert.Equal(t, proc{pid: 5, parent: 1, session: 3, start: 777, resident: 3 * int64(os.Getpagesize())}, p)
	for _, text := range []string{"", "5 (a", "5 (a) S 1"} {
		_, ok := parseStat(5, []byte(text))
		assert.False(t, ok, text)
	}
	me := New(os.Getpid())
	found := false
	for _, p := range me.members() {
		found = found || p.pid == os.Getpid()
	}
	assert.True(t, found)
}

// TestKill: a child that left session and parent goes with the others, and this process stays.
func TestKill(t *testing.T) {
	c := exec.Command("sh", "-c", "setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, c.Start())
	tree := New(c.Process.Pid)
	var list []proc
	require.Eventually(t, func() bool {
		list = tree.members()
		return len(list) >= 3
	}, time.Minute, time.Millisecond)
	assert.Positive(t, tree.Resident())
	require.NoError(t, c.Process.Kill()) // the others get another parent
	_ = c.Wait()
	tree.Kill(false)
	assert.Empty(t, tree.members())
	for _, p := range list {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/stat")
		if err == nil {
			now, ok := parseStat(p.pid, b)
			require.True(t, ok)
			assert.True(t, now.zombie || now.start != p.start, "%d lives", p.pid)
		}
	}
}
