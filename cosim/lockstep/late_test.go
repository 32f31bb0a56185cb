package lockstep_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

// slow is the model as a device with other latencies than it has.
func slow(t testing.TB, p preset.Params, l pipe.Latency, items stimulus.List) *pipe.Device {
	t.Helper()
	d, err := pipe.New(pipe.Config{Params: p, Latency: l, Seed: 1, MemoryLo: 8, MemoryHi: 8})
	require.NoError(t, err)
	for i := range items {
		switch it := &items[i]; it.Kind {
		case stimulus.KindFrame:
			d.Frame(it.Data, uint64(it.Gap))
		case stimulus.KindWrite:
			d.Write(it.Addr, it.Value)
		case stimulus.KindRead:
			d.Read(it.Addr)
		case stimulus.KindWaitCycles:
			d.WaitCycles(uint64(it.Value))
		case stimulus.KindWaitIdle:
			d.WaitIdle()
		}
	}
	return d
}

// held runs a device against the checker and says what was wrong, "" if nothing.
func held(t testing.TB, p preset.Params, d *pipe.Device, items stimulus.List) string {
	t.Helper()
	r, err := conn.New(p)
	require.NoError(t, err)
	r.SetBounds(lockstep.Bounds(items))
	k := lockstep.NewChecker(r, target.ModeFull, nil)
	k.Apply(items)
	for {
		b, err := d.Run(1 << 16)
		require.NoError(t, err)
		if len(b) == 0 {
			return ""
		}
		if why := k.Why(b); why != "" {
			return why
		}
	}
}

// A device that does one thing late is found, on a few frames as on many; one at the bound is not.
func TestLateDevicesAreFound(t *testing.T) {
	cases := []struct {
		name string
		late func(l *pipe.Latency, by uint64)
		by   uint64
	}{
		{"ack", func(l *pipe.Latency, by uint64) { l.Ack += by }, 2000},
		{"coalesce", func(l *pipe.Latency, by uint64) { l.Coalesce += by }, 2000},
		{"complete", func(l *pipe.Latency, by uint64) { l.Complete += by }, 2000},
		{"completion", func(l *pipe.Latency, by uint64) { l.Out += by }, 2000},
		{"packet", func(l *pipe.Latency, by uint64) { l.Packet += by }, 2000},
		{"timer", func(l *pipe.Latency, by uint64) { l.Timer += by }, 2000},
		{"confirmation", func(l *pipe.Latency, by uint64) { l.Done += by }, 2000},
		{"command", func(l *pipe.Latency, by uint64) { l.Command += by }, 2000},
		{"parser", func(l *pipe.Latency, by uint64) { l.Parse += by }, 2000},
		{"window", func(l *pipe.Latency, by uint64) { l.Window += by }, 2000},
		{"key", func(l *pipe.Latency, by uint64) { l.Key += by }, 2000},
		{"message", func(l *pipe.Latency, by uint64) { l.Message += by }, 2000},
		{"write", func(l *pipe.Latency, by uint64) { l.Issue += by }, 2000},
		{"answer", func(l *pipe.Latency, by uint64) { l.Answer += by }, 2000},
		{"ack in bounds", func(l *pipe.Latency, _ uint64) { l.Ack += 900 }, 0},
		{"coalesce in bounds", func(l *pipe.Latency, _ uint64) { l.Coalesce += 900 }, 0},
	}
	p := preset.Tiny
	for _, n := range []int{8, 40, 1000} {
		prog, err := generate.Smallest(p, n)
		require.NoError(t, err)
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", c.name, n), func(t *testing.T) {
				l := pipe.DefaultLatency(p)
				assert.Empty(t, held(t, p, slow(t, p, l, prog.Items), prog.Items))
				c.late(&l, c.by)
				found := held(t, p, slow(t, p, l, prog.Items), prog.Items)
				if c.by > 0 {
					assert.Contains(t, found, "late:", "a device that is %d cycles late", c.by)
					return
				}
				assert.Empty(t, found)
			})
		}
	}
}

// Random stalls of every port, in every preset: nothing is late.
func TestStalledDevicesAreNotLate(t *testing.T) {
	for _, name := range []string{"tiny", "small", "full"} {
		seeds := map[string]uint64{"tiny": 24, "small": 6, "full": 2}[name]
		p, err := lockstep.Params(name)
		require.NoError(t, err)
		for seed := range seeds {
			prog, err := generate.Generate(generate.Config{Params: p, Seed: seed + 1, Packets: 400})
			require.NoError(t, err)
			items := append(profile(seed), prog.Items...)
			r := lockstep.Run{Name: "stalls", Device: modeltarget.New(), Stimulus: items,
				Config: target.Config{Preset: name, Seed: seed, Mode: target.ModeDigest}}
			v := r.Do(context.Background())
			assert.Equal(t, lockstep.Match, v.Result, "%s seed %d: %s", name, seed, v.Line)
		}
	}
}

// profile is stalls of the ports of the device, one heavy, by turns; and a memory that answers late in every third.
func profile(seed uint64) (l stimulus.List) {
	for i, port := range []stimulus.Port{stimulus.PortMemory, stimulus.PortCompletion, stimulus.PortAck} {
		it := stimulus.Item{Kind: stimulus.KindStall, Port: port, Permille: 40, Run: 10}
		if uint64(i) == seed%4 {
			it.Permille, it.Run = 900, 60
		}
		l = append(l, it)
	}
	if seed%3 == 1 {
		l = append(l, stimulus.Item{Kind: stimulus.KindLatency, Lo: 10, Hi: 3000})
	}
	return l
}
