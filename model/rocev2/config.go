package rocev2

import (
	"errors"
	"fmt"
	"math/bits"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// Config is how the NICs of a network are set. Nothing has a default here: Default has one for each.
type Config struct {
	Seed     uint64    // of source ports and planes
	Mtu      uint32    // payload bytes of a packet
	Spread   int       // queue pairs a flow; a message is divided among them
	AckEvery uint32    // packets an acknowledgement, besides the one for the last packet of a message
	Window   uint32    // in flight a flow and plane, in thousandths of the bandwidth-delay product; 0: no limit
	NakAgain sim.Picos // a NAK is repeated after this time while the gap is open and packets arrive; 0: never
	NakBack  bool      // a NAK is repeated when the sender has evidently gone back and what is missing was lost again
	Timeout  sim.Picos // without any progress; then everything from the first one not acknowledged is sent again
	Lossless bool      // packets are of the class that pause frames hold up
	Dcqcn    *Dcqcn    // nil: line rate always
	FirstPsn uint32    // number of the first packet of every queue pair
}

// Timeouts follow the InfiniBand formula, timeoutUnit times a power of two. leastTimeout is far below the usual 67 ms.
const (
	timeoutUnit  = sim.Picos(4_096_000)
	leastTimeout = timeoutUnit << 6 // 262 us
)

// Default is a NIC for that network. lossless sets it for priority flow control, which the network must have.
func Default(f *fabric.Config, lossless bool) Config {
	dcqcn := PaperDcqcn(uint64(f.LinkMbps))
	c := Config{Mtu: maxMtu, Spread: 1, AckEvery: 4, Window: 1000, NakAgain: 500 * micros, NakBack: true,
		Timeout: leastTimeout, Lossless: lossless, Dcqcn: &dcqcn}
	for most := c.longest(f); c.Timeout < most && c.Timeout <= maxTime/2; {
		c.Timeout *= 2
	}
	return c
}

// longest is a time in which an acknowledgement has come back, if nothing was lost: twice the round trip over the
// longest way, and the longest queue for one port. Flow control bounds what each host has in that, not the buffer; where
// it lets a host have more than its window, the window does.
func (c *Config) longest(f *fabric.Config) sim.Picos {
	rate := max(1, uint64(f.LinkMbps))
	ahead := uint64(f.Buffer)
	if c.Lossless {
		each := sim.MulDiv(uint64(roundTrip(f)), rate*uint64(c.Window), 8_000_000_000) + uint64(c.AckEvery)*uint64(dataBytes(c.Mtu, true))
		if may := uint64(f.Pfc.Xoff) + uint64(f.Pfc.Headroom); c.Window == 0 || may < each {
			each = may
		}
		ahead = uint64(f.Hosts) * each
	}
	return 2*roundTrip(f) + sim.Picos(sim.MulDiv(ahead, 8_000_000, rate))
}

// roundTrip is the delays there and back over the longest way, without the time that packets take on the links.
func roundTrip(f *fabric.Config) sim.Picos {
	tiers := sim.Picos(1)
	switch f.Kind {
	case fabric.LeafSpine:
		tiers = 2
	case fabric.FatTree:
		tiers = 3
	}
	more := sim.Picos(0)
	for _, d := range f.SpineDelay {
		more = max(more, 2*d)
	}
	return 2 * (2*tiers*f.LinkDelay + (2*tiers-1)*f.SwitchDelay + f.HostDelay + more)
}

// Limits of a Config.
const (
	maxSpread = 256
	maxTime   = sim.Picos(64_000_000_000_000) // 64 s
	maxWindow = 1_000_000                     // thousandths
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("rocev2: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// problems collects what is wrong.
type problems struct{ all []error }

func (l *problems) want(ok bool, field string, value any, rule string, args ...any) {
	if !ok {
		l.all = append(l.all, &Problem{field, fmt.Sprintf("%v", value), fmt.Sprintf(rule, args...)})
	}
}

// Validate returns every problem of these NICs on that network, joined; each is a *Problem.
func (c *Config) Validate(f *fabric.Config) error {
	var l problems
	l.want(c.Mtu >= minMtu && c.Mtu <= maxMtu && bits.OnesCount32(c.Mtu) == 1, "Mtu", c.Mtu, "want a power of two in %d..%d", minMtu, maxMtu)
	l.want(c.Spread >= 1 && c.Spread <= maxSpread, "Spread", c.Spread, "want 1..%d", maxSpread)
	l.want(c.AckEvery >= 1 && c.AckEvery < maxInFlight, "AckEvery", c.AckEvery, "want 1..%d", maxInFlight-1)
	l.want(c.Window <= maxWindow, "Window", c.Window, "want 0..%d thousandths", maxWindow)
	l.want(c.NakAgain <= maxTime, "NakAgain", c.NakAgain, "want at most %d ps", maxTime)
	least := roundTrip(f) + 1
	l.want(c.Timeout >= least && c.Timeout <= maxTime, "Timeout", c.Timeout, "want %d..%d ps, above the round trip", least, maxTime)
	l.want(!c.Lossless || f.Pfc.Xoff > 0, "Lossless", c.Lossless, "want a network with priority flow control")
	l.want(c.FirstPsn <= psnMask, "FirstPsn", c.FirstPsn, "want at most %d: it has %d bits", psnMask, psnBits)
	if c.Dcqcn != nil {
		c.Dcqcn.validate(&l, uint64(f.LinkMbps)*1000)
	}
	return errors.Join(l.all...)
}

func (d *Dcqcn) validate(l *problems, line uint64) {
	l.want(d.CnpGap <= maxTime, "Dcqcn.CnpGap", d.CnpGap, "want at most %d ps", maxTime)
	l.want(d.CutGap <= maxTime, "Dcqcn.CutGap", d.CutGap, "want at most %d ps", maxTime)
	l.want(d.AlphaTime >= 1*micros && d.AlphaTime <= maxTime, "Dcqcn.AlphaTime", d.AlphaTime, "want %d..%d ps", 1*micros, maxTime)
	l.want(d.RiseTime >= 1*micros && d.RiseTime <= maxTime, "Dcqcn.RiseTime", d.RiseTime, "want %d..%d ps", 1*micros, maxTime)
	l.want(d.GainShift >= 1 && d.GainShift <= 16, "Dcqcn.GainShift", d.GainShift, "want 1..16")
	l.want(d.Recovery <= 1000, "Dcqcn.Recovery", d.Recovery, "want at most 1000")
	l.want(d.Add >= 1 && d.Add <= line, "Dcqcn.Add", d.Add, "want 1..%d kb/s, the link", line)
	l.want(d.Hyper >= d.Add && d.Hyper <= line, "Dcqcn.Hyper", d.Hyper, "want Add..%d kb/s", line)
	l.want(d.Floor >= 1 && d.Floor <= line, "Dcqcn.Floor", d.Floor, "want 1..%d kb/s, the link", line)
}
