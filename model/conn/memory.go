package conn

import (
	"encoding/binary"
	"sort"
)

const pageBytes = 4096

// Memory is host memory as the receiver placed into it; what was never written reads as zero. The zero Memory is empty.
type Memory struct{ pages map[uint64]*[pageBytes]byte }

// Write stores bytes; addresses run on from the last to the first.
func (m *Memory) Write(addr uint64, b []byte) {
	for len(b) > 0 {
		page := m.pages[addr/pageBytes]
		if page == nil {
			if m.pages == nil {
				m.pages = map[uint64]*[pageBytes]byte{}
			}
			page = new([pageBytes]byte)
			m.pages[addr/pageBytes] = page
		}
		n := copy(page[addr%pageBytes:], b)
		addr += uint64(n)
		b = b[n:]
	}
}

// Read fills b with the bytes from addr on.
func (m *Memory) Read(addr uint64, b []byte) {
	for len(b) > 0 {
		n := min(len(b), int(pageBytes-addr%pageBytes))
		if page := m.pages[addr/pageBytes]; page != nil {
			copy(b[:n], page[addr%pageBytes:])
		} else {
			clear(b[:n])
		}
		addr += uint64(n)
		b = b[n:]
	}
}

// Digest is equal for equal contents, whatever the order of the writes was.
func (m *Memory) Digest() uint64 {
	var keys []uint64
	for k, page := range m.pages {
		if *page != ([pageBytes]byte{}) {
			keys = append(keys, k)
		}
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	var b []byte
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint64(b, k)
		b = binary.LittleEndian.AppendUint64(b, DigestBytes(m.pages[k][:]))
	}
	return DigestBytes(b)
}
