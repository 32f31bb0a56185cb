package xmit

import "metaroce/tandem/model/event"

// Store holds the records of many paths. A path has a ring of as many records as it needs for what lies between its oldest
// unsettled packet and the newest. It begins with 2 and grows by one, or by an eighth, up to 256 (ann:sack).
// Nothing is allocated once the rings have their size.
//
//	psn      base                  next_psn
//	          |                       |
//	ring  [ . 4 5 6 7 8 . . ]         place of psn = (start + psn - base) mod length
//	            ^ start
type Store struct {
	heap heap
	none event.XmitPacket // what is beyond a ring: not in use
}

// Ring is where the records of one path are. The caller keeps it; it is the store's otherwise.
type Ring struct {
	first uint32 // first record
	size  uint16 // records
	base  uint8  // psn mod 256 of the oldest record that may be in use
	start uint8  // its place
}

const (
	minRing = 2
	maxRing = 256
)

// Open gives a path its ring: no record is in use.
func (s *Store) Open() Ring { return Ring{first: s.heap.take(minRing), size: minRing} }

// Close takes a ring back, whatever is in it.
func (s *Store) Close(r Ring) { s.heap.give(r.first, uint32(r.size)) }

// At is the record of a psn, or of a psn mod 256. Of one that has no place in the ring it is one that is not in use, and
// that nothing may be written to.
func (s *Store) At(r *Ring, psn uint32) *event.XmitPacket {
	off := int(uint8(psn) - r.base)
	if off >= r.Len() {
		s.none = event.XmitPacket{}
		return &s.none
	}
	return s.heap.at(r.first + uint32(r.wrap(int(r.start)+off)))
}

// Len is the number of records of a ring.
func (r *Ring) Len() int { return int(r.size) }

func (r *Ring) wrap(place int) int {
	if place >= r.Len() {
		return place - r.Len()
	}
	return place
}

// Fits says whether Room would make room, without doing it.
func (s *Store) Fits(r *Ring, row *event.XmitPath) bool {
	return r.size < maxRing || List(s.At(r, row.NextPsn)) == 0
}

// Room says whether the record of the next psn is free, which it is made to be by a larger ring where that helps. Beyond
// it a packet waits: the record 256 before it is acknowledged and not yet settled, or not acknowledged (R-ROOM).
func (s *Store) Room(r *Ring, row *event.XmitPath) bool {
	next := uint8(row.NextPsn)
	if row.Live|row.Lost|row.Away == 0 {
		r.base, r.start = next, 0
		return true
	}
	for s.full(r, next) {
		switch {
		case List(s.At(r, uint32(r.base))) == 0:
			r.base++
			r.start = uint8(r.wrap(int(r.start) + 1))
		case r.size == maxRing:
			return false
		default:
			s.grow(r)
		}
	}
	return true
}

// full tells whether the next psn has no place. There is one in use, so with 256 places the next one is that of base.
func (s *Store) full(r *Ring, next uint8) bool {
	span := int(next - r.base)
	return span == 0 || span >= r.Len()
}

// Step looks the record up, executes the transaction and links the list.
func (s *Store) Step(r *Ring, row *event.XmitPath, op uint8, in *event.XmitIn, out *event.XmitOut) {
	var rec *event.XmitPacket
	if psn, ok := Subject(row, op, in); ok {
		rec = s.At(r, psn)
	}
	Step(row, rec, op, in, out)
	if out.Link {
		s.At(r, uint32(out.Behind)).Next = uint8(out.Psn)
	}
}

// Bytes is the memory of all records, in use or not.
func (s *Store) Bytes() int { return len(s.heap.chunks) * chunkRecords * recordBytes }

const recordBytes = 16

// grow moves the records of a path to a larger ring. The lists link them by psn mod 256, so links stay as they are.
func (s *Store) grow(r *Ring) {
	wide := Ring{size: min(maxRing, r.size+max(1, r.size/8)), base: r.base}
	wide.first = s.heap.take(uint32(wide.size))
	for off := range r.Len() {
		*s.heap.at(wide.first + uint32(off)) = *s.heap.at(r.first + uint32(r.wrap(int(r.start)+off)))
	}
	s.Close(*r)
	*r = wide
}
