package circuit

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// Verdict of a comparison.
type Verdict string

// Verdicts.
const (
	Equal     Verdict = "equal"
	Differs   Verdict = "differs"
	Undecided Verdict = "undecided" // the solver's time was over, or nobody wants to know any more
)

// Proof is what a comparison found.
type Proof struct {
	Verdict Verdict
	Inputs  []bool // of Differs: the value of each bit of Inputs in the cycle whose outputs differ
}

// Only says which values an input takes. Others are no input.
type Only struct {
	Port   string
	Values []uint64
}

// Compare looks for an input and a state with which an output or a next state of the mutant differs from the circuit
// without it. Equal means: for ever, whatever happened before. It gives up when limit is over or the context is done.
func (c *Circuit) Compare(ctx context.Context, mutant int, only []Only, limit time.Duration) Proof {
	ctx, done := context.WithTimeout(ctx, limit)
	defer done()
	m := newMiter(ctx, c, mutant)
	m.only = only
	out, next := m.cycle()
	return m.ask(m.c.Or(out, next))
}

// CompareCycles looks for a state, common to both, from which outputs differ within some cycles. Equal means: whatever
// registers hold, nobody outside sees the mutation in time.
func (c *Circuit) CompareCycles(ctx context.Context, mutant, cycles int, limit time.Duration) Proof {
	ctx, done := context.WithTimeout(ctx, limit)
	defer done()
	m := newMiter(ctx, c, mutant)
	for range cycles {
		out, next := m.cycle()
		if p := m.ask(out); p.Verdict != Equal || next == m.c.F {
			return p
		}
	}
	return Proof{Verdict: Equal}
}

// miter is the circuit twice, once with the mutant, on the same inputs.
type miter struct {
	ctx    context.Context // of the question: when it is done, nobody wants to know
	of     *Circuit
	mutant int
	only   []Only
	c      *logic.C
	solver *gini.Gini
	marks  []int8
	state  [2][]z.Lit // of the registers, without and with the mutant
	inputs []z.Lit    // of the last cycle

	random  *rand.Rand
	samples [][4]uint64 // of each variable
	joins   int
}

// newMiter begins with any state, the same on both sides.
func newMiter(ctx context.Context, of *Circuit, mutant int) *miter {
	m := &miter{ctx: ctx, of: of, mutant: mutant, c: logic.NewCCap(2 * len(of.g.ands)), solver: gini.New(),
		random: rand.New(rand.NewPCG(1, uint64(mutant)))}
	for range of.Registers() {
		m.state[0] = append(m.state[0], m.c.Lit())
	}
	m.state[1] = m.state[0]
	return m
}

// cycle builds both sides for one cycle more, and says when an output differs, and when a state does behind it.
func (m *miter) cycle() (out, next z.Lit) {
	m.inputs = nil
	for range m.of.inputs {
		m.inputs = append(m.inputs, m.c.Lit())
	}
	plain := m.of.copyInto(m.c, 0, m.inputs, m.state[0], nil)
	mutant := m.of.copyInto(m.c, m.mutant, m.inputs, m.state[1], func(v int, l z.Lit) z.Lit { return m.join(plain[v], l) })
	differ := func(list []uint32) z.Lit {
		d := m.c.F
		for _, l := range list {
			d = m.c.Or(d, m.c.Xor(literal(plain, l), literal(mutant, l)))
		}
		return d
	}
	out, next = m.c.And(differ(m.of.g.outputs), m.allowed()), m.c.And(differ(m.of.g.next), m.allowed())
	for side, made := range [2][]z.Lit{plain, mutant} {
		m.state[side] = nil
		for _, l := range m.of.g.next {
			m.state[side] = append(m.state[side], literal(made, l))
		}
	}
	return out, next
}

// join gives back the gate of the circuit without a mutant where the mutant's own is proven to be the same. Most mutants
// without an effect have lost it a few gates on; what is behind is then built once, and nobody needs to prove it. Random
// inputs tell nearly all others apart without the solver.
func (m *miter) join(plain, mutant z.Lit) z.Lit {
	if plain == mutant || m.joins == mostJoins || m.ctx.Err() != nil || m.sample(plain) != m.sample(mutant) {
		return mutant
	}
	m.joins++
	differ := m.c.Xor(plain, mutant)
	m.marks, _ = m.c.CnfSince(m.solver, m.marks, differ)
	ctx, done := context.WithTimeout(m.ctx, joinLimit)
	defer done()
	if m.try(ctx, differ) == -1 {
		return plain
	}
	return mutant
}

// Bounds of join.
const (
	mostJoins = 1000
	joinLimit = 200 * time.Millisecond
)

// slice is how long the solver works before it looks up.
const slice = time.Second

// try asks whether something can be: 1 yes, -1 no, 0 not known when the context is done, which has a deadline. The solver
// knows of no context: it is asked by the slice, and keeps what it has learned from one to the next.
func (m *miter) try(ctx context.Context, diff z.Lit) int {
	for ctx.Err() == nil {
		end, _ := ctx.Deadline()
		m.solver.Assume(diff)
		if res := m.solver.Try(max(min(slice, time.Until(end)), time.Millisecond)); res != 0 {
			return res
		}
	}
	return 0
}

// sample is a literal's value for 256 random inputs and states, always the same ones.
func (m *miter) sample(l z.Lit) [4]uint64 {
	for v := len(m.samples); v < m.c.Len(); v++ {
		var s [4]uint64
		if a, b := m.c.Ins(z.Var(v).Pos()); a != z.LitNull && v > 1 {
			x, y := m.value(a), m.value(b)
			for i := range s {
				s[i] = x[i] & y[i]
			}
		} else {
			for i := range s {
				s[i] = m.random.Uint64()
			}
		}
		m.samples = append(m.samples, s)
	}
	return m.value(l)
}

func (m *miter) value(l z.Lit) [4]uint64 {
	s := m.samples[l.Var()]
	if l.Var() == m.c.T.Var() {
		s = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	}
	if !l.IsPos() {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	return s
}

// allowed says when the inputs of this cycle are some.
func (m *miter) allowed() z.Lit {
	all := m.c.T
	for _, o := range m.only {
		some := m.c.F
		for _, v := range o.Values {
			same := m.c.T
			for i, b := range m.of.inputs {
				if b.Port == o.Port {
					same = m.c.And(same, m.c.Xor(m.inputs[i], constant(m.c, v>>b.Bit&1 == 0)))
				}
			}
			some = m.c.Or(some, same)
		}
		all = m.c.And(all, some)
	}
	return all
}

// ask the solver whether something can be; what cannot is told to it for the next question.
func (m *miter) ask(diff z.Lit) Proof {
	if diff == m.c.F {
		return Proof{Verdict: Equal}
	}
	m.marks, _ = m.c.CnfSince(m.solver, m.marks, diff)
	switch m.try(m.ctx, diff) {
	case 1:
		return Proof{Differs, m.example()}
	case 0:
		return Proof{Verdict: Undecided}
	}
	m.solver.Add(diff.Not())
	m.solver.Add(0)
	return Proof{Verdict: Equal}
}

// example reads the inputs that the solver found. What it did not need to know is 0.
func (m *miter) example() []bool {
	values := make([]bool, len(m.inputs))
	for i, l := range m.inputs {
		values[i] = m.marks[l.Var()] != 0 && m.solver.Value(l)
	}
	return values
}
