package modeltarget

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/generate"
	"metaroce/tandem/vectors/stimulus"
)

func run(t *testing.T, m target.Mode) (*Device, []byte) {
	t.Helper()
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: 1, Packets: 400, Stalls: true})
	require.NoError(t, err)
	d, ctx := New(), context.Background()
	require.NoError(t, d.Reset(ctx, target.Config{Preset: "tiny", Seed: 1, Mode: m}))
	require.NoError(t, d.Apply(ctx, p.Items))
	require.NoError(t, d.Finish(ctx))
	var all []byte
	for {
		b, err := d.Drain(ctx)
		if errors.Is(err, io.EOF) {
			return d, all
		}
		require.NoError(t, err)
		all = append(all, b...)
	}
}

// Both modes tell of the same run: digest is the heads of full.
func TestModes(t *testing.T) {
	full, b := run(t, target.ModeFull)
	digest, heads := run(t, target.ModeDigest)
	assert.Equal(t, full.End(), digest.End())
	n := 0
	h := uint64(0)
	for ; len(b) > 0; n++ {
		require.Equal(t, b[:64], heads[64*n:64*n+64])
		h = target.HeadsDigest(h, b)
		b = b[64*(1+int(b[3])):]
	}
	assert.Len(t, heads, 64*n)
	assert.Equal(t, target.Ending{Cycles: full.End().Cycles, Transactions: uint64(n), Digest: h}, full.End())
}

// The second look is the end of the run, whole.
func TestSecondLook(t *testing.T) {
	_, all := run(t, target.ModeFull)
	d, _ := run(t, target.ModeDigest)
	b, err := d.SecondLook(context.Background())
	require.NoError(t, err)
	require.Less(t, len(b), len(all))
	assert.Equal(t, all[len(all)-len(b):], b)
	n := 0
	for x := b; len(x) > 0; n++ {
		x = x[64*(1+int(x[3])):]
	}
	assert.Equal(t, target.RingTransactions, n)
}

func TestRefusals(t *testing.T) {
	d, ctx := New(), context.Background()
	var u *target.Unsupported
	require.ErrorAs(t, d.Reset(ctx, target.Config{Preset: "huge"}), &u)
	require.NoError(t, d.Reset(ctx, target.Config{Preset: "tiny"}))
	var f *target.Failure
	require.ErrorAs(t, d.Apply(ctx, stimulus.List{{}}), &f)
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err := d.Drain(stopped)
	assert.ErrorContains(t, err, "host: interrupted")
	assert.True(t, d.Describe().Sees[event.KindWindow])
	assert.False(t, d.Describe().Sees[event.KindMemRead])
	assert.NoError(t, d.Close())
}

func TestSkewOfItself(t *testing.T) {
	p, err := generate.Generate(generate.Config{Params: preset.Tiny, Seed: 4, Packets: 300})
	require.NoError(t, err)
	c := target.Config{Preset: "tiny", Seed: 4}
	d, ctx := New(), context.Background()
	require.NoError(t, d.Reset(ctx, c))
	require.NoError(t, d.Apply(ctx, p.Items))
	m := NewSkewMeter()
	for {
		b, err := d.Drain(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		for len(b) > 0 {
			n := 64 * (1 + int(b[3]))
			m.Take(b[:n])
			b = b[n:]
		}
	}
	rows, err := m.Rows(context.Background(), c, p.Items)
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	for _, r := range rows {
		assert.Positive(t, r.Events)
		assert.Zero(t, r.P50, "%+v", r)
	}
}
