package generate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/preset"
)

func TestParseLimits(t *testing.T) {
	list, err := ParseLimits([]string{"lose=0", "mtu=9000", "hot=1"})
	require.NoError(t, err)
	assert.Equal(t, []Limit{{"lose", 0}, {"mtu", 9000}, {"hot", 1}}, list)
	_, err = ParseLimits([]string{"lost=1", "mtu=0", "lose=501", "late", "spaced=x", "hot=0", "hot=1"})
	for _, want := range []string{`limit "lost=1": there are detour`, `limit "mtu=0": want a number from 1 to 9000`, `"lose=501"`, `"late"`, `"spaced=x"`} {
		assert.ErrorContains(t, err, want)
	}
	assert.Len(t, Limits(), len(limits))
}

// TestLimitsHold: what is limited is so, and the rest of the profile is the one that the seed draws.
func TestLimitsHold(t *testing.T) {
	for seed := range uint64(20) {
		free, held := draw(seed), draw(seed)
		list, err := ParseLimits([]string{"mark=0", "mtu=100", "slow=0"})
		require.NoError(t, err)
		held.hold(list)
		assert.Equal(t, [3]any{uint16(0), 100, false}, [3]any{held.Mark, held.MTU, held.Slow})
		free.Mark, free.MTU, free.Slow = held.Mark, held.MTU, held.Slow
		assert.Equal(t, free, held)
	}
}

// TestNoMarks: a limit reaches the traffic, and moves neither connections nor the first numbers: those are drawn elsewhere.
func TestNoMarks(t *testing.T) {
	odd := Limit{"odd", 0} // these draw marks of their own
	free, err := Generate(Config{Params: preset.Tiny, Seed: 3, Packets: 300, Limits: []Limit{odd}})
	require.NoError(t, err)
	held, err := Generate(Config{Params: preset.Tiny, Seed: 3, Packets: 300, Limits: []Limit{odd, {"mark", 0}}})
	require.NoError(t, err)
	marks := 0
	for i := range free.Frames {
		if free.Frames[i].Packet.Net.CE {
			marks++
		}
	}
	assert.Positive(t, marks)
	for i := range held.Frames {
		if f := &held.Frames[i]; f.Proper {
			assert.False(t, f.Packet.Net.CE, "frame %d", i)
		}
	}
	for i := range 60 { // the commands that set everything up
		assert.Equal(t, free.Items[i], held.Items[i])
	}
}
