package mrv

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Writers of protobuf fields: zero values are left out.

func putUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func putSint(b []byte, field protowire.Number, v int64) []byte {
	return putUint(b, field, protowire.EncodeZigZag(v))
}

func putBytes(b []byte, field protowire.Number, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func putString(b []byte, field protowire.Number, v string) []byte {
	if v == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// putMessage writes a message, also an empty one.
func putMessage(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// fields walks over the fields of a message.
type fields struct {
	b    []byte
	name string // of the message, for errors
	last protowire.Number
}

// field is one of them: num for varints, data for everything with a length.
type field struct {
	number protowire.Number
	num    uint64
	data   []byte
	wide   bool // has a length
}

// next returns the next field; false at the end.
func (f *fields) next(out *field) (bool, error) {
	if len(f.b) == 0 {
		return false, nil
	}
	tag, n := uvarint(f.b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1000 {
		return false, fmt.Errorf("%s: a field without a number", f.name)
	}
	f.b = f.b[n:]
	out.number, out.wide = protowire.Number(tag>>3), tag&7 == 2
	if out.number < f.last {
		return false, fmt.Errorf("%s: field %d behind field %d", f.name, out.number, f.last)
	}
	f.last = out.number
	if tag&7 != 0 && tag&7 != 2 {
		return false, fmt.Errorf("%s.%d: wire type %d", f.name, out.number, tag&7)
	}
	v, n := uvarint(f.b)
	if n <= 0 {
		return false, fmt.Errorf("%s.%d: cut short", f.name, out.number)
	}
	f.b = f.b[n:]
	out.num = v
	if out.wide {
		if v > uint64(len(f.b)) {
			return false, fmt.Errorf("%s.%d: %d bytes where %d are left", f.name, out.number, v, len(f.b))
		}
		out.data, f.b = f.b[:v:v], f.b[v:]
	}
	return true, nil
}

// uvarint is binary.Uvarint with a way out for the shortest.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

func zigzag(v uint64) int64 { return protowire.DecodeZigZag(v) }

// unknown is the error of a field that a message of this schema does not have, or has of another type.
func (f *fields) unknown(g *field) error {
	return fmt.Errorf("%s: field %d is not of schema %d", f.name, g.number, Schema)
}

// under checks that a value fits its type.
func (f *fields) under(g *field, most uint64) error {
	if g.wide {
		return f.unknown(g)
	}
	if g.num > most {
		return fmt.Errorf("%s.%d: %d is more than %d", f.name, g.number, g.num, most)
	}
	return nil
}
