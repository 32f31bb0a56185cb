package shrink

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// setWrong is a bug of a command: a window that is set to one psn.
func setWrong(psn uint32) *bug {
	return &bug{"a window is set wrong", func(_ *event.Head, rec []byte) bool {
		var w event.Window
		if rec[1] != byte(event.KindWindow) || rec[2] != event.WindowSet || w.Decode(rec) != nil || w.Path.Cum != psn {
			return false
		}
		rec[36] ^= 1
		return true
	}}
}

// countWritten is a program with two more writes in front of an item: of CMD_SENT, and one that starts no command.
func countWritten(p *compose.Program, at int, sent uint32) *compose.Program {
	q := *p
	q.Items = slices.Insert(slices.Clone(p.Items), at, stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegCmdSent, Value: sent},
		stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegCmdOp, Value: 0xff})
	return &q
}

// TestCountOfCommandsIsWritten: whatever numbers commands have, and even where two have the same, it is known which of them
// failed and where everything stood then: a search comes to the same, in as many runs.
func TestCountOfCommandsIsWritten(t *testing.T) {
	const psn = 490950675 // set by the 331st command, long behind the first frame
	oracle := lockstepOracle(func() *bug { return setWrong(psn) })
	p := traffic(t, 5, 600)
	old, err := oracle(ctx, p)
	require.NoError(t, err)
	places := placesOf(p)
	end := places.ends(old)[0]
	require.Equal(t, places.commands[330]+1, end)
	frames, commands := places.count(end)
	want, err := Shrink(ctx, p, oracle, Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	for at, sent := range map[int]uint32{0: 1000, 1: 0x7fffffff - 330, end / 2: 0, end / 3: 0x7ffffff0} {
		q := countWritten(p, at, sent)
		seen, err := oracle(ctx, q)
		require.NoError(t, err)
		assert.NotEqual(t, uint32(commandBit+331), seen.Xid)
		assert.Equal(t, end+2, placesOf(q).ends(seen)[0], "CMD_SENT is %#x from item %d", sent, at)
		for k := range seen.Trace.windows {
			stood, _ := old.Trace.path(k.conn, k.path, frames, commands)
			stands, _ := seen.Trace.path(k.conn, k.path, frames, commands)
			assert.Equal(t, stood, stands, "%v", k)
		}
		r, err := Shrink(ctx, q, oracle, Options{Params: preset.Tiny, Seed: 1})
		require.NoError(t, err)
		assert.Equal(t, []int{want.After, want.Runs}, []int{r.After, r.Runs})
	}
}
