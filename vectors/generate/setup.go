package generate

import (
	"math/bits"

	"metaroce/tandem/vectors/compose"
)

// Regions of a connection: key index = connection's place * keysEach + one of these.
const (
	keyGood  = iota
	keyNone  // no permission
	keySmall // 64 bytes
	keyFault // every write fails
	keysEach
)

const (
	regionStep = 1 << 44
	faultBase  = 0x7000 << 48 // all of it fails
	faultEnd   = 0x8000<<48 - 1
	recvBase   = 0x9000 << 48
)

type conn struct {
	*compose.Conn
	place   int // among the connections of the run
	paths   []*path
	normal  []*stream // never refused but for want of a receive
	victims []*stream // errors go here
	keys    [keysEach]*compose.Region
}

type path struct {
	*compose.Path
	conn  *conn
	cum   uint32 // all below were let in, as far as the sender can tell
	come  map[uint32]bool
	prior int   // packets under way with the epoch before
	shown uint8 // newest epoch that the device has seen
	last  []*flight
}

func (p *path) begin() {
	p.cum, p.come, p.prior, p.shown, p.last = p.Psn0, map[uint32]bool{}, 0, p.Epoch0, nil
}

type stream struct {
	*compose.Stream
	conn      *conn
	queue     []*message // not all packets sent yet
	open      []*message // not known to be complete, oldest first
	completed uint32     // all below are complete, as far as the sender can tell
	posted    uint32     // receives below are posted or left out on purpose
	missing   map[uint32]bool
	life      uint8
	poisoned  bool // in error, as far as the sender can tell
}

// setup opens connections with serial numbers mostly just below a wrap.
func (g *gen) setup() error {
	g.b.Fault(faultBase, faultEnd)
	p := &g.cfg.Params
	each := max(2, p.Streams/4)
	each = min(16, 1<<(bits.Len(uint(each))-1))
	for place, index := range g.indices() {
		r := g.rnd("setup")
		cc, err := g.b.Open(compose.ConnConfig{Index: index, Gen: uint32(r.Below(256)), Peer: uint32(r.Below(1 << 24)), Time: -uint32(r.Between(1, 4000)),
			Paths: p.Paths - int(r.Below(2)*r.Below(uint64(p.Paths))), Streams: each, Psn: g.serial(), Tsn: g.serial(), Msn: g.serial(),
			Recv: g.serial(), Epoch: uint8(r.Below(16))})
		if err != nil {
			return err
		}
		c := &conn{Conn: cc, place: place}
		for _, cp := range cc.Paths {
			p := &path{Path: cp, conn: c}
			p.begin()
			c.paths = append(c.paths, p)
		}
		for i, cs := range cc.Streams {
			s := &stream{Stream: cs, conn: c, completed: cs.Msn0, life: 1, posted: cs.Recv0, missing: map[uint32]bool{}}
			if i%2 == 0 {
				c.normal = append(c.normal, s)
			} else {
				c.victims = append(c.victims, s)
			}
		}
		g.regions(c)
		g.conns = append(g.conns, c)
	}
	g.hot = g.conns[0].paths[0]
	g.b.WaitIdle()
	return nil
}

// indices are the connections of the run: the first and the last row of the table, and some between.
func (g *gen) indices() []uint32 {
	n := uint32(g.cfg.Params.Conns)
	if n <= 4 {
		return []uint32{0, 1, 2, 3}[:n]
	}
	return []uint32{0, 1, n / 2, n - 1}
}

// serial is a first serial number: half of them wrap within the run, some pass the sign bit.
func (g *gen) serial() uint32 {
	r := g.rnd("serial")
	switch r.Below(4) {
	case 0, 1:
		return -uint32(r.Between(1, 60))
	case 2:
		return 1<<31 - uint32(r.Between(1, 60))
	}
	return uint32(r.Uint64())
}

func (g *gen) regions(c *conn) {
	for k := range c.keys {
		index := c.place*keysEach + k
		if c.place == len(g.indices())-1 {
			index = g.cfg.Params.Keys - keysEach + k // the last rows of the table
		}
		r := &compose.Region{Index: uint32(index), Conn: c.Conn, Tag: uint8(g.rnd("tag").Uint64()), Base: uint64(index+1) * regionStep, Length: 1 << 40, Perm: 1}
		switch k {
		case keyNone:
			r.Perm = uint8(g.rnd("tag").Below(4)) << 1
		case keySmall:
			r.Length = 64
		case keyFault:
			r.Base = faultBase + uint64(index+1)<<40
			r.Length = 1 << 38
		}
		c.keys[k] = r
		g.b.SetKey(r)
	}
}

// restart starts paths and streams anew where the sender may be stuck: under pressure all of them, else some.
func (g *gen) restart() {
	r := g.rnd("restart")
	all := g.p.Pressure || r.Permille(300)
	if r.Permille(250) {
		g.renew(g.conns[r.Below(uint64(len(g.conns)))])
	}
	for _, c := range g.conns {
		for _, p := range c.paths {
			if all || r.Permille(60) {
				g.b.StartPath(c.Conn, p.Path, g.serial(), g.serial(), uint8(r.Below(16)))
				p.begin()
			}
		}
		for _, s := range c.normal {
			if all || uint32(len(s.open)) > g.mostOpen()/2 {
				g.reopen(s)
			}
		}
		for _, s := range c.victims {
			g.reopen(s)
		}
	}
}

// renew closes a connection and opens its next generation, with a packet between that finds nothing there.
func (g *gen) renew(c *conn) {
	g.b.CloseConn(c.Conn)
	g.b.Wait(1)
	g.flush(c.paths[0], 0)
	g.b.Wait(1)
	c.Gen = (c.Gen + 1) & 255
	g.b.SetConn(c.Conn, len(c.paths), len(c.Streams))
}

// reopen gives a stream its next life. The receives posted before stay posted under their index, so the new life goes
// on behind them.
func (g *gen) reopen(s *stream) {
	s.life++
	g.b.OpenStream(s.Stream, g.serial(), later(s.Post, s.posted), s.life)
	s.queue, s.open, s.completed, s.poisoned = nil, nil, s.Msn0, false
	s.posted, s.missing = s.Recv0, map[uint32]bool{}
}

// later is the higher of two serial numbers.
func later(a, b uint32) uint32 {
	if int32(a-b) < 0 {
		return b
	}
	return a
}
