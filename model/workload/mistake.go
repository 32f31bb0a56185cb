package workload

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in a text: both count from 1, columns in bytes.
type Pos struct{ Line, Col int }

// Mistake is one thing that is wrong with a trace.
type Mistake struct {
	File string
	Pos  Pos
	What string
	Want string // what would be right; "" where What says it
}

// Error gives file:line:col, so that editors can jump to it.
func (m *Mistake) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", m.File, m.Pos.Line, m.Pos.Col, m.What)
	if m.Want != "" {
		s += "; want " + m.Want
	}
	return s
}

// Mistakes are those of one text, in its order.
type Mistakes []*Mistake

// Error puts each on a line.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// mostMistakes is where reading stops: behind it mistakes are mostly echoes.
const mostMistakes = 50

// mistakes collects them.
type mistakes struct {
	file string
	list Mistakes
}

func (r *mistakes) add(p Pos, want, format string, args ...any) {
	r.list = append(r.list, &Mistake{File: r.file, Pos: p, What: fmt.Sprintf(format, args...), Want: want})
}

func (r *mistakes) full() bool { return len(r.list) >= mostMistakes }

// err is nil, not an empty list, where there is none.
func (r *mistakes) err() error {
	if len(r.list) == 0 {
		return nil
	}
	sort.SliceStable(r.list, func(i, j int) bool {
		a, b := r.list[i].Pos, r.list[j].Pos
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	return r.list[:min(len(r.list), mostMistakes)]
}
