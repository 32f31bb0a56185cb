package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// HeaderID names a header; Headers describes it.
type HeaderID uint8

// FieldInfo is a field as the table has it. Bit counts from the first bit of the header on the wire.
type FieldInfo struct {
	Name     string
	Bit      int
	Width    int
	Enum     string
	Reserved bool
}

// HeaderInfo describes a header for tools that handle all of them alike. The codec does not use it.
type HeaderInfo struct {
	Name   string
	Size   int
	Fields []FieldInfo
}

// String is the name of the header in the tables.
func (id HeaderID) String() string {
	if int(id) < len(Headers) {
		return Headers[id].Name
	}
	return fmt.Sprintf("header(%d)", uint8(id))
}

// PsnUse says which serial numbers a packet kind takes (ann:sack).
type PsnUse uint8

const (
	NoPsn     PsnUse = iota // neither: no window sees the packet
	TsnOnly                 // flush: takes a place in the order of transmission only
	PsnAndTsn               // data: takes an identity too
)

// Side is the side of a connection that a packet kind is for.
type Side uint8

const (
	SideNone Side = iota
	SideReceiver
	SideSender
	SideBoth
)

// Receiver says whether the receive side takes the kind.
func (s Side) Receiver() bool { return s == SideReceiver || s == SideBoth }

// Kind is what an opcode stands for.
type Kind struct {
	Known          bool
	Name           string
	Headers        []HeaderID // base first
	HeaderLen      int        // bytes of all headers
	Payload        bool       // payload may follow
	Psn            PsnUse
	Side           Side
	HasStream      bool // names a message of a stream at the receiver (a probe does only with Query)
	CarriesMessage bool // has the message header
}

// DecodeError says that the bytes end inside a header.
type DecodeError struct {
	Header HeaderID
	Field  string // first field that is not there whole
	Need   int
	Have   int
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("wire: %s header cut short in field %s: %d bytes, needs %d", e.Header, e.Field, e.Have, e.Need)
}

func short(id HeaderID, have int) error {
	h := &Headers[id]
	e := &DecodeError{Header: id, Need: h.Size, Have: have}
	for _, f := range h.Fields {
		if f.Bit+f.Width > 8*have {
			e.Field = f.Name
			break
		}
	}
	return e
}

// Value returns the field's bits from a header's bytes, most significant first, right-aligned in ceil(width/8) bytes.
// It is the slow twin of the codec, for tools and tests.
func (f FieldInfo) Value(header []byte) []byte {
	out := make([]byte, (f.Width+7)/8)
	for i := range f.Width {
		from, to := f.Bit+i, 8*len(out)-f.Width+i
		if header[from/8]>>(7-from%8)&1 != 0 {
			out[to/8] |= 0x80 >> (to % 8)
		}
	}
	return out
}

func bit(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

func put24(p []byte, v uint32) {
	_ = p[2]
	p[0], p[1], p[2] = byte(v>>16), byte(v>>8), byte(v)
}

func get24(p []byte) uint32 {
	_ = p[2]
	return uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
}

func putBitmap(p []byte, b *Bitmap256) {
	_ = p[31]
	binary.BigEndian.PutUint64(p, b[3])
	binary.BigEndian.PutUint64(p[8:], b[2])
	binary.BigEndian.PutUint64(p[16:], b[1])
	binary.BigEndian.PutUint64(p[24:], b[0])
}

func getBitmap(p []byte, b *Bitmap256) {
	_ = p[31]
	b[3] = binary.BigEndian.Uint64(p)
	b[2] = binary.BigEndian.Uint64(p[8:])
	b[1] = binary.BigEndian.Uint64(p[16:])
	b[0] = binary.BigEndian.Uint64(p[24:])
}

// ICRC is the CRC-32 (IEEE 802.3) of a UDP payload without its last 4 bytes, which hold it little-endian.
func ICRC(b []byte) uint32 { return crc32.ChecksumIEEE(b) }
