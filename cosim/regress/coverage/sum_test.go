package coverage

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func written(t require.TestingT, s *Sum) string {
	var b bytes.Buffer
	require.NoError(t, s.Write(&b))
	return b.String()
}

// dat is a file with points of one source.
func dat(counts map[string]uint64) string {
	var lines []string
	for what, n := range counts {
		lines = append(lines, fmt.Sprintf("C '\x01f\x02rtl/a.sv\x01l\x02%d\x01n\x021\x01page\x02v_toggle/a\x01o\x02%s\x01h\x02top' %d\n", len(what), what, n))
	}
	slices.Sort(lines)
	return datHeader + "\n" + strings.Join(lines, "")
}

// TestSum: counts add up like those of a map, in any order of the files.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(rapid.MapOf(rapid.StringMatching(`[ab]{1,3}`), rapid.OneOf(rapid.Uint64Max(3), rapid.Just(uint64(math.MaxUint64)))), 1, 6).Draw(t, "files")
		twin := map[string]uint64{}
		for _, f := range files {
			for what, n := range f {
				if twin[what] += n; twin[what] < n {
					twin[what] = math.MaxUint64
				}
			}
		}
		s := NewSum()
		for _, f := range rapid.Permutation(files).Draw(t, "order") {
			hit := 0
			for _, n := range f {
				if n > 0 {
					hit++
				}
			}
			a, err := s.Add("x", strings.NewReader(dat(f)))
			require.NoError(t, err)
			assert.Len(t, a.Hit, hit)
			assert.Equal(t, len(f), a.Points)
		}
		assert.Equal(t, dat(twin), written(t, s))
	})
}

// TestSumOfVerilator: Verilator's own tool comes to the same.
func TestSumOfVerilator(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.dat"), filepath.Join(dir, "b.dat")
	text := toy(t)
	require.NoError(t, os.WriteFile(a, []byte(text), 0o644))
	require.NoError(t, os.WriteFile(b, []byte(strings.ReplaceAll(text, "' 0\n", "' 3\n")), 0o644))
	out, err := exec.Command("verilator_coverage", "--write", filepath.Join(dir, "sum.dat"), a, b).CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := os.ReadFile(filepath.Join(dir, "sum.dat"))
	require.NoError(t, err)
	s := NewSum()
	for _, name := range []string{a, b} {
		in, err := os.Open(name)
		require.NoError(t, err)
		_, err = s.Add(name, in)
		require.NoError(t, err)
		require.NoError(t, in.Close())
	}
	assert.Equal(t, string(want), written(t, s))
}

// TestLayout: files of one simulator have the same points whatever they hit, and a shorter one shows.
func TestLayout(t *testing.T) {
	add := func(text string) uint64 {
		a, err := NewSum().Add("x", strings.NewReader(text))
		require.NoError(t, err)
		return a.Layout
	}
	text := toy(t)
	assert.Equal(t, add(text), add(strings.ReplaceAll(text, "' 0\n", "' 3\n")))
	assert.NotEqual(t, add(text), add(text[:strings.LastIndex(text, "\nC ")+1]))
}

func TestCode(t *testing.T) {
	s := NewSum()
	_, err := s.Add("toy.dat", strings.NewReader(toy(t)))
	require.NoError(t, err)
	r := &Report{}
	s.Code(r, func(file string, line int) string { return fmt.Sprintf("%s %d", file, line) })
	for _, c := range []*Code{r.Line, r.Branch, r.Toggle, r.User} {
		c.count()
	}
	assert.Equal(t, &Code{Points: 13, Hit: 12, Files: []File{{File: "t.sv", Points: 13, Hit: 12, Gaps: []Gap{{Line: 26, Text: "t.sv 26"}}}}}, r.Line)
	assert.Equal(t, []Gap{{Line: 26, What: "if", Text: "t.sv 26"}, {Line: 26, What: "else", Text: "t.sv 26"}}, r.Branch.Files[0].Gaps)
	assert.Equal(t, 8, r.Branch.Points, "three arms and three cases of both instances together, two arms of the function")
	assert.Equal(t, &Code{Points: 28, Hit: 22, Files: r.Toggle.Files}, r.Toggle)
	assert.Equal(t, &Code{Points: 1, Hit: 1, Files: []File{{File: "t.sv", Points: 1, Hit: 1}}}, r.User)
}
