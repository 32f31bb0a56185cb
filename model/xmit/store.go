package xmit

import "metaroce/tandem/model/event"

// Store holds the records of many paths. A path has a ring: a power of two of records, looked up by the low bits of psn.
// It begins with 4 and doubles when the place of the next psn is taken, up to 256 (ann:sack). Nothing is allocated once
// the rings have their size.
type Store struct {
	chunks []*[chunkRecords]event.XmitPacket
	used   uint32                 // records given out of the last chunk
	free   [maxRingLog + 1][]Ring // rings given back, by size
}

// Ring names the records of one path: bits 31:28 log2 of their number, bits 27:0 the first one, in units of the least ring.
type Ring uint32

const (
	minRingLog   = 2
	maxRingLog   = 8
	chunkLog     = 12 // 64 KB
	chunkRecords = 1 << chunkLog
	ringShift    = 28
)

// Open gives a path its ring: no record is in use.
func (s *Store) Open() Ring { return s.ring(minRingLog) }

// Close takes a ring back, whatever is in it.
func (s *Store) Close(r Ring) {
	for i := range r.Len() {
		*s.At(r, uint32(i)) = event.XmitPacket{}
	}
	s.free[r.log()] = append(s.free[r.log()], r)
}

// At is the record of a psn, or of a psn mod 256.
func (s *Store) At(r Ring, psn uint32) *event.XmitPacket {
	at := uint32(r)<<(32-ringShift)>>(32-ringShift)<<minRingLog + psn&(1<<r.log()-1)
	return &s.chunks[at>>chunkLog][at&(chunkRecords-1)]
}

// Len is the number of records of a ring.
func (r Ring) Len() int { return 1 << r.log() }

func (r Ring) log() uint32 { return uint32(r) >> ringShift }

// Room says whether the record of the next psn is free, which it is made to be by a larger ring where that helps. Beyond
// it a packet waits: the record 256 before it is acknowledged and not yet settled, or not acknowledged (R-ROOM).
func (s *Store) Room(r *Ring, row *event.XmitPath) bool {
	for List(s.At(*r, row.NextPsn)) != 0 {
		if r.log() == maxRingLog {
			return false
		}
		s.grow(r, row)
	}
	return true
}

// Step looks the record up, executes the transaction and links the list.
func (s *Store) Step(r Ring, row *event.XmitPath, op uint8, in *event.XmitIn, out *event.XmitOut) {
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
func (s *Store) Bytes() int { return len(s.chunks) * chunkRecords * recordBytes }

const recordBytes = 16

// ring finds room for 1<<log records.
func (s *Store) ring(log uint32) Ring {
	if n := len(s.free[log]); n > 0 {
		r := s.free[log][n-1]
		s.free[log] = s.free[log][:n-1]
		return r
	}
	if len(s.chunks) == 0 || s.used+1<<log > chunkRecords {
		s.leave()
		s.chunks = append(s.chunks, new([chunkRecords]event.XmitPacket))
		s.used = 0
	}
	first := uint32(len(s.chunks)-1)<<chunkLog + s.used
	s.used += 1 << log
	return Ring(log<<ringShift | first>>minRingLog)
}

// leave keeps what is left of the last chunk for smaller rings.
func (s *Store) leave() {
	for len(s.chunks) > 0 && s.used < chunkRecords {
		log := uint32(minRingLog)
		for log < maxRingLog && s.used+2<<log <= chunkRecords {
			log++
		}
		first := uint32(len(s.chunks)-1)<<chunkLog + s.used
		s.free[log] = append(s.free[log], Ring(log<<ringShift|first>>minRingLog))
		s.used += 1 << log
	}
}

// grow moves the records of a path to a ring twice as large. The lists link them by psn mod 256, so links stay as they are.
func (s *Store) grow(r *Ring, row *event.XmitPath) {
	wide := s.ring(r.log() + 1)
	for list := Live; list <= Away; list++ {
		psn, _ := Head(row, list)
		for range count(row, list) {
			rec := s.At(*r, psn)
			*s.At(wide, psn) = *rec
			psn = Psn(row, rec.Next)
		}
	}
	s.Close(*r)
	*r = wide
}

func count(row *event.XmitPath, list uint8) uint16 {
	switch list {
	case Live:
		return row.Live
	case Lost:
		return row.Lost
	default:
		return row.Away
	}
}
