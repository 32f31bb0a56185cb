package workload_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/workload"
)

// problems are the fields that an error names, in order.
func problems(t *testing.T, err error) []string {
	t.Helper()
	require.Error(t, err)
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	var fields []string
	for _, e := range joined.Unwrap() {
		var p *workload.Problem
		require.True(t, errors.As(e, &p))
		require.NotEmpty(t, p.Rule)
		fields = append(fields, p.Field)
	}
	return fields
}

// TestImpossibleNumbers: every problem at once, none that only echoes another.
func TestImpossibleNumbers(t *testing.T) {
	const long = workload.MaxTime + 1
	cases := []struct {
		of     builder
		fields []string
	}{
		{workload.Incast{}, []string{"Senders", "Bytes"}},
		{workload.Incast{Senders: 1 << 16, Bytes: 1 << 40, Count: -1, Depth: -1, Spread: long}, []string{"Senders", "Bytes", "Count", "Depth", "Spread"}},
		{workload.Incast{Senders: 1 << 15, Bytes: 1, Count: 1 << 15}, []string{"Senders x Count"}},
		{workload.Permutation{Shift: 3}, []string{"Hosts", "Bytes"}},
		{workload.Permutation{Hosts: 4, Bytes: 1, Shift: 4}, []string{"Shift"}},
		{workload.Permutation{Hosts: 1 << 16, Bytes: 1, Count: 100}, []string{"Hosts x Count"}},
		{workload.AllToAll{Hosts: 1, Depth: -1}, []string{"Hosts", "Bytes", "Depth"}},
		{workload.AllToAll{Hosts: 1 << 16, Bytes: 1}, []string{"Hosts x (Hosts - 1)"}},
		{workload.RingAllReduce{}, []string{"Hosts", "Bytes"}},
		{workload.AllGather{Ring: workload.Ring{Hosts: 2, Slices: 1 << 16, Bytes: 1, Pause: long, Spread: long}}, []string{"Slices", "Pause", "Spread"}},
		{workload.RingAllReduce{Ring: workload.Ring{Hosts: 1 << 16, Bytes: 1}}, []string{"Hosts x steps"}},
		{workload.RingAllReduce{Ring: workload.Ring{Hosts: 512, Slices: 4000, Bytes: 1}}, []string{"Hosts x steps x Slices"}},
		{workload.TreeAllReduce{Trees: 3}, []string{"Hosts", "Bytes", "Trees"}},
		{workload.TreeAllReduce{Hosts: 1 << 16, Slices: 1 << 10, Bytes: 1}, []string{"Trees x Slices x 2 (Hosts - 1)"}},
		{workload.Storage{Rounds: -1}, []string{"Clients", "Servers", "Bytes", "Rounds"}},
		{workload.Storage{Clients: 40_000, Servers: 40_000, Fan: 1, Bytes: 1}, []string{"Clients + Servers"}},
		{workload.Storage{Clients: 1, Servers: 10, Fan: 11, Bytes: 1}, []string{"Fan"}},
		{workload.Storage{Clients: 10_000, Servers: 10_000, Bytes: 1}, []string{"2 x Clients x Fan"}},
		{workload.Storage{Clients: 1, Servers: 10, Bytes: 1, Rounds: 1 << 20}, []string{"2 x Clients x Fan x Rounds"}},
		{workload.Storage{Clients: 1, Servers: 10_000, Bytes: 1, Rounds: 3}, []string{"Clients x Fan x Fan x (Rounds - 1)"}},
		{workload.Connections{}, []string{"Hosts", "Bytes"}},
		{workload.Connections{Hosts: 4, Connections: 13, Bytes: 1}, []string{"Connections"}},
		{workload.Connections{Hosts: 4, Connections: 12, Bytes: 1, Count: 1 << 22}, []string{"Connections x Count"}},
		{workload.Across{}, []string{"Sites", "Hosts", "Far.Bytes"}},
		{workload.Across{Sites: 2, Hosts: 1, Far: workload.Run{Bytes: 1}, Near: workload.Run{Bytes: 1, Count: -1}}, []string{"Near.Count", "Hosts"}},
		{workload.Across{Sites: 1 << 10, Hosts: 1 << 10, Far: workload.Run{Bytes: 1}}, []string{"Sites x Hosts"}},
		{workload.Across{Sites: 2, Hosts: 2, Far: workload.Run{Bytes: 1, Count: 1 << 21}}, []string{"Sites x Hosts x messages"}},
	}
	for _, c := range cases {
		_, err := c.of.Graph()
		require.Equal(t, c.fields, problems(t, err), "%+v", c.of)
	}
}

func TestImpossibleFlows(t *testing.T) {
	_, err := workload.Flows(1, nil)
	require.Equal(t, []string{"Hosts", "Flows"}, problems(t, err))
	_, err = workload.Flows(4, []workload.Flow{
		{Src: 0, Dst: 1, Bytes: 1},
		{Src: 4, Dst: -1, Stream: -1},
		{Src: 2, Dst: 2, Bytes: 1, Count: -1},
	})
	require.Equal(t, []string{"Flows[1].Src", "Flows[1].Dst", "Flows[1].Stream", "Flows[1].Bytes", "Flows[2].Dst", "Flows[2].Count"}, problems(t, err))
	_, err = workload.Flows(2, []workload.Flow{{Src: 0, Dst: 1, Bytes: 1, Count: 1 << 22}, {Src: 0, Dst: 1, Bytes: 1}})
	require.Equal(t, []string{"the sum of Count"}, problems(t, err))
	require.ErrorContains(t, err, "workload flows: the sum of Count is 4194305: want at most 4194304 messages in all")
}
