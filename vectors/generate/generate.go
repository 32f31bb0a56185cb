package generate

import (
	"fmt"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// Config of a random run. Equal configurations give equal programs.
type Config struct {
	Params  preset.Params
	Seed    uint64
	Packets int  // at least so many frames
	Stalls  bool // stalls on every stream; else the bench is always ready
	Limits  []Limit
	// Stop, if not nil, is asked between rounds; its error ends the work and is returned.
	Stop func() error
}

// roundPackets is how many frames go out between two waits for an idle device. Then everything late has come, and
// paths and streams may start anew: what the device dropped for want of room would be a hole for ever else.
const roundPackets = 350

type gen struct {
	cfg     Config
	p       Profile
	b       *compose.Builder
	streams map[string]*sim.Random
	conns   []*conn
	net     network
	step    int
	idle    int // steps since a frame went out
	hot     *path
}

// mostOpen bounds the messages that a stream has open: less than its window, since completion takes its time.
func (g *gen) mostOpen() uint32 { return uint32(g.cfg.Params.MsgSlots) * 5 / 8 }

// Generate makes the program of a configuration.
func Generate(cfg Config) (*compose.Program, error) {
	if cfg.Packets < 1 || cfg.Packets > 10_000_000 {
		return nil, fmt.Errorf("generate: %d packets: want 1 to 10000000", cfg.Packets)
	}
	g := &gen{cfg: cfg, p: draw(cfg.Seed), b: compose.NewBuilder(fmt.Sprintf("random-%d", cfg.Seed), cfg.Params), streams: map[string]*sim.Random{}}
	g.p.hold(cfg.Limits)
	g.b.Grow(min(cfg.Packets, 1<<17))
	if err := g.setup(); err != nil {
		return nil, err
	}
	for len(g.b.Program.Frames) < cfg.Packets {
		if cfg.Stop != nil {
			if err := cfg.Stop(); err != nil {
				return nil, err
			}
		}
		g.round()
	}
	return g.b.Program, nil
}

// Describe names the profile that a seed draws.
func Describe(seed uint64) string {
	p := draw(seed)
	return p.String()
}

// rnd is the random stream for one purpose.
func (g *gen) rnd(name string) *sim.Random {
	r := g.streams[name]
	if r == nil {
		n := sim.NewRandom(g.cfg.Seed, "generate/"+name)
		r = &n
		g.streams[name] = r
	}
	return r
}

func (g *gen) round() {
	g.postAhead()
	g.bench()
	frames := len(g.b.Program.Frames)
	end := frames + min(roundPackets, g.cfg.Packets)
	for g.idle = 0; frames < end && g.idle < 200; g.idle++ {
		g.step++
		g.net.due(g)
		g.act()
		if n := len(g.b.Program.Frames); n > frames {
			frames, g.idle = n, 0
		}
	}
	g.settle()
}

// settle lets everything late arrive, then the device come to rest, then refused messages come again, and starts anew
// what may be stuck.
func (g *gen) settle() {
	g.relax()
	for range 3 {
		g.net.drain(g)
		g.b.WaitIdle()
		if !g.repost() {
			break
		}
	}
	g.net.drain(g)
	g.b.WaitIdle()
	g.restart()
	g.b.WaitIdle()
}

// bench sets latency and stalls of the next round.
func (g *gen) bench() {
	r := g.rnd("bench")
	lo, hi := uint64(1), r.Between(1, 30)
	if g.p.Slow {
		lo, hi = r.Between(1, 200), r.Between(200, 600)
	}
	g.b.Latency(lo, hi)
	for port := stimulus.PortFrame; port <= stimulus.PortRegister; port++ {
		s := g.p.Stalls[port]
		if g.cfg.Stalls && r.Permille(700) {
			g.b.Stall(port, s.permille, s.run)
		} else {
			g.b.Stall(port, 0, 1)
		}
	}
}

// relax takes the pressure off, so that what is repaired now finds room.
func (g *gen) relax() {
	if g.p.Pressure {
		g.b.Stall(stimulus.PortMemory, 0, 1)
	}
}

// act is one decision of the sender or the driver.
func (g *gen) act() {
	r := g.rnd("act")
	switch n := r.Below(1000); {
	case n < uint64(g.p.Odd):
		g.odd()
	case n < uint64(g.p.Odd)+uint64(g.p.Garbage):
		g.garbage()
	case n < 260:
		g.control()
	default:
		g.data()
	}
}

// gap is the idle time before a frame.
func (g *gen) gap() uint32 {
	r := g.rnd("gap")
	switch {
	case g.p.Spaced:
		return uint32(r.Below(60))
	case r.Permille(15):
		return uint32(r.Below(1500)) // long enough for timers
	case r.Permille(100):
		return uint32(r.Below(12))
	}
	return 0
}
