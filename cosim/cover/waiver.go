package cover

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Waiver says which bins of a group cannot be filled, and why.
type Waiver struct {
	Where  string // file:line
	Text   string // the pattern as written
	Reason string
	Until  string // last day that it holds, as 2006-01-02; empty: always
	group  string
	want   map[string][]string // dimension to the values that match; absent: any
}

// ParseWaivers reads lines "GROUP DIM=VALUE[,VALUE] DIM=!VALUE ... [until=DAY] # reason" for the bins of New and NewSender. A line without a
// reason, of an unknown group, dimension or value, is a mistake; all of them are reported.
func ParseWaivers(file string, text []byte) ([]Waiver, error) {
	var list []Waiver
	var errs []error
	known := []*Cover{New(), NewSender()}
	for n, line := range strings.Split(string(text), "\n") {
		pattern, reason, _ := strings.Cut(line, "#")
		pattern, reason = strings.TrimSpace(pattern), strings.TrimSpace(reason)
		if pattern == "" {
			continue
		}
		w := Waiver{Where: fmt.Sprintf("%s:%d", file, n+1), Text: pattern, Reason: reason}
		if err := w.parse(known); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", w.Where, err))
			continue
		}
		list = append(list, w)
	}
	return list, errors.Join(errs...)
}

func (w *Waiver) parse(known []*Cover) error {
	if w.Reason == "" {
		return errors.New("no reason: say behind # why these bins cannot be filled")
	}
	words := strings.Fields(w.Text)
	var g *group
	var names []string
	for _, c := range known {
		if g == nil {
			g = c.group(words[0])
		}
		names = append(names, c.names())
	}
	if g == nil {
		return fmt.Errorf("no group %q: there are %s", words[0], strings.Join(names, ", "))
	}
	w.group, w.want = g.name, map[string][]string{}
	for _, word := range words[1:] {
		name, values, ok := strings.Cut(word, "=")
		if name == "until" {
			if _, err := time.Parse(time.DateOnly, values); err != nil {
				return fmt.Errorf("%q: want a day such as until=%s", word, time.DateOnly)
			}
			w.Until = values
			continue
		}
		d := g.dim(name)
		if !ok || d < 0 {
			return fmt.Errorf("%q: want DIMENSION=VALUE of group %s", word, g.name)
		}
		list, err := pick(&g.dims[d], values)
		if err != nil {
			return err
		}
		w.want[name] = list
	}
	return nil
}

// pick reads "a,b" or "!a,b".
func pick(d *dimension, text string) ([]string, error) {
	names, not := strings.CutPrefix(text, "!")
	list := strings.Split(names, ",")
	for _, n := range list {
		if d.value(n) < 0 {
			return nil, fmt.Errorf("dimension %s has no value %q: it has %s", d.name, n, strings.Join(d.values, ", "))
		}
	}
	if !not {
		return list, nil
	}
	var rest []string
	for _, v := range d.values {
		if !contains(list, v) {
			rest = append(rest, v)
		}
	}
	return rest, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (w *Waiver) expired(day string) bool { return w.Until != "" && day > w.Until }

func (w *Waiver) matches(g *group, i int) bool {
	if g.name != w.group {
		return false
	}
	for d, v := range g.at(i) {
		if want, ok := w.want[g.dims[d].name]; ok && !contains(want, g.dims[d].values[v]) {
			return false
		}
	}
	return true
}

func (c *Cover) group(name string) *group {
	for _, g := range c.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

func (c *Cover) names() string {
	var names []string
	for _, g := range c.groups {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}
