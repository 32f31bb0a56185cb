package circuit

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const minute = time.Minute

// write is the graph as AIGER: what Yosys does.
func (g *graph) write() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "aig %d %d %d %d %d\n", g.inputs+g.latches+len(g.ands), g.inputs, g.latches, len(g.outputs), len(g.ands))
	for _, n := range g.next {
		fmt.Fprintln(&b, n)
	}
	for _, o := range g.outputs {
		fmt.Fprintln(&b, o)
	}
	number := func(d uint32) {
		for ; d >= 0x80; d >>= 7 {
			b.WriteByte(byte(d) | 0x80)
		}
		b.WriteByte(byte(d))
	}
	for i, a := range g.ands {
		number(uint32(2*(1+g.inputs+g.latches+i)) - a[0])
		number(a[0] - a[1])
	}
	for place, name := range g.names {
		fmt.Fprintf(&b, "%s %s\n", place, name)
	}
	b.WriteString("c\nby a test")
	return b.Bytes()
}

// eval is the slow twin: one input, one state, gate by gate.
func (g *graph) eval(in, state []bool) (out, next []bool) {
	v := append(append([]bool{false}, in...), state...)
	at := func(l uint32) bool { return v[l/2] != (l&1 != 0) }
	for _, a := range g.ands {
		v = append(v, at(a[0]) && at(a[1]))
	}
	for _, o := range g.outputs {
		out = append(out, at(o))
	}
	for _, n := range g.next {
		next = append(next, at(n))
	}
	return out, next
}

// drawGraph makes a small circuit; its last input is Select.
func drawGraph(t *rapid.T, latches int) *graph {
	g := &graph{inputs: rapid.IntRange(2, 5).Draw(t, "inputs"), latches: latches, names: map[string]string{}}
	literal := func(label string, vars int) uint32 {
		return uint32(rapid.IntRange(0, 2*vars+1).Draw(t, label))
	}
	gates := rapid.IntRange(1, 30).Draw(t, "gates")
	for i := range gates {
		x, y := literal("a", g.inputs+latches+i), literal("b", g.inputs+latches+i)
		g.ands = append(g.ands, [2]uint32{max(x, y), min(x, y)})
	}
	all := g.inputs + latches + gates
	for range latches {
		g.next = append(g.next, literal("next", all))
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "outputs") {
		g.outputs = append(g.outputs, literal("output", all))
		g.names[fmt.Sprintf("o%d", i)] = fmt.Sprintf("out_o[%d]", i)
	}
	for i := range g.inputs - 1 {
		g.names[fmt.Sprintf("i%d", i)] = fmt.Sprintf("in_i[%d]", i)
	}
	g.names[fmt.Sprintf("i%d", g.inputs-1)] = Select
	return g
}

func numbers(n, bits int) []bool {
	list := make([]bool, bits)
	for i := range list {
		list[i] = n>>i&1 != 0
	}
	return list
}

// A function is what the gates say, in all 64 lanes.
func TestFunctionIsTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 0)
		c, err := Read(bytes.NewReader(g.write()))
		require.NoError(t, err)
		assert.Len(t, c.Inputs(), g.inputs-1)
		for mutant := range 2 {
			f, err := c.Function(mutant)
			require.NoError(t, err)
			in, out := make([]uint64, g.inputs-1), make([]uint64, len(g.outputs))
			for lane := range 64 {
				for i, on := range numbers(lane, g.inputs-1) {
					if on {
						in[i] |= 1 << lane
					}
				}
			}
			f.Eval(in, out)
			for lane := range 64 {
				want, _ := g.eval(append(numbers(lane, g.inputs-1), mutant == 1), nil)
				for o, w := range want {
					assert.Equal(t, w, out[o]>>lane&1 != 0, "output %d, input %d, mutant %d", o, lane, mutant)
				}
			}
		}
	})
}

// Compare says what trying every input and state says, and its example is one that differs.
func TestCompareIsTryingAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, rapid.IntRange(0, 2).Draw(t, "latches"))
		c, err := Read(bytes.NewReader(g.write()))
		require.NoError(t, err)
		width := g.inputs - 1
		differs := func(in []bool, outputsOnly bool) bool {
			for s := range 1 << g.latches {
				o0, n0 := g.eval(append(append([]bool(nil), in...), false), numbers(s, g.latches))
				o1, n1 := g.eval(append(append([]bool(nil), in...), true), numbers(s, g.latches))
				if fmt.Sprint(o0) != fmt.Sprint(o1) || !outputsOnly && fmt.Sprint(n0) != fmt.Sprint(n1) {
					return true
				}
			}
			return false
		}
		any := false
		for n := range 1 << width {
			any = any || differs(numbers(n, width), false)
		}
		p := c.Compare(context.Background(), 1, nil, minute)
		if !any {
			assert.Equal(t, Proof{Verdict: Equal}, p)
			return
		}
		require.Equal(t, Differs, p.Verdict)
		assert.True(t, differs(p.Inputs, false), "the example does not differ")
	})
}

// seen is the slow twin of CompareCycles: every sequence of inputs from every common state.
func (g *graph) seen(cycles int, a, b []bool) bool {
	if cycles == 0 {
		return false
	}
	for n := range 1 << (g.inputs - 1) {
		in := numbers(n, g.inputs-1)
		o0, n0 := g.eval(append(in, false), a)
		o1, n1 := g.eval(append(in[:g.inputs-1:g.inputs-1], true), b)
		if fmt.Sprint(o0) != fmt.Sprint(o1) || g.seen(cycles-1, n0, n1) {
			return true
		}
	}
	return false
}

func TestCompareCyclesIsTryingAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, rapid.IntRange(1, 2).Draw(t, "latches"))
		c, err := Read(bytes.NewReader(g.write()))
		require.NoError(t, err)
		cycles := rapid.IntRange(1, 3).Draw(t, "cycles")
		want := Equal
		for s := range 1 << g.latches {
			if g.seen(cycles, numbers(s, g.latches), numbers(s, g.latches)) {
				want = Differs
			}
		}
		assert.Equal(t, want, c.CompareCycles(context.Background(), 1, cycles, minute).Verdict)
	})
}

// Values that an input never takes tell nothing apart.
// A question that nobody asks any more is left open, and not answered in either way.
func TestInterrupted(t *testing.T) {
	c, err := Read(bytes.NewReader(onlyForThree().write()))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	assert.Equal(t, Undecided, c.Compare(ctx, 1, nil, minute).Verdict)
	assert.Equal(t, Undecided, c.CompareCycles(ctx, 1, 3, minute).Verdict)
}

// onlyForThree is out = op[0] & op[1] & select: it differs only for op 3.
func onlyForThree() *graph {
	return &graph{inputs: 3, ands: [][2]uint32{{4, 2}, {8, 6}}, outputs: []uint32{10},
		names: map[string]string{"i0": "op_i[0]", "i1": "op_i[1]", "i2": Select, "o0": "out_o"}}
}

func TestOnly(t *testing.T) {
	c, err := Read(bytes.NewReader(onlyForThree().write()))
	require.NoError(t, err)
	assert.Equal(t, Proof{Differs, []bool{true, true}}, c.Compare(context.Background(), 1, nil, minute))
	assert.Equal(t, Differs, c.Compare(context.Background(), 1, []Only{{"op_i", []uint64{1, 3}}}, minute).Verdict)
	assert.Equal(t, Equal, c.Compare(context.Background(), 1, []Only{{"op_i", []uint64{0, 1, 2}}}, minute).Verdict)
}

func TestRegistersAreNoFunction(t *testing.T) {
	g := &graph{inputs: 1, latches: 1, next: []uint32{2}, outputs: []uint32{4}, names: map[string]string{"i0": "in_i", "o0": "out_o"}}
	c, err := Read(bytes.NewReader(g.write()))
	require.NoError(t, err)
	_, err = c.Function(0)
	assert.ErrorContains(t, err, "1 registers")
}

func TestBadFiles(t *testing.T) {
	good := "aig 2 1 0 1 1\n4\n\x02\x01i0 in_i\no0 out_o\nc\n"
	_, err := Read(strings.NewReader(good))
	require.NoError(t, err)
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"", "no file in binary AIGER"},
		"ascii":      {"aag 1 1 0 0 0\n2\n", "no file in binary AIGER"},
		"sums":       {"aig 9 1 0 1 1\n", "do not fit"},
		"huge":       {"aig 4000000000 1 0 0 3999999999\n", "do not fit"},
		"output":     {"aig 2 1 0 1 1\n99\n", "output 0"},
		"cut":        {good[:len("aig 2 1 0 1 1\n4\n")+1], "gate 0"},
		"itself":     {"aig 2 1 0 1 1\n4\n\x00\x01", "gate 0"},
		"below zero": {"aig 2 1 0 1 1\n4\n\x02\x7f", "gate 0"},
		"no end":     {"aig 2 1 0 1 1\n4\n\xff\xff\xff\xff\xff\x01", "32 bits"},
		"no name":    {strings.Replace(good, "o0 out_o\n", "", 1), "o0 has no name"},
		"no bit":     {strings.Replace(good, "in_i", "in_i[x]", 1), "NAME[BIT]"},
		"symbol":     {strings.Replace(good, "i0 in_i", "i0", 1), "no name of a port"},
	} {
		_, err := Read(strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want, name)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("aig 2 1 0 1 1\n4\n\x02\x01i0 in_i\no0 out_o\nc\n"))
	f.Add([]byte("aig 2 1 1 1 0\n4 0\n2\ni0 mutsel[1]\nl0 q\no0 out_o[3]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(bytes.NewReader(b))
		if err != nil || c.Gates() > 1000 || c.Registers() > 100 {
			return
		}
		c.Compare(context.Background(), 1, nil, time.Second)
	})
}
