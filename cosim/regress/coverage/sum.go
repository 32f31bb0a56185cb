package coverage

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
)

// Sum adds up the points of files. What it holds grows with the points that there are, not with the files.
type Sum struct {
	index  map[string]int
	names  []string
	points []Point
	counts []uint64
}

// NewSum makes a sum of nothing.
func NewSum() *Sum { return &Sum{index: map[string]int{}} }

// Added is what a file has brought.
type Added struct {
	Hit    []int  // numbers of the points that it hit
	Points int    // that it has
	Layout uint64 // over their names: equal for all files of one simulator
}

// Add adds the points of a file; of one that is garbled or cut off, nothing.
func (s *Sum) Add(name string, in io.Reader) (Added, error) {
	return s.add(name, in, func(Added) error { return nil })
}

// add adds a file unless check objects to what it has.
func (s *Sum) add(name string, in io.Reader, check func(Added) error) (Added, error) {
	type counted struct {
		point int
		count uint64
	}
	var all []counted
	before := len(s.names)
	seen := map[int]bool{}
	layout := fnv.New64a()
	err := ReadPoints(name, in, func(point []byte, count uint64) error {
		at, err := s.number(point)
		if err == nil && seen[at] {
			err = fmt.Errorf("the point of %s:%d stands twice", s.points[at].File, s.points[at].Line)
		}
		if err != nil {
			return err
		}
		seen[at] = true
		_, _ = layout.Write(point) // a hash takes everything
		_, _ = layout.Write([]byte("\n"))
		all = append(all, counted{at, count})
		return nil
	})
	a := Added{Points: len(all), Layout: layout.Sum64()}
	if err == nil {
		err = check(a)
	}
	if err != nil {
		s.cut(before)
		return Added{}, err
	}
	for _, c := range all {
		s.counts[c.point] = plus(s.counts[c.point], c.count)
		if c.count > 0 {
			a.Hit = append(a.Hit, c.point)
		}
	}
	return a, nil
}

// plus stays at the highest count there is.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// number is that of a point, a new one if it was not seen before.
func (s *Sum) number(name []byte) (int, error) {
	if at, ok := s.index[string(name)]; ok {
		return at, nil
	}
	p, err := ParsePoint(string(name))
	if err != nil {
		return 0, err
	}
	at := len(s.names)
	s.index[string(name)] = at
	s.names, s.points, s.counts = append(s.names, string(name)), append(s.points, p), append(s.counts, 0)
	return at, nil
}

// cut forgets the points from a number on.
func (s *Sum) cut(from int) {
	for _, name := range s.names[from:] {
		delete(s.index, name)
	}
	s.names, s.points, s.counts = s.names[:from], s.points[:from], s.counts[:from]
}

// Len is how many points there are.
func (s *Sum) Len() int { return len(s.names) }

// Hit is how many of them were hit.
func (s *Sum) Hit() int {
	n := 0
	for _, c := range s.counts {
		n += b2i(c > 0)
	}
	return n
}

// Write writes the sum as Verilator writes points, sorted by name.
func (s *Sum) Write(out io.Writer) error {
	names := slices.Sorted(slices.Values(s.names))
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, datHeader)
	for _, name := range names {
		fmt.Fprintf(w, "C '%s' %d\n", name, s.counts[s.index[name]])
	}
	return w.Flush()
}
