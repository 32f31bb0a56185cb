package chart

// Kind is what a chart looks like.
type Kind uint8

// Kinds. Lines and Bars place points by their category, XY and Dots by numbers; Dots are not joined.
const (
	Lines Kind = iota
	Bars
	XY
	Dots
)

// numbers says whether x is a number.
func (k Kind) numbers() bool { return k == XY || k == Dots }

// Chart is all that a picture shows.
type Chart struct {
	Title          string
	XLabel, YLabel string
	Kind           Kind
	Categories     []string // of Lines and Bars, left to right
	Series         []Series
	Levels         []Level
	LogY           bool
}

// Series is one line, or one bar in each group.
type Series struct {
	Label string
	// Colour is a place in the palette. Shade tells series of one colour apart, 0 the strongest. Reference series are grey
	// and broken whatever these are.
	Colour, Shade int
	Reference     bool
	Points        []Point
}

// Point is one value. Its X is the index of its category, or a number.
type Point struct {
	X, Y float64
	Text string // of the number, as printed elsewhere
}

// Level is a horizontal line across.
type Level struct {
	Y     float64
	Label string
}

// Colours is the size of the palette, Shades that of a colour; places beyond begin again.
const (
	Colours = 8
	Shades  = 4
)

// drawing, in pixels
const (
	width    = 760
	plotTop  = 22 // from the legend to the plot
	plotTall = 270
	left     = 70
	right    = 20
	below    = 52
	lineTall = 18
)

// frame turns values into places.
type frame struct {
	c          *Chart
	x, y       axis
	top, floor float64 // of the plot
}

// SVG draws the chart. A chart without points says so.
func (c *Chart) SVG() string {
	var d drawing
	legend := c.legend()
	top := float64(34 + len(legend)*lineTall + plotTop)
	tall := top + plotTall + below
	d.open(width, tall, c.Title)
	d.text(left, 20, "title", "start", c.Title)
	f := &frame{c: c, top: top, floor: top + plotTall}
	if !f.scale() {
		d.text(width/2, top+plotTall/2, "label", "middle", "no figures")
		return d.close()
	}
	for i, row := range legend {
		row.draw(&d, float64(40+i*lineTall))
	}
	f.grid(&d)
	f.levels(&d)
	if c.Kind == Bars {
		f.bars(&d)
	} else {
		f.lines(&d)
	}
	f.axes(&d)
	return d.close()
}

// scale fits the axes to all that is drawn; false if that is nothing.
func (f *frame) scale() bool {
	var x, y span
	for _, s := range f.c.Series {
		for _, p := range s.Points {
			if f.c.LogY && p.Y <= 0 {
				continue
			}
			x.add(p.X)
			y.add(p.Y)
		}
	}
	if !y.any {
		return false
	}
	for _, l := range f.c.Levels {
		if !f.c.LogY || l.Y > 0 {
			y.add(l.Y)
		}
	}
	if f.c.LogY {
		f.y = logAxis(y)
	} else {
		if f.c.Kind == Bars || y.low > 0 && y.low < y.high/2 {
			y.add(0)
		}
		f.y = niceAxis(y, 6)
	}
	f.y.from, f.y.to = f.floor, f.top
	if f.c.Kind.numbers() {
		f.x = exactAxis(x, 8)
		f.x.from, f.x.to = left, width-right
	} else {
		f.x = categoryAxis(len(f.c.Categories), left, width-right)
	}
	return true
}
