package chart

import (
	"fmt"
	"html"
	"strings"
)

// SVG draws the chart as an element that can stand inside a page that has Style.
func (c *Chart) SVG() string {
	var d svg
	c.draw(&d)
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

// svg is paper of text that grows.
type svg struct{ b strings.Builder }

func (d *svg) open(wide, tall float64, title string) {
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n", wide, tall, html.EscapeString(title))
	fmt.Fprintf(&d.b, `<rect class="paper" width="%.0f" height="%.0f"/>`+"\n", wide, tall)
}

func (d *svg) text(x, y float64, class, anchor, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, html.EscapeString(s))
}

func (d *svg) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (d *svg) dot(x, y, r float64, class, title string) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"><title>%s</title></circle>`+"\n", class, x, y, r, html.EscapeString(title))
}

func (d *svg) bar(x, y, wide, tall float64, class, title string) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`+"\n", class, x, y, wide, tall, html.EscapeString(title))
}

func (d *svg) path(points []place, class string) {
	var list []string
	for _, p := range points {
		list = append(list, fmt.Sprintf("%.1f,%.1f", p.x, p.y))
	}
	fmt.Fprintf(&d.b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(list, " "))
}

// Alone makes a picture that is a file of its own: the style sheet goes in.
func Alone(svg string) string {
	head, rest, _ := strings.Cut(svg, "\n")
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + head + "\n<style>\n" + Style + "</style>\n" + rest
}
