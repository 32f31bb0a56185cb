package farm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/regress/shard"
)

// script is a program that does what a text of the shell says. $FILE is that of the shard, $BEAT its sign of life.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	text = "#!/bin/sh\nfor FILE; do :; done\nBEAT=${FILE%.json}.beat\n" + text + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

func shards(t *testing.T, n int) []Shard {
	t.Helper()
	dir := t.TempDir()
	var list []Shard
	for i := range n {
		name := fmt.Sprint("s", i)
		list = append(list, Shard{Name: name, File: filepath.Join(dir, name+".json")})
	}
	return list
}

// launch runs shards and returns what became of each.
func launch(t *testing.T, ctx context.Context, l *Local, list []Shard) map[int]error {
	t.Helper()
	var mu sync.Mutex
	got := map[int]error{}
	require.NoError(t, l.Launch(ctx, list, Watch{Ended: func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		_, twice := got[i]
		assert.False(t, twice, "shard %d ended twice", i)
		got[i] = err
	}}))
	return got
}

func TestEveryShardEndsOnce(t *testing.T) {
	t.Parallel()
	list := shards(t, 5)
	l := &Local{Workers: 3, Program: script(t, `echo "$@" > $FILE.args; case $FILE in *s3*) echo broken >&2; exit 3;; esac`)}
	got := launch(t, context.Background(), l, list)
	require.Len(t, got, 5)
	for i, err := range got {
		if i == 3 {
			assert.ErrorContains(t, err, "exit status 3")
			continue
		}
		assert.NoError(t, err)
	}
	args, err := os.ReadFile(list[0].File + ".args")
	require.NoError(t, err)
	assert.Equal(t, "regress-shard --with-parent "+list[0].File+"\n", string(args))
	log, err := os.ReadFile(strings.TrimSuffix(list[3].File, "json") + "log")
	require.NoError(t, err)
	assert.Equal(t, "broken\n", string(log))
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	list := shards(t, 1)
	l := &Local{Workers: 1, Program: script(t, `echo "$PART $@" > $FILE.args`), Prefix: []string{"env", "PART=batch"}}
	assert.Equal(t, "exec:env", l.Name())
	assert.NoError(t, launch(t, context.Background(), l, list)[0])
	args, err := os.ReadFile(list[0].File + ".args")
	require.NoError(t, err)
	assert.Equal(t, "batch regress-shard "+list[0].File+"\n", string(args), "no pipe leads to another machine")
	assert.Equal(t, "local", (&Local{}).Name())
}

func TestProgramsThatAreNotThere(t *testing.T) {
	t.Parallel()
	l := &Local{Workers: 1, Program: "/no/such/program"}
	assert.ErrorContains(t, launch(t, context.Background(), l, shards(t, 2))[1], "cannot start /no/such/program")
}

// TestSilence: a shard without signs of life is ended, with what it started.
func TestSilence(t *testing.T) {
	t.Parallel()
	list := shards(t, 1)
	pid := list[0].File + ".pid"
	l := &Local{Workers: 1, Silence: 300 * time.Millisecond, Program: script(t, `sleep 1000 & echo $! > $FILE.pid; wait`)}
	assert.ErrorIs(t, launch(t, context.Background(), l, list)[0], ErrSilent)
	if b, err := os.ReadFile(pid); err == nil && len(b) > 0 { // on a slow machine it did not come so far
		assert.False(t, lives(t, pid))
	}
}

// TestSignsOfLife: one that gives them is not ended. No processes: a machine may be too slow for any that live by the clock.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	at := func(second int) time.Time { return begin.Add(time.Duration(second) * time.Second) }
	beats := func(n int) shard.Life { return shard.Life{Turn: n} }
	for name, e := range map[string]ear{"at once": {}, "behind a queue": {waits: true}, "that goes on": {turn: 6}} {
		e.heard, e.silence = begin, 10*time.Second
		for second := 9; second < 100; second += 9 {
			require.False(t, e.silent(beats(7+second), true, at(second)), name)
		}
		last := e.heard
		assert.False(t, e.silent(shard.Life{}, false, last.Add(10*time.Second)), "%s: not yet", name)
		assert.True(t, e.silent(beats(e.turn), true, last.Add(11*time.Second)), "%s: an old sign is none", name)
		assert.False(t, e.silent(beats(1), true, last.Add(12*time.Second)), "%s: another supervisor", name)
	}
	e := ear{waits: true, heard: begin, silence: 10 * time.Second}
	assert.False(t, e.silent(shard.Life{}, false, at(1000)), "it may be in a queue")
	e.waits = false
	assert.True(t, e.silent(shard.Life{}, false, at(1000)))
}

func lives(t *testing.T, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := os.ReadFile("/proc/" + strings.TrimSpace(string(b)) + "/stat")
	return err == nil && !strings.Contains(string(s), ") Z ")
}

// TestStop: one that listens ends by itself, one that does not is ended, the rest is not begun.
func TestStop(t *testing.T) {
	t.Parallel()
	list := shards(t, 3)
	l := &Local{Workers: 2, StopWait: 300 * time.Millisecond, Program: script(t, `
case $FILE in
*s0*) trap '' TERM; echo > $FILE.up; cat > /dev/null; echo > $FILE.heard;; # on a slow machine that comes behind the wait
*) trap '' TERM; echo $$ > $FILE.pid; while :; do sleep 1000; done;;
esac`)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for _, f := range []string{list[0].File + ".up", list[1].File + ".pid"} {
			for {
				if b, err := os.ReadFile(f); err == nil && len(b) > 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
	}()
	got := launch(t, ctx, l, list)
	assert.ErrorIs(t, got[0], ErrStopped)
	assert.ErrorIs(t, got[1], ErrStopped)
	assert.FileExists(t, list[0].File+".heard")
	assert.False(t, lives(t, list[1].File+".pid"))
	_, begun := got[2]
	assert.True(t, !begun || got[2] != nil)
	assert.NoFileExists(t, list[2].File+".pid")
}
