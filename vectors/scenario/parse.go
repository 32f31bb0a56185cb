package scenario

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds blocks inside blocks.
const maxDepth = 8

// Parse reads a scenario. It checks words, keys and the shape of blocks; values are looked at by Compile, which knows
// the loop variables. The error is of type Errors and holds all mistakes. The file that comes with one holds what was
// right; Compile goes on with that and returns the mistakes of both, so that a writer sees all of them at once. No file
// comes with what is no text.
func Parse(name string, text []byte) (*File, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors mark UTF-8
	p := &parser{rep: newReport(name), file: &File{Name: name}}
	if !utf8.Valid(text) {
		p.rep.add(badByte(text), "UTF-8 text", "a byte that is no text")
		return nil, p.rep.err()
	}
	p.stack = []*[]*Stmt{&p.file.Stmts}
	lines := strings.Split(string(text), "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	for i, line := range lines {
		if p.rep.full() {
			break
		}
		p.line(i+1, line)
	}
	p.file.Tail = p.lead
	for _, b := range p.open {
		p.rep.add(b.Pos, "a line \"end\"", "block %q is never closed", b.Word)
	}
	err := p.rep.err()
	p.file.mistakes = p.rep.list
	return p.file, err
}

type parser struct {
	rep   *report
	file  *File
	lead  Lead
	stack []*[]*Stmt // where statements go: the innermost open block last
	open  []*Stmt
}

func (p *parser) line(n int, line string) {
	if len(line) > maxLine {
		p.rep.add(Pos{n, maxLine + 1}, "at most 32768 bytes a line", "line of %d bytes", len(line))
		return
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }); i >= 0 {
		p.rep.add(Pos{n, i + 1}, "text", "control character %#x", line[i])
		return
	}
	words, comment, hasComment, bad := split(line)
	switch {
	case bad > 0:
		p.rep.add(Pos{n, bad}, "a second \"", "text in quotes does not end on its line")
	case len(words) == 0 && hasComment:
		p.lead.Comments = append(p.lead.Comments, comment)
	case len(words) == 0:
		p.blank()
	case words[0].text == "end" && !words[0].quoted:
		p.end(n, words, comment)
	default:
		p.statement(n, words, comment)
	}
}

// blank keeps an empty line only in front of comments or statements; one between comments stays as an empty comment
// line would not read the same, so it starts the lead anew there.
func (p *parser) blank() {
	if len(p.lead.Comments) > 0 {
		p.lead.Comments = append(p.lead.Comments, blankMark)
		return
	}
	p.lead.Blank = true
}

// blankMark stands in Lead.Comments for an empty line between comments.
const blankMark = "\x00"

func (p *parser) take() Lead {
	l := p.lead
	p.lead = Lead{}
	return l
}

func (p *parser) end(n int, words []word, comment string) {
	if len(words) > 1 {
		p.rep.add(Pos{n, words[1].col}, "nothing behind \"end\"", "%q", words[1].text)
	}
	if len(p.open) == 0 {
		p.rep.add(Pos{n, words[0].col}, "a block to close", "\"end\" without a block")
		return
	}
	b := p.open[len(p.open)-1]
	b.End, b.EndNote, b.HasEnd = p.take(), comment, true
	p.open = p.open[:len(p.open)-1]
	p.stack = p.stack[:len(p.stack)-1]
}

func (p *parser) statement(n int, words []word, comment string) {
	s := &Stmt{Pos: Pos{n, words[0].col}, Lead: p.take(), Comment: comment}
	if strings.HasPrefix(words[0].text, "+") && !words[0].quoted {
		s.Gap = &Arg{Pos: Pos{n, words[0].col}, ValPos: Pos{n, words[0].col + 1}, Val: words[0].text[1:]}
		words = words[1:]
		if len(words) == 0 {
			p.rep.add(Pos{n, s.Gap.Pos.Col + len(s.Gap.Val) + 1}, "a packet behind its gap", "end of line")
			return
		}
		s.Pos.Col = words[0].col
	}
	s.Word = words[0].text
	for _, w := range words[1:] {
		s.Args = append(s.Args, arg(w, n))
	}
	spec, whole := p.check(s)
	if whole {
		list := p.stack[len(p.stack)-1]
		*list = append(*list, s)
	}
	if spec != nil && spec.block {
		if len(p.open) == maxDepth {
			p.rep.add(s.Pos, "at most 8 blocks inside each other", "block %q is too deep", s.Word)
		}
		p.open = append(p.open, s)
		p.stack = append(p.stack, &s.Body)
	}
}

// check looks at a statement's word and the names of its keys, and takes out of it what is wrong. Whole: what is left
// can be compiled.
func (p *parser) check(s *Stmt) (spec *wordSpec, whole bool) {
	spec = vocabulary[s.Word]
	if spec == nil {
		p.rep.add(s.Pos, "one of "+wordList(s.Word), "unknown word %q", s.Word)
		return nil, false
	}
	if s.Gap != nil && !spec.packet {
		p.rep.add(s.Gap.Pos, "a gap before packets only", "gap before %q", s.Word)
	}
	seen := map[string]bool{}
	bare := 0
	var good []*Arg
	for _, a := range s.Args {
		before := len(p.rep.list)
		switch {
		case a.Key == "" && (spec.flag(a.Val) && !a.Quoted):
			if seen[a.Val] {
				p.rep.add(a.Pos, "each flag once", "flag %q again", a.Val)
			}
			seen[a.Val] = true
		case a.Key == "":
			if bare++; bare > len(spec.bare) && !spec.anyBare {
				p.rep.add(a.Pos, spec.usage(), "%q has no meaning here", a.Val)
			}
		case spec.anyKey:
			p.compare(a)
		case spec.key(a.Key) == nil:
			p.rep.add(a.Pos, spec.near(a.Key), "%q takes no %q", s.Word, a.Key)
		case seen[a.Key]:
			p.rep.add(a.Pos, "each key once", "%q again", a.Key)
		default:
			seen[a.Key] = true
			if a.Op != "=" {
				p.rep.add(a.Pos, a.Key+"=VALUE", "%q with operator %q", a.Key, a.Op)
			}
			p.value(a)
		}
		if len(p.rep.list) == before {
			good = append(good, a)
		}
	}
	s.Args = good
	if bare < spec.least {
		p.rep.add(s.Pos, spec.usage(), "%q needs more", s.Word)
	}
	return spec, bare >= spec.least
}

func (p *parser) value(a *Arg) {
	if a.Val == "" {
		p.rep.add(a.ValPos, "a value", "nothing behind %q", a.Key+a.Op)
	}
}

func (p *parser) compare(a *Arg) {
	if a.Op != "=" && a.Op != ">=" && a.Op != "<=" {
		p.rep.add(a.Pos, "=, >= or <=", "operator %q", a.Op)
	}
	p.value(a)
}

func badByte(text []byte) Pos {
	pos := Pos{1, 1}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			pos = Pos{pos.Line + 1, 1}
		} else {
			pos.Col += n
		}
		text = text[n:]
	}
	return pos
}
