package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func written(t require.TestingT, frames ...[]byte) []byte {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	require.NoError(t, err)
	for i, f := range frames {
		require.NoError(t, w.Write(f, time.Duration(i)*time.Microsecond))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// pcap makes a file of the old format.
func pcap(order binary.AppendByteOrder, magic, link uint32, frames ...[]byte) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = order.AppendUint32(b, 65535)
	b = order.AppendUint32(b, link)
	for _, f := range frames {
		b = append(b, make([]byte, 8)...)
		b = order.AppendUint32(b, uint32(len(f)))
		b = order.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// ng makes one block; body is padded to a multiple of 4.
func ng(kind uint32, body ...byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	n := uint32(len(body) + 12)
	b := binary.LittleEndian.AppendUint32(nil, kind)
	b = binary.LittleEndian.AppendUint32(b, n)
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, n)
}

func section() []byte {
	return ng(blockSection, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255)
}
func iface(link byte) []byte { return ng(blockInterface, link, 0, 0, 0, 0, 0, 4, 0) }

func enhanced(id byte, held uint32, data ...byte) []byte {
	body := append([]byte{id, 0, 0, 0}, make([]byte, 8)...)
	body = binary.LittleEndian.AppendUint32(body, held)
	body = binary.LittleEndian.AppendUint32(body, held)
	return ng(blockEnhanced, append(body, data...)...)
}

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestWriteThenRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 300), 0, 8).Draw(t, "frames")
		file := written(t, frames...)
		c, err := Read(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, len(frames), len(c.Frames))
		for i := range frames {
			require.Equal(t, frames[i], c.Frames[i])
		}
		require.Equal(t, int64(len(file)), c.Bytes)

		// the other reader sees the same
		r, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
		require.NoError(t, err)
		for _, f := range frames {
			data, _, err := r.ReadPacketData()
			require.NoError(t, err)
			require.Equal(t, f, data)
		}
	})
}

func TestOldFormat(t *testing.T) {
	frames := [][]byte{[]byte("one frame here"), bytes.Repeat([]byte{7}, 1500)}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{magicMicro, magicNano} {
			c, err := Read(bytes.NewReader(pcap(order, magic, linkEthernet, frames...)))
			require.NoError(t, err)
			assert.Equal(t, frames, c.Frames)
			assert.Equal(t, "pcap", c.Format)
		}
	}
}

// TestEveryTruncation cuts files at every byte: what was whole is there, and the fault has a place inside the file.
func TestEveryTruncation(t *testing.T) {
	frames := [][]byte{[]byte("the first frame"), []byte("and the second one, longer")}
	for _, file := range [][]byte{written(t, frames...), pcap(binary.BigEndian, magicNano, linkEthernet, frames...)} {
		clean := 0
		for n := range file {
			c, err := Read(bytes.NewReader(file[:n]))
			for i := range c.Frames {
				require.Equal(t, frames[i], c.Frames[i])
			}
			if err == nil {
				clean++ // between two packets or blocks nothing tells that more should follow
				continue
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			require.LessOrEqual(t, e.Offset, int64(n))
			require.Equal(t, len(c.Frames), e.Packets)
			require.False(t, e.Foreign)
		}
		require.Less(t, clean, 6)
	}
}

func TestFaultsAndTheirPlace(t *testing.T) {
	good := cat(section(), iface(1), enhanced(0, 4, 1, 2, 3, 4))
	bad := func(at int, with byte) []byte {
		b := bytes.Clone(good)
		b[at] = with
		return b
	}
	cases := []struct {
		name    string
		file    []byte
		want    string
		offset  int64
		frames  int
		foreign bool
	}{
		{"nothing", nil, "ends after 0 bytes: no capture", 0, 0, false},
		{"text", []byte("hello, world, this is text"), "neither that of pcap nor of pcapng", 0, 0, false},
		{"other link type", pcap(binary.LittleEndian, magicMicro, 101, []byte("x")), "link type 101", 20, 0, true},
		{"flags above the link type", pcap(binary.LittleEndian, magicMicro, 0xf000_0001, []byte("x")), "", 0, 1, false},
		{"reserved bits above the link type", pcap(binary.BigEndian, magicNano, 0x0fff_0001, []byte("x")), "", 0, 1, false},
		{"packet beyond belief", pcap(binary.LittleEndian, magicMicro, 1, make([]byte, maxPacket+1)), "is not believed", 32, 0, false},
		{"pcap of another version", append([]byte{0xd4, 0xc3, 0xb2, 0xa1, 9, 0}, make([]byte, 30)...), "version 9", 4, 0, false},
		{"byte order", bad(8, 0), "byte-order magic", 8, 0, false},
		{"pcapng of another version", bad(12, 2), "version 2", 12, 0, false},
		{"block length no multiple of 4", bad(28+4, 21), "a block of 21 bytes", 32, 0, false},
		{"block length too small", bad(28+4, 8), "a block of 8 bytes", 32, 0, false},
		{"block length at the end", bad(28+16, 24), "says 24 at its end", 44, 0, false},
		{"block beyond belief", bad(28+7, 0x7f), "is possible", 32, 0, false},
		{"interface missing", cat(section(), enhanced(0, 1, 1)), "packet of interface 0: the section has 0", 36, 0, false},
		{"interfaces end with their section", cat(good, section(), enhanced(0, 1, 1)), "the section has 0", 120, 1, false},
		{"one of two interfaces is foreign", cat(section(), iface(1), iface(113), enhanced(0, 1, 9), enhanced(1, 1, 9)), "link type 113 of interface 1", 104, 1, true},
		{"more bytes than the block", cat(section(), iface(1), enhanced(0, 5, 1, 2, 3, 4)), "5 bytes in a block that has room for 4", 68, 0, false},
		{"packet block cut", cat(section(), iface(1), ng(blockEnhanced, 0, 0, 0, 0)), "a packet block of 16 bytes", 48, 0, false},
		{"interface block cut", cat(section(), ng(blockInterface, 1, 0, 0, 0)), "an interface block of 16 bytes", 28, 0, false},
		{"section header cut", ng(blockSection, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0), "a section header of 20 bytes", 0, 0, false},
		{"unknown blocks are stepped over", cat(section(), ng(0xbad), iface(1), ng(10, 1, 2, 3), enhanced(0, 4, 1, 2, 3, 4)), "", 0, 1, false},
		{"simple packet", cat(section(), iface(1), ng(blockSimple, 2, 0, 0, 0, 5, 6)), "", 0, 1, false},
		{"obsolete packet", cat(section(), iface(1), ng(blockPacket, append(append([]byte{0, 0, 9, 9}, make([]byte, 8)...), 2, 0, 0, 0, 2, 0, 0, 0, 8, 8)...)), "", 0, 1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read(bytes.NewReader(c.file))
			assert.Len(t, got.Frames, c.frames)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, e.Error(), c.want)
			assert.Equal(t, c.offset, e.Offset, e.Error())
			assert.Equal(t, c.foreign, e.Foreign)
		})
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	file := pcap(binary.LittleEndian, magicMicro, 1, nil, make([]byte, MaxFrame+1), []byte("frame"))
	file[len(file)-5-4] = 200 // said to have been longer on the wire
	c, err := Read(bytes.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, Capture{Format: "pcap", Frames: [][]byte{[]byte("frame")}, Packets: 3, Cut: 1, Empty: 1, TooLong: 1, Bytes: int64(len(file))}, *c)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestErrorsOfTheSystemStayWhatTheyAre(t *testing.T) {
	_, err := Read(io.MultiReader(bytes.NewReader(section()), broken{}))
	var e *Error
	require.False(t, errors.As(err, &e))
	assert.ErrorContains(t, err, "disk on fire")
}

// TestCapturesOfOthers reads the captures that lie beside the checkout, where they do: each to its end, or refused with
// the place named.
func TestCapturesOfOthers(t *testing.T) {
	files, err := filepath.Glob("../../../shared/captures/*.pcap*")
	require.NoError(t, err)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := os.Open(name)
			require.NoError(t, err)
			defer f.Close()
			size, err := f.Stat()
			require.NoError(t, err)
			c, err := Read(f)
			if err == nil {
				assert.Equal(t, size.Size(), c.Bytes, "not read to the end")
				return
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.LessOrEqual(t, e.Offset, size.Size())
			t.Log(err)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, []byte("frame")))
	f.Add(pcap(binary.BigEndian, magicNano, 1, []byte("frame")))
	f.Add(cat(section(), iface(1), enhanced(0, 4, 1, 2, 3, 4)))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Read(bytes.NewReader(file))
		if err == nil && c.Bytes != int64(len(file)) {
			t.Fatalf("read %d of %d bytes and said nothing", c.Bytes, len(file))
		}
		if c.Packets != len(c.Frames)+c.Empty+c.TooLong {
			t.Fatalf("%d packets, %d frames", c.Packets, len(c.Frames))
		}
	})
}
