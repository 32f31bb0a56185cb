package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// palette has the colours, on light and on dark paper. It tells apart for most colour-blind eyes; every other colour of a
// series is a broken line as well.
var palette = []struct{ name, light, dark string }{
	{"paper", "#ffffff", "#151a21"}, {"ink", "#1c2430", "#e6eaf0"}, {"soft", "#5c6675", "#9aa5b4"}, {"rule", "#e3e7ec", "#2a323d"}, {"ref", "#7a8492", "#8b96a5"},
	{"c0", "#0b66c2", "#5aa9f5"}, {"c1", "#d2560a", "#ff9350"}, {"c2", "#0a8a63", "#3ec79a"}, {"c3", "#a8479b", "#dd86d2"},
	{"c4", "#8a6d00", "#d8b53c"}, {"c5", "#2b9cb8", "#62cde6"}, {"c6", "#b3263a", "#f0727f"}, {"c7", "#5a57c9", "#9d9bf2"},
}

// look is what a class of things looks like: the one table of SVG and PNG. What is 0 or empty is as classes before say.
type look struct {
	class   string
	colour  string // of the palette
	wide    float64
	dash    []float64
	opacity float64
	size    float64 // of letters; 0: no text
	bold    bool
}

var broken = []float64{9, 3}

var looks = []look{
	{class: "paper", colour: "paper"},
	{class: "tick", colour: "soft", size: 12}, {class: "label", colour: "soft", size: 12}, {class: "key", colour: "ink", size: 12}, {class: "title", colour: "ink", size: 15, bold: true},
	{class: "grid", colour: "rule", wide: 1}, {class: "axis", colour: "soft", wide: 1}, {class: "level", colour: "ref", wide: 1.2, dash: []float64{2, 3}},
	{class: "mark", wide: 2.5}, {class: "ref", colour: "ref", wide: 7, opacity: 0.35},
	{class: "c0", colour: "c0"}, {class: "c1", colour: "c1", dash: broken}, {class: "c2", colour: "c2"}, {class: "c3", colour: "c3", dash: broken},
	{class: "c4", colour: "c4"}, {class: "c5", colour: "c5", dash: broken}, {class: "c6", colour: "c6"}, {class: "c7", colour: "c7", dash: broken},
	{class: "s1", opacity: 0.62}, {class: "s2", opacity: 0.42}, {class: "s3", opacity: 0.28},
}

// Style is the style sheet of SVG.
var Style = styleSheet()

func styleSheet() string {
	var light, dark, rules strings.Builder
	for _, p := range palette {
		fmt.Fprintf(&light, "--%s: %s; ", p.name, p.light)
		fmt.Fprintf(&dark, "--%s: %s; ", p.name, p.dark)
	}
	for _, l := range looks {
		rules.WriteString(l.css())
	}
	return `.chart { ` + light.String() + `
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { .chart { ` + dark.String() + `} }
.chart polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
` + rules.String()
}

// css is the rule of a class. Dots and bars are filled where lines are drawn.
func (l *look) css() string {
	var say []string
	add := func(when bool, format string, v any) {
		if when {
			say = append(say, fmt.Sprintf(format, v))
		}
	}
	add(l.colour != "", map[bool]string{true: "fill: var(--%s)", false: "stroke: var(--%s)"}[l.size > 0], l.colour)
	add(l.size > 0, "font-size: %gpx", l.size)
	add(l.bold, "font-weight: %d", 600)
	add(l.wide > 0, "stroke-width: %g", l.wide)
	add(l.dash != nil, "stroke-dasharray: %s", strings.Trim(fmt.Sprint(l.dash), "[]"))
	add(l.opacity > 0, "opacity: %g", l.opacity)
	rule := fmt.Sprintf(".chart .%s { %s; }\n", l.class, strings.Join(say, "; "))
	if l.class == l.colour {
		rule += fmt.Sprintf(".chart circle.%s, .chart rect.%s { fill: var(--%s); stroke: none; }\n", l.class, l.class, l.colour)
	}
	return rule
}

// lookOf puts together what the classes of a thing say. A line whose width none of them gives is 2 wide.
func lookOf(classes string) look {
	sum := look{wide: 2, opacity: 1}
	named := strings.Fields(classes)
	for _, l := range looks {
		if !slices.Contains(named, l.class) {
			continue
		}
		sum.colour = cmp.Or(l.colour, sum.colour)
		sum.wide = cmp.Or(l.wide, sum.wide)
		sum.opacity = cmp.Or(l.opacity, sum.opacity)
		sum.size = cmp.Or(l.size, sum.size)
		sum.bold = sum.bold || l.bold
		if l.dash != nil {
			sum.dash = l.dash
		}
	}
	return sum
}
