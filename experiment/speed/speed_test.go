package speed

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// small is a case that takes a moment.
func small(warm sim.Picos) Case {
	return Case{"small", fabric.SingleSwitch, 4, workload.Incast{Senders: 3, Bytes: 1 << 20}.Graph, 1, warm}
}

func TestMeasure(t *testing.T) {
	var told []string
	list, err := Measure(context.Background(), []Case{small(10 * sim.Microsecond)}, func(s string) { told = append(told, s) })
	require.NoError(t, err)
	require.Equal(t, []string{"small"}, told)
	require.Len(t, list, 1)
	r := list[0]
	require.Greater(t, r.Hops, uint64(1000))
	require.Greater(t, r.Events, r.Hops/2)
	require.Positive(t, r.Pending)
	require.Positive(t, r.Ratio)
}

// TestTooShort: a run that ends within its warm-up measured nothing, and says so.
func TestTooShort(t *testing.T) {
	_, err := Measure(context.Background(), []Case{small(sim.Second)}, nil)
	require.ErrorContains(t, err, "warm-up")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Measure(ctx, []Case{small(sim.Microsecond)}, nil)
	require.Error(t, err)
}

func TestJudge(t *testing.T) {
	cases := []struct {
		r       Result
		missing string
	}{
		{Result{Events: 1, Rate: 25, Bare: 100}, ""},
		{Result{Events: 1, Rate: 24, Bare: 100}, "0.24 of a bare event loop of as many events, at least 0.25"},
		{Result{Events: 0, Rate: 24, Bare: 100}, "nothing was measured"},
		{Result{Events: 1, Rate: 24}, "nothing was measured"},
	}
	for _, c := range cases {
		c.r.judge()
		require.Equal(t, c.missing, c.r.Missing)
	}
}

// TestMemory: connections keep to their bounds, and what does not is told.
func TestMemory(t *testing.T) {
	list, err := MeasureMemory()
	require.NoError(t, err)
	require.Len(t, list, 4)
	for i, m := range list {
		require.Empty(t, m.Missing, "%+v", m)
		require.Equal(t, 8<<i, m.Paths)
	}
	m := Memory{Paths: 8, InFlight: 200, Sender: 5000, Receiver: 3000, Streams: 192}
	m.judge()
	require.Equal(t, "8192 B at both ends, less than 8192", m.Missing)
	m = Memory{Paths: 16, InFlight: 200, Sender: 6016}
	m.judge()
	require.Equal(t, "6016 B at the sender, less than 6016", m.Missing)
	m = Memory{Paths: 16, InFlight: 10}
	m.judge()
	require.Contains(t, m.Missing, "the window is not full")
}
