package stimulus

import "fmt"

// Kind says which of the item's fields hold.
type Kind uint8

// Kinds of items. The numbers are part of the journal format: never reused.
const (
	KindNone Kind = iota
	// KindFrame drives Data into the frame port, after Gap idle cycles of that port.
	KindFrame
	// KindWrite writes Value to the register at Addr.
	KindWrite
	// KindRead reads the register at Addr; the answer is seen as a register event.
	KindRead
	// KindWaitCycles lets Value cycles of the device clock pass with both ports quiet.
	KindWaitCycles
	// KindWaitIdle waits until both ports are done and the device reports idle.
	KindWaitIdle
	// KindFault makes the memory port answer with an error to every write that touches Lo..Hi (both included).
	// A later one adds a range; Lo > Hi removes all ranges. The bench waits for an idle device first, as for KindWaitIdle.
	KindFault
	// KindLatency sets the memory port's answer latency to Lo..Hi cycles, drawn per write from the run's seed.
	KindLatency
	// KindStall sets the stall profile of Port.
	KindStall
)

// Port is a stream of the device whose other side is the bench.
type Port uint8

// Ports that can be stalled. The frame port cannot stall the bench; PortFrame inserts idle cycles inside a frame.
const (
	PortNone Port = iota
	PortFrame
	PortMemory
	PortCompletion
	PortAck
	PortRegister
)

var kindNames = [...]string{"none", "frame", "write", "read", "wait-cycles", "wait-idle", "fault", "latency", "stall"}

// String returns the name used in reports.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

var portNames = [...]string{"none", "frame", "memory", "completion", "ack", "register"}

// String returns the name used in scenarios and reports.
func (p Port) String() string {
	if int(p) < len(portNames) {
		return portNames[p]
	}
	return fmt.Sprintf("port(%d)", uint8(p))
}

// PortByName finds a port by the name String gives it.
func PortByName(name string) (Port, bool) {
	for i, n := range portNames {
		if i != 0 && n == name {
			return Port(i), true
		}
	}
	return PortNone, false
}

// Item is one thing the bench does. The zero Item is invalid.
type Item struct {
	Kind  Kind
	Port  Port   // KindStall
	Addr  uint16 // register byte address
	Value uint32 // register value; cycles to wait
	Gap   uint32 // KindFrame: idle cycles of the frame port before the first beat; 0: back-to-back
	Lo    uint64 // KindFault: first byte; KindLatency: least cycles
	Hi    uint64 // KindFault: last byte; KindLatency: most cycles
	// KindStall: in each cycle in which no stall runs one begins with probability Permille/1000 and lasts 1..Run
	// cycles. Bounded, so that obligations of the device stay bounded too.
	Permille uint16
	Run      uint16
	Data     []byte // KindFrame: the frame from the destination MAC, without FCS
}

// List is a whole stimulus.
type List []Item

// Frames counts the frames, which is also the highest xid of a frame.
func (l List) Frames() int {
	n := 0
	for i := range l {
		if l[i].Kind == KindFrame {
			n++
		}
	}
	return n
}

// Data is the frames in their order.
func (l List) Data() [][]byte {
	var frames [][]byte
	for i := range l {
		if l[i].Kind == KindFrame {
			frames = append(frames, l[i].Data)
		}
	}
	return frames
}
