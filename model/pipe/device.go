package pipe

import (
	"fmt"

	"metaroce/tandem/model/admit"
	"metaroce/tandem/model/conn"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
)

// Device is a receive side in cycles. Items of stimulus are given in list order and may be added while it runs; then
// Run produces records.
type Device struct {
	r     *conn.Receiver
	cfg   Config
	hops  hops
	ideal bool // no latency anywhere: queues have no end either
	cycle uint64
	err   error

	items  sim.Ring[item]
	frames sim.Ring[frameItem]
	regs   sim.Ring[uint64] // register accesses not yet done: the cycle that is given for each, 0 for none
	wait   waiting

	frame   framePort
	memory  memoryPort
	out     packetPort
	stall   [ports]stallState
	latency sim.Random

	rooms sim.Ring[roomOf]
	// beats of frames that found no room and whose admit is still to come: conn counts them until then, the buffer never
	// held them
	turnedAway int
	commandUp  bool // admit's arbiter: command has the next turn
	ackTurn    uint8

	records []byte
	dst     [event.MaxRecord]byte
}

// idleLimit is when a run is given up.
const idleLimit = 1 << 20 // cycles without a record in which a device with work left is called stuck

// New returns a device as it is after reset.
func New(cfg Config) (*Device, error) {
	r, err := conn.New(cfg.Params)
	if err != nil {
		return nil, err
	}
	r.SetBounds(conn.Unbounded) // its order and time are this package's
	for p, s := range cfg.Stalls {
		if s.Permille > 1000 || s.Permille > 0 && s.Run == 0 {
			return nil, fmt.Errorf("pipe: stall of port %v: permille %d, run %d: want permille 0..1000 and run 1 or more", Port(p), s.Permille, s.Run)
		}
	}
	if cfg.InFlight <= 0 {
		cfg.InFlight = 64
	}
	d := &Device{r: r, cfg: cfg, hops: newHops(&cfg.Latency), ideal: cfg.Latency == Latency{}, latency: sim.NewRandom(cfg.Seed, "memory latency")}
	for p := range d.stall {
		d.stall[p].random = sim.NewRandom(cfg.Seed, "stall "+Port(p).String())
	}
	return d, nil
}

// Receiver is the model below: its counters and memory may be read between calls of Run.
func (d *Device) Receiver() *conn.Receiver { return d.r }

// Cycle is the cycle that Run makes next.
func (d *Device) Cycle() uint64 { return d.cycle }

// Idle tells whether all stimulus was given to the device and nothing of it is left in it.
func (d *Device) Idle() bool {
	return d.items.Len() == 0 && !d.wait.active && d.quiet() && d.r.Pending() == 0
}

// quiet tells whether the frame and the register port are done with what was issued.
func (d *Device) quiet() bool { return d.frames.Len() == 0 && !d.frame.busy && d.regs.Len() == 0 }

// Run makes cycles until at least want bytes of records are there or the device is idle, and returns the records,
// valid until the next call. None and no error: idle.
func (d *Device) Run(want int) ([]byte, error) {
	d.records = d.records[:0]
	last := d.cycle
	for len(d.records) < want && !d.Idle() {
		n := len(d.records)
		d.tick()
		if d.err != nil {
			return d.records, d.err
		}
		if len(d.records) > n || d.wait.active && !d.wait.idle { // a wait for idle may never end
			last = d.cycle
		}
		if d.cycle-last > idleLimit {
			return d.records, fmt.Errorf("pipe: no event since cycle %d though %d pieces of work are pending", last, d.r.Pending())
		}
	}
	return d.records, nil
}

// tick makes one cycle: every engine once at most, readers before the owners of what they read.
func (d *Device) tick() {
	d.issue()
	for p := range d.stall {
		d.stall[p].step(d.cfg.Stalls[p])
	}
	d.stepFrame()
	d.stepAdmit()
	d.stepQueue(event.KindCoalesce, d.cfg.Latency.Coalesce, event.CoalescePacket, event.CoalesceSet)
	d.stepQueue(event.KindCtimer, d.cfg.Latency.Timer, event.CtimerFire)
	d.stepAck()
	d.stepFlight(event.KindWindow, event.WindowPacket, event.WindowFlush, event.WindowSet)
	d.stepFlight(event.KindKey, event.KeyCheck, event.KeySet, event.KeyClear)
	d.stepFlight(event.KindRecv, event.RecvMatch, event.RecvPost, event.RecvClear)
	if !d.stepQueue(event.KindMessage, d.cfg.Latency.Fault, event.MessageFault) {
		d.stepFlight(event.KindMessage, event.MessagePacket, event.MessageQuery, event.MessageSet, event.MessageClose)
	}
	d.stepMemory()
	d.stepPlace()
	if !d.stepQueue(event.KindComplete, d.cfg.Latency.Run, event.CompleteRun) {
		d.stepQueue(event.KindComplete, d.cfg.Latency.Complete, event.CompleteDone, event.CompleteSet, event.CompleteClose)
	}
	if !d.stall[PortCompletion].on() {
		d.stepQueue(event.KindCompletion, d.cfg.Latency.Out, 0)
	}
	d.stepPacket()
	d.stepQueue(event.KindCommandDone, d.cfg.Latency.Done, 0)
	d.stepRegister()
	d.cycle++
}

// exec executes a transaction and keeps its record. A transaction that conn calls illegal is a mistake of this
// package: it ends the run.
func (d *Device) exec(kind event.Kind, op uint8, room uint8) {
	if d.err != nil {
		return
	}
	n, bad := d.r.Exec(kind, op, conn.Told{Cycle: d.cycle, Room: room}, &d.dst)
	if bad != nil {
		d.err = fmt.Errorf("pipe: %w", bad)
		return
	}
	d.records = append(d.records, d.dst[:n]...)
}

// stepQueue executes the first of the ops that is due, and tells whether there was one.
func (d *Device) stepQueue(kind event.Kind, latency uint64, ops ...uint8) bool {
	for _, op := range ops {
		due, ok := d.r.Ready(kind, op)
		if ok && d.reached(kind, due, latency+d.hops.between(due.After, d.end(kind))) {
			d.exec(kind, op, 0)
			return true
		}
	}
	return false
}

// end is the last engine of the pipeline that leads to a queue; commands reach it from where they had work.
func (d *Device) end(kind event.Kind) event.Kind {
	switch kind {
	case event.KindComplete, event.KindCommandDone:
		return event.KindPlace
	case event.KindAck:
		return event.KindMessage
	}
	return 0
}

// reached tells whether a transaction may be executed in this cycle. What its owner did in the same cycle but later
// in it is seen from the next cycle on.
func (d *Device) reached(kind event.Kind, due conn.Due, latency uint64) bool {
	at := due.From + latency
	if latency == 0 && conn.Rank(due.After) >= conn.Rank(kind) {
		at++
	}
	return d.cycle >= at
}

// stepFlight executes the head of an engine of the pipeline if it has arrived and there is room behind.
func (d *Device) stepFlight(kind event.Kind, ops ...uint8) {
	for _, op := range ops {
		due, ok := d.r.Ready(kind, op)
		if !ok {
			continue
		}
		if d.reached(kind, due, d.hops.between(due.After, kind)) && d.roomBehind(kind) {
			d.exec(kind, op, 0)
		}
		return
	}
}

// roomBehind tells whether the queue between an engine and the next one takes another descriptor: its depth, and what
// the look-up of the next engine holds.
func (d *Device) roomBehind(kind event.Kind) bool {
	if d.ideal {
		return true
	}
	place := d.hops.place[kind]
	next := pipeline[place]
	return d.r.Backlog(next) < d.cfg.Params.DescDepth+int(d.hops.at[next])+1
}

// capacity is how many descriptors the queues and look-ups from admit to place hold. A dropped frame takes a place too.
func (d *Device) capacity() int {
	const engines = 5 // window to place
	return engines * (d.cfg.Params.DescDepth + d.cfg.Params.RamLatency + 1)
}

// roomOf is what the parser decided about a frame.
type roomOf struct {
	room  uint8
	beats int
}

// stepAdmit takes a frame or a command in turn.
func (d *Device) stepAdmit() {
	if !d.roomBehind(event.KindAdmit) || !d.ideal && d.r.Load().Flights >= d.capacity() {
		return
	}
	frame, frameOK := d.r.Ready(event.KindAdmit, event.AdmitPacket)
	command, commandOK := d.r.Ready(event.KindAdmit, event.AdmitCommand)
	frameOK = frameOK && d.reached(event.KindAdmit, frame, d.cfg.Latency.Parse)
	commandOK = commandOK && d.reached(event.KindAdmit, command, d.cfg.Latency.Command)
	switch {
	case commandOK && (d.commandUp || !frameOK):
		d.commandUp = false
		d.exec(event.KindAdmit, event.AdmitCommand, 0)
	case frameOK:
		d.commandUp = true
		r := *d.rooms.Head()
		d.rooms.Drop()
		if r.room != admit.RoomTaken {
			d.turnedAway -= r.beats
		}
		d.exec(event.KindAdmit, event.AdmitPacket, r.room)
	}
}

// ackOps is the number of sources that ack takes from in turn.
const ackOps = event.AckAnswer + 1

// stepAck grants the next filled queue in turn. A notice goes only when no build is on its way, so that its head is
// still there.
func (d *Device) stepAck() {
	const outDepth = 2 // builds that wait for the packet builder
	if d.r.Load().Packets >= outDepth {
		return
	}
	for i := range uint8(ackOps) {
		op := (d.ackTurn + i) % ackOps
		due, ok := d.r.Ready(event.KindAck, op)
		if !ok || !d.reached(event.KindAck, due, d.cfg.Latency.Ack+d.hops.between(due.After, event.KindMessage)) {
			continue
		}
		d.ackTurn = (op + 1) % ackOps
		d.exec(event.KindAck, op, 0)
		return
	}
}
