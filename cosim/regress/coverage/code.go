package coverage

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place is where a point of the source is, whatever module and parameters it was counted in.
type place struct {
	line, column int
	what         string
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), compareBits(a.what, b.what))
}

// compareBits puts x[9] before x[10].
func compareBits(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// hits are the hits of one source file.
type hits struct {
	lines    map[int]uint64 // of the block that was run most, of those that have the line
	arms     map[place]uint64
	bits     map[place]uint64
	property map[place]uint64
}

// arm says whether a block is an arm of if or case.
func (p *Point) arm() bool {
	switch p.What {
	case "if", "else", "elsif", "case":
		return p.Kind == KindLine || p.Kind == KindBranch
	}
	return false
}

// files puts points together by file: instances of a module with other parameters are one source.
func (s *Sum) files() map[string]*hits {
	blocks := map[string]map[place]uint64{}
	spans := map[string]map[place][]Span{}
	all := map[string]*hits{}
	for i := range s.points {
		p, n := &s.points[i], s.counts[i]
		h := all[p.File]
		if h == nil {
			h = &hits{map[int]uint64{}, map[place]uint64{}, map[place]uint64{}, map[place]uint64{}}
			all[p.File], blocks[p.File], spans[p.File] = h, map[place]uint64{}, map[place][]Span{}
		}
		at := place{p.Line, p.Column, p.What}
		switch p.Kind {
		case KindToggle:
			h.bits[at] = plus(h.bits[at], n)
			continue
		case KindUser:
			h.property[at] = plus(h.property[at], n)
			continue
		}
		if p.arm() {
			h.arms[at] = plus(h.arms[at], n)
		}
		blocks[p.File][at], spans[p.File][at] = plus(blocks[p.File][at], n), p.Lines
	}
	for file, h := range all {
		for at, n := range blocks[file] {
			for _, span := range spans[file][at] {
				for line := span.First; line <= span.Last; line++ {
					h.lines[line] = max(h.lines[line], n)
				}
			}
		}
	}
	return all
}

// Text is the line of a source file, without the spaces around it.
type Text func(file string, line int) string

// Lines reads them from sources, each from the first folder that has it. Where none has, the text is empty.
func Lines(folders ...string) Text {
	files := map[string][]string{}
	return func(file string, line int) string {
		lines, ok := files[file]
		if !ok {
			for _, dir := range folders {
				if b, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
					lines = strings.Split(string(b), "\n")
					break
				}
			}
			files[file] = lines
		}
		if line > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[line-1])
	}
}

// Code fills in the parts of a report that are about the RTL. What was not counted stays nil.
func (s *Sum) Code(r *Report, text Text) {
	all := s.files()
	names := slices.Sorted(maps.Keys(all))
	for _, kind := range []struct {
		code **Code
		of   func(*hits) map[place]uint64
	}{
		{&r.Line, (*hits).places}, {&r.Branch, func(h *hits) map[place]uint64 { return h.arms }},
		{&r.Toggle, func(h *hits) map[place]uint64 { return h.bits }}, {&r.User, func(h *hits) map[place]uint64 { return h.property }},
	} {
		c := &Code{}
		for _, name := range names {
			if f := fileOf(name, kind.of(all[name]), text); f.Points > 0 {
				c.Files = append(c.Files, f)
			}
		}
		if len(c.Files) > 0 {
			*kind.code = c
		}
	}
}

func (h *hits) places() map[place]uint64 {
	m := map[place]uint64{}
	for line, n := range h.lines {
		m[place{line: line}] = n
	}
	return m
}

func fileOf(name string, points map[place]uint64, text Text) File {
	f := File{File: name, Points: len(points)}
	for _, at := range slices.SortedFunc(maps.Keys(points), comparePlaces) {
		if points[at] > 0 {
			f.Hit++
		} else {
			f.Gaps = append(f.Gaps, Gap{Line: at.line, What: at.what, Text: text(name, at.line)})
		}
	}
	return f
}
