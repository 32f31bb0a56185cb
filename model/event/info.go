package event

import (
	"encoding/binary"
	"iter"
	"strconv"

	"metaroce/tandem/model/wire"
)

// Group says which part of a record a value belongs to.
type Group uint8

const (
	GroupHead Group = iota // the fixed part of the head
	GroupOut               // decision of the step
	GroupIn                // input of the step
	GroupRow               // row as the step leaves it
)

// String is the name of the group.
func (g Group) String() string { return [...]string{"head", "out", "in", "row"}[g&3] }

// FieldInfo describes one value of a record and where it lies.
type FieldInfo struct {
	Name   string
	Group  Group
	Row    string // GroupRow: name of the row
	Width  int    // bits
	Offset int    // bytes from the start of the transaction
	Size   int    // bytes of the container
	Enum   string
	Told   bool // adopted from the device after Legal and Bound held
	Legal  string
	Bound  string
	From   string // engine whose table it is read from
	Text   string
}

// FullName is group.name, or row.name for rows.
func (f *FieldInfo) FullName() string {
	if f.Group == GroupRow {
		return f.Row + "." + f.Name
	}
	return f.Group.String() + "." + f.Name
}

// Bytes is the container of the value in a record, little-endian; nil where the record does not hold it.
func (f *FieldInfo) Bytes(record []byte) []byte {
	if f.Offset+f.Size > len(record) {
		return nil
	}
	return record[f.Offset : f.Offset+f.Size]
}

// OpInfo is a transaction kind of an engine.
type OpInfo struct {
	Name   string
	Number uint8
	Text   string
}

// EngineInfo describes an engine or a boundary.
type EngineInfo struct {
	Name       string
	Kind       Kind
	Boundary   bool
	Order      int // place among the records of one cycle; 0 for boundaries
	Rule       string
	Built      bool // in RTL too, compared in lockstep
	Modelled   bool // Go types exist
	Text       string
	Parts      int
	StateBytes int
	Ops        []OpInfo
	Fields     []FieldInfo
}

// RegisterInfo is a register.
type RegisterInfo struct {
	Name   string
	Offset int
	Access string // rw, ro, wo
	Count  int
	Stride int
	Text   string
}

// ArgInfo is an argument of a command: Width bits of register Reg from RegLsb go to bit DescLsb of descriptor field Desc.
type ArgInfo struct {
	Name    string
	Reg     int
	RegLsb  int
	Desc    string
	DescLsb int
	Width   int
	Text    string
}

// CommandInfo is a register command.
type CommandInfo struct {
	Name    string
	Command Command
	Text    string
	Args    []ArgInfo
}

var byKind = func() (t [256]*EngineInfo) {
	for i := range Engines {
		t[Engines[i].Kind] = &Engines[i]
	}
	return t
}()

// Info returns the description of a kind, or nil.
func Info(k Kind) *EngineInfo { return byKind[k] }

// OpName names op of kind k.
func OpName(k Kind, op uint8) string {
	if e := Info(k); e != nil {
		for _, o := range e.Ops {
			if o.Number == op {
				return o.Name
			}
		}
	}
	return "op" + strconv.Itoa(int(op))
}

// HeadFields describes the fixed part of a head.
var HeadFields = []FieldInfo{
	{Name: "version", Width: 8, Offset: 0, Size: 1, Text: "record version"},
	{Name: "kind", Width: 8, Offset: 1, Size: 1, Text: "engine or boundary"},
	{Name: "op", Width: 8, Offset: 2, Size: 1, Text: "transaction kind"},
	{Name: "parts", Width: 8, Offset: 3, Size: 1, Text: "state records"},
	{Name: "seq", Width: 32, Offset: 4, Size: 4, Text: "number of the transaction"},
	{Name: "cycle", Width: 64, Offset: 8, Size: 8, Text: "cycle"},
	{Name: "xid", Width: 32, Offset: 16, Size: 4, Text: "number of the frame or command"},
	{Name: "conn", Width: 16, Offset: 20, Size: 2, Text: "connection"},
	{Name: "path", Width: 8, Offset: 22, Size: 1, Text: "path"},
	{Name: "valid", Width: 8, Offset: 23, Size: 1, Text: "records present"},
	{Name: "stream", Width: 16, Offset: 24, Size: 2, Text: "stream"},
	{Name: "zero", Width: 16, Offset: 26, Size: 2, Text: "zero"},
	{Name: "digest", Width: 64, Offset: 28, Size: 8, Text: "digest of the state"},
}

// FieldDiff is a value that differs between two records. A and B are its containers, little-endian.
type FieldDiff struct {
	Field *FieldInfo
	A, B  []byte
}

// DiffFields yields the values in which two records of kind k differ, in record order: head, then body. Values that
// only one record holds are not compared (a head alone against a whole record); values that neither the table nor the
// head knows (padding) are zero by construction.
func DiffFields(k Kind, a, b []byte) iter.Seq[FieldDiff] {
	return func(yield func(FieldDiff) bool) {
		if !diffList(HeadFields, a, b, yield) {
			return
		}
		if e := Info(k); e != nil {
			diffList(e.Fields, a, b, yield)
		}
	}
}

func diffList(fields []FieldInfo, a, b []byte, yield func(FieldDiff) bool) bool {
	for i := range fields {
		f := &fields[i]
		x, y := f.Bytes(a), f.Bytes(b)
		if x == nil || y == nil || string(x) == string(y) {
			continue
		}
		if !yield(FieldDiff{f, x, y}) {
			return false
		}
	}
	return true
}

// Format shows the container's bytes of a field: names for enums, hex for what is wide, decimal and hex otherwise.
func (f *FieldInfo) Format(le []byte) string {
	if len(le) > 8 {
		s := "0x"
		for i := len(le) - 1; i >= 0; i-- {
			s += string("0123456789abcdef"[le[i]>>4]) + string("0123456789abcdef"[le[i]&15])
		}
		return s
	}
	var w [8]byte
	copy(w[:], le)
	v := binary.LittleEndian.Uint64(w[:])
	dec := strconv.FormatUint(v, 10)
	switch f.Enum {
	case "opcode":
		return wire.Opcode(v).String()
	case "syndrome":
		return wire.Syndrome(v).String()
	case "reason":
		return Reason(v).String()
	case "verdict":
		return Verdict(v).String()
	case "class":
		return Class(v).String()
	case "command":
		return Command(v).String()
	}
	if f.Name == "kind" && f.Offset == 1 {
		return Kind(v).String()
	}
	if v < 10 {
		return dec
	}
	return dec + " (0x" + strconv.FormatUint(v, 16) + ")"
}
