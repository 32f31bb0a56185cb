package wire

// Serial numbers (psn, tsn, msn, completed) are 32 bits and wrap. They are compared by signed distance modulo 2^32,
// which holds as long as the two are less than 2^31 apart; the windows (ann:sack) keep them within 256 or 64.

// Diff is a - b as a signed distance.
func Diff(a, b uint32) int32 { return int32(a - b) }

// Less says whether a stands before b.
func Less(a, b uint32) bool { return int32(a-b) < 0 }

// Later returns the one that stands behind the other.
func Later(a, b uint32) uint32 {
	if Less(a, b) {
		return b
	}
	return a
}
