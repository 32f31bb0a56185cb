package coverage

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func toySum(t *testing.T) *Sum {
	t.Helper()
	s := NewSum()
	_, err := s.Add("toy.dat", strings.NewReader(toy(t)))
	require.NoError(t, err)
	return s
}

// readLcov reads the form as its manual (man geninfo, FILES) says, and refuses anything else.
func readLcov(t *testing.T, text string) (lines, branches map[string]ratio) {
	t.Helper()
	lines, branches = map[string]ratio{}, map[string]ratio{}
	file, l, b := "", ratio{}, ratio{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		var n, hits, block, branch int
		var taken string
		scan := func(format string, to ...any) {
			got, err := fmt.Sscanf(strings.ReplaceAll(value, ",", " "), format, to...)
			require.NoError(t, err, line)
			require.Equal(t, len(to), got)
		}
		switch key {
		case "TN":
			require.Empty(t, file+value)
		case "SF":
			file = value
		case "BRDA":
			scan("%d %d %d %s", &n, &block, &branch, &taken)
			b = b.plus(ratio{b2i(taken != "-" && taken != "0"), 1})
		case "DA":
			scan("%d %d", &n, &hits)
			l = l.plus(ratio{b2i(hits > 0), 1})
		case "BRF":
			scan("%d", &n)
			require.Equal(t, b.of, n)
		case "BRH":
			scan("%d", &n)
			require.Equal(t, b.hit, n)
		case "LF":
			scan("%d", &n)
			require.Equal(t, l.of, n)
		case "LH":
			scan("%d", &n)
			require.Equal(t, l.hit, n)
		case "end_of_record":
			require.NotEmpty(t, file)
			lines[file], branches[file] = l, b
			file, l, b = "", ratio{}, ratio{}
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	require.Empty(t, file)
	return lines, branches
}

func TestLcov(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, toySum(t).Lcov(&b, "/src"))
	lines, branches := readLcov(t, b.String())
	assert.Equal(t, map[string]ratio{"/src/t.sv": {12, 13}}, lines)
	assert.Equal(t, map[string]ratio{"/src/t.sv": {6, 8}}, branches)
	assert.Contains(t, b.String(), "BRDA:26,0,0,-\nBRDA:26,0,1,-\n", "a line that was never run")
	text, err := os.ReadFile("testdata/t.sv")
	require.NoError(t, err)
	for _, m := range []string{"DA:4,8\n", "DA:6,2\n", "DA:7,30\n"} {
		assert.Contains(t, b.String(), m)
	}
	assert.Contains(t, strings.Split(string(text), "\n")[5], "q_q <= 0")
}

func TestCobertura(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, toySum(t).Cobertura(&b, "/src"))
	var c cobertura
	require.NoError(t, xml.Unmarshal(b.Bytes(), &c))
	assert.Equal(t, []any{12, 13, 6, 8, "0.9231", "0.7500"}, []any{c.LinesCovered, c.LinesValid, c.BranchesCovered, c.BranchesValid, c.LineRate, c.BranchRate})
	require.Len(t, c.Packages, 1)
	class := c.Packages[0].Classes[0]
	assert.Equal(t, "t.sv", class.Filename)
	assert.Equal(t, coberturaLine{Number: 26, Branch: true, Condition: "0% (0/2)"}, class.Lines[12])
	assert.Equal(t, coberturaLine{Number: 11, Hits: 12, Branch: true, Condition: "100% (1/1)"}, class.Lines[7])
}
