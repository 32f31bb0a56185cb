package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"metaroce/tandem/cosim/divergence"
	"metaroce/tandem/cosim/regress/result"
	"metaroce/tandem/model/event"
)

// canvas is SVG text that grows. Colours are classes of page.css.
type canvas struct{ b strings.Builder }

func (c *canvas) open(wide, tall float64, class, label string) {
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" class="%s" viewBox="0 0 %.0f %.0f" width="%.0f" role="img" aria-label="%s">`, class, wide, tall, wide, html.EscapeString(label))
}

func (c *canvas) text(x, y float64, class, s string) {
	fmt.Fprintf(&c.b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, html.EscapeString(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2, y2)
}

func (c *canvas) box(x, y, wide, tall float64, class, title string) {
	fmt.Fprintf(&c.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`, class, x, y, wide, tall, html.EscapeString(title))
}

func (c *canvas) close() string {
	c.b.WriteString("</svg>")
	return c.b.String()
}

// timelineLanes and timelineBoxes bound the picture of a run's time.
const timelineLanes, timelineBoxes = 64, 4000

// timeline draws what each shard ran when; empty: there is nothing to draw, or too much.
func timeline(r *Report) string {
	const left, right, row, top = 70, 1180, 14, 6
	list := lanes(r.Tests)
	if len(list) == 0 || len(list) > timelineLanes || len(r.Tests) > timelineBoxes {
		return ""
	}
	from, to := list[0].tests[0].Begin, int64(0)
	for _, l := range list {
		for _, t := range l.tests {
			to = max(to, t.Begin+t.Duration)
		}
	}
	scale := float64(right-left) / float64(max(to-from, 1))
	var c canvas
	floor := float64(top + row*len(list))
	c.open(right+20, floor+22, "timeline", "what ran when")
	for i, l := range list {
		y := float64(top + row*i)
		c.text(left-6, y+10, "end", l.name)
		for _, t := range l.tests {
			class := "ok"
			if t.Verdict != result.Match {
				class = "v-" + string(t.Verdict)
			}
			c.box(left+float64(t.Begin-from)*scale, y+1, max(float64(t.Duration)*scale, 1), row-3, class, fmt.Sprintf("%s: %s, %s", t.ID, t.Verdict, span(t.Duration)))
		}
	}
	c.line(left, floor, right, floor, "axis")
	for i := range 7 {
		ms := (to - from) * int64(i) / 6
		x := left + float64(ms)*scale
		c.line(x, floor, x, floor+4, "axis")
		c.text(x, floor+16, "middle", span(ms))
	}
	return c.close()
}

// clock places cycles from left to right. Where nothing happens for long, the axis has a break.
type clock struct {
	cycles []uint64
	x      []float64
	breaks []float64
}

// a cycle is stepWide pixels wide, a break as much as mostSteps.
const stepWide, mostSteps = 9, 8

func newClock(left float64, cycles []uint64) *clock {
	slices.Sort(cycles)
	k := &clock{cycles: slices.Compact(cycles)}
	x := left
	for i, c := range k.cycles {
		if i > 0 {
			steps := c - k.cycles[i-1]
			if steps > mostSteps {
				k.breaks = append(k.breaks, x+stepWide*mostSteps/2)
				steps = mostSteps
			}
			x += float64(steps) * stepWide
		}
		k.x = append(k.x, x)
	}
	return k
}

func (k *clock) at(cycle uint64) float64 {
	i, _ := slices.BinarySearch(k.cycles, cycle)
	return k.x[min(i, len(k.x)-1)]
}

// engines are the rows of a timing diagram: what comes in, the engines in the order of a packet's way, what goes out.
func engines() []string {
	list := []string{event.KindRegister.String(), event.KindPacketIn.String()}
	for i := range event.Engines {
		if name := event.Engines[i].Name; !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// timing draws the events around a divergence: a row for each engine, a mark for each event; those of the same frame are
// joined, and hollow marks say when the model in cycles has them.
func timing(v *divergence.View) string {
	const left, row, top = 108, 22, 16
	var cycles []uint64
	rows := map[string]int{}
	var names []string
	for _, name := range engines() {
		if slices.ContainsFunc(v.Events, func(e divergence.Event) bool { return e.Engine == name }) {
			rows[name] = len(names)
			names = append(names, name)
		}
	}
	low, high := ^uint64(0), uint64(0)
	for _, e := range v.Events {
		cycles = append(cycles, e.Cycle)
		low, high = min(low, e.Cycle), max(high, e.Cycle)
	}
	if len(names) == 0 {
		return ""
	}
	predicted := func(e *divergence.Event) bool { return e.Same && e.Predicted >= low && e.Predicted <= high+mostSteps }
	for i := range v.Events {
		if e := &v.Events[i]; predicted(e) {
			cycles = append(cycles, e.Predicted)
		}
	}
	k := newClock(left+10, cycles)
	wide, floor := k.x[len(k.x)-1]+30, float64(top+row*len(names))
	var c canvas
	c.open(max(wide, 420), floor+34, "timing", "events around the divergence")
	for i, name := range names {
		y := float64(top + row*i)
		c.text(left-8, y+14, "end", name)
		c.line(left, y+10, wide-10, y+10, "rail")
	}
	for _, x := range k.breaks {
		c.line(x-2, top, x-2, floor, "break")
		c.line(x+2, top, x+2, floor, "break")
	}
	c.axis(k, floor)
	y := func(e *divergence.Event) float64 { return float64(top + row*rows[e.Engine] + 10) }
	c.way(v, k, y)
	for i := range v.Events {
		e := &v.Events[i]
		title := fmt.Sprintf("#%d %s %s, cycle %d, xid %s, conn %d, path %d", e.Seq, e.Engine, e.Op, e.Cycle, xidText(e.Xid), e.Conn, e.Path)
		if predicted(e) {
			c.box(k.at(e.Predicted)-4, y(e)-4, 8, 8, "predicted", fmt.Sprintf("the model in cycles has it at %d; %s", e.Predicted, title))
		}
		class, half := "mark", 3.5
		switch {
		case e.Side == divergence.Parts || e.Side == divergence.Model:
			class, half = "mark wrong", 5.5
		case e.Same:
			class = "mark same"
		case e.Side == divergence.Device:
			class = "mark behind"
		}
		c.box(k.at(e.Cycle)-half, y(e)-half, 2*half, 2*half, class, title)
	}
	return c.close()
}

// axis writes cycles where there is room.
func (c *canvas) axis(k *clock, floor float64) {
	c.line(k.x[0], floor, k.x[len(k.x)-1], floor, "axis")
	last := -1e9
	for i, x := range k.x {
		c.line(x, floor, x, floor+3, "axis")
		if x-last > 62 {
			c.text(x, floor+15, "middle", fmt.Sprint(k.cycles[i]))
			last = x
		}
	}
	c.text(k.x[0], floor+30, "note", "device cycles")
}

// way joins the events of the frame.
func (c *canvas) way(v *divergence.View, k *clock, y func(*divergence.Event) float64) {
	var points []string
	for i := range v.Events {
		if e := &v.Events[i]; e.Same {
			points = append(points, fmt.Sprintf("%.1f,%.1f", k.at(e.Cycle), y(e)))
		}
	}
	if len(points) > 1 {
		fmt.Fprintf(&c.b, `<polyline class="way" points="%s"/>`, strings.Join(points, " "))
	}
}

// xidText is the number of a frame, or of a command.
func xidText(xid uint32) string {
	switch {
	case xid == 0:
		return ""
	case xid >= 1<<31:
		return fmt.Sprintf("cmd %d", xid-1<<31)
	}
	return fmt.Sprint(xid)
}
