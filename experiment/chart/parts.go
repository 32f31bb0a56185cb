package chart

import (
	"fmt"
	"slices"
	"strconv"
)

// letter is about the width of a letter of a label: legends are laid out without a font at hand.
const letter = 6.7

// row is one line of the legend.
type row []entry

type entry struct {
	label, class string
	x            float64
}

// legend lays the labels out, as many to a line as go in. Those of levels are here as well: beside their lines they would
// stand on what is drawn.
func (c *Chart) legend() []row {
	var rows []row
	x := float64(left)
	add := func(label, class string) {
		if label == "" {
			return
		}
		wide := 34 + letter*float64(len([]rune(label))) + 14
		if len(rows) == 0 || x+wide > width-right {
			rows, x = append(rows, nil), left
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], entry{label, class, x})
		x += wide
	}
	for _, s := range c.Series {
		add(s.Label, s.class())
	}
	for _, l := range c.Levels {
		add(l.Label, "level")
	}
	return rows
}

func (r row) draw(d paper, y float64) {
	for _, e := range r {
		d.line(e.x, y-4, e.x+26, y-4, "mark "+e.class)
		d.text(e.x+33, y, "key", "start", e.label)
	}
}

func (s *Series) class() string {
	if s.Reference {
		return "ref"
	}
	c := "c" + strconv.Itoa(s.Colour%Colours)
	if s.Shade%Shades > 0 {
		c += " s" + strconv.Itoa(s.Shade%Shades)
	}
	return c
}

func (f *frame) grid(d paper) {
	for _, t := range f.y.ticks {
		y := f.y.at(t)
		d.line(left, y, width-right, y, "grid")
		d.text(left-8, y+4, "tick", "end", f.y.label(t))
	}
}

func (f *frame) axes(d paper) {
	d.line(left, f.floor, width-right, f.floor, "axis")
	if f.c.Kind.numbers() {
		for _, t := range f.x.ticks {
			x := f.x.at(t)
			d.line(x, f.floor, x, f.floor+4, "axis")
			d.text(x, f.floor+18, "tick", "middle", f.x.label(t))
		}
	} else {
		f.names(d)
	}
	d.text((left+width-right)/2, f.floor+40, "label", "middle", f.c.XLabel)
	d.text(left-62, f.top-22, "label", "start", f.c.YLabel)
}

// names writes the categories, leaving some out where there is no room for all.
func (f *frame) names(d paper) {
	longest := 1
	for _, n := range f.c.Categories {
		longest = max(longest, len([]rune(n)))
	}
	room := float64(width-left-right) / float64(len(f.c.Categories))
	every := 1
	for float64(every)*room < letter*float64(longest)+8 && every < len(f.c.Categories) {
		every++
	}
	for i, n := range f.c.Categories {
		if i%every == 0 {
			d.text(f.x.at(float64(i)), f.floor+18, "tick", "middle", n)
		}
	}
}

func (f *frame) levels(d paper) {
	for _, l := range f.c.Levels {
		if f.c.LogY && l.Y <= 0 {
			continue
		}
		y := f.y.at(l.Y)
		d.line(left, y, width-right, y, "level")
	}
}

// mostDots of a line: with more of them the dots would be a second line.
const mostDots = 40

// lines draws the first series last, so that it is on top.
func (f *frame) lines(d paper) {
	for i := range slices.Backward(f.c.Series) {
		s := &f.c.Series[i]
		var points []place
		for _, p := range s.Points {
			if f.c.LogY && p.Y <= 0 {
				continue
			}
			points = append(points, place{f.x.at(p.X), f.y.at(p.Y)})
		}
		if f.c.Kind != Dots {
			d.path(points, s.class())
			if len(points) > mostDots {
				continue
			}
		}
		for _, p := range s.Points {
			if !f.c.LogY || p.Y > 0 {
				d.dot(f.x.at(p.X), f.y.at(p.Y), 3.2, s.class(), f.tip(s, p))
			}
		}
	}
}

func (f *frame) tip(s *Series, p Point) string {
	if f.c.Kind.numbers() {
		return fmt.Sprintf("%s: %s", s.Label, p.Text)
	}
	return fmt.Sprintf("%s, %s: %s", s.Label, f.c.Categories[int(p.X)], p.Text)
}

// bars stand side by side in the middle four fifths of their category, each with its number if there is room.
func (f *frame) bars(d paper) {
	group := f.x.at(1) - f.x.at(0)
	wide := group * 0.8 / float64(len(f.c.Series))
	for i := range f.c.Series {
		s := &f.c.Series[i]
		for _, p := range s.Points {
			base := f.y.at(f.y.low)
			if !f.y.log {
				base = f.y.at(0)
			} else if p.Y <= 0 {
				continue
			}
			x, y := f.x.at(p.X)-group*0.4+wide*float64(i), f.y.at(p.Y)
			d.bar(x+1, min(y, base), max(wide-2, 1), max(base-y, y-base), s.class(), f.tip(s, p))
			if text := letter * float64(len(p.Text)); wide > text {
				d.bar(x+(wide-text)/2, y-15, text, 13, "paper", f.tip(s, p)) // lines across end before the number
				d.text(x+wide/2, y-4, "tick", "middle", p.Text)
			}
		}
	}
}
