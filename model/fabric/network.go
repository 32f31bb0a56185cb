package fabric

import (
	"cmp"
	"slices"

	"metaroce/tandem/model/sim"
)

// Network is one fabric with all its planes. It runs in the goroutine of its caller.
type Network struct {
	cfg      Config
	plan     plan
	now      sim.Picos
	calendar *sim.Calendar
	links    []link
	pool     pool
	switches []switchNode
	grades   []grade
	seats    [TierCount][]seat
	hosts    []Host
	wakes    []wake   // by host
	kicked   []uint32 // uplinks to be pulled before time goes on
	over     []uint32 // see wireTime; nil until it is needed
	side     side
	pfc      []valve     // by link; nil without Pfc
	lane     []sim.Picos // by link, busy with cut packets until then; nil without Trim
	down     downState
	script   []Change // what is still to come
	mark     sim.Random
	loss     sim.Random
	late     sim.Random
	packet   Packet // what a host is shown
	seen     counters
}

// wake is the tick that a host waits for.
type wake struct {
	at    sim.Picos
	event sim.Handle // 0: none
}

// Events: kind in the top bits, index below.
const (
	kindArrive = iota << kindBits // link: its first entry
	kindPull                      // link, of a host upwards
	kindTick                      // host
	kindCut                       // entry of side: arrives
	kindLate                      // entry of side: was held up
	kindDepart                    // link
	kindPause                     // link: told to pause
	kindResume                    // link: told to go on
	kindChange                    // the script

	kindBits = 28
	kindMask = 1<<kindBits - 1
)

// New builds a network. The error is that of Config.Validate.
func New(cfg Config) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := &Network{
		cfg: cfg, plan: newPlan(&cfg),
		mark: sim.NewRandom(cfg.Seed, "fabric mark"), loss: sim.NewRandom(cfg.Seed, "fabric loss"),
		late: sim.NewRandom(cfg.Seed, "fabric reorder"),
	}
	n.seats = n.plan.seats()
	n.hosts, n.wakes = make([]Host, cfg.Hosts), make([]wake, cfg.Hosts)
	n.links = make([]link, 0, cfg.Planes*n.plan.links)
	salts := sim.NewRandom(cfg.Seed, "fabric salt")
	for plane := range cfg.Planes {
		n.build(plane, &salts)
	}
	if cfg.Pfc.Xoff > 0 {
		n.pfc = make([]valve, len(n.links))
	}
	if cfg.Trim > 0 {
		n.lane = make([]sim.Picos, len(n.links))
	}
	n.down = newDownState(&cfg, n.plan.switches, len(n.links))
	n.seen.planes = make([]planeBytes, cfg.Planes)
	// With every link busy an event comes as often as a packet of full size leaves, over all links.
	n.calendar = sim.NewCalendar(cfg.Seed, "fabric order", n.packetTime(dataSize)/sim.Picos(len(n.links)))
	n.script = slices.Clone(cfg.Script)
	slices.SortStableFunc(n.script, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	n.nextChange()
	return n, nil
}

// packetTime is how long a link of the nominal rate sends size bytes, rounded up.
func (n *Network) packetTime(size int) sim.Picos { return n.cfg.packetTime(size) }

func (c *Config) packetTime(size int) sim.Picos {
	rate := uint64(c.LinkMbps)
	return sim.Picos((uint64(size)*psBits + rate - 1) / rate)
}

// Attach gives a host its NIC; every host needs one before the first step.
func (n *Network) Attach(host int, h Host) { n.hosts[host] = h }

// Kick says that the host has something for the uplink of a plane. It costs next to nothing where the uplink is busy
// or was kicked already. Pull follows before time goes on.
func (n *Network) Kick(host, plane int) {
	li := uint32(plane*n.plan.links + host)
	if l := &n.links[li]; l.state&linkPulling == 0 {
		l.state |= linkPulling
		n.kicked = append(n.kicked, li)
	}
}

// Wake asks for Host.Tick at a time; what is past means now. A host has one pending wake: an earlier time replaces a
// later one, a later one is forgotten.
func (n *Network) Wake(host int, at sim.Picos) {
	w := &n.wakes[host]
	at = max(at, n.now)
	if w.event != 0 {
		if w.at <= at {
			return
		}
		n.calendar.Cancel(w.event)
	}
	w.at, w.event = at, n.calendar.Push(at, kindTick|uint32(host))
}

// Now is the time of the newest event, or what Run went to.
func (n *Network) Now() sim.Picos { return n.now }

// Next is the time of the next event; false when there is none.
func (n *Network) Next() (sim.Picos, bool) {
	if len(n.kicked) > 0 {
		return n.now, true
	}
	return n.calendar.Next()
}

// Step executes the next event; false when there is none.
func (n *Network) Step() bool { return n.step(^sim.Picos(0)) }

// StepUntil executes the next event if its time is until or before; false when it is not, or when there is none.
func (n *Network) StepUntil(until sim.Picos) bool { return n.step(until) }

// Run executes all events up to and with that time, and leaves Now there.
func (n *Network) Run(until sim.Picos) {
	for n.step(until) {
	}
	n.now = max(n.now, until)
}

func (n *Network) step(until sim.Picos) bool {
	if len(n.kicked) > 0 {
		n.pullKicked()
	}
	at, what, ok := n.calendar.Pop(until)
	if !ok {
		return false
	}
	n.now = at
	n.seen.events++
	i := what & kindMask
	switch what &^ kindMask {
	case kindArrive:
		n.arrive(i)
	case kindPull:
		n.pull(i)
	case kindTick:
		n.wakes[i].event = 0
		n.hosts[i].Tick(at)
	case kindCut, kindLate:
		n.comeFromSide(i, what&^kindMask == kindLate)
	case kindDepart:
		n.depart(i)
	case kindPause, kindResume:
		n.hold(i, what&^kindMask == kindPause)
	case kindChange:
		n.runScript()
	}
	return true
}

// pullKicked pulls for what was kicked: uplinks that rest, since a busy one has a pull to come.
func (n *Network) pullKicked() {
	for i := 0; i < len(n.kicked); i++ { // a host may kick its other planes meanwhile
		n.pull(n.kicked[i])
	}
	n.kicked = n.kicked[:0]
}
