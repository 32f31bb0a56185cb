package scenario

import "strings"

// maxLine bounds a line, so that a binary file is refused with one message and not with thousands. The longest frame byte
// by byte has room.
const maxLine = 32 << 10

// word is one piece of a line between blanks.
type word struct {
	text   string
	col    int // from 1
	quoted bool
}

// split cuts a line into words and a comment. A quote starts a word that may hold blanks; '#' starts a comment where a
// word could start.
func split(line string) (words []word, comment string, hasComment bool, bad int) {
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#':
			return words, strings.TrimSpace(line[i+1:]), true, 0
		case c == '"':
			end := strings.IndexByte(line[i+1:], '"')
			if end < 0 {
				return words, "", false, i + 1
			}
			words = append(words, word{text: line[i+1 : i+1+end], col: i + 1, quoted: true})
			i += end + 2
		default:
			start := i
			for i < len(line) && line[i] != ' ' && line[i] != '\t' && line[i] != '\r' {
				i++
			}
			words = append(words, word{text: line[start:i], col: start + 1})
		}
	}
	return words, "", false, 0
}

// arg takes a word apart at its first operator.
func arg(w word, line int) *Arg {
	a := &Arg{Pos: Pos{line, w.col}, Quoted: w.quoted}
	at := strings.IndexAny(w.text, "=<>")
	if w.quoted || at <= 0 {
		a.Val, a.ValPos = w.text, a.Pos
		return a
	}
	a.Key, a.Op = w.text[:at], "="
	rest := at + 1
	if w.text[at] != '=' {
		a.Op = w.text[at : at+1]
		if rest < len(w.text) && w.text[rest] == '=' {
			a.Op, rest = w.text[at:rest+1], rest+1
		}
	}
	a.Val, a.ValPos = w.text[rest:], Pos{line, w.col + rest}
	return a
}
