package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// NIC is one device, both directions. See the package comment for its use.
type NIC struct {
	cfg    Config
	params preset.Params // sizes as admit knows them

	now  sim.Picos
	tick uint32 // now in ticks of 4 ns, modulo 2^32
	xid  uint32 // of the packet that is being handled, or of the newest

	arrived uint32 // packets that came

	conns   []*conn // by index
	freed   sim.Ring[resting]
	streams []*stream               // by row
	links   []event.StreamSchedLink // by row
	keys    []event.KeyKey
	rules   *rules
	mem     Memory
	trace   func(Record)

	planes []plane
	kicks  uint32 // planes whose uplink has something, a bit each

	framing  int   // bytes of a packet on a link beside the UDP payload
	overhead uint8 // bytes of a packet of a Write beside its payload

	// receive side
	armed   sim.Ring[armed]
	notices noticeQueue
	share   shares

	// send side
	records *xmit.Store
	pace    paceHeap
	timers  wheel
	random  sim.Random

	completions sim.Ring[Completion]
	events      sim.Ring[Event]
	strays      sim.Ring[stray]
	txn         uint16 // of the newest open or close
	lifeSpin    uint8  // planes that opens and closes leave by, in turn
	count       Counters
}

// plane is what waits for the uplink of one plane.
type plane struct {
	wishes  sim.Ring[wish]   // acknowledgements
	answers sim.Ring[answer] // NAKs and answers
	control sim.Ring[control]
	lost    sim.Ring[uint16] // connections with something to send again
	ready   sim.Ring[uint16] // connections with new data, in the order of their turns
	turn    uint8            // which of the queues of replies goes first
}

// resting is a connection index that may be given again later.
type resting struct {
	until uint32 // tick
	index uint16
}

// Record is what a station did, for a trace: one of the records of package event.
type Record interface {
	Encode(dst *[event.MaxRecord]byte) int
}

// Memory is the host's memory. False is an error of the memory port: nothing is known about the bytes.
type Memory interface {
	Write(addr uint64, data []byte) bool
	Read(addr uint64, data []byte) bool
}

// New makes a NIC without connections. The error has all that is wrong with the configuration.
func New(cfg Config) (*NIC, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	rules, err := newRules(&cfg)
	if err != nil {
		return nil, err
	}
	n := &NIC{
		cfg: cfg, rules: rules, mem: cfg.Memory, trace: cfg.Trace, records: cfg.Records,
		planes: make([]plane, cfg.Planes),
		random: sim.NewRandom(cfg.Seed, cfg.name()),
	}
	n.params = preset.Params{
		Name: "endpoint", Conns: cfg.Conns, Paths: cfg.Paths, Streams: cfg.Streams, MsgSlots: preset.MsgWindow,
		Recvs: cfg.Recvs, Keys: cfg.Keys,
	}
	if n.records == nil {
		n.records = &xmit.Store{}
	}
	n.framing = cfg.framing()
	n.overhead = uint8(wire.Kinds[wire.OpcodeWrite].HeaderLen + preset.IcrcBytes + n.framing)
	return n, nil
}

// at moves the clock of the NIC.
func (n *NIC) at(now sim.Picos) {
	n.now = now
	n.tick = uint32(now / preset.TickPs)
}

// connAt is the connection that a packet names, nil beyond the table.
func (n *NIC) connAt(dst uint32) *conn {
	if i := dst & 0xffff; i < uint32(len(n.conns)) {
		return n.conns[i]
	}
	return nil
}

// kick says that a plane's uplink has something.
func (n *NIC) kick(plane uint8) { n.kicks |= 1 << plane }

// Kicks are the planes, a bit each, whose uplink has something to send since the last call.
func (n *NIC) Kicks() uint32 {
	k := n.kicks
	n.kicks = 0
	return k
}

// pathRow numbers the paths of all connections as the records do. It wraps where a model has more than 65,536 of them;
// nothing is looked up by it.
func (n *NIC) pathRow(conn uint16, path uint8) uint16 { return conn*uint16(n.cfg.Paths) + uint16(path) }

// head is the head of a record about a descriptor.
func (n *NIC) head(op uint8, d *event.Desc) event.Head {
	return event.Head{Op: op, Cycle: n.cycle(), Xid: d.Xid, Conn: d.Conn, Path: d.Path, Stream: d.Stream}
}

// cycle is the time as records have it.
func (n *NIC) cycle() uint64 { return uint64(n.now / preset.TickPs) }

func (n *NIC) record(r Record) { n.trace(r) }

// OnPacket takes a whole packet that came by a plane. The packet is the caller's again afterwards.
func (n *NIC) OnPacket(now sim.Picos, plane int, p *Packet) {
	n.at(now)
	var it item
	if s, ok := n.enter(&it, plane, p); ok {
		n.to(s, &it)
	}
}

// enter makes an item of a packet. False: no station takes its kind.
func (n *NIC) enter(it *item, plane int, p *Packet) (Station, bool) {
	n.arrived++
	n.xid = n.arrived
	switch a := &arrives[p.Opcode]; {
	case a.receiver:
		it.describe(p, plane, n.xid)
		return StationAdmit, true
	case a.take != nil:
		it.p, it.plane, it.d.Xid = p, uint8(plane), n.xid
		return StationReply, true
	}
	n.count.Drops[event.ReasonOpcode]++
	return 0, false
}

// OnTime does what is due. Call it at Deadline, or whenever time has passed.
func (n *NIC) OnTime(now sim.Picos) {
	n.at(now)
	n.fireTimers()
	n.ripeNotice()
	n.share.onTime(n)
	n.unpace()
	n.expire()
}

// Deadline is when OnTime has something to do.
func (n *NIC) Deadline() (at sim.Picos, armed bool) {
	next := soonest{tick: n.tick}
	if a := n.armed.Head(); a != nil {
		next.at(a.at + preset.AckTimer)
	}
	if h := n.notices.head(); h != nil && !n.notices.ripe {
		next.at(h.at + preset.AckTimer)
	}
	if len(n.pace.e) > 0 {
		next.at(n.pace.e[0].at)
	}
	if t, ok := n.timers.next(); ok {
		next.at(t)
	}
	if t, ok := n.share.due(); ok {
		next.at(t)
	}
	if !next.found {
		return 0, false
	}
	if next.in <= 0 {
		return n.now, true
	}
	return (n.now/preset.TickPs + sim.Picos(next.in)) * preset.TickPs, true
}

// soonest is the earliest of some ticks, which are less than 2^31 apart.
type soonest struct {
	tick  uint32 // now
	in    int32  // ticks from now
	found bool
}

func (s *soonest) at(tick uint32) {
	if in := int32(tick - s.tick); !s.found || in < s.in {
		s.in, s.found = in, true
	}
}

// Completion takes the oldest completion that was not taken.
func (n *NIC) Completion() (Completion, bool) {
	c := n.completions.Head()
	if c == nil {
		return Completion{}, false
	}
	n.completions.Drop()
	return *c, true
}
