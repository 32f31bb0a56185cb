package compose

import (
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/stimulus"
)

// Program is a stimulus with what it means.
type Program struct {
	Name  string
	Items stimulus.List
	// Frames tells what the frame with xid n is: Frames[n-1].
	Frames []Frame
	// Posted tells where a receive's buffers lie: all that were ever posted under the same stream row and index.
	Posted map[Receive][]Buffer
	// Faults are all ranges in which writes were made to fail at some time.
	Faults []Range
	// Sees are events that a text asks for by name.
	Sees []expect.See
}

// Frame is what a frame is meant to be.
type Frame struct {
	Packet  Packet
	Proper  bool   // nothing is wrong with it; else Packet may not be what arrives
	Payload []byte // part of the frame
	Row     uint16 // stream row, for packets of a message
	Line    int    // of the scenario; 0: none
}

// Receive names a posted receive.
type Receive struct {
	Row   uint16
	Index uint32
}

// Buffer is where a receive's bytes go.
type Buffer struct {
	Addr   uint64
	Length uint32
	WrID   uint32
}

// Range holds addresses, the last one included.
type Range struct{ Lo, Hi uint64 }

// Builder appends to a Program.
type Builder struct {
	Params  preset.Params
	Program *Program
	Line    int // of the scenario, kept with frames
	// InOrder keeps the frame and the register port in step: a command enters behind the frames before it and in front
	// of those behind it, with one cycle between, and what changes the bench waits for both. Without it the ports run
	// side by side, the device decides, and the bench changes as soon as the waits before are over.
	InOrder bool
	busy    stimulus.Port // last used since the last wait
	rows    int           // stream rows given out
}

// NewBuilder starts an empty program for tables of the given sizes.
func NewBuilder(name string, p preset.Params) *Builder {
	return &Builder{Params: p, Program: &Program{Name: name, Posted: map[Receive][]Buffer{}}}
}

// Grow makes room for so many frames, with what usually stands between them.
func (b *Builder) Grow(frames int) {
	const between = 3 // items a frame
	b.Program.Frames = slices.Grow(b.Program.Frames, frames)
	b.Program.Items = slices.Grow(b.Program.Items, between*frames)
}

func (b *Builder) add(i stimulus.Item) {
	port := portOf(i.Kind)
	wait := isWait(i.Kind)
	if b.Holds(i.Kind) {
		b.Program.Items = append(b.Program.Items, stimulus.Item{Kind: stimulus.KindWaitCycles, Value: 1})
		b.busy = 0
	}
	switch {
	case port != 0:
		b.busy = port
	case wait:
		b.busy = 0
	}
	b.Program.Items = append(b.Program.Items, i)
}

// Holds says whether an item of this kind would be kept behind those before it by a wait of one cycle.
func (b *Builder) Holds(k stimulus.Kind) bool {
	return b.InOrder && !isWait(k) && b.busy != 0 && portOf(k) != b.busy
}

func isWait(k stimulus.Kind) bool { return k == stimulus.KindWaitCycles || k == stimulus.KindWaitIdle }

// portOf is the port that an item occupies, 0: none.
func portOf(k stimulus.Kind) stimulus.Port {
	switch k {
	case stimulus.KindFrame:
		return stimulus.PortFrame
	case stimulus.KindWrite, stimulus.KindRead:
		return stimulus.PortRegister
	}
	return stimulus.PortNone
}

// Send appends the packet's frame after gap idle cycles of the frame port.
func (b *Builder) Send(gap uint32, p *Packet, row uint16) {
	data, payload := p.Frame()
	b.add(stimulus.Item{Kind: stimulus.KindFrame, Gap: gap, Data: data})
	b.Program.Frames = append(b.Program.Frames, Frame{Packet: *p, Proper: p.Proper(), Payload: payload, Row: row, Line: b.Line})
}

// Raw appends a frame of which nothing is known.
func (b *Builder) Raw(gap uint32, data []byte) {
	b.add(stimulus.Item{Kind: stimulus.KindFrame, Gap: gap, Data: data})
	b.Program.Frames = append(b.Program.Frames, Frame{Line: b.Line})
}

// WaitIdle holds everything behind it until the device is idle.
func (b *Builder) WaitIdle() { b.add(stimulus.Item{Kind: stimulus.KindWaitIdle}) }

// Wait holds everything behind it for so many cycles.
func (b *Builder) Wait(cycles uint32) {
	b.add(stimulus.Item{Kind: stimulus.KindWaitCycles, Value: cycles})
}

// Fault makes writes that touch lo..hi fail from here on. A write in flight must not see the change, so this waits.
func (b *Builder) Fault(lo, hi uint64) {
	b.WaitIdle()
	b.add(stimulus.Item{Kind: stimulus.KindFault, Lo: lo, Hi: hi})
	b.Program.Faults = append(b.Program.Faults, Range{lo, hi})
}

// NoFaults removes all ranges, after a wait.
func (b *Builder) NoFaults() {
	b.WaitIdle()
	b.add(stimulus.Item{Kind: stimulus.KindFault, Lo: 1})
}

// Latency sets the memory port's answer latency.
func (b *Builder) Latency(lo, hi uint64) {
	b.add(stimulus.Item{Kind: stimulus.KindLatency, Lo: lo, Hi: hi})
}

// Stall sets how often a port is not ready.
func (b *Builder) Stall(port stimulus.Port, permille, run uint16) {
	b.add(stimulus.Item{Kind: stimulus.KindStall, Port: port, Permille: permille, Run: run})
}

// Write appends a register write, Read a register read.
func (b *Builder) Write(addr uint16, value uint32) {
	b.add(stimulus.Item{Kind: stimulus.KindWrite, Addr: addr, Value: value})
}

// Read appends a register read.
func (b *Builder) Read(addr uint16) { b.add(stimulus.Item{Kind: stimulus.KindRead, Addr: addr}) }

// Command writes a command's arguments, by register, and starts it.
func (b *Builder) Command(c event.Command, args ...Arg) {
	for _, a := range args {
		b.Write(a.Reg, a.Value)
	}
	b.Write(event.RegCmdOp, uint32(c))
}

// Arg is an argument of a command.
type Arg struct {
	Reg   uint16
	Value uint32
}
