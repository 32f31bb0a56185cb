package export

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"

	"metaroce/tandem/internal/atomicfile"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// Pcapng writes the frames of a vector, each with a comment that says what it is and what becomes of it: for Wireshark
// with docs/dissector/metaroce.lua. Time is that of the frame port if nothing held it up: a beat of 64 bytes takes a
// tick of 4 ns. Written by hand, since the library in use has no comments of packets.
func Pcapng(w io.Writer, v *mrv.Vector) error {
	b := block32(nil, 0x0a0d0d0a, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint32(b, 0x1a2b3c4d)
		b = append(b, 1, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, 1<<64-1)
		return endOptions(option(option(b, 4, "tandem"), 1, v.Name+" "+v.ID+": "+v.Title))
	})
	b = block32(b, 1, func(b []byte) []byte {
		b = append(b, 1, 0, 0, 0)                      // Ethernet
		b = binary.LittleEndian.AppendUint32(b, 1<<18) // snap length
		return endOptions(option(option(b, 2, "frame port"), 9, "\x09"))
	})
	prog := v.Program()
	xid, ticks := 0, uint64(0)
	for i := range v.Items {
		it := &v.Items[i]
		if it.Kind != stimulus.KindFrame {
			continue
		}
		data := prog.Items[i].Data
		ticks += uint64(it.Gap) + uint64(len(data)+beatBytes-1)/beatBytes
		comment := frameText(it, xid+1, len(data))
		if xid < len(v.Want.Fates) {
			comment += ": " + FateText(&v.Want.Fates[xid])
		}
		xid++
		b = enhanced(b, ticks*tickNs, data, comment)
	}
	_, err := w.Write(b)
	return err
}

// Captures writes a capture of each vector into a folder: all of them, or nothing is changed.
func Captures(dir string, vectors []*mrv.Vector) error {
	if err := Distinct(vectors); err != nil {
		return err
	}
	return atomicfile.Folder(dir, func(work string) error {
		for _, v := range vectors {
			var b bytes.Buffer
			if err := Pcapng(&b, v); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(work, FileName(v)+".pcapng"), b.Bytes(), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// tickNs is a cycle of the device.
const tickNs = 4

func enhanced(b []byte, ns uint64, data []byte, comment string) []byte {
	return block32(b, 6, func(b []byte) []byte {
		le := binary.LittleEndian
		b = le.AppendUint32(b, 0)
		b = le.AppendUint32(b, uint32(ns>>32))
		b = le.AppendUint32(b, uint32(ns))
		b = le.AppendUint32(b, uint32(len(data)))
		b = le.AppendUint32(b, uint32(len(data)))
		b = pad(append(b, data...))
		return endOptions(option(b, 1, comment))
	})
}

// block32 appends a block: its type, its length in front and behind.
func block32(b []byte, kind uint32, body func([]byte) []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = body(b)
	n := uint32(len(b)-at) + 4
	binary.LittleEndian.PutUint32(b[at+4:], n)
	return binary.LittleEndian.AppendUint32(b, n)
}

func option(b []byte, code uint16, value string) []byte {
	if len(value) > 1<<16-1 {
		value = value[:1<<16-1]
	}
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return pad(append(b, value...))
}

func endOptions(b []byte) []byte { return append(b, 0, 0, 0, 0) }

// pad fills up to 4 bytes. Everything in a file starts at a multiple of 4, so the length of all of it serves.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
