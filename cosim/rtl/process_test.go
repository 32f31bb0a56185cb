package rtl

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
			const wait = 100 * time.Millisecond
			dir := t.TempDir()
			p, err := start(dir, "/bin/sh", []string{"-c", c.script})
			require.NoError(t, err)
			defer p.kill()
			go func() {
				time.Sleep(3 * wait)
				_ = os.WriteFile(filepath.Join(dir, "enough"), nil, 0o600)
			}()
			assert.Equal(t, c.ends, p.ends(wait))
		})
	}
}
