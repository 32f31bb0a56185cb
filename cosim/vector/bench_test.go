package vector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/vectors/mrv"
)

// benchPackets is the size of the vector that the figures of docs/vectors.md are about.
const benchPackets = 100_000

// BenchmarkMake is generation: traffic, what must be seen, and the file, on one core.
func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		if _, _, err := makeOnce(ctx, benchPackets); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(benchPackets*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}

// BenchmarkReadBack reads a file and checks it against the model without time.
func BenchmarkReadBack(b *testing.B) {
	file, _, err := makeOnce(ctx, benchPackets)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(file)), "bytes")
	for b.Loop() {
		f, err := mrv.Decode(file)
		if err != nil {
			b.Fatal(err)
		}
		if out := Check(ctx, f.Vectors[0], Options{Target: Blocks}); out.Result != 0 {
			b.Fatal(out.Line)
		}
	}
}

// TestMeasure: what is made holds; every bound can be missed.
func TestMeasure(t *testing.T) {
	f, err := Measure(ctx, 300, 1)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, f.Packets, 300)
	assert.Less(t, f.Bytes, 60*f.Packets)
	bad := Figures{Packets: 100_000, Bytes: MostBytes + 1, Make: 2 * time.Second, Check: MostCheck + 1}
	assert.Len(t, bad.Missing(), 3)
	good := Figures{Packets: 100_000, Bytes: MostBytes, Make: time.Second, Check: MostCheck}
	assert.Empty(t, good.Missing())
}
