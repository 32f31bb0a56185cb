package experiment

import (
	"fmt"
	"strconv"
	"strings"
)

// mostPoints of one range, and of all ranges of a sweep together: more is a slip of the pen.
const mostPoints = 1000

// Over is a parameter that a sweep varies, and the values it takes.
type Over struct {
	Name  string
	Texts []string
}

// ReadOver reads key=a..b, key=a..b:step, key=a..b:xN or key=a,b,c. Steps start at a; b is reached if a step ends there.
func ReadOver(text string, ps Params) (Over, []error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" || list == "" {
		return Over{}, []error{&Problem{"--over", fmt.Sprintf("%q", text), "want key=a..b, key=a..b:step, key=a..b:xN or key=a,b,c"}}
	}
	p, ok := ps.Find(name)
	if !ok {
		return Over{}, []error{unknown("parameter", name, ps.Names(), ps.told())}
	}
	o := Over{Name: name}
	if !strings.Contains(list, "..") {
		p.Kind |= Numbers // Number to Numbers, Choice to Choices: a list of points, each one value
		v, bad := p.read(list)
		o.Texts = v.words
		o.add(&p, v.numbers)
		return o, bad
	}
	if p.Kind == Choice || p.Kind == Choices {
		return o, []error{&Problem{name, fmt.Sprintf("%q", list), "words have no range: want a list with commas"}}
	}
	points, bad := p.span(list)
	o.add(&p, points)
	return o, bad
}

func (o *Over) add(p *Param, numbers []uint64) {
	for _, n := range numbers {
		o.Texts = append(o.Texts, p.Unit.format(n))
	}
}

// step is how a range goes on from one point to the next: times factor, plus more.
type step struct{ factor, more uint64 }

// span reads a..b, a..b:step and a..b:xN.
func (p *Param) span(text string) ([]uint64, []error) {
	ends, how, stepped := strings.Cut(text, ":")
	from, to, _ := strings.Cut(ends, "..")
	var bad []error
	a, err := p.number(from)
	if err != nil {
		bad = append(bad, err)
	}
	b, err := p.number(to)
	if err != nil {
		bad = append(bad, err)
	}
	s := step{1, 1}
	if stepped {
		if s, err = p.step(how); err != nil {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	if b < a {
		return nil, []error{&Problem{p.Name, text, "want the smaller end first"}}
	}
	if s.factor > 1 && a == 0 {
		return nil, []error{&Problem{p.Name, text, "0 times anything is 0: begin above it"}}
	}
	points := s.points(a, b)
	if len(points) > mostPoints {
		return nil, []error{&Problem{p.Name, text, fmt.Sprintf("more than %d points: give a step, as in %s..%s:STEP or :xN", mostPoints, from, to)}}
	}
	return points, nil
}

func (p *Param) step(text string) (step, error) {
	if n, ok := strings.CutPrefix(text, "x"); ok {
		f, err := strconv.ParseUint(n, 10, 32)
		if err != nil || f < 2 {
			return step{}, &Problem{p.Name, fmt.Sprintf("%q", text), "want a factor of at least 2, such as x2"}
		}
		return step{f, 0}, nil
	}
	n, ok := p.Unit.parse(text)
	if !ok || n == 0 {
		return step{}, &Problem{p.Name, fmt.Sprintf("%q", text), "want a step above 0 (" + p.Unit.form() + ") or a factor such as x2"}
	}
	return step{1, n}, nil
}

// points stops behind mostPoints: the caller refuses that.
func (s step) points(a, b uint64) []uint64 {
	var points []uint64
	for n := a; ; {
		points = append(points, n)
		if len(points) > mostPoints || n > (b-min(b, s.more))/s.factor { // the next one would be above b
			return points
		}
		n = n*s.factor + s.more
		if n > b {
			return points
		}
	}
}
