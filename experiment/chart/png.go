package chart

import (
	"fmt"
	"image/color"
	"io"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// sharp is how many pixels of a PNG a pixel of the drawing is: half of screens and every printer show more than one.
const sharp = 2

// PNG draws the chart on light paper, 1520 pixels wide.
func (c *Chart) PNG(w io.Writer) error {
	d := &raster{faces: map[string]font.Face{}}
	c.draw(d)
	if d.err != nil {
		return d.err
	}
	return d.dc.EncodePNG(w)
}

// raster is paper of pixels. It keeps the first error.
type raster struct {
	dc    *gg.Context
	faces map[string]font.Face // of classes of text
	err   error
}

func (d *raster) open(wide, tall float64, _ string) {
	d.dc = gg.NewContext(int(wide*sharp), int(tall*sharp))
	d.dc.SetColor(light("paper", 1))
	d.dc.Clear()
}

// light is a colour of the palette on light paper.
func light(name string, opacity float64) color.Color {
	c := color.NRGBA{A: uint8(opacity*255 + 0.5)}
	for _, p := range palette {
		if p.name == name {
			fmt.Sscanf(p.light, "#%02x%02x%02x", &c.R, &c.G, &c.B)
		}
	}
	return c
}

// ink takes the colour of a class.
func (d *raster) ink(class string) look {
	l := lookOf(class)
	d.dc.SetColor(light(l.colour, l.opacity))
	return l
}

func (d *raster) text(x, y float64, class, anchor, s string) {
	l := d.ink(class)
	if d.faces[class] == nil && d.err == nil {
		d.faces[class], d.err = face(l)
	}
	if d.err != nil {
		return
	}
	d.dc.SetFontFace(d.faces[class])
	d.dc.DrawStringAnchored(s, x*sharp, y*sharp, map[string]float64{"start": 0, "middle": 0.5, "end": 1}[anchor], 0)
}

func face(l look) (font.Face, error) {
	ttf := goregular.TTF
	if l.bold {
		ttf = gobold.TTF
	}
	f, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: l.size * sharp, DPI: 72, Hinting: font.HintingNone})
}

func (d *raster) line(x1, y1, x2, y2 float64, class string) {
	d.path([]place{{x1, y1}, {x2, y2}}, class)
}

func (d *raster) path(points []place, class string) {
	l := d.ink(class)
	for _, p := range points {
		d.dc.LineTo(p.x*sharp, p.y*sharp)
	}
	dash := make([]float64, len(l.dash))
	for i, n := range l.dash {
		dash[i] = n * sharp
	}
	d.dc.SetDash(dash...)
	d.dc.SetLineCapButt()
	d.dc.SetLineWidth(l.wide * sharp)
	d.dc.Stroke()
}

func (d *raster) dot(x, y, r float64, class, _ string) {
	d.ink(class)
	d.dc.DrawCircle(x*sharp, y*sharp, r*sharp)
	d.dc.Fill()
}

func (d *raster) bar(x, y, wide, tall float64, class, _ string) {
	d.ink(class)
	d.dc.DrawRectangle(x*sharp, y*sharp, wide*sharp, tall*sharp)
	d.dc.Fill()
}
