package circuit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// most is the largest circuit that is read, in variables.
const most = 1 << 26

// graph is an AIGER file: literals are twice a variable, plus 1 if inverted; 0 is false. Variables are inputs, then
// latches, then gates, each behind what it depends on.
type graph struct {
	inputs, latches int
	next            []uint32    // of each latch
	outputs         []uint32    // literals
	ands            [][2]uint32 // literals
	names           map[string]string
}

// readGraph reads the binary form, AIGER 1.9 without properties. The reader of gini is not used: it loses inversions where
// a gate is simplified while it reads.
func readGraph(r io.Reader) (*graph, error) {
	b := bufio.NewReader(r)
	var form string
	var m, i, l, o, a uint32
	line, err := b.ReadString('\n')
	if _, e := fmt.Sscanf(line, "%s %d %d %d %d %d", &form, &m, &i, &l, &o, &a); err != nil || e != nil || form != "aig" {
		return nil, fmt.Errorf("no file in binary AIGER: it begins with %.40q", line)
	}
	if uint64(i)+uint64(l)+uint64(a) != uint64(m) || m > most || o > most {
		return nil, fmt.Errorf("%q: the numbers do not fit", strings.TrimSpace(line))
	}
	g := &graph{inputs: int(i), latches: int(l), names: map[string]string{}}
	for n := range l {
		v, err := literals(b, 2*m+1)
		if err != nil || len(v) > 2 { // the second is how it begins
			return nil, fmt.Errorf("latch %d: want one or two literals: %w", n, err)
		}
		g.next = append(g.next, v[0])
	}
	for n := range o {
		v, err := literals(b, 2*m+1)
		if err != nil || len(v) != 1 {
			return nil, fmt.Errorf("output %d: want a literal: %w", n, err)
		}
		g.outputs = append(g.outputs, v[0])
	}
	for n := range a {
		at := 2 * (i + l + n + 1)
		x, err := delta(b, at, 1)
		if err != nil {
			return nil, fmt.Errorf("gate %d: %w", n, err)
		}
		y, err := delta(b, x, 0)
		if err != nil {
			return nil, fmt.Errorf("gate %d: %w", n, err)
		}
		g.ands = append(g.ands, [2]uint32{x, y})
	}
	return g, g.symbols(b)
}

// literals reads a line of numbers, at least one.
func literals(b *bufio.Reader, top uint32) ([]uint32, error) {
	line, err := b.ReadString('\n')
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	var list []uint32
	for _, w := range strings.Fields(line) {
		v, err := strconv.ParseUint(w, 10, 32)
		if err != nil || uint32(v) > top {
			return nil, fmt.Errorf("%q is no literal up to %d", w, top)
		}
		list = append(list, uint32(v))
	}
	if list == nil {
		return nil, errors.New("the line is empty")
	}
	return list, nil
}

// delta reads how far a literal is below another, at least by least.
func delta(b *bufio.Reader, from, least uint32) (uint32, error) {
	d, shift := uint32(0), 0
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if shift > 28 {
			return 0, errors.New("a number of more than 32 bits")
		}
		d |= uint32(c&0x7f) << shift
		shift += 7
		if c < 0x80 {
			break
		}
	}
	if d > from || d < least {
		return 0, fmt.Errorf("a literal %d below %d", d, from)
	}
	return from - d, nil
}

// symbols reads the names, up to the comment: i0 NAME, l0 NAME, o0 NAME.
func (g *graph) symbols(b *bufio.Reader) error {
	for {
		line, err := b.ReadString('\n')
		if err == io.EOF && line == "" || line == "c\n" {
			return nil
		}
		place, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if err != nil || !ok {
			return fmt.Errorf("%.40q is no name of a port", line)
		}
		g.names[place] = name
	}
}
