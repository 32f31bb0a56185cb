package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// BenchmarkRun is what a driver and a transport that does nothing leave of the speed of the fabric.
func BenchmarkRun(b *testing.B) {
	g, err := workload.AllToAll{Hosts: 64, Bytes: 1 << 18}.Graph()
	require.NoError(b, err)
	hops := uint64(0)
	for b.Loop() {
		result, err := cluster.Run(quiet(fabric.SingleSwitch, 64), buildPlain(64, g.Messages(), nil), g, cluster.Options{})
		require.NoError(b, err)
		hops += result.Fabric.Hops
	}
	b.ReportMetric(float64(hops)/1e6/b.Elapsed().Seconds(), "Mhops/s")
}
