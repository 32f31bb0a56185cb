package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decoded(t *testing.T, c *Chart) image.Image {
	var b, again bytes.Buffer
	require.NoError(t, c.PNG(&b))
	require.NoError(t, c.PNG(&again))
	require.Equal(t, b.Bytes(), again.Bytes())
	im, err := png.Decode(&b)
	require.NoError(t, err)
	return im
}

// count is how many pixels inside a rectangle of the drawing have just that colour of the palette.
func count(im image.Image, x1, y1, x2, y2 float64, colour string) (n int) {
	want := color.RGBAModel.Convert(light(colour, 1))
	for y := int(y1 * sharp); y < int(y2*sharp); y++ {
		for x := int(x1 * sharp); x < int(x2*sharp); x++ {
			if im.At(x, y) == want {
				n++
			}
		}
	}
	return n
}

// TestPNG: title, legend, lines, bars, levels and labels are where SVG has them, each in its colour.
func TestPNG(t *testing.T) {
	c := &Chart{Title: "goodput", Sub: "published: more", XLabel: "loss", YLabel: "share", Categories: []string{"0%", "1%"},
		Series: []Series{{Label: "ours", Points: []Point{{0, 0.9, "0.9"}, {1, 0.9, "0.9"}}}, {Label: "theirs", Colour: 1, Points: []Point{{0, 0.9, "0.9"}, {1, 0, "0"}}}},
		Levels: []Level{{0.5, "gate"}}}
	const head = 34 + lineTall
	const top, floor = head + lineTall + plotTop, head + lineTall + plotTop + plotTall
	for _, kind := range []Kind{Lines, Bars, XY, Dots} {
		c.Kind = kind
		im := decoded(t, c)
		assert.Equal(t, image.Rect(0, 0, width*sharp, (floor+below)*sharp), im.Bounds())
		assert.Positive(t, count(im, left, 5, 200, 24, "ink"), "title")
		assert.Positive(t, count(im, left, 26, 200, 42, "soft"), "sub")
		assert.Greater(t, count(im, left, head, 250, head+lineTall, "c0"), 100, "mark of ours")
		assert.Greater(t, count(im, left, head, 250, head+lineTall, "c1"), 50, "mark of theirs")
		assert.Greater(t, count(im, left, top, width-right, floor, "c0"), 100, "ours")
		assert.Greater(t, count(im, left, top, width-right, floor, "c1"), 10, "theirs")
		assert.Greater(t, count(im, left, top, width-right, floor, "ref"), 100, "level")
		assert.Greater(t, count(im, left, floor-2, width-right, floor+2, "soft"), 500, "axis")
		assert.Positive(t, count(im, 0, top, left-8, floor, "soft"), "ticks")
		assert.Positive(t, count(im, left, floor+28, width, floor+44, "soft"), "name of X")
		assert.Equal(t, right/2*sharp*plotTall*sharp, count(im, width-right/2, top, width, floor, "paper"), "margin")
	}
	c.Series[0].Points[1].Y = 0.8
	changed := decoded(t, c)
	c.Series[0].Points[1].Y = 0.9
	assert.NotEqual(t, decoded(t, c), changed)
}

// TestPNGOfNothing says so and does not fail.
func TestPNGOfNothing(t *testing.T) {
	im := decoded(t, &Chart{Title: "none"})
	assert.Positive(t, count(im, width/2-50, 34+plotTop, width/2+50, 34+plotTop+plotTall, "soft"))
}

// TestLooks: classes that are drawn have a look, and a later class wins over an earlier one.
func TestLooks(t *testing.T) {
	assert.Equal(t, look{colour: "c1", wide: 2.5, dash: broken, opacity: 0.42}, lookOf("mark c1 s2"))
	assert.Equal(t, look{colour: "ref", wide: 7, opacity: 0.35}, lookOf("mark ref"))
	assert.Equal(t, look{colour: "ink", wide: 2, opacity: 1, size: 15, bold: true}, lookOf("title"))
	for _, l := range looks {
		assert.Contains(t, Style, ".chart ."+l.class+" {")
		if l.colour != "" {
			assert.Contains(t, Style, "--"+l.colour+": ")
			assert.NotEqual(t, color.NRGBA{A: 255}, light(l.colour, 1), l.class)
		}
	}
}
