package lab

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
)

// NIC is what the channel knows of a device: an endpoint.NIC, or one with Verbs.
type NIC interface {
	Pull(now sim.Picos, plane int, p *endpoint.Packet) bool
	OnPacket(now sim.Picos, plane int, p *endpoint.Packet)
	OnTime(now sim.Picos)
	Deadline() (at sim.Picos, armed bool)
	Kicks() uint32
}

// Config is the channel.
type Config struct {
	Seed   uint64
	Planes int
	Mbps   uint32    // of an uplink
	Way    sim.Picos // from the end of a packet on the uplink to its arrival
}

// Default is one plane of 400 Gb/s, 2 us away.
func Default() Config { return Config{Planes: 1, Mbps: 400_000, Way: 2_000_000} }

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error is one line.
func (p *Problem) Error() string { return fmt.Sprintf("lab: %s is %s: %s", p.Field, p.Value, p.Rule) }

// Validate returns every problem, joined.
func (c *Config) Validate() error {
	var all []error
	within := func(field string, v, lo, hi uint64, unit string) {
		if v < lo || v > hi {
			all = append(all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", lo, hi, unit)})
		}
	}
	within("Planes", uint64(c.Planes), 1, endpoint.MaxPlanes, "planes")
	within("Mbps", uint64(c.Mbps), 100, 1_600_000, "Mb/s")
	within("Way", uint64(c.Way), 1, 1_000_000_000_000, "ps")
	return errors.Join(all...)
}

// Trouble is what befalls packets from now on, in permille.
type Trouble struct {
	Lose        uint16 // packets with psn
	LoseControl uint16 // all others
	Double      uint16
	Late        uint16 // held up by up to LateBy more
	LateBy      sim.Picos
	Mark        uint16 // CE, on packets with psn
	Dead        uint32 // planes that lose everything, a bit each
	// Drop, if not nil, decides about each packet beside all that.
	Drop func(from, to, plane int, p *endpoint.Packet) bool
}

// Lab is a channel with its NICs.
type Lab struct {
	Trouble Trouble

	cfg     Config
	nics    []NIC
	now     sim.Picos
	random  sim.Random
	agenda  *sim.Calendar
	items   []item
	free    []uint32
	uplinks [][endpoint.MaxPlanes]uplink // by host
	wake    []sim.Picos
}

type uplink struct {
	busy   sim.Picos // until then it sends
	queued bool      // an item asks for its next packet
}

type itemKind uint8

const (
	itemPacket itemKind = iota
	itemUplink
	itemTick
)

// item is something to come: a packet on its way, an uplink that is free, a time at which a NIC has something to do.
type item struct {
	kind       itemKind
	host       int
	plane      int
	src, sport uint16
	ce         bool
	bytes      []byte
}

const never = ^sim.Picos(0)

// New joins NICs: number i has the address i.
func New(cfg Config, nics ...NIC) (*Lab, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	l := &Lab{
		cfg: cfg, nics: nics, random: sim.NewRandom(cfg.Seed, "lab"), agenda: sim.NewCalendar(cfg.Seed, "lab agenda", 100_000),
		uplinks: make([][endpoint.MaxPlanes]uplink, len(nics)), wake: make([]sim.Picos, len(nics)),
	}
	for i := range l.wake {
		l.wake[i] = never
	}
	return l, nil
}

// Now is the time.
func (l *Lab) Now() sim.Picos { return l.now }

// Step does what comes next; false: nothing will.
func (l *Lab) Step() bool { return l.step(never) }

// Run lets time pass.
func (l *Lab) Run(d sim.Picos) {
	end := l.now + d
	for l.step(end) {
	}
	l.now = end
}

// Until steps until done says so. False: nothing more comes, or the time is past the limit.
func (l *Lab) Until(limit sim.Picos, done func() bool) bool {
	for !done() {
		if !l.step(limit) {
			return false
		}
	}
	return true
}

func (l *Lab) step(until sim.Picos) bool {
	l.ask()
	at, what, ok := l.agenda.Pop(until)
	if !ok {
		return false
	}
	l.now = at
	e := l.items[what]
	l.free = append(l.free, what)
	switch e.kind {
	case itemPacket:
		l.arrive(&e)
	case itemUplink:
		l.pull(e.host, e.plane)
	default:
		if l.wake[e.host] <= at {
			l.wake[e.host] = never
		}
		l.nics[e.host].OnTime(at)
	}
	return true
}

// ask sees what the NICs have to do since they were called last.
func (l *Lab) ask() {
	for host, n := range l.nics {
		for kicks, plane := n.Kicks(), 0; kicks != 0; kicks, plane = kicks>>1, plane+1 {
			if u := &l.uplinks[host][plane]; kicks&1 != 0 && !u.queued {
				u.queued = true
				l.push(max(l.now, u.busy), item{kind: itemUplink, host: host, plane: plane})
			}
		}
		if at, armed := n.Deadline(); armed && at < l.wake[host] {
			l.wake[host] = max(at, l.now)
			l.push(l.wake[host], item{kind: itemTick, host: host})
		}
	}
}

func (l *Lab) push(at sim.Picos, e item) {
	i := uint32(len(l.items))
	if k := len(l.free); k > 0 {
		i = l.free[k-1]
		l.free = l.free[:k-1]
		l.items[i] = e
	} else {
		l.items = append(l.items, e)
	}
	l.agenda.Push(at, i)
}

// pull lets an uplink send its next packet.
func (l *Lab) pull(host, plane int) {
	u := &l.uplinks[host][plane]
	u.queued = false
	var p endpoint.Packet
	if !l.nics[host].Pull(l.now, plane, &p) {
		return
	}
	bits := sim.Picos(p.UDPBytes()+endpoint.FramingV4) * 8
	u.busy, u.queued = l.now+bits*1_000_000/sim.Picos(l.cfg.Mbps), true
	l.push(u.busy, item{kind: itemUplink, host: host, plane: plane})
	l.carry(host, plane, u.busy+l.cfg.Way, &p)
}

// carry has a packet arrive, or not, or twice.
func (l *Lab) carry(host, plane int, at sim.Picos, p *endpoint.Packet) {
	t := &l.Trouble
	to := int(p.Dst)
	lose, mark := t.LoseControl, uint16(0)
	if p.IsData() {
		lose, mark = t.Lose, t.Mark
	}
	lost := l.random.Permille(lose) || t.Dead>>plane&1 != 0 || to >= len(l.nics)
	if lost || t.Drop != nil && t.Drop(host, to, plane, p) {
		return
	}
	e := item{host: to, plane: plane, src: uint16(host), sport: p.Sport, ce: l.random.Permille(mark), bytes: p.Append(nil)}
	l.push(l.delay(at), e)
	if l.random.Permille(t.Double) {
		l.push(l.delay(at), e)
	}
}

func (l *Lab) delay(at sim.Picos) sim.Picos {
	if l.random.Permille(l.Trouble.Late) {
		at += sim.Picos(l.random.Below(uint64(l.Trouble.LateBy) + 1))
	}
	return at
}

func (l *Lab) arrive(e *item) {
	var p endpoint.Packet
	if reason := p.Decode(e.bytes); reason != event.ReasonNone {
		panic("lab BUG: a packet that does not survive its own codec: " + reason.String())
	}
	p.Src, p.Dst, p.Sport, p.Ce = e.src, uint16(e.host), e.sport, e.ce
	l.nics[e.host].OnPacket(l.now, e.plane, &p)
}
