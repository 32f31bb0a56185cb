package pair

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/endpoint"
	waived "metaroce/tandem/vectors/cover"
)

func ran(t *testing.T, seed uint64, changes int) *Report {
	r, err := Run(context.Background(), Config{Seed: seed, Changes: changes})
	require.NoError(t, err)
	return r
}

// TestBins: traffic of all kinds through all weathers fills every bin of the sender that is not waived, and breaks no promise.
func TestBins(t *testing.T) {
	bins := cover.NewSender()
	list, err := cover.ParseWaivers("waivers.txt", waived.Waivers)
	require.NoError(t, err)
	ended := uint64(0)
	seeds := []uint64{4, 11, 18, 19} // they are enough as the model is now; others where it is another
	for seed := uint64(20); seed < 60; seed++ {
		seeds = append(seeds, seed)
	}
	for i, seed := range seeds {
		if i >= 4 && len(bins.Report(list, "").Empty) == 0 {
			break
		}
		r := ran(t, seed, Changes)
		assert.Empty(t, r.Faults, "seed %d", seed)
		assert.Equal(t, r.Posted, r.Ended, "seed %d", seed)
		bins.Merge(r.Bins)
		ended += r.Ended
	}
	require.Greater(t, ended, uint64(1000))
	r := bins.Report(list, "")
	assert.True(t, r.OK(), r.Text())
}

// TestEqualSeeds: equal seeds give equal runs, other seeds others.
func TestEqualSeeds(t *testing.T) {
	a, b := ran(t, 7, 10), ran(t, 7, 10)
	assert.Equal(t, string(a.Bins.Encode()), string(b.Bins.Encode()))
	a.Bins, b.Bins = nil, nil
	assert.Equal(t, a, b)
	assert.NotEqual(t, a.Records, ran(t, 8, 10).Records)
}

// TestPromises: what ends twice, ends and was never open, or does not end is told.
func TestPromises(t *testing.T) {
	p, err := newPair(2)
	require.NoError(t, err)
	p.post(0, 1, works[0], 3000)
	p.settle()
	require.Empty(t, p.faults)
	require.Equal(t, [2]uint64{1, 1}, [2]uint64{p.posted, p.ended})
	p.end(0, &endpoint.Completion{ID: 1})
	p.open[1][77] = true
	p.settle()
	require.Len(t, p.faults, 2)
	assert.Contains(t, p.faults[0], "request 1 ended (ok), and is not one that was open")
	assert.Contains(t, p.faults[1], "host 1: 1 requests have not ended, 4000000 us after the network was well again")
}

// TestCalls: mistakes and interruptions.
func TestCalls(t *testing.T) {
	for _, n := range []int{0, -1, MostChanges + 1} {
		_, err := Run(context.Background(), Config{Changes: n})
		assert.ErrorContains(t, err, "want 1 to 100000")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := Run(ctx, Config{Changes: 1})
	assert.ErrorIs(t, err, context.Canceled)
}
