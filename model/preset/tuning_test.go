package preset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTuningDefaults(t *testing.T) {
	d := DefaultTuning()
	require.NoError(t, d.Validate())
	require.NotEmpty(t, Knobs())
	for _, k := range Knobs() {
		require.Equal(t, k.Default, k.Get(&d), k.Name)
		require.NotEmpty(t, k.Text, k.Name)
	}
}

// TestTuningRanges: both ends of every range are allowed, one beyond is not, and each is named.
func TestTuningRanges(t *testing.T) {
	for _, k := range Knobs() {
		d := DefaultTuning()
		for _, v := range []uint32{k.Lo, k.Hi} {
			require.NoError(t, d.Set(k.Name, v))
			require.NoError(t, d.Validate(), k.Name)
		}
		require.NoError(t, d.Set(k.Name, k.Hi+1))
		var p *Problem
		require.ErrorAs(t, d.Validate(), &p)
		require.Equal(t, k.Name, p.Field)
	}
}

func TestTuningReportsAll(t *testing.T) {
	d := DefaultTuning()
	for _, k := range Knobs() {
		require.NoError(t, d.Set(k.Name, k.Hi+1))
	}
	err := d.Validate()
	for _, k := range Knobs() {
		require.ErrorContains(t, err, "tuning: "+k.Name+" is ")
	}
	require.ErrorContains(t, d.Set("cutshift", 1), "no such constant")
}
