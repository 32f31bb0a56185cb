package circuit

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// Select is the input that chooses the mutant; 0 is none of them.
const Select = "mutsel"

// Circuit is a netlist with its mutants: gates, registers, and ports by name.
type Circuit struct {
	g       *graph
	selects map[int]int // input: bit of Select
	inputs  []Bit       // but Select
	of      []int       // input of the graph that each of them is
	outputs []Bit
}

// Bit is a place in a port.
type Bit struct {
	Port string
	Bit  int
}

// Read takes a circuit in binary AIGER with symbols, as `write_aiger -symbols` writes it.
func Read(r io.Reader) (*Circuit, error) {
	g, err := readGraph(r)
	if err != nil {
		return nil, err
	}
	c := &Circuit{g: g, selects: map[int]int{}}
	for i := range g.inputs {
		b, err := g.port("i", i)
		if err != nil {
			return nil, err
		}
		if b.Port == Select {
			c.selects[i] = b.Bit
			continue
		}
		c.inputs, c.of = append(c.inputs, b), append(c.of, i)
	}
	for i := range g.outputs {
		b, err := g.port("o", i)
		if err != nil {
			return nil, err
		}
		c.outputs = append(c.outputs, b)
	}
	return c, nil
}

// port cuts NAME[BIT]; a port of one bit has no index. Of several names the first counts.
func (g *graph) port(kind string, n int) (Bit, error) {
	text, _, _ := strings.Cut(g.names[kind+strconv.Itoa(n)], " ")
	name, rest, indexed := strings.Cut(text, "[")
	if name == "" && kind == "i" {
		return Bit{}, nil // a bit that nobody drives: any value
	}
	if name == "" {
		return Bit{}, fmt.Errorf("port %s%d has no name", kind, n)
	}
	if !indexed {
		return Bit{Port: name}, nil
	}
	bit, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil || bit < 0 {
		return Bit{}, fmt.Errorf("port %s%d: %q: want NAME[BIT]", kind, n, text)
	}
	return Bit{name, bit}, nil
}

// Inputs lists the bits of the inputs but Select, in the order in which values are given.
func (c *Circuit) Inputs() []Bit { return c.inputs }

// Outputs lists the bits of the outputs.
func (c *Circuit) Outputs() []Bit { return c.outputs }

// Gates is the size of the circuit with all its mutants.
func (c *Circuit) Gates() int { return len(c.g.ands) }

// Registers is how many bits it keeps from cycle to cycle.
func (c *Circuit) Registers() int { return c.g.latches }

// copyInto builds the circuit with one mutant chosen in another one, from literals of the inputs and of the registers.
// Equal parts fall together there, so of two mutants only what differs is built twice. join may put another literal in the
// place of a gate; nil: none. It returns what literals have become, by variable.
func (c *Circuit) copyInto(dst *logic.C, mutant int, in, state []z.Lit, join func(variable int, l z.Lit) z.Lit) []z.Lit {
	made := make([]z.Lit, 0, 1+c.g.inputs+c.g.latches+len(c.g.ands))
	made = append(made, dst.F)
	made = append(made, make([]z.Lit, c.g.inputs)...)
	for i, l := range in {
		made[1+c.of[i]] = l
	}
	for i, bit := range c.selects {
		made[1+i] = constant(dst, mutant>>bit&1 != 0)
	}
	made = append(made, state...)
	for _, a := range c.g.ands {
		l := dst.And(literal(made, a[0]), literal(made, a[1]))
		if join != nil {
			l = join(len(made), l)
		}
		made = append(made, l)
	}
	return made
}

// literal is what a literal of the file has become.
func literal(made []z.Lit, l uint32) z.Lit {
	if l&1 != 0 {
		return made[l/2].Not()
	}
	return made[l/2]
}

func constant(c *logic.C, on bool) z.Lit {
	if on {
		return c.T
	}
	return c.F
}
