package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is believed. A block or packet that says more is taken for a broken file.
const (
	maxPacket = 256 << 10
	maxBlock  = 1 << 20
)

// MaxFrame is the longest frame that a bench can drive.
const MaxFrame = 65535

// linkMask: above the low 16 bits of pcap's link type stand reserved bits and the length of a frame check sequence
// (draft-ietf-opsawg-pcap).
const linkMask = 0xffff

// linkEthernet is the link type of frames that start with a destination MAC.
const linkEthernet = 1

// Capture is what a file holds.
type Capture struct {
	Format  string // "pcap" or "pcapng"
	Frames  [][]byte
	Packets int // in the file: frames, and those left out
	Cut     int // frames of which the file holds the beginning only; they are in Frames as they are
	Empty   int // packets without a byte: left out
	TooLong int // packets longer than MaxFrame: left out
	Bytes   int64
}

// Error says why a capture could not be read on, and where.
type Error struct {
	Offset  int64 // byte of the file
	Packets int   // read whole before it
	What    string
	// Foreign: the file is sound, but its frames are not Ethernet.
	Foreign bool
}

// Error is one line.
func (e *Error) Error() string {
	return fmt.Sprintf("at byte %d, after %d packets: %s", e.Offset, e.Packets, e.What)
}

// Read reads a capture to its end. On an error of type *Error the Capture holds what was read up to there.
func Read(r io.Reader) (*Capture, error) {
	s := &source{r: bufio.NewReaderSize(r, 1<<16)}
	c := &Capture{}
	err := s.read(c)
	c.Bytes = s.at
	return c, err
}

type source struct {
	r     *bufio.Reader
	at    int64
	order binary.ByteOrder
	buf   []byte
	links []uint32 // pcapng: link type by interface of the section
}

func (s *source) fail(c *Capture, at int64, format string, args ...any) error {
	return &Error{Offset: at, Packets: c.Packets, What: fmt.Sprintf(format, args...)}
}

func (s *source) foreign(c *Capture, at int64, link uint32, where string) error {
	return &Error{Offset: at, Packets: c.Packets, Foreign: true, What: fmt.Sprintf("link type %d%s: only Ethernet (1) can be fed", link, where)}
}

// take returns the next n bytes, valid until the next call. At the end of the file: io.EOF with nothing read,
// io.ErrUnexpectedEOF with less than n.
func (s *source) take(n int) ([]byte, error) {
	if cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	b := s.buf[:n]
	got, err := io.ReadFull(s.r, b)
	s.at += int64(got)
	return b, err
}

const (
	magicMicro = 0xa1b2c3d4
	magicNano  = 0xa1b23c4d
	magicNg    = 0x0a0d0d0a
	ngOrder    = 0x1a2b3c4d
)

func (s *source) read(c *Capture) error {
	b, err := s.take(4)
	if err != nil {
		return s.ended(c, 0, err, "no capture: a magic number has 4 bytes")
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch m := order.Uint32(b); {
		case m == magicNg:
			c.Format = "pcapng"
			return s.readNg(c)
		case m == magicMicro || m == magicNano:
			c.Format, s.order = "pcap", order
			return s.readPcap(c)
		}
	}
	return s.fail(c, 0, "magic number %x is neither that of pcap nor of pcapng", b)
}

// ended tells of a file that ends where it may not; other errors are the system's.
func (s *source) ended(c *Capture, at int64, err error, what string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.fail(c, at, "the file ends after %d bytes: %s", s.at, what)
	}
	return err
}

func (s *source) readPcap(c *Capture) error {
	b, err := s.take(20)
	if err != nil {
		return s.ended(c, 0, err, "the file header has 24")
	}
	if major := s.order.Uint16(b); major != 2 {
		return s.fail(c, 4, "version %d of pcap: 2 is known", major)
	}
	if link := s.order.Uint32(b[16:]) & linkMask; link != linkEthernet {
		return s.foreign(c, 20, link, "")
	}
	for {
		at := s.at
		h, err := s.take(16)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.ended(c, at, err, "a packet header has 16")
		}
		held, whole := s.order.Uint32(h[8:]), s.order.Uint32(h[12:])
		if held > maxPacket {
			return s.fail(c, at+8, "a packet of %d bytes: more than %d is not believed", held, maxPacket)
		}
		data, err := s.take(int(held))
		if err != nil {
			return s.ended(c, at, err, fmt.Sprintf("its packet has %d bytes", held))
		}
		c.add(data, whole)
	}
}

// add keeps a copy of a packet's bytes.
func (c *Capture) add(data []byte, whole uint32) {
	c.Packets++
	switch {
	case len(data) == 0:
		c.Empty++
		return
	case len(data) > MaxFrame:
		c.TooLong++
		return
	case uint64(len(data)) < uint64(whole):
		c.Cut++
	}
	c.Frames = append(c.Frames, append([]byte(nil), data...))
}

// Summary says in a few words what the file holds.
func (c *Capture) Summary() string {
	s := fmt.Sprintf("%s, %d packets", c.Format, c.Packets)
	for _, x := range []struct {
		n    int
		what string
	}{{c.Cut, "cut by the capture"}, {c.Empty, "empty, left out"}, {c.TooLong, "too long to drive, left out"}} {
		if x.n > 0 {
			s += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return s
}
