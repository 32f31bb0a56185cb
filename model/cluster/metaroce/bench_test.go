package metaroce_test

import (
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// benchmark runs a workload again and again and reports link hops and data packets in a second of processor time, which
// other work on the machine disturbs less than it does the clock, and the speed as a part of that of a bare event loop of
// as many events. The best of all rounds counts, of each of the two.
func benchmark(b *testing.B, f fabric.Config, w workload.Workload) {
	b.ReportAllocs()
	var hops, data, events uint64
	took, bare := math.MaxFloat64, math.MaxFloat64
	for range b.N {
		start := processorTime()
		net, err := fabric.New(f)
		require.NoError(b, err)
		r, err := cluster.Run(net, func(net *fabric.Network, ev cluster.Events) (cluster.Transport, error) {
			return metaroce.New(net, &f, ev, metaroce.Default())
		}, w, cluster.Options{})
		require.NoError(b, err)
		hops, data, events = r.Fabric.Hops, r.Counters.Data, r.Fabric.Events
		ran := processorTime()
		net.BareLoop(1, int(r.Fabric.Events))
		took, bare = min(took, ran-start), min(bare, processorTime()-ran)
	}
	b.ReportMetric(float64(hops)/took, "hops/s")
	b.ReportMetric(took*1e9/float64(data), "ns/data")
	b.ReportMetric(float64(events)/took, "events/s")
	b.ReportMetric(bare/took, "of-bare")
}

// processorTime is what this process has used, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func BenchmarkIncast127(b *testing.B) {
	w, err := workload.Incast{Senders: 127, Bytes: 2 << 20}.Graph()
	require.NoError(b, err)
	benchmark(b, fabric.Default(fabric.SingleSwitch, 128), w)
}

func BenchmarkPermutation128(b *testing.B) {
	w, err := workload.Permutation{Hosts: 128, Bytes: 2 << 20, Seed: 1}.Graph()
	require.NoError(b, err)
	benchmark(b, fabric.Default(fabric.LeafSpine, 128), w)
}

func BenchmarkAllToAll64(b *testing.B) {
	w, err := workload.AllToAll{Hosts: 64, Bytes: 32 << 10}.Graph()
	require.NoError(b, err)
	benchmark(b, fabric.Default(fabric.LeafSpine, 64), w)
}

func BenchmarkPermutation1024(b *testing.B) {
	w, err := workload.Permutation{Hosts: 1024, Bytes: 256 << 10, Seed: 1}.Graph()
	require.NoError(b, err)
	benchmark(b, fabric.Default(fabric.LeafSpine, 1024), w)
}
