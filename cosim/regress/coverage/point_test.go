package coverage

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toy is what Verilator 5.006 wrote of testdata/t.sv, built with --coverage: two instances of a module with other
// parameters, lines, branches, bits and a property.
func toy(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/toy.dat")
	require.NoError(t, err)
	return string(b)
}

func TestPoints(t *testing.T) {
	all := map[Kind]int{}
	require.NoError(t, ReadPoints("toy.dat", strings.NewReader(toy(t)), func(name []byte, count uint64) error {
		p, err := ParsePoint(string(name))
		all[p.Kind]++
		switch {
		case p.Line == 12:
			assert.Equal(t, Point{"t.sv", 12, 11, KindLine, p.Module, "case", []Span{{12, 13}}}, p)
		case p.Line == 26 && p.Column == 6:
			assert.Equal(t, Point{"t.sv", 26, 6, KindBranch, "t", "else", []Span{{26, 26}}}, p)
			assert.Zero(t, count)
		case p.Line == 20 && p.What == "a_i[3]":
			assert.Equal(t, Point{"t.sv", 20, 47, KindToggle, "t", "a_i[3]", nil}, p)
			assert.Equal(t, uint64(2), count)
		}
		return err
	}))
	assert.Equal(t, map[Kind]int{KindLine: 17, KindBranch: 2, KindToggle: 35, KindUser: 2}, all)
}

func TestNames(t *testing.T) {
	p, err := ParsePoint("\x01f\x02a%25b%20%FFFFFFC3%FFFFFFA4\x01l\x027\x01page\x02v_line/m\x01S\x023-4,7")
	require.NoError(t, err)
	assert.Equal(t, Point{File: "a%b ä", Line: 7, Kind: KindLine, Module: "m", Lines: []Span{{3, 4}, {7, 7}}}, p)
	for name, want := range map[string]string{
		"":                                 "no file, line or page",
		"f\x02a":                           "does not begin with a key",
		"\x01f":                            `"f" is no new key with a value`,
		"\x01f\x02a\x01f\x02b":             "is no new key",
		"\x01l\x020":                       `key l: "0" is no number from 1 to 1000000`,
		"\x01l\x021000001":                 "is no number",
		"\x01n\x02x":                       "key n: ",
		"\x01page\x02v_fsm/x":              "key page: ",
		"\x01page\x02v_line":               "want v_line, v_branch",
		"\x01f\x02a%2":                     "ends in half a %XX",
		"\x01f\x02a%zz":                    `"%zz" is no %XX`,
		"\x01f\x02a\x01l\x021\x01page\x02": "key page",
		"\x01f\x02a\x01l\x021":             "no file, line or page",
		"\x01f\x02a\x01l\x021\x01page\x02v_line/m\x01S\x023-":  `lines "3-"`,
		"\x01f\x02a\x01l\x021\x01page\x02v_line/m\x01S\x023-2": "ends before it begins",
	} {
		_, err := ParsePoint(name)
		assert.ErrorContains(t, err, want, "%q", name)
	}
}

// TestGarbled: whatever is wrong with a file is told with its line and byte, and nothing of the file is added.
func TestGarbled(t *testing.T) {
	good := toy(t)
	second := strings.IndexByte(good, '\n') + 1
	for what, c := range map[string]struct{ text, want string }{
		"nothing":        {"", "x.dat:1: byte 0: the file is cut off"},
		"another file":   {"SF:t.sv\n", "x.dat:1: byte 0: want \"# SystemC::Coverage-3\""},
		"cut in a line":  {good[:second+20], "x.dat:2: byte 22: the file is cut off"},
		"cut in the end": {good[:len(good)-1], "x.dat:57: byte "},
		"no point":       {strings.Replace(good, "C '", "D '", 1), "x.dat:2: byte 22: want C 'POINT' COUNT"},
		"no count":       {strings.Replace(good, "' 39\n", "' -39\n", 1), `x.dat:2: byte 22: "-39" is no count`},
		"two counts":     {strings.Replace(good, "' 39\n", "' 3 9\n", 1), `"3 9" is no count`},
		"odd count":      {strings.Replace(good, "' 39\n", "' 039\n", 1), `"039" is no count`},
		"flipped":        {strings.Replace(good, "\x01page\x02v_toggle", "\x01page\x02w_toggle", 1), "x.dat:2: byte 22: key page"},
		"twice":          {good + good[second:second+strings.IndexByte(good[second:], '\n')+1], "x.dat:58: byte "},
		"no end of line": {good + strings.Repeat("C", mostLine+1), "x.dat:58: byte "},
	} {
		s := NewSum()
		_, err := s.Add("x.dat", strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want, what)
		assert.Zero(t, s.Len(), what)
	}
}

func FuzzReadPoints(f *testing.F) {
	b, err := os.ReadFile("testdata/toy.dat")
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte("# SystemC::Coverage-3\nC '\x01f\x02a%FFFFFFC3\x01l\x021\x01page\x02v_line/m\x01S\x021,3-4' 18446744073709551615\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := NewSum()
		if _, err := s.Add("x.dat", bytes.NewReader(text)); err != nil {
			assert.Zero(t, s.Len())
			return
		}
		// what is accepted is written and read again as it is, and can be shown
		var first bytes.Buffer
		require.NoError(t, s.Write(&first))
		again := NewSum()
		_, err := again.Add("y.dat", bytes.NewReader(first.Bytes()))
		require.NoError(t, err)
		var second bytes.Buffer
		require.NoError(t, again.Write(&second))
		assert.Equal(t, first.String(), second.String())
	})
}
