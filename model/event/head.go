package event

import (
	"encoding/binary"
	"fmt"
)

// Geometry of a record.
const (
	RecordVersion = 1
	RecordSize    = 64 // a head, or one state record
	MaxParts      = 3
	MaxRecord     = RecordSize * (1 + MaxParts)
)

// Head is the fixed part of a record's head.
type Head struct {
	Version uint8
	Kind    Kind
	Op      uint8
	Parts   uint8  // state records that belong to it
	Seq     uint32 // number of the transaction over all kinds, from 0
	Cycle   uint64
	Xid     uint32
	Conn    uint16
	Path    uint8
	Valid   uint8 // bit 0 head body, bits 1..3 state records present
	Stream  uint16
	Digest  uint64 // of the state records, 0 where there are none
}

// put writes the head; version, kind, parts and valid are those of the record's type whatever the struct says. The
// digest stays zero until the state is written.
func (h *Head) put(b *[MaxRecord]byte, k Kind, parts uint8) {
	b[0], b[1], b[2], b[3] = RecordVersion, byte(k), h.Op, parts
	binary.LittleEndian.PutUint32(b[4:], h.Seq)
	binary.LittleEndian.PutUint64(b[8:], h.Cycle)
	binary.LittleEndian.PutUint32(b[16:], h.Xid)
	binary.LittleEndian.PutUint16(b[20:], h.Conn)
	b[22], b[23] = h.Path, validMask(parts)
	binary.LittleEndian.PutUint16(b[24:], h.Stream)
}

func validMask(parts uint8) uint8 { return 2<<parts - 1 }

// Decode reads the head of any record. It checks the length and the record version only.
func (h *Head) Decode(b []byte) error {
	if len(b) < RecordSize {
		return fmt.Errorf("event: record of %d bytes, a head has %d", len(b), RecordSize)
	}
	h.Version, h.Kind, h.Op, h.Parts = b[0], Kind(b[1]), b[2], b[3]
	h.Seq = binary.LittleEndian.Uint32(b[4:])
	h.Cycle = binary.LittleEndian.Uint64(b[8:])
	h.Xid = binary.LittleEndian.Uint32(b[16:])
	h.Conn = binary.LittleEndian.Uint16(b[20:])
	h.Path, h.Valid = b[22], b[23]
	h.Stream = binary.LittleEndian.Uint16(b[24:])
	h.Digest = binary.LittleEndian.Uint64(b[28:])
	if h.Version != RecordVersion {
		return fmt.Errorf("event: record version %d, this side speaks %d", h.Version, RecordVersion)
	}
	return nil
}

// get reads the head and checks that the record is one of kind k with its state present, or its head alone.
func (h *Head) get(b []byte, k Kind, parts uint8) error {
	if err := h.Decode(b); err != nil {
		return err
	}
	switch {
	case h.Kind != k:
		return fmt.Errorf("event: record of %s where %s was expected", h.Kind, k)
	case h.Parts != parts:
		return fmt.Errorf("event: %s record says %d state records, it has %d", k, h.Parts, parts)
	case h.Valid != 1 && h.Valid != validMask(parts):
		return fmt.Errorf("event: %s record has valid mask %#x: it is 1 (head alone) or %#x", k, h.Valid, validMask(parts))
	case h.Valid != 1 && len(b) < RecordSize*(1+int(parts)):
		return fmt.Errorf("event: %s record cut short: %d bytes of %d", k, len(b), RecordSize*(1+int(parts)))
	}
	return nil
}

// Digest mixes the 8-byte little-endian words of a record's state. len(words) is a multiple of 8; a rest would be a
// mistake of the caller and is not mixed in.
//
// h = seed; for each w: h = (h ^ w) * C; h ^= h >> 32. The loop keeps t = h before the fold and mixes w into it beside
// the shift, which takes one step off the chain from word to word.
func Digest(words []byte) uint64 {
	const seed, mult = 0x6d65_7461_726f_6365, 0x9e37_79b9_7f4a_7c15
	if len(words) < 8 {
		return seed
	}
	t := (seed ^ binary.LittleEndian.Uint64(words)) * mult
	for words = words[8:]; len(words) >= 8; words = words[8:] {
		t = ((t ^ binary.LittleEndian.Uint64(words)) ^ t>>32) * mult
	}
	return t ^ t>>32
}

func bit(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}
