package generate

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/compose"
)

func program(t *testing.T, seed uint64, n int) *compose.Program {
	t.Helper()
	p, err := Generate(Config{Params: preset.Tiny, Seed: seed, Packets: n, Stalls: true})
	require.NoError(t, err)
	return p
}

func sum(p *compose.Program) string {
	h := sha256.New()
	for _, i := range p.Items {
		fmt.Fprintf(h, "%d %d %d %d %d %d %d %d %d %x\n", i.Kind, i.Port, i.Addr, i.Value, i.Gap, i.Lo, i.Hi, i.Permille, i.Run, i.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	a, b, c := sum(program(t, 7, 1500)), sum(program(t, 7, 1500)), sum(program(t, 8, 1500))
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, c)
}
