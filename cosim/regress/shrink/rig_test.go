package shrink

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/observe"
	"metaroce/tandem/vectors/scenario"
)

// bug is a fault planted into what the model in cycles says: it spoils a record where something rare has come together.
type bug struct {
	name  string
	spoil func(h *event.Head, record []byte) bool // true: it has struck
}

// faulty is the model in cycles with a bug.
type faulty struct {
	*modeltarget.Device
	bug *bug
}

// Drain spoils what the bug strikes.
func (f *faulty) Drain(ctx context.Context) ([]byte, error) {
	b, err := f.Device.Drain(ctx)
	for at := 0; at < len(b); {
		size := target.RecordBytes * (1 + int(b[at+3]))
		var h event.Head
		if h.Decode(b[at:at+size]) == nil {
			f.bug.spoil(&h, b[at:at+size])
		}
		at += size
	}
	return b, err
}

// bugs that strike seldom, and one that strikes often.
func bugs() []*bug {
	return []*bug{
		{"marked detour of a full message is a duplicate", func(_ *event.Head, rec []byte) bool {
			var w event.Window
			if rec[1] != byte(event.KindWindow) || w.Decode(rec) != nil || w.Out.Class != event.ClassDuplicate || !w.In.FlagD || !w.In.Ce || !w.In.FlagL {
				return false
			}
			rec[36] = byte(event.ClassNew)
			return true
		}},
		{"a marked packet of some length fills no gap", func(_ *event.Head, rec []byte) bool {
			var w event.Window
			if rec[1] != byte(event.KindWindow) || w.Decode(rec) != nil || !w.Out.GapFilled || !w.In.Ce || w.In.PayloadLen < 200 {
				return false
			}
			rec[40] = 0
			return true
		}},
		{"a refused receive of one index is taken", func(_ *event.Head, rec []byte) bool {
			var r event.Recv
			if rec[1] != byte(event.KindRecv) || r.Decode(rec) != nil || r.Out.Syndrome != wire.SyndromeRnr || r.In.RecvIndex%128 != 77 {
				return false
			}
			rec[36] ^= 1
			return true
		}},
		{"every refused receive is taken", func(_ *event.Head, rec []byte) bool {
			var r event.Recv
			if rec[1] != byte(event.KindRecv) || r.Decode(rec) != nil || r.Out.Syndrome != wire.SyndromeRnr {
				return false
			}
			rec[36] ^= 1
			return true
		}},
	}
}

// lockstepOracle holds the model with a bug against the model.
func lockstepOracle(b func() *bug) Oracle {
	return func(ctx context.Context, p *compose.Program) (*Seen, error) {
		seen := &Seen{Trace: &Trace{}}
		r := lockstep.Run{Name: "x", Device: &faulty{modeltarget.New(), b()}, Stimulus: p.Items, Observe: seen.Trace.Observe,
			Config: target.Config{Preset: "tiny", Seed: 1, Mode: target.ModeFull}}
		v := r.Do(ctx)
		if d := v.Divergence; d != nil {
			seen.Signature = &result.Signature{Kind: d.What, Engine: d.Kind, Field: d.Field, Rule: d.Rule}
			seen.Xid, seen.Line = d.Xid, d.Line()
		}
		return seen, ctx.Err()
	}
}

// intentOracle is of a bug that device and model have both: the traffic's intent is not borne out.
func intentOracle(b *bug) Oracle {
	return func(ctx context.Context, p *compose.Program) (*Seen, error) {
		seen, o := &Seen{Trace: &Trace{}}, observe.New(p)
		r := lockstep.Run{Name: "x", Device: modeltarget.New(), Stimulus: p.Items, Config: target.Config{Preset: "tiny", Seed: 1, Mode: target.ModeFull},
			Observe: func(rec []byte) {
				seen.Trace.Observe(rec)
				spoilt := append([]byte(nil), rec...)
				var h event.Head
				if h.Decode(spoilt) == nil {
					b.spoil(&h, spoilt)
				}
				o.Observe(spoilt)
			}}
		r.Do(ctx)
		if list := o.Breaches(); len(list) > 0 {
			_, what, _ := strings.Cut(list[0], ": ")
			seen.Signature, seen.Xid = &result.Signature{Kind: "breach", Engine: "traffic", Field: result.Normalise(what)}, breachXid(list[0])
		}
		return seen, ctx.Err()
	}
}

func traffic(t testing.TB, seed uint64, packets int) *compose.Program {
	t.Helper()
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: seed, Packets: packets, Stalls: true})
	require.NoError(t, err)
	return p
}

func compiled(t testing.TB, text []byte) *compose.Program {
	t.Helper()
	f, err := scenario.Parse(Name, text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(scenario.Format(f)), "canonical")
	c, err := scenario.Compile(f, scenario.Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	return c.Program
}

// leftOut is the flat text without each of its lines, those at its head and end aside.
func leftOut(t testing.TB, text []byte) []lines {
	t.Helper()
	f, err := scenario.Parse(Name, text)
	require.NoError(t, err)
	var body lines
	for _, s := range f.Stmts {
		switch s.Word {
		case "title", "covers", "preset", "expect":
		default:
			body = append(body, s)
		}
	}
	var all []lines
	for i := range body {
		all = append(all, append(append(lines{}, body[:i]...), body[i+1:]...))
	}
	return all
}
