package rtl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

const good = `{"cycles":100,"sent":130,"held":0,"dropped":0,"completed":130,"idle":1,"commits":[100,100,100,100,100,100,100,100,12,13]}`

// A bench that loses a cycle anywhere does not hold.
func TestJudgeCore(t *testing.T) {
	c, err := judge("one path", "noise\n"+good+"\nmore")
	require.NoError(t, err)
	assert.True(t, c.Holds(), c.Missing)
	assert.Equal(t, 100, c.Commits["complete"])
	for from, to := range map[string]string{
		`[100,100`: `[100,99`, `"held":0`: `"held":1`, `"dropped":0`: `"dropped":2`, `"completed":130`: `"completed":129`,
		`12,13]`: `12,0]`, `"cycles":100`: `"cycles":0`, `"sent":130`: `"sent":0`,
	} {
		c, err := judge("x", strings.Replace(good, from, to, 1))
		require.NoError(t, err)
		assert.False(t, c.Holds(), to)
	}
	for _, bad := range []string{"", "{", `{"cycles":"x"}`, `{"cycles":100,"sent":1,"commits":[1,2]}`} {
		_, err := judge("x", bad)
		assert.Error(t, err, bad)
	}
}

func TestJudgeFrames(t *testing.T) {
	program, err := writes(preset.Small, 64)
	require.NoError(t, err)
	n := len(program.Frames)
	holds := func(change func(f *Frames, v *lockstep.Verdict)) bool {
		f, v := &Frames{Frames: n, Beats: 12000, Cycles: 12100}, &lockstep.Verdict{Result: lockstep.Match}
		change(f, v)
		f.judge(v, program)
		return f.Holds()
	}
	assert.True(t, holds(func(*Frames, *lockstep.Verdict) {}))
	assert.False(t, holds(func(f *Frames, _ *lockstep.Verdict) { f.Cycles = 12200 }), "98.3 %")
	assert.False(t, holds(func(f *Frames, _ *lockstep.Verdict) { f.Cycles = 0 }))
	assert.False(t, holds(func(f *Frames, _ *lockstep.Verdict) { f.Dropped = 1 }))
	assert.False(t, holds(func(f *Frames, _ *lockstep.Verdict) { f.Frames-- }))
	assert.False(t, holds(func(_ *Frames, v *lockstep.Verdict) { v.Result = lockstep.Diverged }))
}

// Frames follow each other without a gap, and nothing waits between them.
func TestWritesAreBackToBack(t *testing.T) {
	for _, size := range Payloads {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			program, err := writes(preset.Small, size)
			require.NoError(t, err)
			first, last := -1, 0
			for i, it := range program.Items {
				if it.Kind == stimulus.KindFrame {
					if first < 0 {
						first = i
					}
					last = i
					assert.Zero(t, it.Gap)
				}
			}
			for _, it := range program.Items[first : last+1] {
				assert.Equal(t, stimulus.KindFrame, it.Kind)
			}
			assert.Equal(t, len(program.Frames), last-first+1)
		})
	}
}
