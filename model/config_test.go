package model_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/modeltest"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
)

// TestEveryProblemIsReported, at once, with field, value and rule.
func TestEveryProblemIsReported(t *testing.T) {
	c := model.Config{
		Preset: "huge", MemoryLo: 9, MemoryHi: 3, Bounds: conn.Bounds{Told: 1},
		Stalls: map[string]pipe.Stall{"ack": {Permille: 1001, Run: 1}, "memory": {Permille: 1}, "wire": {}, "door": {}},
	}
	err := c.Validate()
	require.Error(t, err)
	var fields []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var p *model.Problem
		require.True(t, errors.As(e, &p))
		require.NotEmpty(t, p.Rule)
		require.Contains(t, e.Error(), p.Value)
		fields = append(fields, p.Field)
	}
	require.Equal(t, []string{
		"Preset", "MemoryHi", "Stalls.memory.Run", "Stalls.ack.Permille", "Stalls.door", "Stalls.wire", "Bounds.Told",
	}, fields)
	_, err = model.New(c)
	require.Error(t, err)
	_, err = model.NewReceiver(c)
	require.Error(t, err)
}

func TestTooLong(t *testing.T) {
	c := model.Config{MemoryHi: 1 << 30, Stalls: map[string]pipe.Stall{"frame": {Permille: 1, Run: 60000}}}
	require.ErrorContains(t, c.Validate(), "MemoryHi")
	require.ErrorContains(t, c.Validate(), "Stalls.frame.Run")
}

// TestDefaultsRun: the zero Config is a model that runs, and a receiver that follows it.
func TestDefaultsRun(t *testing.T) {
	for _, c := range []model.Config{{}, {Preset: "small", Seed: 4, Stalls: map[string]pipe.Stall{"memory": {Permille: 30, Run: 9}}}, {Latency: &pipe.Latency{}}} {
		d, err := model.New(c)
		require.NoError(t, err)
		r, err := model.NewReceiver(c)
		require.NoError(t, err)
		p := preset.Tiny
		if c.Preset != "" {
			p, _ = preset.ByName(c.Preset)
		}
		modeltest.Feed(p, 1, 200, d, r)
		records, err := modeltest.Records(d)
		require.NoError(t, err)
		require.Greater(t, len(records), 1000)
		require.Empty(t, modeltest.Check(r, records))
	}
}
