package rtl

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/target"
)

// A process that computes is not late, on a machine that is too busy for it; one that sleeps is.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, script string
		ends         bool
	}{
		{"at once", "exit 0", true},
		{"computes", "while [ ! -e enough ]; do :; done", true},
		{"sleeps", "exec sleep 60", false},
		{"is stopped", "kill -STOP $$", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			const wait = 300 * time.Millisecond // one that computes has 16 times as long
			dir := t.TempDir()
			p, err := start(dir, "/bin/sh", []string{"-c", c.script})
			require.NoError(t, err)
			defer p.kill()
			go func() {
				time.Sleep(2 * wait)
				_ = os.WriteFile(filepath.Join(dir, "enough"), nil, 0o600)
			}()
			assert.Equal(t, c.ends, p.ends(wait))
		})
	}
}

// How a lost simulator ended is told, however long it took to end on a busy machine.
func TestExplainWaitsForWhatComputes(t *testing.T) {
	dir := t.TempDir()
	p, err := start(dir, "/bin/sh", []string{"-c", "while [ ! -e enough ]; do :; done; exit 3"})
	require.NoError(t, err)
	defer p.kill()
	go func() {
		time.Sleep(exitWait)
		_ = os.WriteFile(filepath.Join(dir, "enough"), nil, 0o600)
	}()
	d := &Device{proc: p}
	err = d.explain(target.Fail("device", nil, "closed the socket"))
	assert.ErrorContains(t, err, "device: closed the socket; the simulator ended with exit code 3")
}
