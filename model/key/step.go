package key

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Permissions of a region.
const (
	PermWrite  = 1 // remote write
	PermRead   = 2 // remote read
	PermAtomic = 4 // remote atomic
)

// Step executes one transaction on the row at rkey[31:8], which is all zero when the index is beyond the table.
func Step(row *event.KeyKey, op uint8, in *event.KeyIn, out *event.KeyOut) {
	*out = event.KeyOut{}
	switch op {
	case event.KeySet:
		*row = event.KeyKey{
			Valid: true, Tag: uint8(in.Rkey), Conn: in.Conn, Perm: in.Perm,
			Base: in.Addr, Length: uint64(in.LengthHi)<<32 | uint64(in.Length),
		}
	case event.KeyClear:
		*row = event.KeyKey{}
	default:
		out.Syndrome = check(row, in)
	}
}

// check is the refusal of one packet, or none. A message of no bytes touches no memory and needs no key.
func check(row *event.KeyKey, in *event.KeyIn) wire.Syndrome {
	switch {
	case in.Length == 0:
		return wire.SyndromeNone
	case !row.Valid || row.Tag != uint8(in.Rkey) || row.Conn != in.Conn:
		return wire.SyndromeKey
	case row.Perm&PermWrite == 0:
		return wire.SyndromePermission
	case !inside(row.Base, row.Length, in.Addr, uint64(in.PayloadLen)):
		return wire.SyndromeBounds
	}
	return wire.SyndromeNone
}

// inside tells whether addr..addr+n lies in base..base+length, both ends compared as 65-bit sums.
func inside(base, length, addr, n uint64) bool {
	if addr < base {
		return false
	}
	end, endCarry := bits.Add64(addr, n, 0)
	limit, limitCarry := bits.Add64(base, length, 0)
	return endCarry < limitCarry || endCarry == limitCarry && end <= limit
}
