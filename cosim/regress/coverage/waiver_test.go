package coverage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/cosim/cover"
)

// lineText is what the gaps of a test say of their lines.
func lineText(_ string, line int) string { return fmt.Sprintf("text of %d", line) }

func toyReport(t *testing.T) *Report {
	r := &Report{Version: Version}
	toySum(t).Code(r, lineText)
	return r
}

// waive holds the toy's report against waivers as text.
func waive(t *testing.T, r *Report, day, text string) {
	t.Helper()
	list, err := ParseWaivers("w", []byte(text))
	require.NoError(t, err)
	r.Waive(cover.NewAll(), &Waivers{Code: list, Day: day})
}

func TestWaive(t *testing.T) {
	r := toyReport(t)
	m26, m20 := Mark(lineText("", 26)), Mark(lineText("", 20))
	waive(t, r, "2026-11-29", "t.sv:26 line "+m26+" # dead\nt.sv:26 branch:else "+m26+" until=2026-11-29 # not yet\nt.sv:20 toggle:a_i[*] "+m20+" # never so high\n")
	assert.Empty(t, r.Stale)
	assert.Equal(t, []Gap{{26, "", "text of 26", "dead"}}, r.Line.Files[0].Gaps)
	assert.Equal(t, []Gap{{26, "if", "text of 26", ""}, {26, "else", "text of 26", "not yet"}}, r.Branch.Files[0].Gaps)
	assert.Equal(t, []int{1, 1, 3}, []int{r.Line.Waived, r.Branch.Waived, r.Toggle.Waived})
	assert.Equal(t, 6, r.Toggle.Points-r.Toggle.Hit)

	waive(t, r, "2026-11-30", "# nothing but\nt.sv:26 branch:else "+m26+" until=2026-11-29 # not yet\nt.sv:20 toggle:a_i[0] "+m20+" # hit\nt.sv:25 line "+m26+" # moved\nt.sv:26 line "+m20+" # other text\nu.sv:26 line "+m26+" # other file\n")
	assert.Equal(t, []string{
		"w:2: t.sv:26 branch:else " + m26 + " until=2026-11-29: expired on 2026-11-29",
		"w:3: t.sv:20 toggle:a_i[0] " + m20 + ": waives nothing: the point was hit, or its line has another text",
		"w:4: t.sv:25 line " + m26 + ": its line is now 26",
		"w:5: t.sv:26 line " + m20 + ": waives nothing: the point was hit, or its line has another text",
		"w:6: u.sv:26 line " + m26 + ": waives nothing: the point was hit, or its line has another text",
	}, r.Stale)
	assert.Zero(t, r.Line.Waived+r.Branch.Waived+r.Toggle.Waived, "those of before are taken away")

	r.Toggle = nil
	waive(t, r, "2026-11-30", "t.sv:20 toggle:a_i[0] "+m20+" # not measured\n")
	assert.Empty(t, r.Stale)
}

func TestWaiversWithMistakes(t *testing.T) {
	_, err := ParseWaivers("w", []byte(`# all of them at once
rtl/a.sv:4 line 01234567 # good
rtl/a.sv line 01234567 # no line
rtl/a.sv:4 lines 0123456g
rtl/a.sv:4 line # no mark
rtl/a.sv:4 line 01234567 until=tomorrow # day
rtl/a.sv:4 line 01234567 until=2026-01-01 more # more
`))
	require.Error(t, err)
	assert.Equal(t, []string{
		`w:3: "rtl/a.sv": want FILE:LINE`,
		`w:4: kind "lines": want line, branch, toggle or user`,
		`mark "0123456g": want 8 hexadecimal digits, as tandem coverage RUN --gaps prints them`,
		`no reason: say behind # why this need not be hit`,
		`w:5: want FILE:LINE KIND[:WHAT] MARK [until=DAY] # reason, as tandem coverage RUN --gaps prints them`,
		`w:6: "until=tomorrow": want until=DAY, such as until=2006-01-02, and nothing behind it`,
		`w:7: "until=2026-01-01 more": want until=DAY, such as until=2006-01-02, and nothing behind it`,
	}, strings.Split(err.Error(), "\n"))
}

// TestMatches: a pattern is matched like a table of its places and those of the text.
func TestMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := rapid.StringMatching(`[ab*]{0,6}`).Draw(t, "pattern"), rapid.StringMatching(`[ab]{0,6}`).Draw(t, "text")
		at := map[int]bool{0: true} // places of the text that the pattern can have come to
		for _, c := range pattern {
			next := map[int]bool{}
			for i := range len(text) + 1 {
				switch {
				case c == '*' && at[i]:
					for k := i; k <= len(text); k++ {
						next[k] = true
					}
				case at[i] && i < len(text) && rune(text[i]) == c:
					next[i+1] = true
				}
			}
			at = next
		}
		assert.Equal(t, at[len(text)], matches(pattern, text))
	})
}

// TestOwnWaivers: those of the checkout can be read.
func TestOwnWaivers(t *testing.T) {
	day := time.Date(2026, 11, 29, 23, 0, 0, 0, time.FixedZone("west", -2*3600))
	w, err := LoadWaivers("../../..", day)
	require.NoError(t, err)
	assert.NotEmpty(t, w.Bins)
	assert.Equal(t, "2026-11-30", w.Day, "a day is one of UTC, wherever it is asked")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "rtl"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, WaiverFile), []byte("x\n"), 0o644))
	_, err = LoadWaivers(dir, day)
	assert.ErrorContains(t, err, "rtl/waivers.txt:1: want FILE:LINE")
	require.NoError(t, os.Remove(filepath.Join(dir, WaiverFile)))
	own, err := LoadWaivers(dir, day)
	require.NoError(t, err)
	assert.Equal(t, w.Bins, own.Bins, "without a checkout those of the program")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "vectors", "cover"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, BinWaiverFile), []byte("window class=new  # one of its own\nwindow class=old\n"), 0o644))
	_, err = LoadWaivers(dir, day)
	assert.ErrorContains(t, err, "vectors/cover/waivers.txt:2: no reason")
	require.NoError(t, os.WriteFile(filepath.Join(dir, BinWaiverFile), []byte("window class=new  # one of its own\n"), 0o644))
	own, err = LoadWaivers(dir, day)
	require.NoError(t, err)
	assert.Len(t, own.Bins, 1, "those of the checkout, as they are now")
}
