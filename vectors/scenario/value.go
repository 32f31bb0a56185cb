package scenario

import (
	"math/bits"
	"strconv"
	"strings"
)

// values evaluates numbers with the loop variables in force.
type values struct {
	rep  *report
	vars map[string]uint64
}

// number is a sum of products of numbers, variables and parentheses: "64k", "0xffff_fff0", "i*2+1", "(i+1)%4".
// Arithmetic is modulo 2^64. A fault is reported at its column.
func (v *values) number(text string, at Pos) (uint64, bool) {
	e := &expr{v: v, text: text, at: at}
	n, ok := e.sum(0)
	if ok && e.i < len(text) {
		e.fail("%q has no meaning in a number", text[e.i:])
		ok = false
	}
	return n, ok
}

type expr struct {
	v    *values
	text string
	at   Pos
	i    int
}

const numberWant = "a number such as 12, 0x1f, 64k, or an expression of numbers and loop variables"

func (e *expr) fail(format string, args ...any) {
	e.v.rep.add(Pos{e.at.Line, e.at.Col + e.i}, numberWant, format, args...)
}

func (e *expr) sum(depth int) (uint64, bool) {
	n, ok := e.product(depth)
	for ok && e.i < len(e.text) && (e.text[e.i] == '+' || e.text[e.i] == '-') {
		op := e.text[e.i]
		e.i++
		var m uint64
		if m, ok = e.product(depth); op == '-' {
			m = -m
		}
		n += m
	}
	return n, ok
}

func (e *expr) product(depth int) (uint64, bool) {
	n, ok := e.term(depth)
	for ok && e.i < len(e.text) && strings.IndexByte("*/%", e.text[e.i]) >= 0 {
		op := e.text[e.i]
		e.i++
		var m uint64
		m, ok = e.term(depth)
		switch {
		case !ok:
		case op == '*':
			n *= m
		case m == 0:
			e.fail("division by zero")
			return 0, false
		case op == '/':
			n /= m
		default:
			n %= m
		}
	}
	return n, ok
}

func (e *expr) term(depth int) (uint64, bool) {
	if e.i < len(e.text) && e.text[e.i] == '(' {
		if depth == maxDepth {
			e.fail("more than 8 parentheses inside each other")
			return 0, false
		}
		e.i++
		n, ok := e.sum(depth + 1)
		if ok && (e.i == len(e.text) || e.text[e.i] != ')') {
			e.fail("a parenthesis is not closed")
			return 0, false
		}
		e.i++
		return n, ok
	}
	end := e.i
	for end < len(e.text) && (isAlnum(e.text[end]) || e.text[end] == '_') {
		end++
	}
	piece := e.text[e.i:end]
	n, ok := e.atom(piece)
	if ok {
		e.i = end
	}
	return n, ok
}

func (e *expr) atom(piece string) (uint64, bool) {
	if piece == "" {
		if e.i < len(e.text) {
			e.fail("%q has no meaning in a number", e.text[e.i:])
		} else {
			e.fail("a number is missing")
		}
		return 0, false
	}
	if n, ok := e.v.vars[piece]; ok {
		return n, true
	}
	digits, unit := piece, uint64(1)
	if !strings.HasPrefix(piece, "0x") {
		switch piece[len(piece)-1] {
		case 'k':
			unit = 1 << 10
		case 'm':
			unit = 1 << 20
		case 'g':
			unit = 1 << 30
		}
		if unit > 1 {
			digits = piece[:len(piece)-1]
		}
	}
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || piece[0] == '_' {
		e.fail("%q is no number", piece)
		return 0, false
	}
	hi, lo := bits.Mul64(n, unit)
	if hi != 0 {
		e.fail("%q is beyond 64 bit", piece)
		return 0, false
	}
	return lo, true
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// args is a statement's arguments by key, with readers that report what does not fit.
type args struct {
	values
	stmt *Stmt
	keys map[string]*Arg
	bare []*Arg
	flag map[string]bool
}

func (c *compiler) args(s *Stmt) *args {
	a := &args{values: values{rep: c.rep, vars: c.vars}, stmt: s, keys: map[string]*Arg{}, flag: map[string]bool{}}
	spec := vocabulary[s.Word]
	for _, g := range s.Args {
		switch {
		case g.Key != "":
			a.keys[g.Key] = g
		case spec.flag(g.Val) && !g.Quoted:
			a.flag[g.Val] = true
		default:
			a.bare = append(a.bare, g)
		}
	}
	return a
}

func (a *args) has(key string) bool { return a.keys[key] != nil }

// num reads a number that must not be above most.
func (a *args) num(key string, def, most uint64) uint64 {
	g := a.keys[key]
	if g == nil {
		return def
	}
	return a.bounded(g, key, def, most)
}

func (a *args) bounded(g *Arg, name string, def, most uint64) uint64 {
	n, ok := a.number(g.Val, g.ValPos)
	if !ok {
		return def
	}
	if n > most {
		a.rep.add(g.ValPos, "at most "+strconv.FormatUint(most, 10), "%s is %d", name, n)
		return def
	}
	return n
}

// serial reads "+N" from a first value on, or a value as it is; both modulo the space of 2^width.
func (a *args) serial(key string, first, def uint32, width uint) uint32 {
	g := a.keys[key]
	if g == nil {
		return def
	}
	return a.serialArg(g, key, first, def, width)
}

func (a *args) serialArg(g *Arg, name string, first, def uint32, width uint) uint32 {
	mask := uint64(1)<<width - 1
	text, pos, base := g.Val, g.ValPos, uint64(0)
	switch {
	case strings.HasPrefix(text, "+"):
		base = uint64(first)
	case strings.HasPrefix(text, "-"):
		base = uint64(first)
		n, ok := a.number(text[1:], Pos{pos.Line, pos.Col + 1})
		if !ok {
			return def
		}
		return uint32((base - n) & mask)
	default:
		return uint32(a.bounded(g, name, uint64(def), mask))
	}
	n, ok := a.number(text[1:], Pos{pos.Line, pos.Col + 1})
	if !ok {
		return def
	}
	return uint32((base + n) & mask)
}

// list reads "1,3..5".
func (a *args) list(key string, most uint64) []uint64 {
	g := a.keys[key]
	if g == nil {
		return nil
	}
	var out []uint64
	col := g.ValPos.Col
	for _, piece := range strings.Split(g.Val, ",") {
		pos := Pos{g.ValPos.Line, col}
		col += len(piece) + 1
		lo, hi, ok := a.rng(piece, pos)
		if !ok {
			return nil
		}
		if hi > most {
			a.rep.add(pos, "numbers up to "+strconv.FormatUint(most, 10), "%s holds %d", key, hi)
			return nil
		}
		for n := lo; n <= hi; n++ {
			out = append(out, n)
		}
	}
	return out
}

// rng reads "N" or "N..N".
func (a *args) rng(text string, at Pos) (lo, hi uint64, ok bool) {
	first, second, two := strings.Cut(text, "..")
	if lo, ok = a.number(first, at); !ok {
		return 0, 0, false
	}
	if !two {
		return lo, lo, true
	}
	if hi, ok = a.number(second, Pos{at.Line, at.Col + len(first) + 2}); !ok {
		return 0, 0, false
	}
	if hi < lo {
		a.rep.add(at, "the smaller number first", "range %s runs backwards", text)
		return 0, 0, false
	}
	return lo, hi, true
}

// choice reads one of some words.
func (a *args) choice(g *Arg, words ...string) (string, bool) {
	for _, w := range words {
		if g.Val == w {
			return w, true
		}
	}
	a.rep.add(g.ValPos, "one of "+strings.Join(words, ", "), "%q", g.Val)
	return "", false
}
