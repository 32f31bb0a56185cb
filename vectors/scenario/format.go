package scenario

import "strings"

// Format writes a file in its canonical form: two blanks a level, one blank between words, at most one empty line.
// Parsing what it wrote gives the same statements, and formatting that gives the same text.
func Format(f *File) []byte {
	var b strings.Builder
	writeAll(&b, f.Stmts, 0, true)
	writeLead(&b, f.Tail, 0, b.Len() == 0)
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func writeAll(b *strings.Builder, list []*Stmt, depth int, first bool) {
	for i, s := range list {
		writeLead(b, s.Lead, depth, first && i == 0)
		indent(b, depth)
		if s.Gap != nil {
			b.WriteString("+" + s.Gap.Val + " ")
		}
		b.WriteString(s.Word)
		for _, a := range s.Args {
			b.WriteByte(' ')
			writeArg(b, a)
		}
		note(b, s.Comment)
		if s.HasEnd {
			writeAll(b, s.Body, depth+1, true)
			writeLead(b, s.End, depth+1, len(s.Body) == 0)
			indent(b, depth)
			b.WriteString("end")
			note(b, s.EndNote)
		}
	}
}

func writeArg(b *strings.Builder, a *Arg) {
	if a.Key != "" {
		b.WriteString(a.Key + a.Op + a.Val)
		return
	}
	if a.Quoted {
		b.WriteString(`"` + a.Val + `"`)
		return
	}
	b.WriteString(a.Val)
}

func note(b *strings.Builder, comment string) {
	if comment != "" {
		b.WriteString("  # " + comment)
	}
	b.WriteByte('\n')
}

func indent(b *strings.Builder, depth int) { b.WriteString(strings.Repeat("  ", depth)) }

// writeLead writes blank lines and comments; at the start of a block blank lines go.
func writeLead(b *strings.Builder, l Lead, depth int, start bool) {
	if l.Blank && !start {
		b.WriteByte('\n')
	}
	blank := false
	for _, c := range l.Comments {
		if c == blankMark {
			blank = true
			continue
		}
		if blank {
			b.WriteByte('\n')
			blank = false
		}
		indent(b, depth)
		b.WriteString(strings.TrimRight("# "+c, " ") + "\n")
	}
	if blank {
		b.WriteByte('\n')
	}
}
