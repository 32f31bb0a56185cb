package mrv

import (
	"bytes"
	"errors"
	"fmt"
	"hash"

	"google.golang.org/protobuf/encoding/protowire"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
)

// stages of a file: what may come next.
type stage uint8

const (
	atStart stage = iota
	between       // vectors
	inItems
	inSteps
	inFates
	inSegments
	inSees
	afterTail
)

var stageNames = [...]string{"start", "between vectors", "items", "steps", "fates", "segments", "sees", "end"}

type decoder struct {
	file  *File
	stage stage
	v     *Vector
	p     *predictor
	seg   expect.Segment
	sum   hash.Hash
	names map[string]bool
	pool  []compose.Packet // packets are given out of slabs
}

// chunk takes the messages of a chunk. It returns where it stopped.
func (d *decoder) chunk(b []byte) (at int, err error) {
	for rest := b; len(rest) > 0; {
		at = len(b) - len(rest)
		size, n := uvarint(rest)
		if n <= 0 || size > maxEntry || size > uint64(len(rest)-n) {
			return at, fmt.Errorf("a message of %d bytes where %d are left", size, len(rest)-max(n, 0))
		}
		whole := rest[:n+int(size)]
		rest = rest[len(whole):]
		f := fields{b: whole[n:], name: "entry"}
		var g field
		more, err := f.next(&g)
		if err == nil && (!more || !g.wide || len(f.b) > 0) {
			err = errors.New("entry: one message is due, and nothing else")
		}
		if err == nil {
			err = d.entry(g.number, g.data, whole)
		}
		if err != nil {
			return at, err
		}
	}
	return len(b), nil
}

// due says which stages a message may stand in, and which it leads to.
var due = map[protowire.Number]struct {
	name string
	in   []stage
	to   stage
}{
	entryHeader:     {"header", []stage{atStart}, between},
	entryVector:     {"vector", []stage{between}, inItems},
	entryItem:       {"item", []stage{inItems}, inItems},
	entryPacket:     {"packet", []stage{inItems}, inItems},
	entryAct:        {"act", []stage{inItems}, inItems},
	entryStep:       {"step", []stage{inItems, inSteps}, inSteps},
	entryFate:       {"fate", []stage{inItems, inFates}, inFates},
	entryState:      {"state", []stage{inItems, inFates, inSegments}, inSegments},
	entryCompletion: {"completion", []stage{inItems, inFates, inSegments}, inSegments},
	entryReply:      {"reply", []stage{inItems, inFates, inSegments}, inSegments},
	entryRead:       {"read", []stage{inItems, inFates, inSegments}, inSegments},
	entryDone:       {"done", []stage{inItems, inFates, inSegments}, inSegments},
	entrySettle:     {"settle", []stage{inItems, inFates, inSegments}, inSegments},
	entrySee:        {"see", []stage{inItems, inFates, inSegments, inSees}, inSees},
	entryEnd:        {"end", []stage{inItems, inSteps, inFates, inSegments, inSees}, between},
	entryTail:       {"tail", []stage{between}, afterTail},
}

func (d *decoder) entry(n protowire.Number, b, whole []byte) error {
	w, ok := due[n]
	if !ok {
		return fmt.Errorf("entry: message %d is not of schema %d", n, Schema)
	}
	allowed := false
	for _, s := range w.in {
		allowed = allowed || s == d.stage
	}
	if !allowed {
		return fmt.Errorf("a %s in stage %q", w.name, stageNames[d.stage])
	}
	if n != entryEnd && n != entryHeader && n != entryTail {
		if n == entryVector {
			d.sum.Reset()
		}
		d.sum.Write(whole)
	}
	d.stage = w.to
	return d.message(n, b)
}

func (d *decoder) message(n protowire.Number, b []byte) error {
	switch n {
	case entryHeader:
		return d.header(b)
	case entryVector:
		return d.vector(b)
	case entryItem:
		d.v.Items = append(d.v.Items, Item{})
		return decodeItem(b, &d.v.Items[len(d.v.Items)-1])
	case entryPacket:
		d.v.Items = append(d.v.Items, Item{})
		return decodePacket(b, &d.v.Items[len(d.v.Items)-1], d.packet())
	case entryAct:
		d.v.Acts = append(d.v.Acts, Act{})
		return decodeAct(b, &d.v.Acts[len(d.v.Acts)-1])
	case entryStep:
		d.v.Steps = append(d.v.Steps, Step{})
		return decodeStep(b, &d.v.Steps[len(d.v.Steps)-1])
	case entrySee:
		d.v.Sees = append(d.v.Sees, expect.See{})
		return decodeSee(b, &d.v.Sees[len(d.v.Sees)-1])
	case entryEnd:
		return d.end(b)
	case entryTail:
		return d.tail(b)
	}
	return d.expected(n, b)
}

// slab is how many packets are made at once.
const slab = 1024

func (d *decoder) packet() *compose.Packet {
	if len(d.pool) == 0 {
		d.pool = make([]compose.Packet, slab)
	}
	p := &d.pool[0]
	d.pool = d.pool[1:]
	return p
}

// expected takes what must be seen. The frames are made when the first of it comes.
func (d *decoder) expected(n protowire.Number, b []byte) error {
	if d.p == nil {
		d.p = newPredictor(d.v)
		d.v.Want.Fates = make([]expect.Fate, 0, len(d.v.Program().Frames))
	}
	switch n {
	case entryFate:
		xid := uint32(len(d.v.Want.Fates) + 1)
		d.v.Want.Fates = append(d.v.Want.Fates, expect.Fate{})
		return decodeFate(b, &d.v.Want.Fates[xid-1], d.p.packet(xid))
	case entryState:
		s, err := decodeState(b, d.p)
		d.seg.States = append(d.seg.States, s)
		return err
	case entryCompletion:
		d.seg.Completions = append(d.seg.Completions, expect.Completion{})
		return decodeCompletion(b, &d.seg.Completions[len(d.seg.Completions)-1])
	case entryReply:
		d.seg.Replies = append(d.seg.Replies, expect.Reply{})
		return decodeReply(b, &d.seg.Replies[len(d.seg.Replies)-1])
	case entryRead:
		var v [2]uint64
		err := uints("read", b, v[:], []uint64{u16, u32})
		d.seg.Reads = append(d.seg.Reads, expect.Read{Addr: uint16(v[0]), Value: uint32(v[1])})
		return err
	case entryDone:
		var v [2]uint64
		err := uints("done", b, v[:], []uint64{u32, u8})
		d.seg.Dones = append(d.seg.Dones, expect.Done{Xid: uint32(v[0]), Op: event.Command(v[1])})
		return err
	}
	var v [2]uint64
	err := uints("settle", b, v[:], []uint64{u32, u32})
	d.seg.End = expect.Point{Frames: uint32(v[0]), Accesses: uint32(v[1])}
	d.v.Want.Segments = append(d.v.Want.Segments, d.seg)
	d.seg = expect.Segment{}
	return err
}

func (d *decoder) header(b []byte) error {
	if err := decodeHeader(b, &d.file.Header); err != nil {
		return err
	}
	switch h := &d.file.Header; {
	case h.Schema > Schema:
		return &Newer{h.Schema, Schema}
	case h.Schema == 0:
		return errors.New("header: no schema")
	}
	d.names = map[string]bool{}
	return nil
}

func (d *decoder) vector(b []byte) error {
	d.v, d.p, d.seg = &Vector{}, nil, expect.Segment{}
	d.file.Vectors = append(d.file.Vectors, d.v)
	if err := decodeVector(b, d.v); err != nil {
		return err
	}
	if d.v.Name == "" || d.names[d.v.Name] {
		return fmt.Errorf("vector: name %q is empty or stands twice", d.v.Name)
	}
	d.names[d.v.Name] = true
	return nil
}

func (d *decoder) end(b []byte) error {
	f := fields{b: b, name: "end"}
	var g field
	var count [3]uint64
	var digest []byte
	for {
		more, err := f.next(&g)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case g.number <= 3 && !g.wide:
			count[g.number-1] = g.num
		case g.number == 4 && g.wide:
			digest = g.data
		default:
			return f.unknown(&g)
		}
	}
	return d.finish(count, digest)
}

// finish holds a vector against its end and its id.
func (d *decoder) finish(count [3]uint64, digest []byte) error {
	v := d.v
	if len(d.seg.States)+len(d.seg.Completions)+len(d.seg.Replies)+len(d.seg.Reads)+len(d.seg.Dones) > 0 {
		return fmt.Errorf("vector %s: events behind the last settle", v.Name)
	}
	if have := [3]uint64{uint64(len(v.Items)), uint64(v.Events()), uint64(len(v.Steps))}; have != count {
		return fmt.Errorf("vector %s: %d items, events and steps where %d are due", v.Name, have, count)
	}
	if !bytes.Equal(d.sum.Sum(nil)[:16], digest) {
		return fmt.Errorf("vector %s: the digest over its messages differs", v.Name)
	}
	if err := v.consistent(); err != nil {
		return fmt.Errorf("vector %s: %w", v.Name, err)
	}
	if id := v.Identify(); id != v.ID {
		return fmt.Errorf("vector %s: the stimulus is %s, the id says %s: packets are made in another way than when it was written", v.Name, id, v.ID)
	}
	v.Want.Hints = expect.Hints(v.Program().Items)
	return nil
}

// consistent: what is expected must fit the stimulus, so that comparing it never leaves its tables.
func (v *Vector) consistent() error {
	if v.Kind != Receive {
		return nil
	}
	if len(v.Steps) > 0 {
		return fmt.Errorf("%d steps, which are for engines", len(v.Steps))
	}
	points := expect.Points(v.Program().Items)
	if len(v.Want.Fates) != len(v.Program().Frames) || len(v.Want.Segments) != len(points) {
		return fmt.Errorf("%d frames in %d segments, and expectations for %d in %d", len(v.Program().Frames), len(points), len(v.Want.Fates), len(v.Want.Segments))
	}
	for i, p := range points {
		if v.Want.Segments[i].End != p {
			return fmt.Errorf("segment %d ends behind %+v, expectations say %+v", i, p, v.Want.Segments[i].End)
		}
	}
	return nil
}

func (d *decoder) tail(b []byte) error {
	var v [1]uint64
	if err := uints("tail", b, v[:], []uint64{u32}); err != nil {
		return err
	}
	if int(v[0]) != len(d.file.Vectors) {
		return fmt.Errorf("tail: %d vectors, %d are here", v[0], len(d.file.Vectors))
	}
	return nil
}
