package circuit

import (
	"fmt"

	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// Function is a combinational circuit with one mutant chosen.
type Function struct {
	c       *logic.C
	in, out []z.Lit
	values  []uint64
}

// Function chooses a mutant; 0: none.
func (c *Circuit) Function(mutant int) (*Function, error) {
	if n := c.Registers(); n > 0 {
		return nil, fmt.Errorf("the circuit has %d registers: it is no function of its inputs", n)
	}
	f := &Function{c: logic.NewCCap(2 * len(c.g.ands))}
	for range c.inputs {
		f.in = append(f.in, f.c.Lit())
	}
	made := c.copyInto(f.c, mutant, f.in, nil, nil)
	for _, l := range c.g.outputs {
		f.out = append(f.out, literal(made, l))
	}
	f.values = make([]uint64, f.c.Len())
	return f, nil
}

// Eval evaluates 64 inputs side by side: bit n of every word belongs to the n-th of them. in has a word for each bit of
// Inputs, out gets one for each of Outputs.
func (f *Function) Eval(in, out []uint64) {
	for i, l := range f.in {
		f.values[l.Var()] = in[i]
	}
	f.c.Eval64(f.values)
	f.values[f.c.T.Var()] = ^uint64(0) // Eval64 sets 63 bits of it; no gate reads it, they are simplified
	for i, l := range f.out {
		out[i] = f.values[l.Var()]
		if !l.IsPos() {
			out[i] = ^out[i]
		}
	}
}
