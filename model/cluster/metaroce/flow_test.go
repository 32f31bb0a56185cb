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

func TestOneFlow(t *testing.T) {
	f := fabric.Default(fabric.LeafSpine, 16)
	w, err := workload.Flows(16, []workload.Flow{{Src: 0, Dst: 15, Bytes: 50 << 20}})
	require.NoError(t, err)
	r, tr := run(t, f, metaroce.Default(), w)
	t.Logf("%d ps, %d Mb/s, %+v", r.Makespan(), cluster.Rate(50<<20, r.Makespan()), tr.Counters())
}
