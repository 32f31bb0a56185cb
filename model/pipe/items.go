package pipe

// item is one piece of stimulus. Frames go to the frame port and accesses to the register port, which run side by
// side; a wait holds both, and what changes the bench takes effect when all waits before it are over.
type item struct {
	kind   itemKind
	frame  []byte
	gap    uint64
	at     uint64
	addr   uint16
	value  uint32
	lo, hi uint64
	port   Port
	stall  Stall
}

type itemKind uint8

const (
	itemFrame itemKind = iota
	itemWrite
	itemRead
	itemWaitCycles
	itemWaitIdle
	itemFault
	itemLatency
	itemStall
)

type waiting struct {
	active bool
	idle   bool
	until  uint64 // cycles: set when both ports are done
	cycles uint64
}

// Frame drives a frame after gap idle cycles of the frame port. The bytes are kept by reference.
func (d *Device) Frame(frame []byte, gap uint64) {
	*d.items.Push() = item{kind: itemFrame, frame: frame, gap: gap}
}

// FrameAt drives a frame whose last beat is taken in a given cycle, or as soon after it as the frame before is done:
// the prediction for a device that took it then.
func (d *Device) FrameAt(frame []byte, cycle uint64) {
	*d.items.Push() = item{kind: itemFrame, frame: frame, at: max(cycle, 1)}
}

// Write writes a register.
func (d *Device) Write(addr uint16, value uint32) {
	*d.items.Push() = item{kind: itemWrite, addr: addr, value: value}
}

// Read reads a register; the value is in the record.
func (d *Device) Read(addr uint16) { *d.items.Push() = item{kind: itemRead, addr: addr} }

// WriteAt writes a register in a given cycle, or as soon after it as can be.
func (d *Device) WriteAt(addr uint16, value uint32, cycle uint64) {
	*d.items.Push() = item{kind: itemWrite, addr: addr, value: value, at: cycle}
}

// ReadAt reads a register in a given cycle, or as soon after it as can be.
func (d *Device) ReadAt(addr uint16, cycle uint64) {
	*d.items.Push() = item{kind: itemRead, addr: addr, at: cycle}
}

// WaitCycles keeps both ports quiet for n cycles.
func (d *Device) WaitCycles(n uint64) { *d.items.Push() = item{kind: itemWaitCycles, lo: n} }

// WaitIdle keeps both ports quiet until nothing is left in the device.
func (d *Device) WaitIdle() { *d.items.Push() = item{kind: itemWaitIdle} }

// Fault makes writes that touch lo..hi (both included) fail; lo > hi removes all ranges.
func (d *Device) Fault(lo, hi uint64) { *d.items.Push() = item{kind: itemFault, lo: lo, hi: hi} }

// Latency sets the memory port's answer latency to lo..hi cycles.
func (d *Device) Latency(lo, hi uint64) { *d.items.Push() = item{kind: itemLatency, lo: lo, hi: hi} }

// Stall sets how a port is held up.
func (d *Device) Stall(p Port, s Stall) {
	if p < ports {
		*d.items.Push() = item{kind: itemStall, port: p, stall: s}
	}
}

// issue hands items to the ports up to the next wait.
func (d *Device) issue() {
	for {
		if d.wait.active && !d.waited() {
			return
		}
		q := d.items.Head()
		if q == nil {
			return
		}
		d.issueItem(q)
		q.frame = nil
		d.items.Drop()
	}
}

// waited ends a wait that is over.
func (d *Device) waited() bool {
	w := &d.wait
	if !d.quiet() {
		return false
	}
	if w.idle {
		w.active = d.r.Pending() > 0
		return !w.active
	}
	if w.until == 0 {
		w.until = d.cycle + w.cycles
	}
	w.active = d.cycle < w.until
	return !w.active
}

func (d *Device) issueItem(q *item) {
	switch q.kind {
	case itemFrame:
		d.r.Frame(q.frame)
		*d.frames.Push() = frameItem{beats: beatsOf(len(q.frame)), gap: q.gap, at: q.at}
	case itemWrite:
		d.r.SetRegister(q.addr, q.value)
		*d.regs.Push() = q.at
	case itemRead:
		d.r.GetRegister(q.addr)
		*d.regs.Push() = q.at
	case itemWaitCycles:
		d.wait = waiting{active: q.lo > 0, cycles: q.lo}
	case itemWaitIdle:
		d.wait = waiting{active: true, idle: true}
	case itemFault:
		d.r.FaultRange(q.lo, q.hi)
	case itemLatency:
		d.cfg.MemoryLo, d.cfg.MemoryHi = q.lo, q.hi
	case itemStall:
		d.cfg.Stalls[q.port] = q.stall
	}
}
