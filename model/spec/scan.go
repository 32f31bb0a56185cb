package spec

import (
	"strconv"
	"strings"
)

// line is one table line, taken apart but not yet understood.
type line struct {
	Pos
	keyword string
	args    []string          // positional words behind the keyword
	attrs   map[string]string // key=value
	text    string            // the quoted text at the end
	hasText bool
}

// scan splits a table into lines. It reports unterminated quotes, a repeated key and words behind the text.
func scan(file string, data []byte, bad func(Pos, string, string)) []line {
	var out []line
	for i, raw := range strings.Split(string(data), "\n") {
		pos := Pos{file, i + 1}
		words, ok := words(raw)
		if !ok {
			bad(pos, RuleForm, "a quote is not closed on its line")
			continue
		}
		if len(words) == 0 {
			continue
		}
		l := line{Pos: pos, keyword: words[0].s, attrs: map[string]string{}}
		for _, w := range words[1:] {
			l.take(w, bad)
		}
		out = append(out, l)
	}
	return out
}

func (l *line) take(w word, bad func(Pos, string, string)) {
	switch {
	case l.hasText:
		bad(l.Pos, RuleForm, "\""+w.s+"\" stands behind the text that ends the line")
	case w.quoted:
		l.text, l.hasText = w.s, true
	case w.key != "":
		if _, twice := l.attrs[w.key]; twice {
			bad(l.Pos, RuleForm, w.key+"= is given twice")
		}
		l.attrs[w.key] = w.s
	default:
		l.args = append(l.args, w.s)
	}
}

type word struct {
	key    string // of key=value
	s      string
	quoted bool // a bare quoted text, not the value of a key
}

// words splits one line at blanks outside quotes and drops the comment. ok is false when a quote stays open.
func words(raw string) (out []word, ok bool) {
	rest := raw
	for {
		rest = strings.TrimLeft(rest, " \t\r")
		if rest == "" || rest[0] == '#' {
			return out, true
		}
		var w word
		if rest[0] == '"' {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, false
			}
			w = word{s: rest[1 : 1+end], quoted: true}
			rest = rest[end+2:]
			out = append(out, w)
			continue
		}
		n := strings.IndexAny(rest, " \t\r\"#=")
		if n > 0 && rest[n] == '=' {
			w.key, rest = rest[:n], rest[n+1:]
			if strings.HasPrefix(rest, "\"") {
				end := strings.IndexByte(rest[1:], '"')
				if end < 0 {
					return nil, false
				}
				w.s, rest = rest[1:1+end], rest[end+2:]
				out = append(out, w)
				continue
			}
		}
		n = strings.IndexAny(rest, " \t\r\"")
		if n < 0 {
			n = len(rest)
		}
		w.s, rest = rest[:n], rest[n:]
		out = append(out, w)
	}
}

// number reads a decimal or 0x number, with '_' between digits allowed.
func number(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 0, 64)
	return v, err == nil
}
