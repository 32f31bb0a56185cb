package verbs

import "metaroce/tandem/model/sim"

// memory is the registered regions as the NIC sees them. A key is index<<8 | tag, an address key<<32 | offset: a region
// that is removed takes its addresses with it, until its index has been given 255 more times.
type memory struct {
	regions []region // by index
	free    sim.Ring[uint32]
}

type region struct {
	buf []byte
	mr  *MR // nil: not in use
	tag uint8
}

// nowhere is an address that no region has: tags begin at 1. What the NIC writes there fails.
const nowhere = 0

// add gives a region the index that was free for longest.
func (m *memory) add(buf []byte, mr *MR, limit int) (uint32, bool) {
	index := uint32(len(m.regions))
	switch {
	case len(m.regions) < limit:
		m.regions = append(m.regions, region{})
	case m.free.Len() > 0:
		index = *m.free.Head()
		m.free.Drop()
	default:
		return 0, false
	}
	r := &m.regions[index]
	r.buf, r.mr = buf, mr
	if r.tag++; r.tag == 0 {
		r.tag = 1
	}
	return index<<8 | uint32(r.tag), true
}

func (m *memory) remove(k uint32) {
	r := &m.regions[k>>8]
	r.buf, r.mr = nil, nil
	*m.free.Push() = k >> 8
}

// region is the memory region of a key, or nil.
func (m *memory) region(k uint32) *MR {
	if k>>8 >= uint32(len(m.regions)) || m.regions[k>>8].tag != uint8(k) {
		return nil
	}
	return m.regions[k>>8].mr
}

// at is n bytes of a region, nil where there are none.
func (m *memory) at(addr uint64, n int) []byte {
	k, offset := uint32(addr>>32), addr&0xffffffff
	if m.region(k) == nil {
		return nil
	}
	buf := m.regions[k>>8].buf
	if offset > uint64(len(buf)) || uint64(n) > uint64(len(buf))-offset {
		return nil
	}
	return buf[offset : offset+uint64(n)]
}

// Write is the memory port of the NIC.
func (m *memory) Write(addr uint64, data []byte) bool {
	to := m.at(addr, len(data))
	copy(to, data)
	return to != nil
}

// Read is the memory port of the NIC.
func (m *memory) Read(addr uint64, data []byte) bool {
	from := m.at(addr, len(data))
	copy(data, from)
	return from != nil
}
