package source

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Value is a piece of a file, or the absence of one.
type Value struct {
	file *File
	node ast.Node
	what string // how it is called in a mistake

	line, col int // of a place without a node
}

// There says whether the value is in the text. `key:` with nothing behind it is there.
func (v Value) There() bool { return v.node != nil }

// Fail notes a mistake at the value.
func (v Value) Fail(format string, args ...any) {
	if v.node == nil {
		v.file.add(v.line, v.col, format, args...)
		return
	}
	v.file.addAt(begin(v.node), format, args...)
}

// Place is file:line:col.
func (v Value) Place() string {
	if v.line > 0 {
		return fmt.Sprintf("%s:%d:%d", v.file.Name, v.line, v.col)
	}
	if v.node == nil || begin(v.node) == nil || begin(v.node).Position == nil {
		return v.file.Name
	}
	p := begin(v.node).Position
	return fmt.Sprintf("%s:%d:%d", v.file.Name, p.Line, p.Column)
}

// begin is the first word of a node: of a mapping in lines its first key, where the parser says the colon.
func begin(n ast.Node) *token.Token {
	switch x := n.(type) {
	case *ast.MappingValueNode:
		return x.Key.GetToken()
	case *ast.MappingNode:
		if !x.IsFlowStyle && len(x.Values) > 0 {
			return x.Values[0].Key.GetToken()
		}
	}
	return n.GetToken()
}

// maxAliases bounds aliases of aliases.
const maxAliases = 16

// plain follows anchors and aliases.
func (v Value) plain() ast.Node {
	n := v.node
	for range maxAliases {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			name := x.Value.String()
			to, ok := v.file.anchors[name]
			if !ok {
				v.Fail("alias *%s: no anchor &%s before it", name, name)
				return nil
			}
			n = to
		default:
			return n
		}
	}
	v.Fail("aliases of aliases, more than %d deep", maxAliases)
	return nil
}

// Map is the keys of a mapping.
type Map struct {
	of   Value
	keys map[string]Value
	ok   bool
}

// There says whether the value is a mapping at all: of one that is none, nothing is missing.
func (m Map) There() bool { return m.ok }

// Map reads a mapping with keys out of those that are known.
func (v Value) Map(known ...string) Map {
	m := Map{of: v, keys: map[string]Value{}}
	pairs, ok := v.pairs()
	m.ok = ok
	for _, x := range pairs {
		key := x.Key.GetToken().Value
		if !slices.Contains(known, key) {
			hint := ""
			if near := Nearest(key, known); near != "" {
				hint = fmt.Sprintf("; meant is perhaps %q", near)
			}
			v.file.addAt(x.Key.GetToken(), "%s has no key %q%s (there are %s)", v.what, key, hint, strings.Join(known, ", "))
			continue
		}
		if _, twice := m.keys[key]; twice {
			v.file.addAt(x.Key.GetToken(), "%q stands twice", key)
			continue
		}
		m.keys[key] = Value{file: v.file, node: x.Value, what: key}
	}
	return m
}

// pairs are the entries of a mapping, in the order of the text.
func (v Value) pairs() (list []*ast.MappingValueNode, ok bool) {
	switch n := v.plain().(type) {
	case nil:
		return nil, false
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	default:
		v.Fail("%s is %s; a mapping (key: value) is wanted", v.what, kind(n))
		return nil, false
	}
}

// Free reads a mapping whose keys are the writer's own, in the order of the text.
func (v Value) Free(f func(key string, value Value)) {
	seen := map[string]bool{}
	pairs, _ := v.pairs()
	for _, x := range pairs {
		key := x.Key.GetToken().Value
		if seen[key] {
			v.file.addAt(x.Key.GetToken(), "%q stands twice", key)
			continue
		}
		seen[key] = true
		f(key, Value{file: v.file, node: x.Value, what: key})
	}
}

// Get is the value of a key; absent if it does not stand there.
func (m Map) Get(key string) Value {
	if x, ok := m.keys[key]; ok {
		return x
	}
	return Value{file: m.of.file, what: key}
}

// Need is Get for a key that has to be there.
func (m Map) Need(key string) Value {
	if _, ok := m.keys[key]; !ok && m.ok {
		m.of.Fail("%s lacks the key %q", m.of.what, key)
	}
	return m.Get(key)
}

// List is the elements of a list; a value that is none stands for a list of one.
func (v Value) List() []Value {
	if v.node == nil {
		return nil
	}
	s, ok := v.plain().(*ast.SequenceNode)
	if !ok {
		return []Value{v}
	}
	list := make([]Value, len(s.Values))
	for i, n := range s.Values {
		list[i] = Value{file: v.file, node: n, what: v.what}
	}
	return list
}

// As names a value in its mistakes.
func (v Value) As(what string) Value {
	v.what = what
	return v
}

// Text is a scalar as it is written, quotes aside. Empty: it is absent, or a mistake was noted.
func (v Value) Text() string {
	s := ""
	switch n := v.plain().(type) {
	case nil:
		return ""
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s = n.GetToken().Value
	case *ast.NullNode:
	default:
		v.Fail("%s is %s; one value is wanted", v.what, kind(n))
		return ""
	}
	if s = strings.TrimSpace(s); s == "" {
		v.Fail("%s has no value", v.what)
	}
	return s
}

// Texts are the scalars of a list, or one.
func (v Value) Texts() []string {
	var list []string
	for _, x := range v.List() {
		if s := x.Text(); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// Word is one of a few words; the first of them where nothing or a wrong one stands.
func (v Value) Word(allowed ...string) string {
	if v.node == nil {
		return allowed[0]
	}
	s := v.Text()
	if slices.Contains(allowed, s) {
		return s
	}
	if s != "" {
		v.Fail("%s %q: want %s", v.what, s, strings.Join(allowed, ", "))
	}
	return allowed[0]
}

// Int is a number in lo..hi; otherwise where nothing or a wrong one stands.
func (v Value) Int(lo, hi, otherwise int) int {
	if v.node == nil {
		return otherwise
	}
	s := v.Text()
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if s == "" {
		return otherwise
	}
	if err != nil || n < int64(lo) || n > int64(hi) {
		v.Fail("%s %q: want a number, %d to %d", v.what, s, lo, hi)
		return otherwise
	}
	return int(n)
}

// Bool is true or false; nil where nothing stands.
func (v Value) Bool() *bool {
	if v.node == nil {
		return nil
	}
	s := v.Text()
	b := s == "true"
	if !b && s != "false" && s != "" {
		v.Fail("%s %q: want true or false", v.what, s)
	}
	return &b
}

// Duration is a time with its unit, in milliseconds, in lo..hi; 0 where nothing or a wrong one stands.
func (v Value) Duration(lo, hi time.Duration) int64 {
	if v.node == nil {
		return 0
	}
	s := v.Text()
	d, err := time.ParseDuration(s)
	if s != "" && (err != nil || d < lo || d > hi) {
		v.Fail("%s %q: want a time from %v to %v, as 30s, 5m or 2h", v.what, s, lo, hi)
		return 0
	}
	return d.Milliseconds()
}

// units of Amount: what bytes and cycles are mostly written in.
var units = []struct {
	name   string
	factor uint64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"k", 1000}, {"M", 1000_000}, {"G", 1000_000_000}}

// Amount is a number that may have a unit of counting behind it: KiB, MiB, GiB, k, M, G. 0 where nothing or a wrong one
// stands.
func (v Value) Amount(lo, hi uint64) uint64 {
	if v.node == nil {
		return 0
	}
	s := v.Text()
	number, factor := strings.ReplaceAll(s, "_", ""), uint64(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 64)
	high, total := bits.Mul64(n, factor)
	if s != "" && (err != nil || high != 0 || total < lo || total > hi) {
		v.Fail("%s %q: want %d to %d, with KiB, MiB, GiB, k, M or G behind it if need be", v.what, s, lo, hi)
		return 0
	}
	return total
}

// kind is what a node is, for people.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return fmt.Sprintf("the value %s", n.GetToken().Value)
	}
	return "something else"
}

// File is the name of the file that the value stands in.
func (v Value) File() string { return v.file.Name }
