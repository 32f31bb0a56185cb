package spec

// Pos is where a definition stands.
type Pos struct {
	File string
	Line int
}

// Claim says how sure a row is. Status is that of its weakest claim; Source is "ours" or "ann:TAG".
type Claim struct {
	Status string
	Source string
	Text   string
}

// Const is a named constant with its unit.
type Const struct {
	Pos
	Claim
	Name  string
	Value int64
	Unit  string
}

// Param declares a preset parameter and its range.
type Param struct {
	Pos
	Name   string
	Lo, Hi int64
	Pow2   bool
	Text   string
}

// Preset gives every parameter a value; Values is in the order of Spec.Params.
type Preset struct {
	Pos
	Name   string
	Text   string
	Values []int64

	set []paramValue
}

type paramValue struct {
	Pos
	name  string
	value int64
}

// Enum is a set of named numbers. Enums of wire.tbl carry claims per value; command, reason, verdict and class come
// from register.tbl with the width that their largest number needs.
type Enum struct {
	Pos
	Claim
	Name   string
	Width  int
	Wire   bool
	Values []Value
}

// Value is one member of an Enum. Rule is set for drop reasons.
type Value struct {
	Pos
	Claim
	Name   string
	Number uint64
	Rule   string
}

// Header is one header of the wire format. Fields are in wire order and fill Bytes exactly.
type Header struct {
	Pos
	Claim
	Name   string
	Bytes  int
	Fields []Field
}

// Field is a field of a Header. Offset counts bits from the first bit on the wire.
type Field struct {
	Pos
	Claim
	Name     string
	Width    int
	Offset   int
	Enum     string
	Reserved bool
}

// Packet is one packet kind: an opcode and the stack of headers behind the UDP header.
type Packet struct {
	Pos
	Claim
	Name    string
	Opcode  string
	Number  uint64
	Headers []string
	Payload bool
	Psn     string // yes, tsn, no
	Side    string // receiver, sender, both
}

// Var is a value of a descriptor or of a record.
type Var struct {
	Pos
	Name  string
	Width int
	Enum  string
	Text  string
	Told  bool
	Legal string // told: when the device's choice is legal
	Bound string // told: how late or how rare it may be
	From  string // engine that owns the table this is read from
}

// Struct is a bundle of values outside any engine (the descriptor).
type Struct struct {
	Pos
	Name   string
	Text   string
	Fields []Var
}

// Op is a transaction kind of an engine.
type Op struct {
	Pos
	Name   string
	Number int64
	Text   string
}

// Row is a table row that an engine reads and leaves.
type Row struct {
	Pos
	Name     string
	Rows     string // number of rows, an expression over preset parameters
	Index    string
	Overflow string // what happens where the table ends
	Text     string
	Fields   []Var
}

// Engine is a serialisation point of the device, or (Boundary) a place where every target can be observed.
// Later engines are named so that ids stay, and have no fields yet.
type Engine struct {
	Pos
	Name     string
	ID       int
	Boundary bool
	Side     string
	Order    int
	Status   string // built: Go, RTL and lockstep; model: Go only; later: defined, nothing generated
	Built    bool   // status built, and every boundary
	Rule     string
	Text     string
	Ops      []Op
	Out, In  []Var
	Rows     []Row
	Layout   Layout
}

// Reg is a register; Count > 1 is an array at Stride.
type Reg struct {
	Pos
	Name   string
	Offset int
	Access string
	Count  int
	Stride int
	Text   string
}

// Arg maps (a part of) a register onto (a part of) a descriptor field of a command.
type Arg struct {
	Pos
	Name         string
	Reg          string
	RegHi, RegLo int
	Desc         string
	DescHi       int
	DescLo       int
	Text         string
}

// Command is a register command and its arguments.
type Command struct {
	Pos
	Name   string
	Number uint64
	Text   string
	Args   []Arg
}

// Spec is the whole definition, checked.
type Spec struct {
	Consts   []Const
	Knobs    []Knob
	Params   []Param
	Presets  []Preset
	Enums    []Enum
	Headers  []Header
	Packets  []Packet
	Structs  []Struct
	Engines  []Engine // engines, then boundaries, each in table order
	Regs     []Reg
	Commands []Command
	Hash     uint64 // of everything but comments and texts
}

// Const returns the value of a constant; it must exist.
func (s *Spec) Const(name string) int64 {
	for i := range s.Consts {
		if s.Consts[i].Name == name {
			return s.Consts[i].Value
		}
	}
	return 0
}

// Enum returns the named enum or nil.
func (s *Spec) Enum(name string) *Enum {
	for i := range s.Enums {
		if s.Enums[i].Name == name {
			return &s.Enums[i]
		}
	}
	return nil
}

// Header returns the named header or nil.
func (s *Spec) Header(name string) *Header {
	for i := range s.Headers {
		if s.Headers[i].Name == name {
			return &s.Headers[i]
		}
	}
	return nil
}

// Struct returns the named struct or nil.
func (s *Spec) Struct(name string) *Struct {
	for i := range s.Structs {
		if s.Structs[i].Name == name {
			return &s.Structs[i]
		}
	}
	return nil
}

// Engine returns the named engine or boundary or nil.
func (s *Spec) Engine(name string) *Engine {
	for i := range s.Engines {
		if s.Engines[i].Name == name {
			return &s.Engines[i]
		}
	}
	return nil
}

// Reg returns the named register or nil.
func (s *Spec) Reg(name string) *Reg {
	for i := range s.Regs {
		if s.Regs[i].Name == name {
			return &s.Regs[i]
		}
	}
	return nil
}

// Field returns the named field of the header or nil.
func (h *Header) Field(name string) *Field {
	for i := range h.Fields {
		if h.Fields[i].Name == name {
			return &h.Fields[i]
		}
	}
	return nil
}

// HeaderBytes is the length of the packet's headers, base included.
func (s *Spec) HeaderBytes(p *Packet) int {
	n := 0
	for _, name := range p.Headers {
		n += s.Header(name).Bytes
	}
	return n
}

// HasHeader says whether the packet carries the named header.
func (p *Packet) HasHeader(name string) bool {
	for _, h := range p.Headers {
		if h == name {
			return true
		}
	}
	return false
}

// HasStream says whether every packet of the kind names a message of a stream at the receiver: it takes a psn there
// and a header of it has both stream and msn. (A probe does so only as a status query.)
func (s *Spec) HasStream(p *Packet) bool {
	if p.Psn != "yes" || p.Side == "sender" {
		return false
	}
	for _, name := range p.Headers {
		h := s.Header(name)
		if h.Field("stream") != nil && h.Field("msn") != nil {
			return true
		}
	}
	return false
}

// Value returns what a preset sets a parameter to; the parameter must exist.
func (s *Spec) Value(p *Preset, name string) int64 {
	for i := range s.Params {
		if s.Params[i].Name == name {
			return p.Values[i]
		}
	}
	return 0
}
