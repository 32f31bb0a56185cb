package fabric_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// slow is the obvious twin of a network without random draws: a queue and a transmitter for each link, one event for
// every start and end, a list of events that is searched from end to end. It takes the ways of packets from Path.
type slow struct {
	cfg    fabric.Config
	n      *fabric.Network // for Path only
	now    sim.Picos
	events []slowEvent
	links  map[fabric.Hop]*slowLink
	fates  map[uint32]fate
	tie    bool // two events had one time: their order is drawn in the network, and arbitrary here
}

type slowEvent struct {
	at   sim.Picos
	done func()
	dead *bool // it is void when this is true
}

type slowPacket struct {
	fabric.Packet
	path []fabric.Hop // to come
}

type slowLink struct {
	hop    fabric.Hop
	mbps   uint32
	queue  []slowPacket // the first is being sent when free is in the future
	free   sim.Picos
	down   bool
	onWire []slowPacket
	cut    *bool // true voids all that is under way
}

func (s *slow) at(t sim.Picos, dead *bool, done func()) {
	for _, e := range s.events {
		s.tie = s.tie || e.at == t
	}
	s.events = append(s.events, slowEvent{t, done, dead})
}

func (s *slow) run() {
	for len(s.events) > 0 {
		k := 0
		for i, e := range s.events {
			if e.at < s.events[k].at {
				k = i
			}
		}
		e := s.events[k]
		s.events = slices.Delete(s.events, k, k+1)
		s.now = e.at
		if e.dead == nil || !*e.dead {
			e.done()
		}
	}
}

func (s *slow) link(h fabric.Hop) *slowLink {
	if s.links[h] == nil {
		s.links[h] = &slowLink{hop: h, mbps: s.cfg.LinkMbps, cut: new(bool)}
	}
	return s.links[h]
}

func (s *slow) time(l *slowLink, size int) sim.Picos {
	return sim.Picos(size) * 8_000_000 / sim.Picos(l.mbps)
}

// offer is a packet that comes to the queue of its next link.
func (s *slow) offer(p slowPacket) {
	l := s.link(p.path[0])
	p.path = p.path[1:]
	host := l.hop.Tier == fabric.TierLeaf && l.hop.Way == fabric.Upwards
	if l.down && !host {
		s.lose(p)
		return
	}
	if !host && len(l.queue) > 0 {
		wait := l.free - s.now
		for _, q := range l.queue[1:] {
			wait += s.time(l, int(q.Size))
		}
		if wait+s.time(l, int(p.Size)) > sim.Picos(s.cfg.Buffer)*8_000_000/sim.Picos(l.mbps) {
			s.lose(p)
			return
		}
	}
	l.queue = append(l.queue, p)
	if len(l.queue) == 1 {
		s.start(l)
	}
}

func (s *slow) start(l *slowLink) {
	host := l.hop.Tier == fabric.TierLeaf && l.hop.Way == fabric.Upwards
	lost := l.down // a dead uplink takes its packets at its rate
	if lost {
		s.lose(l.queue[0])
	}
	dead := l.cut
	if host {
		dead = nil
	}
	l.free = s.now + s.time(l, int(l.queue[0].Size))
	cut := l.cut
	s.at(l.free, dead, func() {
		p := l.queue[0]
		l.queue = l.queue[1:]
		if !lost && !*cut {
			s.fly(l, p)
		}
		if len(l.queue) > 0 {
			s.start(l)
		}
	})
}

func (s *slow) fly(l *slowLink, p slowPacket) {
	l.onWire = append(l.onWire, p)
	latency := s.cfg.LinkDelay + s.cfg.SwitchDelay
	if len(p.path) == 0 {
		latency = s.cfg.LinkDelay + s.cfg.HostDelay
	}
	s.at(s.now+latency, l.cut, func() {
		l.onWire = l.onWire[1:]
		if len(p.path) > 0 {
			s.offer(p)
			return
		}
		p.Plane = uint8(l.hop.Plane)
		s.fates[p.Ref] = fate{at: s.now, plane: l.hop.Plane, packet: p.Packet}
	})
}

func (s *slow) lose(p slowPacket) {
	s.fates[p.Ref] = fate{at: s.now, packet: p.Packet, lost: true}
}

// change is a change of a single link.
func (s *slow) change(c fabric.Change) {
	for _, way := range []fabric.Way{fabric.Upwards, fabric.Downwards} {
		if c.Way != fabric.BothWays && c.Way != way {
			continue
		}
		l := s.link(fabric.Hop{Plane: c.Plane, Tier: c.Tier, Low: c.Low, Port: c.Port, Way: way})
		switch c.Kind {
		case fabric.LinkRate:
			l.mbps = c.Mbps
		case fabric.LinkUp:
			l.down = false
		case fabric.LinkDown:
			if !l.down {
				s.kill(l)
			}
		}
	}
}

func (s *slow) kill(l *slowLink) {
	l.down = true
	*l.cut, l.cut = true, new(bool)
	for _, p := range l.onWire {
		s.lose(p)
	}
	host := l.hop.Tier == fabric.TierLeaf && l.hop.Way == fabric.Upwards
	for i, p := range l.queue {
		if _, settled := s.fates[p.Ref]; !settled && (!host || i == 0) {
			s.lose(p)
		}
	}
	l.onWire = nil
	if !host { // a host keeps what it has not begun to send
		l.queue, l.free = nil, 0
	}
}

// TestTwin: every packet has the same fate at the same time as in the twin, over shapes, buffers, rates, and links that
// change, die and return.
func TestTwin(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		c := anyShape(t)
		c.Buffer = rapid.SampledFrom([]uint32{1, 10_000, 50_000, 1 << 31}).Draw(t, "buffer")
		for _, ch := range anyScript(t, c, 6) {
			if ch.Kind <= fabric.LinkRate {
				ch.Ppm = 0
				c.Script = append(c.Script, ch)
			}
		}
		w := newWorld(t, c)
		s := &slow{cfg: c, n: w.n, links: map[fabric.Hop]*slowLink{}, fates: map[uint32]fate{}}
		for _, ch := range c.Script {
			s.at(ch.At, nil, func() { s.change(ch) })
		}
		draw := sim.NewRandom(c.Seed, "traffic")
		at := sim.Picos(0)
		for range rapid.IntRange(1, 80).Draw(t, "packets") {
			at += 1 + sim.Picos(draw.Below(100_000))
			p := data(int(draw.Below(uint64(c.Hosts))), int(draw.Below(2)), uint16(draw.Below(8)))
			p.Size = uint16(draw.Between(64, 4196))
			plane := int(draw.Below(uint64(c.Planes)))
			p.Ref = w.send(at, plane, p)
			s.at(at, nil, func() { s.offer(slowPacket{p, w.n.Path(int(p.Src), int(p.Dst), plane, p.Sport)}) })
		}
		w.run()
		s.run()
		if s.tie {
			return
		}
		compared++
		require.Len(t, w.fates, len(s.fates))
		for ref, f := range s.fates {
			got := w.fates[ref]
			got.packet = fabric.Packet{Ref: got.packet.Ref, Size: got.packet.Size}
			f.packet = fabric.Packet{Ref: f.packet.Ref, Size: f.packet.Size}
			require.Equal(t, f, got, "packet %d", ref)
		}
	})
	require.Greater(t, compared, 20)
}
