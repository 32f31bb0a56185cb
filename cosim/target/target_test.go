package target

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Any bit of any head, and the order of heads, is in the digest.
func TestHeadsDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "b")
		h := rapid.Uint64().Draw(t, "h")
		c := append([]byte(nil), a...)
		bit := rapid.IntRange(0, 511).Draw(t, "bit")
		c[bit/8] ^= 1 << (bit % 8)
		require.NotEqual(t, HeadsDigest(h, a), HeadsDigest(h, c))
		if string(a) != string(b) {
			require.NotEqual(t, HeadsDigest(HeadsDigest(h, a), b), HeadsDigest(HeadsDigest(h, b), a))
		}
	})
}

func TestFailure(t *testing.T) {
	f := Fail("device", errors.New("boom"), "went %s", "away")
	f.Last = "window op 0"
	assert.Equal(t, "device: went away: boom (last record: window op 0)", f.Error())
	assert.NotErrorIs(t, Fail("device", io.EOF, "x"), io.EOF)
}

func TestNames(t *testing.T) {
	for _, m := range []Mode{ModeFull, ModeDigest} {
		got, err := ParseMode(m.String())
		require.NoError(t, err)
		assert.Equal(t, m, got)
	}
	_, err := ParseMode("fast")
	assert.ErrorContains(t, err, "want full or digest")
	assert.Equal(t, "order only", OrderOnly.String())
}
