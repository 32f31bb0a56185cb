package grade

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"metaroce/tandem/cosim/mutate/circuit"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

// stepSet is the steps of a block's vectors as bits.
type stepSet struct {
	engine  *block.Engine
	vectors []string
	of      []int // vector of each step
	at      []int // its place there
	in, out []place
	batches []batch
}

// batch is up to 64 steps: of each input bit and of each output bit a word with a bit a step.
type batch struct {
	in, want []uint64
	steps    int
}

// place says where a bit of a port is in a line (vectors/block), and which bit of which field it is.
type place struct {
	at    int
	field *event.FieldInfo // nil: the op
	bit   int
}

func (p place) name() string {
	if p.field == nil {
		return "op"
	}
	return p.field.FullName()
}

func newStepSet(e *block.Engine, vectors []*mrv.Vector, c *circuit.Circuit) (*stepSet, error) {
	s := &stepSet{engine: e}
	var lines []string
	for _, v := range vectors {
		if v.Kind != e.Name {
			continue
		}
		s.vectors = append(s.vectors, v.Name)
		for i := range v.Steps {
			l, err := e.Line(&v.Steps[i])
			if err != nil {
				return nil, target.Fail("host", err, "vector %s", v.Name)
			}
			lines, s.of, s.at = append(lines, l), append(s.of, len(s.vectors)-1), append(s.at, i)
		}
	}
	where := places(e)
	for _, side := range []struct {
		bits   []circuit.Bit
		places *[]place
	}{{c.Inputs(), &s.in}, {c.Outputs(), &s.out}} {
		for _, b := range side.bits {
			p, ok := where[b]
			if !ok {
				return nil, target.Fail("build", nil, "%s[%d] of the step of %s is in no vector", b.Port, b.Bit, e.Name)
			}
			*side.places = append(*side.places, p)
		}
	}
	s.fill(lines)
	return s, nil
}

func (s *stepSet) fill(lines []string) {
	for group := range slices.Chunk(lines, 64) {
		s.batches = append(s.batches, batch{gather(s.in, group), gather(s.out, group), len(group)})
	}
}

func gather(places []place, lines []string) []uint64 {
	words := make([]uint64, len(places))
	for i, p := range places {
		for lane, l := range lines {
			words[i] |= bit(l, p.at) << lane
		}
	}
	return words
}

// bit of a line, which is hexadecimal with the most significant digit first.
func bit(line string, n int) uint64 {
	return uint64(strings.IndexByte("0123456789abcdef", line[len(line)-1-n/4])) >> (n % 4) & 1
}

// places of all bits of the ports: {out, row after, in, op, row before}, last first (mr_step_tb.sv).
func places(e *block.Engine) map[circuit.Bit]place {
	where := map[circuit.Bit]place{}
	at := 0
	next := map[string]int{} // bit of each port
	put := func(port string, f *event.FieldInfo, width int) {
		for i := range width {
			where[circuit.Bit{Port: port, Bit: next[port]}] = place{at, f, i}
			at++
			next[port]++
		}
	}
	fields := func(g event.Group, port func(*event.FieldInfo) string) {
		for i := range e.Info().Fields {
			if f := &e.Info().Fields[i]; f.Group == g {
				put(port(f), f, f.Width)
			}
		}
	}
	_, _, rows := e.Widths()
	row := func(direction string) func(*event.FieldInfo) string {
		return func(f *event.FieldInfo) string {
			if len(rows) > 1 {
				return f.Row + direction
			}
			return "row" + direction
		}
	}
	port := func(name string) func(*event.FieldInfo) string { return func(*event.FieldInfo) string { return name } }
	fields(event.GroupRow, row("_i"))
	put("op_i", nil, 8)
	fields(event.GroupIn, port("in_i"))
	fields(event.GroupRow, row("_o"))
	fields(event.GroupOut, port("out_o"))
	return where
}

// miss is the first bit that differs.
type miss struct {
	vector string
	step   int
	field  string
}

// run gives a mutant every step. It returns the first difference, and all vectors that show one.
func (s *stepSet) run(c *circuit.Circuit, mutant int) (*miss, []string, error) {
	f, err := c.Function(mutant)
	if err != nil {
		return nil, nil, target.Fail("build", err, "the step of %s", s.engine.Name)
	}
	var first *miss
	hit := make([]bool, len(s.vectors))
	s.differences(f, func(step int, field string) bool {
		hit[s.of[step]] = true
		if first == nil {
			first = &miss{s.vectors[s.of[step]], s.at[step], field}
		}
		return true
	})
	var killers []string
	for v, h := range hit {
		if h {
			killers = append(killers, s.vectors[v])
		}
	}
	return first, killers, nil
}

// first is the number of the first step that a function gets wrong; -1: none.
func (s *stepSet) first(f *circuit.Function) int {
	n := -1
	s.differences(f, func(step int, _ string) bool { n = step; return false })
	return n
}

// differences tells of each step that a function gets wrong, in order, with the first wrong field, until told to stop.
func (s *stepSet) differences(f *circuit.Function, tell func(step int, field string) bool) {
	out := make([]uint64, len(s.out))
	for n, b := range s.batches {
		f.Eval(b.in, out)
		wrong := uint64(0)
		for o := range out {
			out[o] = (out[o] ^ b.want[o]) << (64 - b.steps) >> (64 - b.steps)
			wrong |= out[o]
		}
		for ; wrong != 0; wrong &= wrong - 1 {
			lane := bits.TrailingZeros64(wrong)
			o := slices.IndexFunc(out, func(w uint64) bool { return w>>lane&1 != 0 })
			if !tell(64*n+lane, s.out[o].name()) {
				return
			}
		}
	}
}

// step makes a step of input bits. What it leaves is not filled in.
func (s *stepSet) step(value func(i int) bool) mrv.Step {
	step := mrv.Step{Before: make([]byte, s.engine.BodyBytes())}
	for i, p := range s.in {
		switch {
		case !value(i):
		case p.field == nil:
			step.Op |= 1 << p.bit
		default:
			step.Before[p.field.Offset-mrv.BodyAt+p.bit/8] |= 1 << (p.bit % 8)
		}
	}
	return step
}

// text is a step's row and input: what is not 0, by field.
func (s *stepSet) text(step *mrv.Step) string {
	info := s.engine.Info()
	rec := append(make([]byte, mrv.BodyAt), step.Before...)
	parts := []string{event.OpName(info.Kind, step.Op)}
	for i := range info.Fields {
		f := &info.Fields[i]
		if f.Group != event.GroupRow && f.Group != event.GroupIn {
			continue
		}
		if b := f.Bytes(rec); slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
			parts = append(parts, fmt.Sprintf("%s=%s", f.FullName(), f.Format(b)))
		}
	}
	return strings.Join(parts, " ")
}
