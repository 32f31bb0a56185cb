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
	Sub            string // a line below the title; empty: none
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
	// Colour is a place in the palette. Shade tells series of one colour apart, 0 the strongest. Reference series are a grey
	// band whatever these are: seen below a line that reaches it.
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
	plotTop  = 34 // from the legend to the plot
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

// paper is what a chart is drawn on. Places and sizes are pixels, y downwards; what a class looks like is in style.go.
type paper interface {
	open(wide, tall float64, title string)
	text(x, y float64, class, anchor, s string)
	line(x1, y1, x2, y2 float64, class string)
	// dot and bar have a title: what they stand for.
	dot(x, y, r float64, class, title string)
	bar(x, y, wide, tall float64, class, title string)
	path(points []place, class string)
}

type place struct{ x, y float64 }

// draw puts the chart on paper. A chart without points says so.
func (c *Chart) draw(d paper) {
	legend := c.legend()
	head := 34.0
	if c.Sub != "" {
		head += lineTall
	}
	top := head + float64(len(legend)*lineTall+plotTop)
	f := &frame{c: c, top: top, floor: top + plotTall}
	d.open(width, f.floor+below, c.Title)
	d.text(left, 20, "title", "start", c.Title)
	if c.Sub != "" {
		d.text(left, 38, "label", "start", c.Sub)
	}
	if !f.scale() {
		d.text(width/2, top+plotTall/2, "label", "middle", "no figures")
		return
	}
	for i, row := range legend {
		row.draw(d, head+6+float64(i*lineTall))
	}
	f.grid(d)
	f.levels(d)
	if c.Kind == Bars {
		f.bars(d)
	} else {
		f.lines(d)
	}
	f.axes(d)
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
