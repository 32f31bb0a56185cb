package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wellFormed reads all of an XML text.
func wellFormed(t require.TestingT, text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, text)
	}
}

var coordinate = regexp.MustCompile(` (?:x|y|x1|x2|y1|y2|cx|cy)="([^"]*)"`)

// inside holds every place to the paper, with some room for text that hangs over.
func inside(t require.TestingT, svg string) {
	for _, m := range coordinate.FindAllStringSubmatch(svg, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err, "%s in %s", m[1], svg)
		require.False(t, math.IsNaN(v) || math.IsInf(v, 0), svg)
		require.GreaterOrEqual(t, v, 0.0, svg)
		require.LessOrEqual(t, v, float64(width), svg)
	}
}

// TestAnyChart: whatever is drawn is well-formed, has no NaN and lies on the paper.
func TestAnyChart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "points")
		number := rapid.Float64Range(-1e6, 1e9)
		c := &Chart{Title: rapid.String().Draw(t, "title"), XLabel: "x", YLabel: "y", Kind: Kind(rapid.IntRange(0, 3).Draw(t, "kind")), LogY: rapid.Bool().Draw(t, "log")}
		for i := range n {
			c.Categories = append(c.Categories, strconv.Itoa(i))
		}
		for range rapid.IntRange(0, 4).Draw(t, "series") {
			s := Series{Label: rapid.StringN(0, 30, -1).Draw(t, "label"), Colour: rapid.IntRange(0, 20).Draw(t, "colour"), Reference: rapid.Bool().Draw(t, "reference")}
			for i := range n {
				p := Point{X: float64(i), Y: number.Draw(t, "y"), Text: "1"}
				if c.Kind.numbers() {
					p.X = number.Draw(t, "x")
				}
				s.Points = append(s.Points, p)
			}
			c.Series = append(c.Series, s)
		}
		if rapid.Bool().Draw(t, "level") {
			c.Levels = []Level{{number.Draw(t, "level at"), "<gate>"}}
		}
		svg := c.SVG()
		if !strings.ContainsFunc(c.Title, func(r rune) bool { return r < ' ' || r == 0xfffe || r == 0xffff }) && !hasControl(c.Series) {
			wellFormed(t, svg)
		}
		inside(t, svg)
		require.NotContains(t, svg, "NaN")
	})
}

// hasControl: characters that XML 1.0 has no way to write.
func hasControl(series []Series) bool {
	for _, s := range series {
		if strings.ContainsFunc(s.Label, func(r rune) bool { return r < ' ' || r == 0xfffe || r == 0xffff }) {
			return true
		}
	}
	return false
}

// TestAxes: ticks lie inside, are evenly apart and few, and all values have their place between the ends.
func TestAxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s span
		for range rapid.IntRange(1, 5).Draw(t, "values") {
			s.add(rapid.Float64Range(-1e7, 1e9).Draw(t, "value"))
		}
		for _, a := range []axis{niceAxis(s, 6), exactAxis(s, 6)} {
			a.from, a.to = 100, 500
			require.NotEmpty(t, a.ticks)
			require.LessOrEqual(t, len(a.ticks), 14)
			for _, v := range append([]float64{s.low, s.high}, a.ticks...) {
				require.InDelta(t, 300, a.at(v), 200.001)
			}
			require.Less(t, a.at(a.low), a.at(a.high))
		}
	})
}

func TestTickLabels(t *testing.T) {
	var s span
	s.add(0.4)
	s.add(1)
	a := niceAxis(s, 6)
	var labels []string
	for _, v := range a.ticks {
		labels = append(labels, a.label(v))
	}
	assert.Equal(t, []string{"0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"}, labels)
	var l span
	l.add(0.02)
	l.add(3000)
	b := logAxis(l)
	labels = nil
	for _, v := range b.ticks {
		labels = append(labels, b.label(v))
	}
	assert.Equal(t, []string{"0.01", "0.1", "1", "10", "100", "1,000", "10,000"}, labels)
	b.from, b.to = 0, 6
	assert.InDelta(t, 3, b.at(10), 1e-9)
	assert.Equal(t, "-1,234,567.5", thousands("-1234567.5"))
	assert.Equal(t, "100", thousands("100"))
}

// TestPicture: what a chart is asked to show is there, and labels are escaped.
func TestPicture(t *testing.T) {
	c := &Chart{Title: "goodput & loss", XLabel: "loss", YLabel: "share", Categories: []string{"0%", "1%"},
		Series: []Series{
			{Label: "metaroce <8>", Points: []Point{{0, 0.97, "0.97"}, {1, 0.96, "0.96"}}},
			{Label: "rocev2", Colour: 1, Points: []Point{{0, 0.9, "0.90"}, {1, 0.1, "0.10"}}},
			{Label: "limit", Reference: true, Points: []Point{{0, 0.976, "0.976"}}},
		}, Levels: []Level{{0.955, "gate"}}}
	for _, kind := range []Kind{Lines, Bars} {
		c.Kind = kind
		svg := c.SVG()
		for _, want := range []string{"goodput &amp; loss", "metaroce &lt;8&gt;", `class="c0"`, `class="c1"`, `class="ref"`, ">gate<", ">0%<", ">share<", "<title>rocev2, 1%: 0.10</title>"} {
			assert.Contains(t, svg, want)
		}
		wellFormed(t, Alone(svg))
		assert.Contains(t, Alone(svg), "prefers-color-scheme: dark")
	}
	empty := (&Chart{Title: "none", Kind: XY}).SVG()
	assert.Contains(t, empty, "no figures")
	wellFormed(t, empty)
}

// TestLegendStaysOnThePaper: long labels go to the next line.
func TestLegendStaysOnThePaper(t *testing.T) {
	c := &Chart{}
	for range 12 {
		c.Series = append(c.Series, Series{Label: "a label of some length"})
	}
	rows := c.legend()
	require.Greater(t, len(rows), 2)
	n := 0
	for _, r := range rows {
		require.NotEmpty(t, r)
		for _, e := range r {
			n++
			require.Less(t, e.x+34+letter*float64(len(e.label)), float64(width))
		}
	}
	assert.Equal(t, 12, n)
}
