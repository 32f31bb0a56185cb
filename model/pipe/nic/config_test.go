package nic

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
)

func TestDefaultsAreValid(t *testing.T) {
	im := Immediate()
	require.NoError(t, im.Validate())
	for planes := 1; planes <= endpoint.MaxPlanes; planes++ {
		c := Default(planes)
		require.NoError(t, c.Validate())
	}
}

// problems are those of a joined error, by field.
func problems(err error) map[string]*Problem {
	all := map[string]*Problem{}
	var walk func(error)
	walk = func(e error) {
		var p *Problem
		if many, ok := e.(interface{ Unwrap() []error }); ok {
			for _, one := range many.Unwrap() {
				walk(one)
			}
		} else if errors.As(e, &p) {
			all[p.Field] = p
		}
	}
	walk(err)
	return all
}

func TestAllProblemsAtOnce(t *testing.T) {
	c := Default(1)
	c.CyclePs = 0
	c.Ahead = 1 << 30
	c.Stages[Key].Depth = 0
	c.Stages[Key].Width = 64
	c.Stages[Parse].Latency = 1 << 21
	c.Stages[Parse].Width = 0
	c.Stages[Pick].Depth = 1
	c.Stages[Read].Interval = 1 << 21
	c.Stages[Write].Spread = 1 << 21
	c.Stages[Write].Width = 1 << 17
	c.Stages[Build].InFlight = 1 << 17
	c.Stages[Slot].Each = 1
	c.Stages[Reply].Each = 1 << 21
	all := problems(c.Validate())
	want := []string{
		"CyclePs", "Ahead", "Stages[key].Depth", "Stages[key].Width", "Stages[parse].Latency", "Stages[parse].Whole", "Stages[pick].Depth",
		"Stages[read].Interval", "Stages[write].Spread", "Stages[write].Width", "Stages[build].InFlight", "Stages[slot].Each", "Stages[reply].Each",
	}
	require.Len(t, all, len(want))
	for _, field := range want {
		require.Contains(t, all, field)
		require.NotEmpty(t, all[field].Rule)
	}
	require.EqualError(t, all["Stages[key].Depth"], "nic: Stages[key].Depth is 0: want 1..65536 packets")

	e := endpoint.Default()
	e.Planes = 0
	_, err := New(e, c)
	require.ErrorContains(t, err, "Planes")
	require.ErrorContains(t, err, "CyclePs", "those of both configurations")
}

func TestNames(t *testing.T) {
	for id := range stages {
		require.NotEmpty(t, id.String())
		require.NotContains(t, id.String(), "(")
	}
	require.Equal(t, "stage(99)", Stage(99).String())
}
