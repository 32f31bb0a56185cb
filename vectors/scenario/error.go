package scenario

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in a scenario: both count from 1, columns in bytes.
type Pos struct{ Line, Col int }

// Error is one mistake in a scenario.
type Error struct {
	File string
	Pos  Pos
	What string // what is wrong
	Want string // what was expected, "" where What says it
}

// Error gives file:line:col, so that editors can jump to it.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.What)
	if e.Want != "" {
		s += "; expected " + e.Want
	}
	return s
}

// Errors holds every mistake of one file, in the order of the text.
type Errors []*Error

// Error puts one mistake on a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// most is where reporting stops: behind it mistakes are mostly echoes.
const most = 50

// report collects mistakes. A statement inside a loop makes each only once.
type report struct {
	file string
	list Errors
	seen map[string]bool
	torn map[int]bool // lines of which words were left out: what more is said about them is an echo
}

func newReport(file string) *report { return &report{file: file, seen: map[string]bool{}} }

func (r *report) add(p Pos, want, format string, args ...any) {
	if r.torn[p.Line] {
		return
	}
	e := &Error{File: r.file, Pos: p, What: fmt.Sprintf(format, args...), Want: want}
	if key := e.Error(); !r.seen[key] {
		r.seen[key] = true
		r.list = append(r.list, e)
	}
}

// refer is add for what a line before should have set up. Where lines were left out it may well have, so nothing is said.
func (r *report) refer(p Pos, want, format string, args ...any) {
	if len(r.torn) == 0 {
		r.add(p, want, format, args...)
	}
}

// resume goes on behind the mistakes of an earlier look at the text.
func (r *report) resume(found Errors) {
	r.list = append(r.list, found...)
	for _, e := range found {
		if r.torn == nil {
			r.torn = map[int]bool{}
		}
		r.torn[e.Pos.Line] = true
	}
}

func (r *report) full() bool { return len(r.list) >= most }

// err returns nil, not an empty list, where there is no mistake.
func (r *report) err() error {
	if len(r.list) == 0 {
		return nil
	}
	sort.SliceStable(r.list, func(i, j int) bool {
		a, b := r.list[i].Pos, r.list[j].Pos
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	if len(r.list) > most {
		r.list = r.list[:most]
	}
	return r.list
}
