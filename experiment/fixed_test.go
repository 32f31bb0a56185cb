package experiment_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/experiment"
)

func rat(f experiment.Fixed) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.Places)), nil)
	return new(big.Rat).SetFrac(big.NewInt(f.N), p)
}

func someFixed(t *rapid.T, name string) experiment.Fixed {
	return experiment.Fixed{N: rapid.Int64().Draw(t, name), Places: uint8(rapid.IntRange(0, 9).Draw(t, name+" places"))}
}

// TestFixedTwin holds comparison, text and quotient against exact fractions.
func TestFixedTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someFixed(t, "a"), someFixed(t, "b")
		require.Equal(t, rat(a).Cmp(rat(b)), a.Compare(b), "%s, %s", a, b)
		back, ok := new(big.Rat).SetString(a.String())
		require.True(t, ok, a.String())
		require.Zero(t, back.Cmp(rat(a)), a.String())
		text, err := json.Marshal(a)
		require.NoError(t, err)
		require.Equal(t, a.String(), string(text))
	})
}

func TestQuotientTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		places := uint8(rapid.IntRange(0, 9).Draw(t, "places"))
		f, ok := experiment.Quotient(a, b, places)
		if b == 0 {
			require.False(t, ok)
			return
		}
		// twice the quotient, scaled: round half up is floor((2x+1)/2)
		x := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		x.Mul(x, new(big.Int).SetUint64(a))
		x.Add(x, new(big.Int).SetUint64(b/2))
		x.Quo(x, new(big.Int).SetUint64(b))
		require.Equal(t, x.IsInt64(), ok)
		if ok {
			require.Equal(t, x.Int64(), f.N)
			require.Equal(t, places, f.Places)
		}
	})
}

func TestFixedTexts(t *testing.T) {
	share, ok := experiment.Share(2, 3)
	require.True(t, ok)
	assert.Equal(t, "0.6667", share.String())
	assert.Equal(t, "-0.05", experiment.Fixed{N: -5, Places: 2}.String())
	assert.Equal(t, "-9223372036854775808", experiment.Fixed{N: -1 << 63}.String())
	assert.Equal(t, "12.35", experiment.Micros(12_345_678).String())
	assert.Equal(t, "7", experiment.Whole(7).String())
	assert.Equal(t, experiment.Fixed{N: 955, Places: 3}, experiment.Decimal("0.955"))
	assert.Equal(t, experiment.Fixed{N: -2}, experiment.Decimal("-2"))
	_, ok = experiment.Quotient(1, 2, 10)
	assert.False(t, ok)
	for _, bad := range []string{"", "x", "1.x", "1.0000000000", "1e3"} {
		assert.Panics(t, func() { experiment.Decimal(bad) }, bad)
	}
}
