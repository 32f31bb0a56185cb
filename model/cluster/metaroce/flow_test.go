package metaroce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// run carries a workload over a network.
func run(t *testing.T, f fabric.Config, c metaroce.Config, w workload.Workload) (cluster.Result, *metaroce.Transport) {
	t.Helper()
	net, err := fabric.New(f)
	require.NoError(t, err)
	var tr *metaroce.Transport
	r, err := cluster.Run(net, func(net *fabric.Network, ev cluster.Events) (cluster.Transport, error) {
		tr, err = metaroce.New(net, &f, ev, c)
		return tr, err
	}, w, cluster.Options{})
	require.NoError(t, err)
	return r, tr
}

// TestOneFlow: a flow alone fills its link, and nothing of it goes twice.
func TestOneFlow(t *testing.T) {
	f := fabric.Default(fabric.LeafSpine, 16)
	const bytes = 50 << 20
	w, err := workload.Flows(16, []workload.Flow{{Src: 0, Dst: 15, Bytes: bytes}})
	require.NoError(t, err)
	r, tr := run(t, f, metaroce.Default(), w)
	c := tr.Counters()
	require.Greater(t, cluster.Rate(bytes, r.Makespan()), uint64(f.LinkMbps)*95/100)
	require.Equal(t, uint64(bytes), c.Bytes)
	require.Equal(t, uint64(bytes/4096), c.Data)
	require.Zero(t, c.Retransmitted+c.Timeouts+c.Duplicates+c.PathFailures)
}
