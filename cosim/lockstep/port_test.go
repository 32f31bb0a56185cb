package lockstep_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/model/event"
)

// TestPortFaultsAreNamed: what the bench finds wrong with the beats of a write or packet is a divergence there, with the
// rule of the port and the cause.
func TestPortFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		kind event.Kind
		op   byte
		rule string
		says string
	}{
		{event.KindMemWrite, 1, "R-MEMPORT", "first and last"},
		{event.KindMemWrite, 2, "R-MEMPORT", "changed within"},
		{event.KindPacketOut, 3, "R-ACKPORT", "do not fit the length"},
		{event.KindPacketOut, 4, "R-ACKPORT", "not zero"},
		{event.KindMemWrite, 5, "R-MEMWRITE", ""}, // no number of a port fault
	} {
		for _, m := range modes {
			var seq int
			d := newTampered(m, func(list [][]byte) [][]byte {
				for i := range list {
					if event.Kind(list[i][1]) == c.kind {
						seq, change(list, i)[2] = i, c.op
						break
					}
				}
				return list
			})
			v := do(t, d, config(m), stimuli(t))
			require.Equal(t, lockstep.Diverged, v.Result, v.Line)
			if c.says == "" {
				assert.NotContains(t, []string{"R-MEMPORT", "R-ACKPORT"}, v.Divergence.Rule)
				continue
			}
			require.EqualValues(t, seq, v.Divergence.Seq)
			assert.Equal(t, c.rule, v.Divergence.Rule)
			assert.Contains(t, v.Divergence.Why, c.says)
			assert.Contains(t, v.Line, c.rule+")")
			assert.Contains(t, v.Line, c.says)
		}
	}
}
