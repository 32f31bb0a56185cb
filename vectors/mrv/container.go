package mrv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The file is a sequence of pairs: a guard, which is a skippable frame of zstd, and a zstd frame, the chunk. A last guard
// without a chunk ends it. All numbers are little-endian.
//
//	0   4  magic of a skippable frame, 0x184d2a5d
//	4   4  bytes that follow: 20
//	8   4  "mrv1", of the last guard "mrvE"
//	12  4  number of the chunk, from 0; in the last guard: number of chunks
//	16  4  bytes of the chunk's zstd frame; in the last guard 0
//	20  4  CRC-32C of these bytes; in the last guard: of all chunks' CRCs, 4 bytes each
//	24  4  CRC-32C of bytes 0..23
const (
	guardMagic = 0x184d2a5d
	guardBytes = 28
	guardChunk = "mrv1"
	guardEnd   = "mrvE"
)

// chunkBytes is where a chunk ends: behind the entry that brings its content to this size. maxEntry bounds an entry, so
// that a chunk is bounded too.
const (
	chunkBytes = 256 << 10
	maxEntry   = 1 << 20
	maxChunk   = chunkBytes + maxEntry
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Error is a file that is not what it was when it was written.
type Error struct {
	Offset int64 // byte of the file
	What   string
}

// Error says where and what.
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.What) }

func appendGuard(b []byte, tag string, n, size, crc uint32) []byte {
	at := len(b)
	le := binary.LittleEndian
	b = le.AppendUint32(b, guardMagic)
	b = le.AppendUint32(b, guardBytes-8)
	b = append(b, tag...)
	b = le.AppendUint32(b, n)
	b = le.AppendUint32(b, size)
	b = le.AppendUint32(b, crc)
	return le.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

type guard struct {
	end     bool
	n, size uint32
	crc     uint32
}

func readGuard(b []byte, at int64) (g guard, err error) {
	bad := func(format string, args ...any) (guard, error) {
		return g, &Error{at, fmt.Sprintf(format, args...)}
	}
	head := binary.LittleEndian.AppendUint32(nil, guardMagic)
	switch {
	case at == 0 && len(b) == 0:
		return bad("the file is empty")
	case at == 0 && !bytes.HasPrefix(b, head[:min(len(b), len(head))]):
		return bad("no .mrv file: its first bytes are % x", b[:min(len(b), 12)])
	case len(b) < guardBytes:
		return bad("cut short: a guard of %d bytes stands here, %d are left", guardBytes, len(b))
	}
	le := binary.LittleEndian
	tag := string(b[8:12])
	switch {
	case le.Uint32(b) != guardMagic || le.Uint32(b[4:]) != guardBytes-8 || tag != guardChunk && tag != guardEnd:
		return bad("no guard stands here: damaged, or not written by this program")
	case le.Uint32(b[24:]) != crc32.Checksum(b[:24], castagnoli):
		return bad("the checksum of the guard differs: damaged")
	}
	return guard{end: tag == guardEnd, n: le.Uint32(b[12:]), size: le.Uint32(b[16:]), crc: le.Uint32(b[20:])}, nil
}

// pack compresses chunks, on some workers side by side, and puts the file together. The bytes depend on the chunks alone.
func pack(chunks [][]byte, workers int) ([]byte, error) {
	packed := make([][]byte, len(chunks))
	errs := make([]error, max(1, workers))
	var wg sync.WaitGroup
	for w := range max(1, workers) {
		wg.Go(func() {
			enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
			if err != nil {
				errs[w] = err
				return
			}
			for i := w; i < len(chunks); i += max(1, workers) {
				packed[i] = enc.EncodeAll(chunks[i], nil)
			}
			errs[w] = enc.Close()
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("mrv: %w", err)
		}
	}
	var out, crcs []byte
	for i, p := range packed {
		crc := crc32.Checksum(p, castagnoli)
		crcs = binary.LittleEndian.AppendUint32(crcs, crc)
		out = append(appendGuard(out, guardChunk, uint32(i), uint32(len(p)), crc), p...)
	}
	return appendGuard(out, guardEnd, uint32(len(packed)), 0, crc32.Checksum(crcs, castagnoli)), nil
}

// chunk is one as it stands in the file.
type chunk struct {
	at     int64
	packed []byte
}

// unpack takes a file apart and checks every checksum.
func unpack(b []byte) ([]chunk, error) {
	var list []chunk
	var crcs []byte
	at := 0
	for {
		g, err := readGuard(b[at:], int64(at))
		if err != nil {
			return nil, err
		}
		if int(g.n) != len(list) {
			return nil, &Error{int64(at), fmt.Sprintf("chunk %d where chunk %d is due: a part is missing or stands twice", g.n, len(list))}
		}
		body := b[at+guardBytes:]
		if g.end {
			if g.crc != crc32.Checksum(crcs, castagnoli) {
				return nil, &Error{int64(at), "the checksum over all chunks differs: a part was exchanged"}
			}
			if len(body) > 0 {
				return nil, &Error{int64(at + guardBytes), fmt.Sprintf("%d bytes behind the end", len(body))}
			}
			return list, nil
		}
		if uint64(g.size) > uint64(len(body)) {
			return nil, &Error{int64(at + guardBytes), fmt.Sprintf("cut short: chunk %d has %d bytes, %d are left", g.n, g.size, len(body))}
		}
		packed := body[:g.size]
		if crc32.Checksum(packed, castagnoli) != g.crc {
			return nil, &Error{int64(at + guardBytes), fmt.Sprintf("the checksum of chunk %d (%d bytes from here) differs: damaged", g.n, g.size)}
		}
		crcs = binary.LittleEndian.AppendUint32(crcs, g.crc)
		list = append(list, chunk{int64(at + guardBytes), packed})
		at += guardBytes + int(g.size)
	}
}

// inflate decompresses chunks, on some workers side by side.
func inflate(list []chunk, workers int) ([][]byte, error) {
	out := make([][]byte, len(list))
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for w := range max(1, workers) {
		wg.Go(func() {
			dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk), zstd.WithDecoderMaxWindow(8<<20))
			if err != nil {
				errs[0] = err
				return
			}
			defer dec.Close()
			for i := w; i < len(list); i += max(1, workers) {
				out[i], errs[i] = dec.DecodeAll(list[i].packed, nil)
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, &Error{list[i].at, fmt.Sprintf("chunk %d does not decompress: %v", i, err)}
		}
	}
	return out, nil
}
