package conn

import "encoding/binary"

// DigestBytes is the digest of docs/receive.md, section 4, over bytes: their 8-byte little-endian words, the last one
// filled up with zeros. For whole words it equals event.Digest.
func DigestBytes(b []byte) uint64 {
	const seed, mult = 0x6d65_7461_726f_6365, 0x9e37_79b9_7f4a_7c15
	h := uint64(seed)
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * mult
		h ^= h >> 32
	}
	if len(b) > 0 {
		var w [8]byte
		copy(w[:], b)
		h = (h ^ binary.LittleEndian.Uint64(w[:])) * mult
		h ^= h >> 32
	}
	return h
}
