package shrink

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
)

var ctx = context.Background()

// TestFiveThousandEvents: of bugs that strike behind thousands of packets of random traffic, where rare things come together,
// under 20 events stay, in under 100 runs, and the text that is left fails in the same way.
func TestFiveThousandEvents(t *testing.T) {
	for i, seed := range []uint64{25, 3, 5} {
		t.Run(bugs()[i].name, func(t *testing.T) {
			p := traffic(t, seed, 5000)
			oracle := lockstepOracle(func() *bug { return bugs()[i] })
			seen, err := oracle(ctx, p)
			require.NoError(t, err)
			require.Greater(t, seen.Xid, uint32(3500))
			r, err := Shrink(ctx, p, oracle, Options{Params: preset.Tiny, Seed: 1})
			require.NoError(t, err)
			t.Logf("%d -> %d events in %d runs: %s\n%s", r.Before, r.After, r.Runs, r.Line, r.Text)
			assert.GreaterOrEqual(t, r.Before, 5000)
			assert.Less(t, r.After, 20)
			assert.Less(t, r.Runs, 100)
			seen, err = oracle(ctx, compiled(t, r.Text))
			require.NoError(t, err)
			assert.Equal(t, r.Signature.Key(), seen.Signature.Key())
		})
	}
}

// TestShrinkIsDetermined: equal calls give equal bytes, and no line can be left out where that is said.
func TestShrinkIsDetermined(t *testing.T) {
	p := traffic(t, 5, 600)
	oracle := lockstepOracle(func() *bug { return bugs()[3] })
	o := Options{Params: preset.Tiny, Seed: 1}
	one, err := Shrink(ctx, p, oracle, o)
	require.NoError(t, err)
	two, err := Shrink(ctx, p, oracle, o)
	require.NoError(t, err)
	assert.Equal(t, one, two)
	require.True(t, one.Minimal)
	s := &search{ctx: ctx, o: &o, oracle: oracle}
	for _, list := range leftOut(t, one.Text) {
		prog, err := s.program(list)
		if err != nil {
			continue
		}
		seen, err := oracle(ctx, prog)
		require.NoError(t, err)
		assert.NotEqual(t, one.Signature.Key(), seen.Signature.Key())
	}
}

// TestIntent: what device and model do wrong together is made small in the same way.
func TestIntent(t *testing.T) {
	p := traffic(t, 3, 1500)
	odd := &bug{"a completion tells another length", func(_ *event.Head, rec []byte) bool {
		if rec[1] != byte(event.KindCompletion) {
			return false
		}
		var c event.Completion
		if c.Decode(rec) != nil || c.In.Length < 700 {
			return false
		}
		c.In.Length++
		var b [event.MaxRecord]byte
		copy(rec, b[:c.Encode(&b)])
		return true
	}}
	r, err := Shrink(ctx, p, intentOracle(odd), Options{Params: preset.Tiny, Seed: 1})
	require.NoError(t, err)
	assert.Equal(t, "breach", r.Signature.Kind)
	assert.Less(t, r.After, 20)
	t.Logf("%d -> %d events in %d runs\n%s", r.Before, r.After, r.Runs, r.Text)
}

// answers is an oracle that looks at no program.
func answers(f func(run int) *result.Signature) Oracle {
	n := 0
	return func(context.Context, *compose.Program) (*Seen, error) {
		n++
		return &Seen{Signature: f(n)}, nil
	}
}

var late = &result.Signature{Kind: "late", Engine: "ack", Rule: "R-ACK"}

func TestWhatDoesNotComeBack(t *testing.T) {
	p := traffic(t, 1, 12)
	o := Options{Params: preset.Tiny, Want: late, Runs: 20}
	_, err := Shrink(ctx, p, answers(func(int) *result.Signature { return nil }), o)
	assert.EqualError(t, err, "ack late (R-ACK) did not come back in 3 runs; the last came to a match")
	_, err = Shrink(ctx, p, answers(func(int) *result.Signature { return &result.Signature{Kind: "hang"} }), o)
	assert.ErrorContains(t, err, "the last came to hang")
	_, err = Shrink(ctx, p, answers(func(int) *result.Signature { return nil }), Options{Params: preset.Tiny})
	assert.ErrorIs(t, err, ErrMatches)
	// once, and never again
	_, err = Shrink(ctx, p, answers(func(n int) *result.Signature {
		if n == 1 {
			return late
		}
		return nil
	}), o)
	var lost *Lost
	require.ErrorAs(t, err, &lost)
	assert.Contains(t, err.Error(), "the shrunk text of ack late (R-ACK) did not come back in ")
	_, err = Shrink(ctx, p, answers(func(int) *result.Signature { return &result.Signature{Kind: "unmet"} }), Options{Params: preset.Tiny})
	var unable *Unable
	assert.ErrorAs(t, err, &unable)
}

// TestWhatFlips: whatever an oracle says, the runs are bounded, and what is handed out failed in its last run.
func TestWhatFlips(t *testing.T) {
	p := traffic(t, 1, 12)
	rapid.Check(t, func(t *rapid.T) {
		runs, last := 0, true
		most := rapid.IntRange(10, 25).Draw(t, "most")
		often := rapid.IntRange(1, 4).Draw(t, "often")
		r, err := Shrink(ctx, p, func(context.Context, *compose.Program) (*Seen, error) {
			runs++
			if last = rapid.IntRange(1, 4).Draw(t, "flip") <= often; last {
				return &Seen{Signature: late}, nil
			}
			return &Seen{}, nil
		}, Options{Params: preset.Tiny, Want: late, Runs: most})
		assert.LessOrEqual(t, runs, most)
		if err == nil {
			assert.True(t, last)
			assert.Equal(t, runs, r.Runs)
			return
		}
		var lost *Lost
		assert.ErrorAs(t, err, &lost)
	})
}

// TestInterrupted: at any time the smallest text so far comes out, and it does fail.
func TestInterrupted(t *testing.T) {
	p := traffic(t, 5, 400)
	oracle := lockstepOracle(func() *bug { return bugs()[3] })
	smallest := 0
	for _, after := range []int{1, 2, 4, 7, 10} {
		c, cancel := context.WithCancel(ctx)
		runs := 0
		r, err := Shrink(c, p, func(x context.Context, p *compose.Program) (*Seen, error) {
			if runs++; runs > after {
				cancel()
				return nil, context.Canceled
			}
			return oracle(x, p)
		}, Options{Params: preset.Tiny, Seed: 1})
		cancel()
		if after == 1 {
			assert.ErrorIs(t, err, context.Canceled, "there is no text yet")
			continue
		}
		require.NoError(t, err)
		assert.True(t, r.Interrupted && !r.Minimal)
		seen, err := oracle(ctx, compiled(t, r.Text))
		require.NoError(t, err)
		assert.Equal(t, r.Signature.Key(), seen.Signature.Key())
		assert.True(t, smallest == 0 || r.After <= smallest)
		smallest = r.After
	}
	_, err := Shrink(ctx, p, func(context.Context, *compose.Program) (*Seen, error) { return nil, errors.New("no disk") }, Options{Params: preset.Tiny})
	assert.EqualError(t, err, "no disk")
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x"+".scn")
	r := &Result{Text: []byte("conn 0\n"), Before: 9, After: 1, Runs: 4, Signature: *late, Minimal: true}
	require.NoError(t, Save(path, r, "tandem run x.scn"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, r.Text, text)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(path), "x.json"))
	require.NoError(t, err)
	var got Saved
	require.NoError(t, json.Unmarshal(b, &got))
	assert.Equal(t, "x.scn", got.File)
	assert.Equal(t, "tandem run x.scn", got.Again)
	assert.Equal(t, *late, got.Signature)
	assert.Error(t, Save(filepath.Join(path, "y.scn"), r, ""), "a file is no folder")
}

func TestUnfit(t *testing.T) {
	for kind, fit := range map[string]bool{"differs": true, "late": true, "hang": true, "crash": true, "bench": true, "breach": true,
		"unmet": false, "wall": false, "stall": false, "cycles": false, "inconclusive": false, "unsupported": false, "lost": false, "skipped": false} {
		assert.Equal(t, fit, Unfit(&result.Signature{Kind: kind}) == "", kind)
	}
}
