package capture

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Blocks of pcapng that matter here; all others are stepped over.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 2 // obsolete
	blockSimple    = 3
	blockEnhanced  = 6
)

// readNg walks the blocks of a pcapng file, of which the first 4 bytes are read.
func (s *source) readNg(c *Capture) error {
	first := true
	for {
		at := s.at
		kind := uint32(blockSection)
		if first {
			at -= 4
		} else {
			b, err := s.take(4)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return s.ended(c, at, err, "a block type has 4")
			}
			kind = s.order.Uint32(b)
			if binary.LittleEndian.Uint32(b) == blockSection { // reads the same in both orders
				kind = blockSection
			}
		}
		first = false
		body, err := s.block(c, at, kind)
		if err != nil {
			return err
		}
		if err := s.use(c, at, kind, body); err != nil {
			return err
		}
	}
}

// block reads a block behind its type and returns its body. A section header says by a magic number in which order of
// bytes its section is written, its own length included.
func (s *source) block(c *Capture, at int64, kind uint32) ([]byte, error) {
	head := 4
	if kind == blockSection {
		head = 8
	}
	b, err := s.take(head)
	if err != nil {
		return nil, s.ended(c, at, err, "a block has at least 12")
	}
	if kind == blockSection {
		switch {
		case binary.LittleEndian.Uint32(b[4:]) == ngOrder:
			s.order = binary.LittleEndian
		case binary.BigEndian.Uint32(b[4:]) == ngOrder:
			s.order = binary.BigEndian
		default:
			return nil, s.fail(c, at+8, "byte-order magic %x of a section header", b[4:])
		}
		s.links = nil
	}
	length := s.order.Uint32(b)
	if length%4 != 0 || length < uint32(8+head) || length > maxBlock {
		return nil, s.fail(c, at+4, "a block of %d bytes: a multiple of 4 from %d to %d is possible", length, 8+head, maxBlock)
	}
	body, err := s.take(int(length) - 4 - head)
	if err != nil {
		return nil, s.ended(c, at, err, "its last block is not whole")
	}
	if end := s.order.Uint32(body[len(body)-4:]); end != length {
		return nil, s.fail(c, at+int64(length)-4, "a block of %d bytes says %d at its end", length, end)
	}
	return body[:len(body)-4], nil
}

// use takes the frame out of a block.
func (s *source) use(c *Capture, at int64, kind uint32, body []byte) error {
	switch kind {
	case blockSection:
		if len(body) < 12 { // two versions and the section length
			return s.fail(c, at, "a section header of %d bytes", len(body)+16)
		}
		if major := s.order.Uint16(body); major != 1 {
			return s.fail(c, at+12, "version %d of pcapng: 1 is known", major)
		}
	case blockInterface:
		if len(body) < 8 {
			return s.fail(c, at, "an interface block of %d bytes", len(body)+12)
		}
		s.links = append(s.links, uint32(s.order.Uint16(body)))
	case blockEnhanced, blockPacket:
		return s.packet(c, at, kind, body)
	case blockSimple:
		if len(body) < 4 {
			return s.fail(c, at, "a simple packet block of %d bytes", len(body)+12)
		}
		whole := s.order.Uint32(body)
		return s.frame(c, at, 0, body[4:], min(uint64(whole), uint64(len(body)-4)), whole)
	}
	return nil
}

func (s *source) packet(c *Capture, at int64, kind uint32, body []byte) error {
	if len(body) < 20 {
		return s.fail(c, at, "a packet block of %d bytes", len(body)+12)
	}
	id := s.order.Uint32(body)
	if kind == blockPacket {
		id = uint32(s.order.Uint16(body))
	}
	return s.frame(c, at, id, body[20:], uint64(s.order.Uint32(body[12:])), s.order.Uint32(body[16:]))
}

func (s *source) frame(c *Capture, at int64, id uint32, data []byte, held uint64, whole uint32) error {
	if uint64(id) >= uint64(len(s.links)) {
		return s.fail(c, at+8, "a packet of interface %d: the section has %d", id, len(s.links))
	}
	if link := s.links[id]; link != linkEthernet {
		return s.foreign(c, at, link, fmt.Sprintf(" of interface %d", id))
	}
	if held > uint64(len(data)) {
		return s.fail(c, at+20, "a packet of %d bytes in a block that has room for %d", held, len(data))
	}
	c.add(data[:held], whole)
	return nil
}
