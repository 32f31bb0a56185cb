package mrv

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/stimulus"
)

// Schema is the version of the messages. A file with a higher one is refused.
const Schema = 1

// Generator names this program in files it writes.
const Generator = "tandem vectors, form 1"

// File is a set of vectors.
type File struct {
	Header  Header
	Vectors []*Vector
}

// Header says by what a file was made.
type Header struct {
	Schema    uint32
	Spec      string // hash of model/spec, 16 hex digits
	Model     string // fingerprint of the model's steps, 16 hex digits
	Generator string
}

// Kinds of vectors that are no block. A block's is the name of its engine.
const (
	Receive  = "receive"
	Endpoint = "endpoint"
)

// Source says where a vector came from.
type Source struct {
	Kind     string // directed, random, guided, capture, run, block
	Name     string
	Args     string
	Seed     uint64
	Revision string
}

// Vector is one test.
type Vector struct {
	Name     string
	ID       string // 32 hex digits; Identify fills it
	Kind     string
	Title    string
	Rules    []string
	Requires []string
	Preset   string
	Seed     uint64 // of stalls and latencies
	Source   Source

	Items []Item
	Acts  []Act // of whole endpoints
	Want  expect.Set
	Sees  []expect.See
	Steps []Step

	program *compose.Program
}

// Item is one thing the bench does: a packet by its fields, or what stimulus has.
type Item struct {
	stimulus.Item                 // of a packet: Kind and Gap only
	Packet        *compose.Packet // nil: none, or its frame is in Data
	Row           uint16
	Line          int
}

// Act is what a whole endpoint is given.
type Act struct {
	Endpoint uint32
	What     string
	Values   []Named
}

// Named is a value of an Act.
type Named struct {
	Name  string
	Value uint64
	Data  []byte
}

// Step is one step of a block: bodies of records, from byte BodyAt on.
type Step struct {
	Op            uint8
	Before, After []byte
}

// BodyAt is where the body of a record starts, behind its head.
const BodyAt = 36

// FromProgram takes over a program's stimulus, packets by their fields where they are known.
func (v *Vector) FromProgram(p *compose.Program) {
	v.Items, v.program = make([]Item, len(p.Items)), p
	n := 0
	for i := range p.Items {
		v.Items[i].Item = p.Items[i]
		if p.Items[i].Kind != stimulus.KindFrame {
			continue
		}
		f := &p.Frames[n]
		n++
		v.Items[i].Row, v.Items[i].Line = f.Row, f.Line
		if f.Packet.Op != 0 {
			v.Items[i].Packet, v.Items[i].Data = &f.Packet, nil
		}
		if f.Payload == nil { // of frames that are not what they were meant to be
			f.Payload = compose.PayloadOf(p.Items[i].Data)
		}
	}
}

// Program makes the frames of all packets. It is made once; callers must not change it.
func (v *Vector) Program() *compose.Program {
	if v.program != nil {
		return v.program
	}
	p := &compose.Program{Name: v.Name, Items: make(stimulus.List, len(v.Items)), Posted: map[compose.Receive][]compose.Buffer{}}
	frames := 0
	for i := range v.Items {
		p.Items[i] = v.Items[i].Item
		if v.Items[i].Kind == stimulus.KindFrame {
			frames++
		}
	}
	p.Frames = make([]compose.Frame, frames)
	v.fill(p)
	v.program = p
	return p
}

// side is from how many frames on they are made side by side.
const side = 4096

// fill makes the frames. Each depends on its packet alone, so parts of the list can be made side by side.
func (v *Vector) fill(p *compose.Program) {
	workers := 1
	if len(p.Frames) >= side {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	frame := 0
	for w := range workers {
		lo, hi := len(v.Items)*w/workers, len(v.Items)*(w+1)/workers
		first := frame
		wg.Go(func() { v.fillPart(p, lo, hi, first) })
		for i := lo; i < hi; i++ {
			if v.Items[i].Kind == stimulus.KindFrame {
				frame++
			}
		}
	}
	wg.Wait()
}

func (v *Vector) fillPart(p *compose.Program, lo, hi, frame int) {
	for i := lo; i < hi; i++ {
		it := &v.Items[i]
		if it.Kind != stimulus.KindFrame {
			continue
		}
		f := &p.Frames[frame]
		frame++
		f.Row, f.Line = it.Row, it.Line
		if it.Packet != nil {
			f.Packet, f.Proper = *it.Packet, it.Packet.Proper()
			p.Items[i].Data, f.Payload = it.Packet.Frame()
		}
		if f.Payload == nil {
			f.Payload = compose.PayloadOf(p.Items[i].Data)
		}
	}
}

// Identify computes the id: 16 bytes of SHA-256 over kind, preset, seed and every byte that the bench drives, or every
// row, op and input of a block.
func (v *Vector) Identify() string {
	h := sha256.New()
	fmt.Fprintf(h, "mrv\x00%s\x00%s\x00%d\x00", v.Kind, v.Preset, v.Seed)
	var b []byte
	for _, it := range v.Program().Items {
		le := binary.LittleEndian
		b = append(b[:0], byte(it.Kind), byte(it.Port))
		b = le.AppendUint16(b, it.Addr)
		b = le.AppendUint32(b, it.Value)
		b = le.AppendUint32(b, it.Gap)
		b = le.AppendUint64(b, it.Lo)
		b = le.AppendUint64(b, it.Hi)
		b = le.AppendUint16(b, it.Permille)
		b = le.AppendUint16(b, it.Run)
		b = le.AppendUint32(b, uint32(len(it.Data)))
		h.Write(append(b, it.Data...))
	}
	for i := range v.Acts {
		h.Write(appendAct(b[:0], &v.Acts[i]))
	}
	for i := range v.Steps {
		h.Write(append(append(b[:0], v.Steps[i].Op, byte(len(v.Steps[i].Before))), v.Steps[i].Before...))
	}
	sum := h.Sum(nil)
	return hex.EncodeToString(sum[:16])
}

// Events is the number of things that must be seen.
func (v *Vector) Events() int {
	c := v.Want.Count()
	return c.Events() + c.States + len(v.Sees) + len(v.Steps)
}

// Frames is the number of frames.
func (v *Vector) Frames() int {
	n := 0
	for i := range v.Items {
		if v.Items[i].Kind == stimulus.KindFrame {
			n++
		}
	}
	return n
}

// Replace gives a vector other items, with the program that they make.
func (v *Vector) Replace(items []Item, p *compose.Program) { v.Items, v.program = items, p }
