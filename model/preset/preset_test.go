package preset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	for _, p := range All() {
		require.NoError(t, p.Validate())
		got, ok := ByName(p.Name)
		require.True(t, ok)
		require.Equal(t, p, got)
		require.GreaterOrEqual(t, p.BufBeats*64, MaxFrame, "%s: the buffer holds a longest frame", p.Name)
		require.LessOrEqual(t, p.MsgSlots, MsgWindow)
	}
	_, ok := ByName("huge")
	require.False(t, ok)
	require.Equal(t, 4000*8, Full.Conns*Full.Paths, "ann:r-planes: up to 4,000 connections")
}

func TestValidateNamesEveryBreach(t *testing.T) {
	p := Tiny
	p.Name, p.Conns, p.Paths, p.RamLatency = "odd", 0, 3, 4
	err := p.Validate()
	require.ErrorContains(t, err, `preset "odd"`)
	require.ErrorContains(t, err, "conns is 0, not in 1..65536")
	require.ErrorContains(t, err, "paths is 3, not a power of two")
	require.ErrorContains(t, err, "ram_latency is 4")
}
