package block

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/vectors/mrv"
)

// Every step of the vector for bits is one bit away from a step of the bins, or from a whole one.
func TestFlipsAreOneBitAway(t *testing.T) {
	for i := range Engines {
		e := &Engines[i]
		var base []mrv.Step
		if whole := wholes[e.Name]; whole != nil {
			base = append(base, whole(e))
		}
		var flips *mrv.Vector
		for _, v := range e.Vectors(1) {
			switch v.Name {
			case e.Name + "/bits":
				flips = v
			case e.Name + "/walk", e.Name + "/kept":
			default:
				base = append(base, v.Steps...)
			}
		}
		require.NotNil(t, flips, e.Name)
		require.NotEmpty(t, flips.Steps, e.Name)
		for n := range flips.Steps {
			found := false
			for b := range base {
				found = found || base[b].Op == flips.Steps[n].Op && oneBitAway(base[b].Before, flips.Steps[n].Before)
			}
			assert.True(t, found, "%s step %d is near none", flips.Name, n)
		}
	}
}

func oneBitAway(a, b []byte) bool {
	n := 0
	for i := 0; i < len(a) && n < 2; i++ {
		if a[i] != b[i] {
			n += bits.OnesCount8(a[i] ^ b[i])
		}
	}
	return n == 1
}

func TestKeptText(t *testing.T) {
	steps, err := ParseKept(Kept())
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	for name, list := range steps {
		for i := range list {
			again, err := ParseKept(FormatKept(name, &list[i], "why"))
			require.NoError(t, err)
			assert.Equal(t, []mrv.Step{list[i]}, again[name])
		}
	}
	_, err = ParseKept("# comment\nwindw 0 00\nwindow 0\nwindow 256 00\nwindow 0 0g\nctimer 0 " + strings.Repeat("00", 4000) + "\nctimer 77 00\n\nctimer 0 01 # good")
	for _, want := range []string{`line 2: "windw" is no engine`, "line 3: 2 words", "line 4: op", "line 5: the body", "line 6: the body", "line 7: ctimer has no op 77"} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "line 9")
}

func FuzzKept(f *testing.F) {
	f.Add("window 1 00ff # why\nctimer 0 01")
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := ParseKept(text)
		if err != nil {
			return
		}
		for name, list := range steps {
			for i := range list {
				if _, err := ByName(name).Line(&list[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
