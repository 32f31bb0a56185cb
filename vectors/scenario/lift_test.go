package scenario_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
	"metaroce/tandem/vectors/stimulus"
)

// liftAgain lifts a program and compiles the text of it.
func liftAgain(t require.TestingT, p *compose.Program, o scenario.LiftOptions) (*scenario.File, *compose.Program) {
	f, err := scenario.Lift(p, o)
	require.NoError(t, err)
	text := append(scenario.Format(f), "expect frames>=0\n"...)
	parsed, err := scenario.Parse("again.scn", text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(scenario.Format(parsed)), "canonical")
	c, err := scenario.Compile(parsed, scenario.Options{Params: o.Params})
	require.NoError(t, err)
	return f, c.Program
}

func random(t require.TestingT, params preset.Params, seed uint64, packets int) *compose.Program {
	p, err := generate.Generate(generate.Config{Params: params, Seed: seed, Packets: packets, Stalls: true})
	require.NoError(t, err)
	return p
}

// TestLiftedTrafficIsTheSame: the text of random traffic makes that traffic, item by item, and what is known of its frames.
func TestLiftedTrafficIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := rapid.SampledFrom([]preset.Params{preset.Tiny, preset.Small}).Draw(t, "preset")
		p := random(t, params, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "packets"))
		f, made := liftAgain(t, p, scenario.LiftOptions{Params: params, To: len(p.Items)})
		require.Equal(t, p.Items, made.Items)
		assert.Equal(t, p.Posted, made.Posted)
		assert.Equal(t, p.Faults, made.Faults)
		assert.GreaterOrEqual(t, scenario.Events(p), len(f.Stmts)-1)
		raw, streams := 0, streamsOf(t, f)
		for i := range p.Frames {
			want, got := &p.Frames[i], &made.Frames[i]
			if got.Packet == (compose.Packet{}) {
				raw++
				continue
			}
			assert.Equal(t, want.Proper, got.Proper)
			assert.Equal(t, want.Packet.Net, got.Packet.Net)
			assert.Equal(t, want.Payload, got.Payload)
			if want.Proper && got.Packet.HasMessage() && int(got.Packet.Stream) < streams[int(got.Packet.ConnIndex())] {
				assert.Equal(t, want.Row, got.Row)
			}
		}
		assert.LessOrEqual(t, raw, len(p.Frames)/8+4, "most frames have a line of their own kind:\n%s", scenario.Format(f))
	})
}

// streamsOf is how many streams each connection has.
func streamsOf(t require.TestingT, f *scenario.File) map[int]int {
	streams := map[int]int{}
	for _, s := range f.Stmts {
		if s.Word == "conn" {
			var conn, n int
			_, err := fmt.Sscan(s.Args[0].Val, &conn)
			require.NoError(t, err)
			_, err = fmt.Sscan(s.Args[3].Val, &n)
			require.NoError(t, err)
			streams[conn] = n
		}
	}
	return streams
}

// TestLiftedScenariosAreTheSame: so are written scenarios, whose ports keep step, but for waits of an idle device that double.
func TestLiftedScenariosAreTheSame(t *testing.T) {
	names, err := fs.Glob(scenarios.Files, "*.scn")
	require.NoError(t, err)
	require.Greater(t, len(names), 40)
	for _, name := range names {
		text, err := scenarios.Files.ReadFile(name)
		require.NoError(t, err)
		f, err := scenario.Parse(name, text)
		require.NoError(t, err)
		c, err := scenario.Compile(f, scenario.Options{Params: preset.Tiny, Seed: 1})
		require.NoError(t, err)
		if len(c.Program.Frames) > 1000 {
			continue
		}
		flat, made := liftAgain(t, c.Program, scenario.LiftOptions{Params: preset.Tiny, To: len(c.Program.Items)})
		assert.Equal(t, once(c.Program.Items), once(made.Items), name)
		assert.NotEqual(t, "ports", flat.Stmts[0].Word, name)
	}
}

// once takes out waits of an idle device that stand behind one.
func once(items stimulus.List) stimulus.List {
	return slices.CompactFunc(slices.Clone(items), func(a, b stimulus.Item) bool {
		return a.Kind == stimulus.KindWaitIdle && b.Kind == stimulus.KindWaitIdle
	})
}

// TestTailBehindSetUp: of a tail the frames are the same bytes but for what a set-up gives anew, and where windows and streams
// stood is what the caller says.
func TestTailBehindSetUp(t *testing.T) {
	p := random(t, preset.Tiny, 7, 900)
	var frames []int
	for i := range p.Items {
		if p.Items[i].Kind == stimulus.KindFrame {
			frames = append(frames, i)
		}
	}
	from, to := frames[700], frames[760]
	windows, streams := 0, 0
	o := scenario.LiftOptions{Params: preset.Tiny, From: from, To: to,
		Path: func(uint32, uint8) (scenario.Window, bool) {
			windows++
			return scenario.Window{Psn: 77, Tsn: 88, Epoch: 9}, true
		},
		Stream: func(uint16) (uint32, bool) { streams++; return 99, true }}
	_, made := liftAgain(t, p, o)
	require.Len(t, made.Frames, 60)
	assert.Positive(t, windows)
	assert.Positive(t, streams)
	set := map[uint16]map[uint32]bool{event.RegCmdPsn: {}, event.RegCmdTsn: {}}
	n := 0
	for _, it := range made.Items {
		switch {
		case it.Kind == stimulus.KindFrame:
			assert.Equal(t, p.Frames[700+n].Proper, made.Frames[n].Proper)
			assert.Equal(t, p.Frames[700+n].Payload, made.Frames[n].Payload)
			assert.Equal(t, p.Frames[700+n].Packet.Psn, made.Frames[n].Packet.Psn)
			n++
		case n == 0 && set[it.Addr] != nil:
			set[it.Addr][it.Value] = true
		}
	}
	assert.True(t, set[event.RegCmdPsn][77] && set[event.RegCmdTsn][88])
	assert.Less(t, len(made.Items), 900)
}

// TestReadsWhereNoRegisterIs: they are said by their address, and mean the same again.
func TestReadsWhereNoRegisterIs(t *testing.T) {
	items := stimulus.List{{Kind: stimulus.KindRead, Addr: event.RegId}, {Kind: stimulus.KindRead, Addr: 0xc}, {Kind: stimulus.KindRead, Addr: 0x102}, {Kind: stimulus.KindRead, Addr: 0xfff}}
	f, err := scenario.Lift(&compose.Program{Items: items}, scenario.LiftOptions{Params: preset.Tiny, To: len(items)})
	require.NoError(t, err)
	assert.Equal(t, "read ID\nread 0xc\nread 0x102\nread 0xfff\n", string(scenario.Format(f)))
	f, err = scenario.Parse("x.scn", append([]byte("title \"x\"\ncovers R-FRAME\n\n"), append(scenario.Format(f), "\nexpect reads=4\n"...)...))
	require.NoError(t, err)
	c, err := scenario.Compile(f, scenario.Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	assert.Equal(t, items, c.Program.Items)
}

func TestWhatNoTextCanSay(t *testing.T) {
	lift := func(items ...stimulus.Item) error {
		p := &compose.Program{Items: items, Frames: make([]compose.Frame, stimulus.List(items).Frames())}
		_, err := scenario.Lift(p, scenario.LiftOptions{Params: preset.Tiny, To: len(items)})
		return err
	}
	assert.ErrorContains(t, lift(stimulus.Item{Kind: stimulus.KindWrite, Addr: 0xffc}), "no register at 0xffc")
	assert.ErrorContains(t, lift(stimulus.Item{Kind: stimulus.KindWrite, Addr: event.RegId}), "register ID is written to")
	assert.ErrorContains(t, lift(stimulus.Item{Kind: stimulus.KindLatency, Lo: 1, Hi: 20_000}), "latency, is nothing that a text can say")
	_, err := scenario.Lift(&compose.Program{Items: stimulus.List{{Kind: stimulus.KindFrame}}}, scenario.LiftOptions{Params: preset.Tiny, To: 1})
	assert.ErrorContains(t, err, "1 frames, and something is known of 0")
	many := make(stimulus.List, 20_001)
	for i := range many {
		many[i] = stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 60)}
	}
	assert.ErrorContains(t, lift(many...), "20001 frames: a text holds at most 20000")
	assert.NoError(t, lift(stimulus.Item{Kind: stimulus.KindFrame, Data: make([]byte, 12_000)}), "the longest frame byte by byte has room on a line")
}

// TestPorts: free ports wait for nothing that no line says; ordered ones again keep step.
func TestPorts(t *testing.T) {
	kinds := func(text string) (list []stimulus.Kind) {
		f, err := scenario.Parse("p.scn", []byte(text))
		require.NoError(t, err)
		c, err := scenario.Compile(f, scenario.Options{Params: preset.Tiny})
		require.NoError(t, err)
		for i := range c.Program.Items {
			if k := c.Program.Items[i].Kind; k != stimulus.KindWrite {
				list = append(list, k)
			}
		}
		return list
	}
	const body = "conn 0\nkey 0\nwrite\nclose 0.0\nwrite\nexpect frames=2\n"
	assert.Equal(t, []stimulus.Kind{stimulus.KindWaitIdle, stimulus.KindFrame, stimulus.KindWaitCycles, stimulus.KindWaitCycles, stimulus.KindFrame}, kinds(body))
	assert.Equal(t, []stimulus.Kind{stimulus.KindFrame, stimulus.KindFrame}, kinds("ports free\n"+body))
	assert.Equal(t, kinds(body), kinds("ports free\nports ordered\n"+body))
	_, err := scenario.Parse("p.scn", []byte("ports\n"))
	assert.ErrorContains(t, err, `"ports" needs more; expected ports free|ordered`)
}
