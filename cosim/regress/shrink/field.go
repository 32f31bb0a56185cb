package shrink

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"metaroce/tandem/vectors/scenario"
)

// fields takes from lines what they need not say.
func (s *search) fields() {
	s.plain()
	s.keys()
	s.each()
	s.numbers()
}

// change is the lines with some of them made anew.
func change(list lines, f func(i int, s scenario.Stmt) scenario.Stmt) lines {
	out := make(lines, len(list))
	for i, l := range list {
		n := f(i, *l)
		out[i] = &n
	}
	return out
}

// without is a line with only those arguments for which keep holds.
func without(l scenario.Stmt, keep func(*scenario.Arg) bool) scenario.Stmt {
	var args []*scenario.Arg
	for _, a := range l.Args {
		if keep(a) {
			args = append(args, a)
		}
	}
	l.Args = args
	return l
}

// gapKey stands for the idle cycles in front of a packet, which have no key.
const gapKey = "+"

// spot is something that a line says and need not: an argument with a key, a flag, a gap.
type spot struct {
	line int
	name string
}

// flags of packets.
var flags = []string{"A", "D", "R", "B", "L", "CE", "ipv6", "vlan"}

// spots are those of all lines; a raw command and a register access mean what they say in full.
func spots(list lines) []spot {
	var out []spot
	for i, l := range list {
		if l.Word == "command" || l.Word == "set" {
			continue
		}
		if l.Gap != nil {
			out = append(out, spot{i, gapKey})
		}
		for _, a := range l.Args {
			if a.Key != "" {
				out = append(out, spot{i, a.Key})
			} else if slices.Contains(flags, a.Val) {
				out = append(out, spot{i, a.Val})
			}
		}
	}
	return out
}

// drop takes spots from lines.
func drop(list lines, gone func(spot) bool) lines {
	return change(list, func(i int, l scenario.Stmt) scenario.Stmt {
		if l.Gap != nil && gone(spot{i, gapKey}) {
			l.Gap = nil
		}
		return without(l, func(a *scenario.Arg) bool {
			name := a.Key
			if name == "" {
				name = a.Val
			}
			return a.Key == "" && !slices.Contains(flags, a.Val) || !gone(spot{i, name})
		})
	})
}

// mostPlain bounds the lines that plain looks at word by word.
const mostPlain = 100

// plain takes away what the language takes by itself: the program stays the same, so nothing is run.
func (s *search) plain() {
	if len(s.best) > mostPlain {
		return
	}
	p, err := s.program(s.best)
	if err != nil {
		return
	}
	id := print(p)
	list := s.best
	for _, x := range spots(list) {
		next := drop(list, func(y spot) bool { return x == y })
		if p, err := s.program(next); err == nil && print(p) == id {
			list = next
		}
	}
	s.take(list)
}

// kindsOf sorts what packets say, for a first look at all of it.
var kindsOf = [][]string{
	{gapKey, "time", "sport", "via", "imm", "wr_id", "A", "B", "CE", "R", "ipv6", "vlan", "txn", "port", "new_epoch"},
	{"psn", "tsn", "epoch", "D"},
	{"msn", "recv", "attempt", "index", "life", "length", "offset", "L"},
	{"addr", "base", "tag", "perm", "gen", "peer", "bytes"},
}

// fewLines is a text that is looked at line by line at once.
const fewLines = 30

// kinds takes away all that is said of a kind, of as many kinds as can be.
func (s *search) kinds() {
	if len(s.best) < fewLines {
		return // single lines are as quick, and leave what they mean alone
	}
	all := s.best
	s.minimal(len(kindsOf), func(keep []int) lines {
		return drop(all, func(x spot) bool {
			for i, names := range kindsOf {
				if !slices.Contains(keep, i) && slices.Contains(names, x.name) {
					return true
				}
			}
			return false
		})
	})
}

// keys takes away all that is said under a key, of as many keys as can be.
func (s *search) keys() {
	all := s.best
	var names []string
	for _, x := range spots(all) {
		if !slices.Contains(names, x.name) {
			names = append(names, x.name)
		}
	}
	slices.Sort(names)
	s.minimal(len(names), func(keep []int) lines {
		return drop(all, func(x spot) bool {
			at, _ := slices.BinarySearch(names, x.name)
			return !slices.Contains(keep, at)
		})
	})
}

// each takes away what single lines say.
func (s *search) each() {
	all := s.best
	list := spots(all)
	s.minimal(len(list), func(keep []int) lines {
		stay := map[spot]bool{}
		for _, i := range keep {
			stay[list[i]] = true
		}
		return drop(all, func(x spot) bool { return !stay[x] })
	})
}

// sizes are the keys of which less is simpler.
var sizes = []string{gapKey, "bytes", "length", "offset", "pad_to", "cut", "run", "permille"}

// numbers makes numbers smaller, each by bisection between what is too small and what fails.
func (s *search) numbers() {
	for _, x := range spots(s.best) {
		if !slices.Contains(sizes, x.name) {
			continue
		}
		high, ok := number(s.best[x.line], x.name)
		for low := uint64(0); ok && low < high && s.runs < s.until; {
			n := low + (high-low)/2
			if s.try(with(s.best, x, n)) {
				high = n
			} else {
				low = n + 1
			}
		}
	}
}

func number(l *scenario.Stmt, name string) (uint64, bool) {
	v, ok := value(l, name)
	if name == gapKey && l.Gap != nil {
		v, ok = l.Gap.Val, true
	}
	n, err := strconv.ParseUint(v, 0, 64)
	return n, ok && err == nil
}

// with is the lines with another number at a spot.
func with(list lines, x spot, n uint64) lines {
	return change(list, func(i int, l scenario.Stmt) scenario.Stmt {
		if i != x.line {
			return l
		}
		if x.name == gapKey {
			l.Gap = &scenario.Arg{Val: fmt.Sprint(n)}
			return l
		}
		l.Args = slices.Clone(l.Args)
		for j, a := range l.Args {
			if a.Key == x.name {
				l.Args[j] = &scenario.Arg{Key: a.Key, Op: a.Op, Val: fmt.Sprint(n)}
			}
		}
		return l
	})
}

// names calls connections, paths, streams and regions 0, 1, .. in the order in which lines speak of them: all at once, else
// those of one sort.
func (s *search) names() {
	if s.try(rename(s.best, "conn", "path", "stream", "region")) {
		return
	}
	for _, sort := range []string{"conn", "path", "stream", "region"} {
		s.try(rename(s.best, sort))
	}
}

func rename(list lines, sorts ...string) lines {
	r := renamer{}
	for _, l := range list {
		x := about(l)
		for _, sort := range sorts {
			switch sort {
			case "conn":
				r.meet("conn", x.conn)
			case "path":
				r.meet("path "+x.conn, x.path)
			case "stream":
				r.meet("stream "+x.conn, x.stream)
			case "region":
				r.meet("region", x.region)
			}
		}
	}
	return change(list, func(_ int, l scenario.Stmt) scenario.Stmt { return r.line(l) })
}

// renamer holds new names by sort, for paths and streams also by connection, and old name.
type renamer map[string][]string

func (r renamer) meet(sort, name string) {
	if name != "" && !slices.Contains(r[sort], name) {
		r[sort] = append(r[sort], name)
	}
}

func (r renamer) name(sort, name string) string {
	if i := slices.Index(r[sort], name); i >= 0 {
		return fmt.Sprint(i)
	}
	return name
}

func (r renamer) line(l scenario.Stmt) scenario.Stmt {
	x := about(&l)
	args := slices.Clone(l.Args)
	put := func(i int, val string) {
		n := *args[i]
		n.Val = val
		args[i] = &n
	}
	first := true
	for i, a := range args {
		switch {
		case a.Key == "conn":
			put(i, r.name("conn", a.Val))
		case a.Key == "path" && l.Word != "command":
			put(i, r.name("path "+x.conn, a.Val))
		case a.Key == "stream":
			put(i, r.name("stream "+x.conn, a.Val))
		case a.Key == "key":
			put(i, r.name("region", a.Val))
		case a.Key != "" || slices.Contains(flags, a.Val):
		case l.Word == "clear" && first:
			first = false
		default:
			put(i, r.thing(l.Word, x, a.Val))
		}
	}
	l.Args = args
	return l
}

// thing is the new name of what a line of a word is about.
func (r renamer) thing(word string, x subject, old string) string {
	conn := r.name("conn", x.conn)
	switch {
	case strings.Contains(old, ".") && x.path != "":
		return conn + "." + r.name("path "+x.conn, x.path)
	case strings.Contains(old, ".") && x.stream != "":
		return conn + "." + r.name("stream "+x.conn, x.stream)
	case x.region == old && (word == "key" || word == "clear"):
		return r.name("region", old)
	case x.conn == old && (word == "conn" || word == "clear"):
		return conn
	}
	return old
}
