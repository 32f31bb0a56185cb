package cover_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/cosim/suite"
)

// BenchmarkObserve is what counting costs, per record of random traffic.
func BenchmarkObserve(b *testing.B) {
	var records [][]byte
	j, err := suite.FromSeed("tiny", 1, 5000, true)
	require.NoError(b, err)
	suite.Run(context.Background(), []suite.Job{j}, suite.Options{Device: "model", RunsDir: b.TempDir(), Journal: "never", Seen: func(r []byte) { records = append(records, slices.Clone(r)) }})
	require.Greater(b, len(records), 10_000)
	b.ReportAllocs()
	for b.Loop() {
		c := cover.New()
		for _, r := range records {
			c.Observe(r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(records)), "ns/record")
}
