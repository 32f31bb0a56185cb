package coverage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Kind is what a point counts.
type Kind string

// Kinds of points, as Verilator names them.
const (
	KindLine   Kind = "line"   // a block of lines was run
	KindBranch Kind = "branch" // the same, of an if with both arms
	KindToggle Kind = "toggle" // a bit rose or fell
	KindUser   Kind = "user"   // a cover property
)

// Point is a point of Verilator's coverage. Instances of one module have one point, each set of parameters its own.
type Point struct {
	File         string
	Line, Column int
	Kind         Kind
	Module       string // with its parameters
	What         string // block, if, else, elsif, case; name of the bit; name of the property
	Lines        []Span // that it stands for; toggles and an else that is not written: none
}

// Span is lines from the first to the last.
type Span struct{ First, Last int }

const datHeader = "# SystemC::Coverage-3"

// mostLine bounds a line of a file: what is longer is garbled.
const mostLine = 1 << 16

// ReadPoints reads a file that a simulator wrote and calls each with every point's name, valid until it returns, and its
// count. An error names line and byte. name is that of the file.
func ReadPoints(name string, in io.Reader, each func(point []byte, count uint64) error) error {
	r := bufio.NewReaderSize(in, mostLine)
	at := 0
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && n > 1:
			return nil
		case errors.Is(err, io.EOF):
			err = errors.New("the file is cut off: run the test again")
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("more than %d bytes without an end of line", mostLine)
		case err == nil:
			err = readPoint(n, line[:len(line)-1], each)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: byte %d: %w", name, n, at, err)
		}
		at += len(line)
	}
}

// readPoint reads line n: C 'NAME' COUNT.
func readPoint(n int, line []byte, each func([]byte, uint64) error) error {
	if n == 1 {
		if string(line) != datHeader {
			return fmt.Errorf("want %q, as Verilator writes it", datHeader)
		}
		return nil
	}
	rest, ok := bytes.CutPrefix(line, []byte("C '"))
	end := bytes.LastIndex(rest, []byte("' "))
	if !ok || end < 0 {
		return errors.New("want C 'POINT' COUNT")
	}
	digits := string(rest[end+2:])
	count, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || digits != strconv.FormatUint(count, 10) {
		return fmt.Errorf("%.40q is no count", digits)
	}
	return each(rest[:end], count)
}

// ParsePoint reads the name of a point: key \x02 value behind each \x01.
func ParsePoint(name string) (Point, error) {
	p := Point{}
	parts := strings.Split(name, "\x01")
	if parts[0] != "" {
		return p, errors.New("the point does not begin with a key")
	}
	lines := ""
	seen := map[string]bool{}
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "\x02")
		if !ok || key == "" || seen[key] {
			return p, fmt.Errorf("%.40q is no new key with a value", part)
		}
		seen[key] = true
		value, err := unquote(value)
		switch key {
		case "f":
			p.File = value
		case "l":
			p.Line, err = number(value)
		case "n":
			p.Column, err = number(value)
		case "page":
			err = p.page(value)
		case "o":
			p.What = value
		case "S":
			lines = value
		}
		if err != nil {
			return p, fmt.Errorf("key %s: %w", key, err)
		}
	}
	if p.File == "" || p.Line == 0 || p.Kind == "" {
		return p, errors.New("the point has no file, line or page")
	}
	return p, p.lines(lines)
}

// page reads KIND/MODULE.
func (p *Point) page(value string) error {
	kind, module, ok := strings.Cut(value, "/")
	p.Kind, p.Module = Kind(strings.TrimPrefix(kind, "v_")), module
	switch p.Kind {
	case KindLine, KindBranch, KindToggle, KindUser:
		if ok {
			return nil
		}
	}
	return fmt.Errorf("%.40q: want v_line, v_branch, v_toggle or v_user, / and the module", value)
}

// lines reads "4-6,9": the lines of a block. An else that is not written has none.
func (p *Point) lines(text string) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		lo, hi, two := strings.Cut(part, "-")
		if !two {
			hi = lo
		}
		first, err := number(lo)
		last, err2 := number(hi)
		if err = errors.Join(err, err2); err == nil && last < first {
			err = errors.New("ends before it begins")
		}
		if err != nil {
			return fmt.Errorf("lines %.40q: %w", part, err)
		}
		p.Lines = append(p.Lines, Span{first, last})
	}
	return nil
}

// mostLines bounds the number of a line: what is above is garbled.
const mostLines = 1_000_000

// number reads the number of a line or column.
func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 || n > mostLines {
		return 0, fmt.Errorf("%.40q is no number from 1 to %d", text, mostLines)
	}
	return int(n), nil
}

// signed stands before the digits of a byte from 0x80: Verilator prints it as a signed number.
const signed = "FFFFFF"

// unquote puts back what Verilator wrote as %XX.
func unquote(text string) (string, error) {
	var b strings.Builder
	for {
		plain, rest, more := strings.Cut(text, "%")
		b.WriteString(plain)
		if !more {
			return b.String(), nil
		}
		rest = strings.TrimPrefix(rest, signed)
		if len(rest) < 2 {
			return "", fmt.Errorf("%.40q ends in half a %%XX", text)
		}
		c, err := strconv.ParseUint(rest[:2], 16, 8)
		if err != nil {
			return "", fmt.Errorf("%.40q is no %%XX", "%"+rest[:2])
		}
		b.WriteByte(byte(c))
		text = rest[2:]
	}
}
