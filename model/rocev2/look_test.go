package rocev2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// TestLookAtAPacket that is with the network: data has a number, all else has none.
func TestLookAtAPacket(t *testing.T) {
	f := net(2, 1)
	c := plain(&f)
	c.FirstPsn = 7
	w := newWire(t, f, c)
	w.t.Post(0, workload.Message{Src: 0, Dst: 1, Bytes: 2 * maxMtu})
	w.t.qps[0].owed = owedCnp
	*w.t.hosts[1].uplink[0].control.Push() = 0
	var p fabric.Packet
	for n := range uint32(2) {
		require.True(t, w.hosts[0].Pull(0, 0, &p))
		psn, ok := w.t.Data(p.Ref)
		require.True(t, ok)
		require.Equal(t, 7+n, psn)
	}
	require.True(t, w.hosts[1].Pull(0, 0, &p))
	_, ok := w.t.Data(p.Ref)
	require.False(t, ok)
}
