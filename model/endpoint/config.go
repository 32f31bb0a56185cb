package endpoint

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/share"
	"metaroce/tandem/model/streamsched"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// MaxPlanes and MaxPaths are what the masks of a sender hold.
const (
	MaxPlanes = 8
	MaxPaths  = 64
)

// Config is all that a NIC depends on besides its peers. Start from Default.
type Config struct {
	Host    uint16 // its address
	Planes  int    // uplinks
	Mbps    uint32 // rate of each
	BaseRtt uint32 // ticks: round trip of the empty network
	Seed    uint64 // of ports and pacing phases

	Mtu         uint16 // payload of a full packet
	IPv6        bool   // what a packet takes of a link
	Paths       int    // of a connection
	Conns       int    // connections
	Streams     int    // of all connections
	Recvs       int    // posted receives of a stream
	Keys        int    // memory regions
	RnrPause    uint32 // ticks between a refused attempt and the next
	Rest        uint32 // ticks before the index of a closed connection is given again
	Accept      bool   // connections that peers open
	ConnTimeout uint32 // ticks without a proof that any path is alive after which a connection with something in flight is given up
	Tuning      preset.Tuning

	Memory  Memory       // nil: payloads are numbers only
	Trace   func(Record) // nil: no records are made
	Records *xmit.Store  // of packets in flight; nil: its own. NICs of one simulation may share one
}

// Default is a NIC with one plane of 400 Gb/s in a network of 10 us.
func Default() Config {
	return Config{
		Planes: 1, Mbps: 400_000, BaseRtt: 2500, Mtu: 4096, Paths: 8, Conns: 1 << 16, Streams: 1 << 16, Recvs: 256, Keys: 64,
		RnrPause: 2500, Rest: 250_000,
		Accept: true, ConnTimeout: 250_000_000, Tuning: preset.DefaultTuning(),
	}
}

// Problem is one thing that is wrong with a Config or a request.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("endpoint: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined: those of the tuning are *preset.Problem, those that only the engines know of
// theirs, all others *Problem. Nothing is told twice: the engines are asked with the default of what is out of its range
// here.
func (c *Config) Validate() error {
	all := []error{c.Tuning.Validate()}
	within := func(field string, v, lo, hi int64, unit string) bool {
		if v < lo || v > hi {
			all = append(all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want %d..%d %s", lo, hi, unit)})
		}
		return v >= lo && v <= hi
	}
	fit, sound := Default(), *c
	if all[0] != nil {
		sound.Tuning = fit.Tuning
	}
	if !within("Planes", int64(c.Planes), 1, MaxPlanes, "planes") {
		sound.Planes = fit.Planes
	}
	if !within("Mbps", int64(c.Mbps), minMbps, maxMbps, "Mb/s") {
		sound.Mbps = fit.Mbps
	}
	if !within("BaseRtt", int64(c.BaseRtt), 16, 1<<24, "ticks of 4 ns") {
		sound.BaseRtt = fit.BaseRtt
	}
	if !within("Mtu", int64(c.Mtu), 64, preset.MaxPayload, "bytes") {
		sound.Mtu = fit.Mtu
	}
	if !within("Paths", int64(c.Paths), 1, MaxPaths, "paths") {
		sound.Paths = fit.Paths
	}
	within("Conns", int64(c.Conns), 1, 1<<16, "connections")
	within("Streams", int64(c.Streams), 1, 1<<16, "streams")
	within("Recvs", int64(c.Recvs), 1, 1<<16, "receives")
	within("Keys", int64(c.Keys), 0, 1<<16, "regions")
	within("RnrPause", int64(c.RnrPause), 1, 1<<28, "ticks of 4 ns")
	within("ConnTimeout", int64(c.ConnTimeout), 1, 1<<30, "ticks of 4 ns")
	within("Rest", int64(c.Rest), 1, 1<<28, "ticks of 4 ns")
	if c.Paths < c.Planes {
		all = append(all, &Problem{"Paths", fmt.Sprint(c.Paths), fmt.Sprintf("want at least one a plane, %d", c.Planes)})
	}
	return errors.Join(append(all, sound.checkEngines())...)
}

// Rates of a plane: those that R-SHARE and R-CC reckon with.
const (
	minMbps = 10_000
	maxMbps = 1_600_000
)

// checkEngines returns what the engines find wrong with a configuration, and with a connection to a NIC of the same kind.
func (c *Config) checkEngines() error {
	r, err := newRules(c)
	if err != nil {
		return err
	}
	return r.cc.CheckOpen(c.portRate(), c.BaseRtt, uint8(c.Paths))
}

// portRate is the rate of the port over all planes.
func (c *Config) portRate() uint32 { return c.Mbps * uint32(c.Planes) }

func (c *Config) framing() int {
	if c.IPv6 {
		return FramingV6
	}
	return FramingV4
}

// fullPacket is the longest packet on a link: a full part of a Write with immediate.
func (c *Config) fullPacket() uint32 {
	return uint32(wire.Kinds[wire.OpcodeWriteImm].HeaderLen + (int(c.Mtu)+3)&^3 + preset.IcrcBytes + c.framing())
}

// rules are the engines with the values that the configuration gives their registers. They have no state: NICs share them.
type rules struct {
	sched *streamsched.Engine
	share *share.Engine
	cc    *cc.Engine
}

func newRules(c *Config) (*rules, error) {
	packet := c.fullPacket()
	sched, err1 := streamsched.New(streamsched.Config{Tuning: c.Tuning, PacketBytes: packet, MsgSlots: preset.MsgWindow})
	shares, err2 := share.New(share.Config{Tuning: c.Tuning, BaseRTT: c.BaseRtt, PlaneMbps: c.Mbps, Planes: c.Planes, PacketBytes: packet})
	rates, err3 := cc.New(cc.Config{Tuning: c.Tuning, PortMbps: c.portRate(), PacketBytes: packet})
	return &rules{sched, shares, rates}, errors.Join(err1, err2, err3)
}
