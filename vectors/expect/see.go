package expect

// See is one event that a text asks for by name.
type See struct {
	What   string // a kind of docs/events.md, or ack, nak, answer
	Rule   string // "": that of the kind
	Order  Order
	After  Point  // the settle behind which it must stand
	Anchor uint32 // frame from whose entry cycles count
	Within bool   // Lo..Hi cycles from there
	Lo, Hi uint64
	Where  string // file:line:col
	Text   string // as written
	Fields []Field
}

// Order says where an event must stand.
type Order uint8

// Orders.
const (
	Next     Order = iota // behind the event that the See before it found
	Anywhere              // in any place, but not one that another See found
	Never                 // nowhere
)

// String is the word for it.
func (o Order) String() string { return [...]string{"next", "anywhere", "never"}[o] }

// Field is a value by name that must be one of some alternatives.
type Field struct {
	Name string
	Any  []Alternative
}

// Alternative is a range, a value under a mask, or a vector of 256 bits.
type Alternative struct {
	Lo, Hi uint64
	Mask   uint64 // bits that count; 0: Lo..Hi
	Wide   []byte // little-endian, 32 bytes
}

func (a *Alternative) holds(v uint64, wide []byte) bool {
	switch {
	case a.Wide != nil:
		return string(a.Wide) == string(wide)
	case a.Mask != 0:
		return v&a.Mask == a.Lo&a.Mask
	}
	return v >= a.Lo && v <= a.Hi
}
