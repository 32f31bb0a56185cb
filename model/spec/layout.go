package spec

import (
	"fmt"
	"strings"
)

// Record geometry (docs/receive.md, section 4).
const (
	RecordBytes  = 64
	HeadBytes    = 36 // fixed part of the head
	BodyBytes    = RecordBytes - HeadBytes
	MaxParts     = 3
	MaxRecord    = RecordBytes * (1 + MaxParts)
	MaxRegOffset = 0x1000
)

// Placed is a Var with its place in the record. Group is "out", "in" or the name of the row.
type Placed struct {
	Var
	Group  string
	Row    bool
	Offset int // bytes from the start of the transaction
	Size   int // bytes of its container
	Lsb    int // bit in the commit vector, counted over out, in, rows (0: first bit of the first out field)
}

// Layout is the record of one engine: all its values in declared order, out before in before rows.
type Layout struct {
	Fields     []Placed
	Parts      int // state records
	StateBytes int // bytes of state in use, a multiple of 8: what the digest covers
	Bits       int // bits of all values together
}

// containerBytes returns the bytes of the container for a value of w bits.
func containerBytes(w int) int {
	switch {
	case w <= 8:
		return 1
	case w <= 16:
		return 2
	case w <= 32:
		return 4
	}
	return (w + 63) / 64 * 8
}

// layoutOf places every value. A value that does not fit behind the one before it in the head body starts state
// record 1 and takes all later ones along, so the order of the bytes is the order of the table.
func layoutOf(e *Engine) Layout {
	var l Layout
	at := HeadBytes
	place := func(group string, row bool, vars []Var) {
		for _, v := range vars {
			size := containerBytes(v.Width)
			align := min(size, 4)
			off := (at + align - 1) / align * align
			if at <= RecordBytes && off+size > RecordBytes {
				off = RecordBytes
			}
			l.Fields = append(l.Fields, Placed{Var: v, Group: group, Row: row, Offset: off, Size: size, Lsb: l.Bits})
			l.Bits += v.Width
			at = off + size
			if off >= RecordBytes && l.StateBytes < at-RecordBytes {
				l.StateBytes = at - RecordBytes
			}
		}
	}
	place("out", false, e.Out)
	place("in", false, e.In)
	for i := range e.Rows {
		place(e.Rows[i].Name, true, e.Rows[i].Fields)
	}
	l.StateBytes = (l.StateBytes + 7) / 8 * 8
	l.Parts = (l.StateBytes + RecordBytes - 1) / RecordBytes
	return l
}

// RowCount is the number of rows of a table in a preset.
func (s *Spec) RowCount(r *Row, p *Preset) int64 {
	n, err := rowCount(r.Rows, func(name string) (int64, bool) {
		for i := range s.Params {
			if s.Params[i].Name == name {
				return p.Values[i], true
			}
		}
		return 0, false
	})
	if err != nil {
		panic("spec BUG: rows that the loader let pass: " + err.Error())
	}
	return n
}

// Bits is the size of a row.
func (r *Row) Bits() int64 {
	n := int64(0)
	for i := range r.Fields {
		n += int64(r.Fields[i].Width)
	}
	return n
}

// TableBits is what the tables of built engines and the packet buffer take in a preset.
func (s *Spec) TableBits(p *Preset) int64 {
	n := 8 * RecordBytes * s.Value(p, "buf_beats") // a beat is as wide as a record: 64 bytes
	for i := range s.Engines {
		for j := range s.Engines[i].Rows {
			if r := &s.Engines[i].Rows[j]; s.Engines[i].Built {
				n += s.RowCount(r, p) * r.Bits()
			}
		}
	}
	return n
}

// rowCount works out a product of preset parameters and numbers.
func rowCount(expr string, param func(string) (int64, bool)) (int64, error) {
	n := int64(1)
	for _, f := range strings.Split(expr, "*") {
		f = strings.TrimSpace(f)
		v, ok := param(f)
		if !ok {
			v, ok = number(f)
		}
		if !ok || v < 1 {
			return 0, fmt.Errorf("%q is neither a parameter nor a positive number", f)
		}
		if n > 1<<40/v {
			return 0, fmt.Errorf("more than 2^40 rows")
		}
		n *= v
	}
	return n, nil
}
