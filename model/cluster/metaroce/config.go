package metaroce

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/pipe/nic"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// Config of all NICs. Start from Default.
type Config struct {
	Seed    uint64
	Mtu     uint16    // payload of a full packet
	Paths   int       // of a connection; a multiple of the planes spreads evenly
	Streams uint8     // log2 of the streams of a connection
	BaseRtt sim.Picos // round trip that windows and timers reckon with; 0: the longest of the network
	Tuning  preset.Tuning
	Cycles  *nic.Config // NICs whose stages take time; nil: none of what a NIC does takes any
}

// Default has the values of the definition: 8 paths, packets of 4 KB, 16 streams.
func Default() Config {
	return Config{Mtu: 4096, Paths: 8, Streams: 4, Tuning: preset.DefaultTuning()}
}

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("metaroce: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem of NICs on a network of that configuration, joined: what New would refuse. A network that
// is not sound has no round trip to reckon with; what is wrong with it is told as well.
func (c *Config) Validate(f *fabric.Config) error {
	if err := f.Validate(); err != nil {
		return errors.Join(err, c.check(f, max(c.BaseRtt, 16*preset.TickPs)))
	}
	return c.check(f, c.roundTrip(f))
}

// roundTrip is what windows and timers reckon with on a network of that configuration.
func (c *Config) roundTrip(f Diameter) sim.Picos {
	if c.BaseRtt > 0 {
		return c.BaseRtt
	}
	rtt := f.Diameter(int(c.Mtu)+dataHeaders, ackBytes)
	if c.Cycles != nil && c.Cycles.Validate() == nil {
		rtt += c.Cycles.RoundTrip(int(c.Mtu))
	}
	return rtt
}

// Diameter is a network, or the configuration of one.
type Diameter interface {
	Diameter(dataSize, ackSize int) sim.Picos
}

// check returns every problem of NICs that reckon with that round trip.
func (c *Config) check(f *fabric.Config, baseRtt sim.Picos) error {
	var all []error
	if c.Streams > maxStreams {
		all = append(all, &Problem{"Streams", fmt.Sprint(c.Streams), fmt.Sprintf("want at most 2^%d streams", maxStreams)})
	}
	if most := sim.Picos(1<<24) * preset.TickPs; baseRtt > most {
		all = append(all, &Problem{"BaseRtt", fmt.Sprint(baseRtt), fmt.Sprintf("want at most %d ps", most)})
		baseRtt = most // told already; windows are checked with the longest there is
	}
	if c.Cycles != nil {
		all = append(all, c.Cycles.Validate())
	}
	e := c.endpoint(f, 0, baseRtt)
	return errors.Join(append(all, e.Validate())...)
}

const maxStreams = 10

// endpoint is the configuration of the NIC of a host.
func (c *Config) endpoint(f *fabric.Config, host int, baseRtt sim.Picos) endpoint.Config {
	e := endpoint.Default()
	e.Host, e.Planes, e.Mbps, e.Seed = uint16(host), f.Planes, f.LinkMbps, c.Seed
	e.BaseRtt = uint32(baseRtt / preset.TickPs)
	e.Mtu, e.Paths, e.Tuning = c.Mtu, c.Paths, c.Tuning
	e.Keys = e.Conns // a region a connection
	return e
}
