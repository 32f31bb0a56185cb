package scenario_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
)

// again lifts a program and compiles the text of it.
func again(t require.TestingT, p *compose.Program, params preset.Params) (*scenario.File, *compose.Program) {
	f, err := scenario.Lift(p, scenario.LiftOptions{Params: params, To: len(p.Items)})
	require.NoError(t, err)
	text := append(scenario.Format(f), "expect frames>=0\n"...)
	parsed, err := scenario.Parse("again.scn", text)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(scenario.Format(parsed)), "canonical")
	c, err := scenario.Compile(parsed, scenario.Options{Params: params})
	require.NoError(t, err)
	return f, c.Program
}

// TestLiftedTrafficIsTheSame: the text of random traffic makes that traffic, item by item, and what is known of its frames.
func TestLiftedTrafficIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := rapid.SampledFrom([]preset.Params{preset.Tiny, preset.Small}).Draw(t, "preset")
		p, err := generate.Generate(generate.Config{Params: params, Seed: rapid.Uint64().Draw(t, "seed"), Packets: rapid.IntRange(1, 900).Draw(t, "packets"), Stalls: true})
		require.NoError(t, err)
		f, made := again(t, p, params)
		require.Equal(t, len(p.Items), len(made.Items))
		for i := range p.Items {
			require.Equal(t, p.Items[i], made.Items[i], "item %d", i)
		}
		raw := 0
		for i := range p.Frames {
			made.Frames[i].Line = p.Frames[i].Line
			if made.Frames[i].Packet == (compose.Packet{}) {
				raw++
				continue
			}
			want := p.Frames[i]
			assert.Equal(t, want.Packet.Net.Bad, made.Frames[i].Packet.Net.Bad)
			assert.Equal(t, want.Proper, made.Frames[i].Proper)
			assert.Equal(t, want.Payload, made.Frames[i].Payload)
		}
		assert.LessOrEqual(t, raw, len(p.Frames)/10+3, "most frames have a line of their own kind:\n%s", scenario.Format(f))
		assert.Equal(t, p.Posted, made.Posted)
	})
}

var _ = context.Background
var _ = fmt.Sprint
var _ = fs.Glob
var _ = strings.Cut
var _ = scenarios.Files
