package endpoint

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// NIC is one device, both directions. See the package comment for its use. What every packet needs stands first: in a
// simulation of a thousand NICs each of them is cold in the caches when its next packet comes.
type NIC struct {
	cfg     *settings // shared with siblings
	now     sim.Picos
	tick    uint32           // now in ticks of 4 ns, modulo 2^32
	xid     uint32           // of the packet that is being handled, or of the newest
	arrived uint32           // packets that came
	kicks   uint32           // planes whose uplink has something, a bit each
	due     uint32           // tick at which OnTime may have something to do
	dues    bool             // it may
	ripe    bool             // the oldest notice is to go alone
	untold  bool             // completions wait to be taken
	host    uint16           // address
	filled  [MaxPlanes]uint8 // per plane: its queues that are not empty, a bit each
	conns   []*conn          // by index
	planes  []plane
	records *xmit.Store
	trace   func(Record)
	count   Counters

	keys    []event.KeyKey
	streams []*stream // by row
	mem     Memory
	ready   [MaxPlanes]connList // per plane: connections with new data, in the order of their turns
	pace    paceHeap
	armed   sim.Ring[armed]
	notices noticeQueue
	random  sim.Random
	share   shares
	turns   turns
	links   []event.StreamSchedLink // by row
	timers  wheel

	completions sim.Ring[Completion]
	events      sim.Ring[Event]
	strays      sim.Ring[stray]
	freed       sim.Ring[resting]
	txn         uint16 // of the newest open or close
	lifeSpin    uint8  // planes that opens and closes leave by, in turn
}

// settings are what NICs of one kind have in common, and nothing that changes.
type settings struct {
	Config
	params   preset.Params // sizes as admit knows them
	rules    *rules
	framing  int   // bytes of a packet on a link beside the UDP payload
	overhead uint8 // bytes of a packet of a Write beside its payload
}

// plane is what waits for the uplink of one plane.
type plane struct {
	wishes  sim.Ring[wish]   // acknowledgements
	lost    sim.Ring[uint16] // connections with something to send again
	control sim.Ring[control]
	answers sim.Ring[answer] // NAKs and answers
	turn    uint8            // which of the queues of replies goes first
}

// Queues of a plane, as bits of NIC.filled.
const (
	hasWishes = 1 << iota
	hasAnswers
	hasControl
	hasLost
	hasReady

	hasReplies = hasWishes | hasAnswers
)

// wait says that a queue of a plane is not empty, and kicks the plane.
func (n *NIC) wait(plane, queue uint8) {
	n.filled[plane] |= queue
	n.kicks |= 1 << plane
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
	shared := &settings{Config: cfg, rules: rules, framing: cfg.framing()}
	shared.params = preset.Params{
		Name: "endpoint", Conns: cfg.Conns, Paths: cfg.Paths, Streams: cfg.Streams, MsgSlots: preset.MsgWindow,
		Recvs: cfg.Recvs, Keys: cfg.Keys,
	}
	if shared.Records == nil {
		shared.Records = &xmit.Store{}
	}
	shared.overhead = uint8(wire.Kinds[wire.OpcodeWrite].HeaderLen + preset.IcrcBytes + shared.framing)
	return shared.nic(cfg.Host), nil
}

// Sibling makes a NIC of the same configuration, the store of records included, at another host. NICs that are much alike
// share what never changes.
func (n *NIC) Sibling(host uint16) *NIC { return n.cfg.nic(host) }

func (s *settings) nic(host uint16) *NIC {
	return &NIC{
		cfg: s, host: host, mem: s.Memory, trace: s.Trace, records: s.Records,
		planes: make([]plane, s.Planes), random: sim.NewRandom(s.Seed, fmt.Sprintf("nic %d", host)),
	}
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
	n.look()
}

// Deadline is when OnTime may have something to do. It is never later than that; it is earlier where what was to be done
// has become unnecessary since.
func (n *NIC) Deadline() (at sim.Picos, armed bool) {
	if !n.dues {
		return 0, false
	}
	in := int32(n.due - n.tick)
	if in <= 0 {
		return n.now, true
	}
	return (n.now/preset.TickPs + sim.Picos(in)) * preset.TickPs, true
}

// soon says that something is due at a tick: everything that has a time says so when it gets it.
func (n *NIC) soon(tick uint32) {
	if !n.dues || int32(tick-n.due) < 0 {
		n.due, n.dues = tick, true
	}
}

// look finds out what is due next, from all that has a time.
func (n *NIC) look() {
	next := soonest{tick: n.tick}
	if a := n.armed.Head(); a != nil {
		next.at(a.at + preset.AckTimer)
	}
	if h := n.notices.head(); h != nil && !n.ripe {
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
	n.due, n.dues = n.tick+uint32(next.in), next.found
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

// completion is the place of the next completion.
func (n *NIC) completion() *Completion {
	n.untold = true
	return n.completions.Push()
}

// Untold tells whether there are completions to be taken.
func (n *NIC) Untold() bool { return n.untold }

// Completion takes the oldest completion that was not taken.
func (n *NIC) Completion() (Completion, bool) {
	if !n.untold {
		return Completion{}, false
	}
	c := n.completions.Head()
	n.completions.Drop()
	n.untold = n.completions.Len() > 0
	return *c, true
}
