package lockstep

import (
	"bytes"
	"encoding/binary"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// Model is what a device is held against; *conn.Receiver is one.
type Model interface {
	Frame(frame []byte) uint32
	SetRegister(addr uint16, value uint32)
	GetRegister(addr uint16)
	FaultRange(lo, hi uint64)
	ExecRecord(record []byte, dst *[event.MaxRecord]byte) (int, *conn.Illegal)
	Late(cycle uint64) *conn.Illegal
	Leftovers() []conn.Illegal
	Counters() conn.Counters
}

// lateEvery is how many device cycles pass between two looks at overdue obligations. They are looked at before the
// transaction that ends such a time is executed: it may be the one that was owed.
const lateEvery = 512

// horizon is how far a packet's psn may be from the window before its class could be mistaken (a quarter of the serial
// space): the assumption under which rtl/formal proves the window.
const horizon = 1 << 30

// Checker executes the device's transactions on the model and compares. It takes no memory per record.
type Checker struct {
	model   Model
	mode    target.Mode
	observe func(record []byte)

	list stimulus.List // what the device was given, handed to the model as the device takes it
	next int

	ring   [target.RingTransactions][event.MaxRecord]byte // the model's last transactions, by number
	length [target.RingTransactions]uint16
	seq    uint64 // transactions compared
	cycle  uint64
	looked uint64         // cycle of the last look at obligations
	counts [256][8]uint64 // by kind and op
	beyond uint64         // packets beyond the horizon
}

// NewChecker returns a checker for one run. observe may be nil.
func NewChecker(m Model, mode target.Mode, observe func(record []byte)) *Checker {
	return &Checker{model: m, mode: mode, observe: observe}
}

// Apply appends what the device was given.
func (c *Checker) Apply(items stimulus.List) { c.list = append(c.list, items...) }

// Transactions is how many were found equal.
func (c *Checker) Transactions() uint64 { return c.seq }

// Cycle is that of the newest transaction.
func (c *Checker) Cycle() uint64 { return c.cycle }

// finding is a difference before it is explained.
type finding struct {
	record []byte // the device's, nil where there is none
	model  []byte // the model's, nil where it executed nothing
	bad    *conn.Illegal
	text   string // where no Illegal says it
	end    bool   // bad is owed at the end
}

// Equal compares whole transactions and tells whether all are equal: Batch for those who need no explanation.
func (c *Checker) Equal(b []byte) bool { return c.Batch(b) == nil }

// Batch compares whole transactions. A finding ends the comparison.
func (c *Checker) Batch(b []byte) *finding {
	for len(b) >= target.RecordBytes {
		kind := event.Kind(b[1])
		info := event.Info(kind)
		if info == nil || int(b[3]) != info.Parts || b[0] != event.RecordVersion {
			return &finding{record: b[:target.RecordBytes], text: "no record of this schema: version, kind or parts are wrong"}
		}
		size := target.RecordBytes
		if c.mode == target.ModeFull {
			size *= 1 + info.Parts
		}
		if len(b) < size {
			return &finding{record: b[:target.RecordBytes], text: "the record is cut short"}
		}
		if f := c.record(kind, b[:size]); f != nil {
			return f
		}
		b = b[size:]
	}
	if len(b) > 0 {
		return &finding{text: "bytes behind the last record"}
	}
	return nil
}

func (c *Checker) record(kind event.Kind, b []byte) *finding {
	switch kind {
	case event.KindPacketIn:
		c.feed(true)
	case event.KindRegister:
		c.feed(false)
	}
	cycle := binary.LittleEndian.Uint64(b[8:])
	if cycle-c.looked >= lateEvery {
		if bad := c.model.Late(cycle); bad != nil {
			return &finding{bad: bad}
		}
		c.looked = cycle
	}
	slot := &c.ring[c.seq%target.RingTransactions]
	n, bad := c.model.ExecRecord(b, slot)
	if bad != nil {
		return &finding{record: b, bad: bad}
	}
	if !bytes.Equal(b, slot[:min(n, len(b))]) {
		return &finding{record: b, model: slot[:n]}
	}
	c.length[c.seq%target.RingTransactions] = uint16(n)
	c.counts[kind][b[2]&7]++
	c.cycle = cycle
	c.seq++
	if kind == event.KindWindow && b[2] == event.WindowPacket {
		c.assume(slot)
	}
	if c.observe != nil {
		c.observe(slot[:n])
	}
	return nil
}

// feed hands the model the stimulus up to the next frame, or the next register access. Frames and accesses go side by
// side, so each may overtake the other on their way in; within its own kind the order is the list's.
func (c *Checker) feed(frame bool) {
	for c.next < len(c.list) {
		it := &c.list[c.next]
		c.next++
		switch it.Kind {
		case stimulus.KindFrame:
			c.model.Frame(it.Data)
			if frame {
				return
			}
		case stimulus.KindWrite:
			c.model.SetRegister(it.Addr, it.Value)
			if !frame {
				return
			}
		case stimulus.KindRead:
			c.model.GetRegister(it.Addr)
			if !frame {
				return
			}
		case stimulus.KindFault:
			c.model.FaultRange(it.Lo, it.Hi)
		}
	}
}

// assume counts the packets for which the window's classes rest on more than the horizon allows.
func (c *Checker) assume(record *[event.MaxRecord]byte) {
	le := binary.LittleEndian
	if d := int32(le.Uint32(record[windowPsn:]) - le.Uint32(record[windowCum:])); d >= horizon || d < -horizon {
		c.beyond++
	}
}

var windowPsn, windowCum = fieldOffset(event.KindWindow, "in.psn"), fieldOffset(event.KindWindow, "path.cum")

func fieldOffset(k event.Kind, full string) int {
	for i := range event.Info(k).Fields {
		if f := &event.Info(k).Fields[i]; f.FullName() == full {
			return f.Offset
		}
	}
	panic("lockstep: " + full + " is not in model/spec/event.tbl any more")
}

// end looks for what the model still owes when the device says that it is done: whatever is pending is missing then, late
// or not; what was done was judged when it was. hung: the device did not say so.
func (c *Checker) end(cycle uint64, hung bool) *finding {
	if hung {
		if bad := c.model.Late(cycle); bad != nil {
			return &finding{bad: bad}
		}
	}
	for c.next < len(c.list) {
		c.feed(true)
	}
	if left := c.model.Leftovers(); len(left) > 0 {
		return &finding{bad: &left[0], end: true}
	}
	if hung {
		return &finding{text: "no event for too long though the device is not idle; the model owes nothing"}
	}
	return nil
}

// told adds up what was adopted from the device.
func (c *Checker) told() map[string]uint64 {
	m := map[string]uint64{}
	for i := range event.Engines {
		e := &event.Engines[i]
		n := uint64(0)
		for op, k := range c.counts[e.Kind] {
			if e.Kind != event.KindAdmit || uint8(op) != event.AdmitCommand {
				n += k
			}
		}
		for j := range e.Fields {
			if e.Fields[j].Told && n > 0 {
				m[e.Name+"."+e.Fields[j].Name] = n
			}
		}
	}
	return m
}

// compared adds up transactions by kind.
func (c *Checker) compared() map[string]uint64 {
	m := map[string]uint64{}
	for i := range event.Engines {
		n := uint64(0)
		for _, k := range c.counts[event.Engines[i].Kind] {
			n += k
		}
		if n > 0 {
			m[event.Engines[i].Name] = n
		}
	}
	return m
}

// Params finds a preset by name.
func Params(name string) (preset.Params, error) {
	if p, ok := preset.ByName(name); ok {
		return p, nil
	}
	names := ""
	for _, p := range preset.All() {
		names += " " + p.Name
	}
	return preset.Params{}, &target.Unsupported{What: "preset " + name + "; there are" + names}
}
