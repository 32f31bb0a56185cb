package observe_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/scenarios"
	"metaroce/tandem/vectors/stimulus"
)

// play runs a stimulus on the model in cycles and shows every record to see.
func play(t *testing.T, p preset.Params, list stimulus.List, see func([]byte)) {
	t.Helper()
	d, err := pipe.New(pipe.Config{Params: p, Latency: pipe.DefaultLatency(p), Seed: 1, MemoryLo: 4, MemoryHi: 20})
	require.NoError(t, err)
	for _, i := range list {
		switch i.Kind {
		case stimulus.KindFrame:
			d.Frame(i.Data, uint64(i.Gap))
		case stimulus.KindWrite:
			d.Write(i.Addr, i.Value)
		case stimulus.KindRead:
			d.Read(i.Addr)
		case stimulus.KindWaitCycles:
			d.WaitCycles(uint64(i.Value))
		case stimulus.KindWaitIdle:
			d.WaitIdle()
		case stimulus.KindFault:
			d.Fault(i.Lo, i.Hi)
		case stimulus.KindLatency:
			d.Latency(i.Lo, i.Hi)
		case stimulus.KindStall:
			d.Stall(pipe.Port(i.Port-stimulus.PortFrame), pipe.Stall{Permille: i.Permille, Run: i.Run})
		}
	}
	for {
		recs, err := d.Run(1 << 14)
		require.NoError(t, err)
		if len(recs) == 0 {
			return
		}
		for len(recs) > 0 {
			n := event.RecordSize * (1 + int(recs[3]))
			see(recs[:n])
			recs = recs[n:]
		}
	}
}

// TestScenariosOnModel holds the events of the model against what every scenario expects and means.
func TestScenariosOnModel(t *testing.T) {
	names, err := scenarios.Files.ReadDir(".")
	require.NoError(t, err)
	for _, e := range names {
		t.Run(e.Name(), func(t *testing.T) {
			text, err := scenarios.Files.ReadFile(e.Name())
			require.NoError(t, err)
			f, err := scenario.Parse(e.Name(), text)
			require.NoError(t, err)
			for _, p := range preset.All() {
				if f.Preset() != "" && f.Preset() != p.Name {
					continue
				}
				c, err := scenario.Compile(f, scenario.Options{Params: p, Seed: 1})
				require.NoError(t, err)
				o := observe.New(c.Program)
				play(t, p, c.Program.Items, o.Observe)
				assert.Empty(t, o.Breaches(), p.Name)
				assert.Empty(t, o.Check(c.Expect), p.Name)
			}
		})
	}
}

// TestRandomOnModel holds random traffic against what it means, on tables of all sizes.
func TestRandomOnModel(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		p := preset.Tiny
		switch seed {
		case 3, 6:
			p = preset.Small
		case 8:
			p = preset.Full
		}
		t.Run(fmt.Sprintf("%s %d: %s", p.Name, seed, generate.Describe(seed)), func(t *testing.T) {
			prog, err := generate.Generate(generate.Config{Params: p, Seed: seed, Packets: 2000, Stalls: true})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(prog.Frames), 2000)
			o := observe.New(prog)
			play(t, p, prog.Items, o.Observe)
			assert.Empty(t, o.Breaches())
			counts := o.Counts()
			assert.Greater(t, counts["completions"], uint64(0))
			assert.Greater(t, counts["naks"], uint64(10))
		})
	}
}

// TestTouchOnModel: every path of every connection, and both ends of every table. The preset full is touched on the RTL
// by make test.
func TestTouchOnModel(t *testing.T) {
	for _, p := range []preset.Params{preset.Tiny, preset.Small} {
		prog, messages, err := generate.Touch(p)
		require.NoError(t, err)
		o := observe.New(prog)
		rows := map[string]map[uint64]bool{"conn": {}, "path": {}, "stream": {}, "slot": {}, "recv": {}, "key": {}}
		play(t, p, prog.Items, func(rec []byte) {
			o.Observe(rec)
			touch(p, rec, rows)
		})
		assert.Empty(t, o.Breaches())
		assert.EqualValues(t, messages, o.Counts()["completions"])
		assert.Zero(t, o.Counts()["drops"])
		assert.Len(t, rows["conn"], p.Conns, p.Name)
		assert.Len(t, rows["path"], p.Conns*p.Paths, p.Name)
		for name, size := range map[string]int{"stream": p.Streams, "slot": p.Streams * p.MsgSlots, "recv": p.Streams * p.Recvs, "key": p.Keys} {
			assert.True(t, rows[name][0], "%s: first row of %s", p.Name, name)
			assert.True(t, rows[name][uint64(size-1)], "%s: last row of %s", p.Name, name)
		}
	}
}

// touch notes which rows a packet's record is about.
func touch(p preset.Params, rec []byte, rows map[string]map[uint64]bool) {
	switch event.Kind(rec[1]) {
	case event.KindWindow:
		var r event.Window
		if r.Decode(rec) == nil && r.Head.Op == event.WindowPacket {
			rows["conn"][uint64(r.Head.Conn)] = true
			rows["path"][uint64(r.Head.Conn)*uint64(p.Paths)+uint64(r.Head.Path)] = true
		}
	case event.KindMessage:
		var r event.Message
		if r.Decode(rec) == nil && r.Head.Op == event.MessagePacket {
			rows["stream"][uint64(r.In.StreamRow)] = true
			rows["slot"][uint64(r.In.StreamRow)*uint64(p.MsgSlots)+uint64(r.In.Msn)%uint64(p.MsgSlots)] = true
		}
	case event.KindRecv:
		var r event.Recv
		if r.Decode(rec) == nil && r.Head.Op == event.RecvMatch {
			rows["recv"][uint64(r.In.StreamRow)*uint64(p.Recvs)+uint64(r.In.RecvIndex)%uint64(p.Recvs)] = true
		}
	case event.KindKey:
		var r event.Key
		if r.Decode(rec) == nil && r.Head.Op == event.KeyCheck {
			rows["key"][uint64(r.In.Rkey>>8)] = true
		}
	}
}
