package shrink

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/scenario"
	"metaroce/tandem/vectors/stimulus"
)

// manifold are bugs that strike where many packets have come together: in rows that were used before, in room that was
// used up, at completions that wait for each other.
func manifold() []func() *bug {
	return []func() *bug{
		func() *bug {
			used := map[uint32]bool{}
			return &bug{"a message in a slot that was used before", func(_ *event.Head, rec []byte) bool {
				var m event.Message
				if rec[1] != byte(event.KindMessage) || rec[2] != event.MessagePacket || m.Decode(rec) != nil || !m.Out.Fresh || m.In.Length == uint32(m.In.PayloadLen) {
					return false
				}
				row := uint32(m.In.StreamRow)<<8 | m.In.Msn%64
				before := used[row]
				used[row] = true
				if before {
					rec[36] ^= 1
				}
				return before
			}}
		},
		func() *bug {
			bytes := 0
			return &bug{"bytes that came are not given back", func(_ *event.Head, rec []byte) bool {
				var p event.Place
				if rec[1] != byte(event.KindPlace) || rec[2] != event.PlaceWrite || p.Decode(rec) != nil {
					return false
				}
				if bytes += int(p.In.PayloadLen); bytes > 32<<10 {
					rec[36] ^= 1
				}
				return bytes > 32<<10
			}}
		},
	}
}

// TestManyPacketsAreOthers: what thousands of packets came to, a few others come to.
func TestManyPacketsAreOthers(t *testing.T) {
	for _, b := range manifold() {
		t.Run(b().name, func(t *testing.T) {
			p := traffic(t, 2, 2500)
			r, err := Shrink(ctx, p, lockstepOracle(b), Options{Params: preset.Tiny, Seed: 1})
			require.NoError(t, err)
			t.Logf("%d -> %d events in %d runs: %s\n%s", r.Before, r.After, r.Runs, r.Line, r.Text)
			assert.Less(t, r.After, 20)
			assert.Less(t, r.Runs, 100)
		})
	}
}

// TestLate: what is overdue when so many packets have passed, or a register is read long behind it, needs none of the
// packets that passed.
func TestLate(t *testing.T) {
	odd := func(f *compose.Frame) bool { return len(f.Payload) == 17 }
	oracle := func(_ context.Context, p *compose.Program) (*Seen, error) {
		owed, passed, frame := false, 0, 0
		for i := range p.Items {
			switch it := &p.Items[i]; it.Kind {
			case stimulus.KindFrame:
				if f := &p.Frames[frame]; owed {
					passed++
				} else {
					owed = odd(f)
				}
				frame++
			case stimulus.KindRead:
				if owed && p.Items[i-1].Kind == stimulus.KindWaitCycles && p.Items[i-1].Value >= 4000 {
					passed = 100
				}
			}
			if passed >= 50 {
				return &Seen{Signature: late, Xid: uint32(frame)}, nil
			}
		}
		return &Seen{}, nil
	}
	r, err := Shrink(ctx, traffic(t, 1, 5000), oracle, Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	t.Logf("%d -> %d events in %d runs\n%s", r.Before, r.After, r.Runs, r.Text)
	assert.Less(t, r.After, 20)
}

// TestSwaps: whatever the tail, what is put in its place is a text, and has what it is for.
func TestSwaps(t *testing.T) {
	for seed := range uint64(5) {
		p := traffic(t, seed, 400)
		x := placesOf(p)
		to := x.frames[len(x.frames)-1] + 1
		f, err := scenario.Lift(p, scenario.LiftOptions{Params: preset.Tiny, From: x.begins(to)[0], To: to})
		require.NoError(t, err)
		all := swaps(f.Stmts)
		require.Len(t, all, 7)
		s := &search{ctx: ctx, o: &Options{Params: preset.Tiny, Seed: 1}}
		for i, list := range all {
			_, err := s.program(list)
			assert.NoError(t, err, "swap %d of seed %d", i, seed)
		}
		count := func(list lines, word string) (n int) {
			for _, l := range list {
				if l.Word == word {
					n++
				}
			}
			return n
		}
		assert.Greater(t, count(all[0], "stream"), count(f.Stmts, "stream"))
		assert.Greater(t, count(all[3], "send"), count(f.Stmts, "send"))
		assert.Equal(t, 3, count(all[3], "stall")-count(all[2], "stall"))
		assert.Equal(t, 1, count(all[4], "stall")-count(all[2], "stall"))
	}
	assert.Empty(t, passing(lines{{Word: "wait", Args: []*scenario.Arg{{Val: "1"}}}}), "there is nothing to pass")
}
