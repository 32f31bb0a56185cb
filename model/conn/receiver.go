package conn

import (
	"fmt"

	"metaroce/tandem/model/ack"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// FirstCommand is the xid of the first command, and bit 31 that of all; frames count from 1.
const FirstCommand uint32 = 0x80000001

// Receiver is the receive side without cycles. See the package comment for its use.
type Receiver struct {
	p      preset.Params
	bounds Bounds
	t      tables
	regs   registers

	// what is given ahead
	frames   sim.Ring[stimulus]   // not yet seen by packet_in
	accesses sim.Ring[access]     // register accesses not yet seen
	faults   sim.Ring[faultRange] // ranges in force, by the frame they begin with

	// what is on its way
	arrived  sim.Ring[arrival]   // behind packet_in, before admit
	commands sim.Ring[commandIn] // behind CMD_OP, before admit
	flights  sim.Ring[flight]    // behind admit, until nothing of them is left in the pipeline
	next     [stages]uint64      // per stage: the flight it has not passed yet
	recorded uint64              // flights before this one have passed message in the device: the newest record there is behind them

	// queues between engines
	faulted sim.Ring[faultEntry] // place -> message
	doneQ   sim.Ring[doneEntry]  // place -> complete
	runQ    sim.Ring[runEntry]   // complete -> complete
	wants   sim.Ring[wantEntry]  // window -> coalesce
	timers  sim.Ring[timerEntry] // coalesce -> ctimer
	request sim.Ring[pathEntry]  // coalesce -> ack
	timed   sim.Ring[pathEntry]  // ctimer -> ack
	notices sim.Ring[noticeEntry]
	naks    sim.Ring[replyEntry]
	answers sim.Ring[replyEntry]

	// expected at the edges
	completions sim.Ring[completionEntry]
	packets     sim.Ring[packetEntry]
	confirmed   sim.Ring[commandEntry] // commands behind all earlier writes

	settling  uint32 // set and close transactions queued for complete
	settled   uint32 // of them executed
	settledAt uint64 // cycle of the last one
	queued    uint32 // completion notices queued since reset
	taken     uint32 // completion notices taken since reset

	seq       uint32             // transactions executed
	cycle     uint64             // cycle of the last one
	rank      int                // its place within the cycle
	w         waits              // how long what is pending has waited
	now       uint64             // cycle of the one being executed
	passed    [ackSources]uint32 // per source of ack: grants that passed over it while it was filled
	overtaken int                // descriptors that passed message while the oldest fault waited

	beats    beatCount
	counters Counters
	frameNo  uint32 // xid of the last frame handed over
	memory   *Memory

	s scratch
}

// scratch holds one record of each kind, so that none is allocated.
type scratch struct {
	admit    event.Admit
	window   event.Window
	key      event.Key
	recv     event.Recv
	message  event.Message
	place    event.Place
	complete event.Complete
	coalesce event.Coalesce
	ctimer   event.Ctimer
	ack      event.Ack

	packetIn    event.PacketIn
	packetOut   event.PacketOut
	memWrite    event.MemWrite
	completion  event.Completion
	register    event.Register
	commandDone event.CommandDone
}

// New returns a receiver as it is after reset.
func New(p preset.Params) (*Receiver, error) {
	if known, ok := preset.ByName(p.Name); !ok || known != p {
		return nil, fmt.Errorf("conn: preset %q is not one of model/spec/constant.tbl: its tables cannot be sized from %+v", p.Name, p)
	}
	r := &Receiver{p: p, t: newTables(&p)}
	r.regs.reset()
	r.SetBounds(Bounds{})
	return r, nil
}

// SetBounds sets how late the device may be. Fields that are zero get their default.
func (r *Receiver) SetBounds(b Bounds) {
	if b.Told == 0 {
		b.Told = preset.ToldBound
	}
	if b.Grant == 0 {
		b.Grant = preset.GrantBound
	}
	r.bounds = b
}

// Params returns the preset that the tables were sized for.
func (r *Receiver) Params() preset.Params { return r.p }

// Frame hands over the next frame, from the destination MAC, without FCS. It has the next number, from 1, which is
// returned. The bytes are kept by reference until the frame is done with.
func (r *Receiver) Frame(frame []byte) uint32 {
	r.frameNo++
	f := r.frames.Push()
	f.frame, f.xid = frame, r.frameNo
	return r.frameNo
}

// Command hands over a command that enters without the register port: for blocks and benches that have none. d.Op
// names it; d.Xid is set to the next command number, which is returned.
func (r *Receiver) Command(d event.Desc) uint32 {
	return r.addCommand(&d)
}

// SetRegister hands over the next register access, a write. It takes effect when its record is executed.
func (r *Receiver) SetRegister(addr uint16, value uint32) {
	*r.accesses.Push() = access{addr: addr, value: value, write: true}
}

// GetRegister hands over the next register access, a read. The value is predicted when its record is executed; one
// of a counter that moves then is not exact, so counters are read when the device is idle.
func (r *Receiver) GetRegister(addr uint16) {
	*r.accesses.Push() = access{addr: addr}
}

// FaultRange makes the memory port answer with an error to every write that touches lo..hi (both included) and whose
// frame is handed over after this call. Ranges add up; lo > hi removes all of them.
func (r *Receiver) FaultRange(lo, hi uint64) {
	*r.faults.Push() = faultRange{after: r.frameNo, lo: lo, hi: hi}
}

// KeepMemory makes the receiver keep what it places, for Memory. It costs a copy of every payload.
func (r *Receiver) KeepMemory() {
	if r.memory == nil {
		r.memory = &Memory{}
	}
}

// Memory is what was placed, nil without KeepMemory. It stays the receiver's.
func (r *Receiver) Memory() *Memory { return r.memory }

// Counters is what was counted so far.
func (r *Receiver) Counters() Counters {
	c := r.counters
	c.Sent, c.Done = r.regs.sent, r.regs.done
	return c
}

// Counters are the counts that registers show, and the number of transactions.
type Counters struct {
	Drops        [32]uint32 // frames by reason; entry 0: admitted
	Verdicts     [16]uint32 // packets by message verdict
	Sent         uint32     // commands started
	Done         uint32     // commands confirmed
	Transactions uint64     // over all kinds
	ByKind       [256]uint64
}

// hasFault tells whether a write of a frame touches a range that was in force when the frame was handed over.
func (r *Receiver) hasFault(xid uint32, addr uint64, n uint16) bool {
	hit := false
	for i := r.faults.First(); i < r.faults.End(); i++ {
		f := r.faults.At(i)
		if f.after >= xid {
			break
		}
		if f.lo > f.hi {
			hit = false
			continue
		}
		last := addr + uint64(n) - 1
		wraps := last < addr
		hit = hit || !wraps && addr <= f.hi && last >= f.lo || wraps && (addr <= f.hi || last >= f.lo)
	}
	return hit
}

// ackSources is the number of queues that ack takes from; they are numbered by ack's ops.
const ackSources = 5

var _ = [1]struct{}{}[ackSources-1-event.AckAnswer] // the ops are 0..ackSources-1

type stimulus struct {
	frame []byte
	xid   uint32
}

type access struct {
	addr  uint16
	value uint32
	write bool
}

type faultRange struct {
	after  uint32 // last frame that it does not concern
	lo, hi uint64
}

type faultEntry struct {
	at uint64
	d  event.Desc // of the write
}

type doneEntry struct {
	at    uint64
	after event.Kind // engine that let it go
	op    uint8
	d     keptInfo
	row   uint16
	msn   uint32
	life  uint8
}

type runEntry struct {
	at   uint64
	row  uint16
	msn  uint32
	life uint8
}

type wantEntry struct {
	at      uint64
	set     bool
	ackNow  bool
	pathRow uint16
	xid     uint32
	conn    uint16
	path    uint8
	stream  uint16
}

type timerEntry struct {
	at      uint64 // cycle armed
	pathRow uint16
	builds  uint8
}

type pathEntry struct {
	at      uint64
	pathRow uint16
}

type noticeEntry struct {
	at        uint64 // cycle queued
	streamRow uint16
	stream    uint16
	conn      uint16
	pathRow   uint16
	life      uint8
}

type replyEntry struct {
	at     uint64
	after  event.Kind // engine that let it go: message, or for a path probe one before it
	flight uint64     // an answer's probe
	ack.Reply
}

type completionEntry struct {
	at  uint64
	xid uint32
	in  event.CompletionIn
}

type packetEntry struct {
	at     uint64
	xid    uint32
	conn   uint16
	path   uint8
	stream uint16
	sport  uint16
	n      uint8
	bytes  [ack.MaxBytes]byte
}

type commandEntry struct {
	at     uint64
	after  event.Kind // engine that let it go
	xid    uint32
	op     event.Command
	behind uint32 // set and close transactions of complete that go before its confirmation
}
