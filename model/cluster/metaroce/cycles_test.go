package metaroce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/pipe/nic"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// TestImmediateCyclesChangeNothing: NICs in cycles that take no time give the same run, to the last packet.
func TestImmediateCyclesChangeNothing(t *testing.T) {
	f := fabric.Default(fabric.LeafSpine, 16)
	f.Planes = 2
	f.Loss = fabric.Loss{Data: 10_000, Control: 10_000}
	w := func() workload.Workload {
		g, err := workload.Incast{Senders: 15, Bytes: 256 << 10}.Graph()
		require.NoError(t, err)
		return g
	}
	c := metaroce.Default()
	want, pure := run(t, f, c, w())
	require.Nil(t, pure.Device(0))
	cycles := nic.Immediate()
	c.Cycles = &cycles
	got, tr := run(t, f, c, w())
	require.Equal(t, want, got)
	require.Equal(t, pure.Counters(), tr.Counters())
}

// TestCycles: with the times of a real NIC, a flow still fills its link, and the narrow stage of one that cannot is seen.
func TestCycles(t *testing.T) {
	f := fabric.Default(fabric.LeafSpine, 16)
	f.HostDelay = 0 // what a NIC takes is in its stages
	flow := func() workload.Workload {
		w, err := workload.Flows(16, []workload.Flow{{Src: 0, Dst: 15, Bytes: 8 << 20}})
		require.NoError(t, err)
		return w
	}
	cycles := nic.Default(1)
	c := metaroce.Default()
	c.Cycles = &cycles
	pure, _ := run(t, f, metaroce.Default(), flow())
	r, tr := run(t, f, c, flow())
	require.Less(t, r.Makespan(), pure.Makespan()+4*cycles.RoundTrip(4096), "some round trips at the start are longer")
	require.Zero(t, tr.Device(15).Overruns())

	cycles.Stages[nic.Read].Width = 25 // half of the link
	r, tr = run(t, f, c, flow())
	require.Greater(t, r.Makespan(), sim.Picos(8<<20)/25*1000)
	require.Less(t, r.Makespan(), sim.Picos(8<<20)/25*1100)
	busiest := nic.Load{}
	for _, l := range tr.Device(0).Loads() {
		if l.Busy > busiest.Busy {
			busiest = l
		}
	}
	require.Equal(t, nic.Read, busiest.Stage)

	cycles.CyclePs, c.Streams = 0, 99
	err := c.Validate(&f)
	require.ErrorContains(t, err, "CyclePs")
	require.ErrorContains(t, err, "Streams")
}
