package experiment_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/experiment"
)

func TestNear(t *testing.T) {
	names := []string{"loss", "planes", "failover", "incast", "collectives", "fairness", "scale-across", "storage"}
	cases := []struct {
		wrong string
		near  []string
	}{
		{"los", []string{"loss"}}, {"lsos", []string{"loss"}}, {"incats", []string{"incast"}}, {"plane", []string{"planes"}},
		{"across", []string{"scale-across"}}, {"Storge", []string{"storage"}}, {"f", []string{"failover", "fairness"}}, {"zzz", nil}, {"", nil},
		{"colectives", []string{"collectives"}},
	}
	for _, c := range cases {
		assert.Equal(t, c.near, experiment.Near(c.wrong, names), "%q", c.wrong)
	}
}

// TestNearFindsASlip: a name with one slip of the pen in it is found among others.
func TestNearFindsASlip(t *testing.T) {
	names := []string{"first-message", "scale-across", "collectives"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "name")
		b := []byte(name)
		i := rapid.IntRange(0, len(b)-2).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "slip") {
		case 0:
			b[i] = 'q'
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i], append([]byte{'q'}, b[i:]...)...)
		case 3:
			b[i], b[i+1] = b[i+1], b[i]
		}
		near := experiment.Near(string(b), names)
		require.NotEmpty(t, near)
		require.Equal(t, name, near[0])
	})
}
