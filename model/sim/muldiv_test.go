package sim_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
)

// TestMulDivTwin holds both roundings against numbers without a width.
func TestMulDivTwin(t *testing.T) {
	most := new(big.Int).Lsh(big.NewInt(1), 63)
	bound := func(v *big.Int) uint64 {
		if v.Cmp(most) > 0 {
			v = most
		}
		return v.Uint64()
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b"), rapid.Uint64Min(1).Draw(t, "c")
		product := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		down, rest := new(big.Int).DivMod(product, new(big.Int).SetUint64(c), new(big.Int))
		up := new(big.Int).Set(down)
		if rest.Sign() > 0 {
			up.Add(up, big.NewInt(1))
		}
		require.Equal(t, bound(down), sim.MulDiv(a, b, c))
		require.Equal(t, bound(up), sim.MulDivUp(a, b, c))
	})
}

func TestMulDivEdges(t *testing.T) {
	require.Equal(t, uint64(83_920), sim.MulDivUp(4196, 8_000_000, 400_000))
	require.Equal(t, uint64(1), sim.MulDivUp(1, 1, 3))
	require.Zero(t, sim.MulDiv(1, 1, 3))
	require.Equal(t, uint64(1)<<63, sim.MulDiv(1, 1, 0), "no division by nothing")
	require.Equal(t, uint64(1)<<63, sim.MulDivUp(1<<63, 5, 2))
}
