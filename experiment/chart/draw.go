package chart

import (
	"fmt"
	"html"
	"strings"
)

// drawing is SVG text that grows.
type drawing struct{ b strings.Builder }

func (d *drawing) open(wide, tall float64, title string) {
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n", wide, tall, html.EscapeString(title))
	fmt.Fprintf(&d.b, `<rect class="paper" width="%.0f" height="%.0f"/>`+"\n", wide, tall)
}

func (d *drawing) close() string {
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

func (d *drawing) text(x, y float64, class, anchor, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, html.EscapeString(s))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

// dot is a point with what it stands for.
func (d *drawing) dot(x, y, r float64, class, title string) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"><title>%s</title></circle>`+"\n", class, x, y, r, html.EscapeString(title))
}

func (d *drawing) bar(x, y, wide, tall float64, class, title string) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`+"\n", class, x, y, wide, tall, html.EscapeString(title))
}

func (d *drawing) path(points []string, class string) {
	fmt.Fprintf(&d.b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(points, " "))
}

// Alone makes a picture that is a file of its own: the style sheet goes in.
func Alone(svg string) string {
	head, rest, _ := strings.Cut(svg, "\n")
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + head + "\n<style>\n" + Style + "</style>\n" + rest
}
