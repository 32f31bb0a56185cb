package mrv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protodelim"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv/mrvpb"
	"metaroce/tandem/vectors/stimulus"
)

// plain takes out what is only kept for speed, so that vectors can be compared.
func plain(f *File) *File {
	for _, v := range f.Vectors {
		v.program = nil
	}
	return f
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFile(t)
		b, err := Encode(f, 1)
		require.NoError(t, err)
		two, err := Encode(f, 2)
		require.NoError(t, err)
		require.Equal(t, b, two, "the bytes do not depend on the number of workers")
		got, err := Decode(b)
		require.NoError(t, err)
		require.Equal(t, f.Header, got.Header)
		require.Len(t, got.Vectors, len(f.Vectors))
		again, err := Encode(got, 1)
		require.NoError(t, err)
		require.Equal(t, b, again)
		plain(f)
		plain(got)
		for i := range f.Vectors {
			w, g := f.Vectors[i], got.Vectors[i]
			require.Equal(t, w.Items, g.Items)
			require.Equal(t, len(w.Want.Fates), len(g.Want.Fates))
			for j := range w.Want.Fates {
				require.Equal(t, w.Want.Fates[j], g.Want.Fates[j])
			}
			require.Equal(t, w.Want.Segments, g.Want.Segments)
			require.Equal(t, w.Sees, g.Sees)
			require.Equal(t, w.Steps, g.Steps)
			require.Equal(t, w.Acts, g.Acts)
			require.Equal(t, w.ID, g.ID)
		}
	})
}

// TestOtherReader: zstd alone takes the file apart, and what protoc made of mrv.proto reads its messages; it writes them
// again with the same bytes.
func TestOtherReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFile(t)
		b, err := Encode(f, 1)
		require.NoError(t, err)
		dec, err := zstd.NewReader(bytes.NewReader(b))
		require.NoError(t, err)
		defer dec.Close()
		var content bytes.Buffer
		_, err = content.ReadFrom(dec)
		require.NoError(t, err)
		in := bytes.NewReader(content.Bytes())
		var kinds []string
		frames := 0
		var again bytes.Buffer
		for in.Len() > 0 {
			var e mrvpb.Entry
			require.NoError(t, protodelim.UnmarshalFrom(in, &e))
			require.Empty(t, e.ProtoReflect().GetUnknown())
			switch m := e.Of.(type) {
			case *mrvpb.Entry_Header:
				require.Equal(t, uint32(Schema), m.Header.Schema)
				kinds = append(kinds, "header")
			case *mrvpb.Entry_Vector:
				kinds = append(kinds, m.Vector.Name)
			case *mrvpb.Entry_Packet:
				frames++
			case *mrvpb.Entry_Item:
				if stimulus.Kind(m.Item.Kind) == stimulus.KindFrame {
					frames++
				}
			}
			_, err := protodelim.MarshalTo(&again, &e)
			require.NoError(t, err)
		}
		want, wantFrames := []string{"header"}, 0
		for _, v := range f.Vectors {
			want = append(want, v.Name)
			wantFrames += v.Frames()
		}
		require.Equal(t, want, kinds)
		require.Equal(t, wantFrames, frames)
		require.Equal(t, len(content.Bytes()), again.Len())
	})
}

func sample(t require.TestingT) []byte {
	p := compose.Packet{Op: wire.OpcodeWrite, Psn: 7, Tsn: 8, Length: 32, Bytes: 32, Addr: 1 << 44}
	v := &Vector{Name: "one", Kind: Receive, Preset: "tiny", Rules: []string{"R-ACK"}, Title: "t", Items: []Item{{Item: stimulus.Item{Kind: stimulus.KindFrame}, Packet: &p}}}
	v.Want.Fates = []expect.Fate{{Class: event.ClassNew, Verdict: event.VerdictPlace, Write: true, Addr: 1 << 44, Length: 32}}
	v.Want.Segments = []expect.Segment{{End: expect.Point{Frames: 1}}}
	b, err := Encode(&File{Header: Header{Schema: Schema, Spec: "s", Model: "m", Generator: "g"}, Vectors: []*Vector{v}}, 1)
	require.NoError(t, err)
	return b
}

// TestEveryTruncation and TestEveryBit: a file that is cut off or changed anywhere is refused, with a place inside it.
func TestEveryTruncation(t *testing.T) {
	b := sample(t)
	for n := range b {
		f, err := Decode(b[:n])
		require.Nil(t, f)
		var e *Error
		require.ErrorAs(t, err, &e, "cut to %d bytes", n)
		require.LessOrEqual(t, e.Offset, int64(n))
	}
	_, err := Decode(append(bytes.Clone(b), 0))
	require.ErrorContains(t, err, "1 bytes behind the end")
}

func TestEveryBit(t *testing.T) {
	b := sample(t)
	for i := range b {
		for bit := range 8 {
			c := bytes.Clone(b)
			c[i] ^= 1 << bit
			f, err := Decode(c)
			require.Nil(t, f)
			var e *Error
			require.ErrorAs(t, err, &e, "bit %d of byte %d", bit, i)
			require.LessOrEqual(t, e.Offset, int64(i), "the place is at the damage or in front of it")
		}
	}
}

// TestExchangedParts: chunks that are whole each, but not where they belong.
func TestExchangedParts(t *testing.T) {
	var chunks [][]byte
	for i := range 3 {
		chunks = append(chunks, bytes.Repeat([]byte{byte(i)}, 50))
	}
	b, err := pack(chunks, 1)
	require.NoError(t, err)
	list, err := unpack(b)
	require.NoError(t, err)
	require.Len(t, list, 3)
	first, second := list[0].at-guardBytes, list[1].at-guardBytes
	third := list[2].at - guardBytes
	_, err = unpack(append(bytes.Clone(b[second:third]), b[first:second]...))
	require.ErrorContains(t, err, "chunk 1 where chunk 0 is due")
	_, err = unpack(append(bytes.Clone(b[:second]), b[third:]...))
	require.ErrorContains(t, err, "chunk 2 where chunk 1 is due")

	other, err := pack([][]byte{chunks[0], bytes.Repeat([]byte{9}, 50), chunks[2]}, 1)
	require.NoError(t, err)
	if len(other) == len(b) { // a chunk of another file, with its own guard, in place
		mixed := append(append(bytes.Clone(b[:second]), other[second:third]...), b[third:]...)
		_, err = unpack(mixed)
		require.ErrorContains(t, err, "the checksum over all chunks differs")
	}
}

// forge packs messages that no encoder would write.
func forge(t *testing.T, entries ...[]byte) []byte {
	var content []byte
	for _, e := range entries {
		content = append(binary.AppendUvarint(content, uint64(len(e))), e...)
	}
	b, err := pack([][]byte{content}, 1)
	require.NoError(t, err)
	return b
}

func TestForgedMessages(t *testing.T) {
	header := putMessage(nil, entryHeader, putUint(nil, 1, Schema))
	vector := putMessage(nil, entryVector, putString(putString(nil, 1, "v"), 3, Receive))
	tail := putMessage(nil, entryTail, nil)
	end := putMessage(nil, entryEnd, nil)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"newer form":           {forge(t, putMessage(nil, entryHeader, putUint(putUint(nil, 1, Schema+1), 99, 7))), "form 2 of .mrv; this program reads forms up to 1"},
		"no form":              {forge(t, putMessage(nil, entryHeader, nil)), "no schema"},
		"no header":            {forge(t, vector), `a vector in stage "start"`},
		"no tail":              {forge(t, header), "the content ends in the middle"},
		"tail counts":          {forge(t, header, putMessage(nil, entryTail, putUint(nil, 1, 4))), "4 vectors, 0 are here"},
		"behind the tail":      {forge(t, header, tail, vector), `a vector in stage "end"`},
		"unknown message":      {forge(t, header, putMessage(nil, 55, nil)), "message 55 is not of schema 1"},
		"unknown field":        {forge(t, header, putMessage(nil, entryVector, putUint(nil, 77, 1))), "field 77 is not of schema 1"},
		"fields out of order":  {forge(t, header, putMessage(nil, entryVector, append(putUint(nil, 8, 1), putString(nil, 1, "x")...))), "field 1 behind field 8"},
		"field twice":          {forge(t, header, vector, putMessage(nil, entryPacket, append(putUint(nil, 2, 1), putUint(nil, 2, 1)...))), "field 2 twice"},
		"value too large":      {forge(t, header, vector, putMessage(nil, entryPacket, putUint(nil, 5, 256))), "256 is more than 255"},
		"unknown opcode":       {forge(t, header, vector, putMessage(nil, entryPacket, putUint(nil, 2, 200))), "opcode 200"},
		"item without kind":    {forge(t, header, vector, putMessage(nil, entryItem, nil)), "kind none"},
		"frame without data":   {forge(t, header, vector, putMessage(nil, entryItem, putUint(nil, 1, uint64(stimulus.KindFrame)))), "with 0 bytes"},
		"state of no frame":    {forge(t, header, vector, putMessage(nil, entryState, nil)), "of a packet that is not there"},
		"address and no write": {forge(t, header, vector, putMessage(nil, entryFate, putUint(nil, 6, 1))), "an address without a write"},
		"digest":               {forge(t, header, vector, end), "the digest over its messages differs"},
		"counts":               {forge(t, header, vector, putMessage(nil, entryEnd, putUint(nil, 1, 3))), "[0 0 0] items, events and steps where [3 0 0] are due"},
		"name twice":           {forge(t, header, vector, vector), `a vector in stage "items"`},
		"no name":              {forge(t, header, putMessage(nil, entryVector, nil)), `name "" is empty`},
		"cut message":          {forge(t, header, putMessage(nil, entryVector, []byte{0x0a, 50, 1})), "50 bytes where 1 are left"},
		"wire type":            {forge(t, header, putMessage(nil, entryVector, []byte{0x0d, 1, 2, 3, 4})), "wire type 5"},
		"no field number":      {forge(t, header, putMessage(nil, entryVector, []byte{0x02, 0})), "without a number"},
		"empty":                {nil, "byte 0: the file is empty"},
		"short text":           {[]byte("hello"), "no .mrv file: its first bytes are 68 65 6c 6c 6f"},
		"cut in its guard":     {forge(t, header)[:20], "cut short: a guard of 28 bytes stands here, 20 are left"},
		"no file of ours":      {[]byte("hello world, this is some text beyond a guard"), "no .mrv file"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Decode(c.file)
			require.Nil(t, f)
			require.ErrorContains(t, err, c.want)
		})
	}
	f, err := Decode(forge(t, header, tail))
	require.NoError(t, err)
	assert.Empty(t, f.Vectors)
	_, err = Decode(forge(t, putMessage(nil, entryHeader, putUint(nil, 1, 9))))
	var n *Newer
	require.ErrorAs(t, err, &n)
	assert.Equal(t, Newer{9, Schema}, *n)
}

// endless is a device that never ends.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return len(b), nil
}

// TestSomethingElse: what does not begin like a file of vectors is not read to its end.
func TestSomethingElse(t *testing.T) {
	e := &endless{}
	_, err := Read(e)
	require.ErrorContains(t, err, "no .mrv file: its first bytes are 00 00")
	assert.Less(t, e.read, 1<<16)
}

// TestStepsOfTheReceiveSide: they are for engines, and what stands beside them was never held against the stimulus.
func TestStepsOfTheReceiveSide(t *testing.T) {
	b, err := Encode(&File{Header: Header{Schema: Schema}, Vectors: []*Vector{{Name: "v", Kind: Receive, Steps: []Step{{Before: []byte{1}, After: []byte{1}}}}}}, 1)
	require.NoError(t, err)
	_, err = Decode(b)
	require.ErrorContains(t, err, "vector v: 1 steps, which are for engines")
}

// TestOtherPayload: where packets become other bytes than when the file was written, it is refused.
func TestOtherPayload(t *testing.T) {
	f, err := Decode(sample(t))
	require.NoError(t, err)
	v := f.Vectors[0]
	v.Items[0].Packet.Msn++
	v.program = nil
	e := &encoder{}
	var content []byte
	e.emit = func(b []byte) { content = append(content, b...) }
	e.header(&f.Header)
	e.whole(v) // keeps the id of before
	e.values(entryTail, 1)
	b, err := pack([][]byte{content}, 1)
	require.NoError(t, err)
	_, err = Decode(b)
	require.ErrorContains(t, err, "packets are made in another way than when it was written")
}

func TestWriteRefuses(t *testing.T) {
	v := &Vector{Name: "a"}
	_, err := Encode(&File{Vectors: []*Vector{v, {Name: "a"}, {}, {Name: "s", Steps: []Step{{Before: []byte{1}}}}, {Name: "x\xff"}, {Name: "n\nl"}}}, 1)
	for _, want := range []string{`two vectors are called "a"`, "without a name", `the name "x\xff"`, `the name "n\nl": want UTF-8 without control characters`, "1 bytes before and 0 after"} {
		require.ErrorContains(t, err, want)
	}
}

// TestBombs: a small file that would become large is refused, not unpacked.
func TestBombs(t *testing.T) {
	b, err := pack([][]byte{make([]byte, maxChunk*3)}, 1)
	require.NoError(t, err)
	require.Less(t, len(b), 20_000)
	_, err = Decode(b)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.ErrorContains(t, err, "does not decompress")
}

func FuzzDecode(f *testing.F) {
	b := sample(f)
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Decode(b)
		require.Equal(t, err != nil, file == nil)
	})
}

// FuzzContent goes past the checksums, to the messages.
func FuzzContent(f *testing.F) {
	list, err := unpack(sample(f))
	require.NoError(f, err)
	content, err := inflate(list, 1)
	require.NoError(f, err)
	f.Add(content[0])
	f.Fuzz(func(t *testing.T, b []byte) {
		packed, err := pack([][]byte{b}, 1)
		require.NoError(t, err)
		file, err := Decode(packed)
		require.Equal(t, err != nil, file == nil)
		var n *Newer
		var e *Error
		if err != nil && !errors.As(err, &n) && !errors.As(err, &e) {
			t.Fatalf("an error without a place: %v", err)
		}
	})
}

func TestGuardChecksum(t *testing.T) {
	g := appendGuard(nil, guardChunk, 1, 2, 3)
	require.Len(t, g, guardBytes)
	assert.Equal(t, crc32.Checksum(g[:24], castagnoli), binary.LittleEndian.Uint32(g[24:]))
}
