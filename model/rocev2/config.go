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
	Window   uint32    // packets in flight a queue pair, in thousandths of the bandwidth-delay product; 0: no limit
	NakAgain sim.Picos // a NAK is repeated after this time while the gap is open; 0: never, only the timeout is left
	Timeout  sim.Picos // without any progress; then everything from the first one not acknowledged is sent again
	Lossless bool      // packets are of the class that pause frames hold up
	Dcqcn    *Dcqcn    // nil: line rate always
	FirstPsn uint32    // number of the first packet of every queue pair
}

// Timeouts of the InfiniBand formula, 4.096 us times a power of two.
const (
	timeoutUnit     = sim.Picos(4_096_000)
	lossyTimeout    = timeoutUnit << 8  // 1.05 ms
	losslessTimeout = timeoutUnit << 14 // 67 ms: the usual setting
)

// Default is a NIC for that network. lossless sets it for priority flow control, which the network must have.
func Default(f *fabric.Config, lossless bool) Config {
	dcqcn := PaperDcqcn(uint64(f.LinkMbps))
	c := Config{Mtu: maxMtu, Spread: 1, AckEvery: 4, Window: 1000, NakAgain: 500 * micros, Timeout: lossyTimeout, Lossless: lossless, Dcqcn: &dcqcn}
	if lossless {
		c.Timeout = losslessTimeout
	}
	return c
}

// Limits of a Config.
const (
	maxSpread  = 256
	maxSeconds = sim.Picos(1e12)
	maxWindow  = 1_000_000 // thousandths
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
	l.want(c.NakAgain <= maxSeconds, "NakAgain", c.NakAgain, "want at most %d ps", maxSeconds)
	l.want(c.Timeout >= 1*micros && c.Timeout <= maxSeconds, "Timeout", c.Timeout, "want %d..%d ps", 1*micros, maxSeconds)
	l.want(!c.Lossless || f.Pfc.Xoff > 0, "Lossless", c.Lossless, "want a network with priority flow control")
	l.want(c.FirstPsn <= psnMask, "FirstPsn", c.FirstPsn, "want at most %d: it has %d bits", psnMask, psnBits)
	if c.Dcqcn != nil {
		c.Dcqcn.validate(&l, uint64(f.LinkMbps)*1000)
	}
	return errors.Join(l.all...)
}

func (d *Dcqcn) validate(l *problems, line uint64) {
	l.want(d.CnpGap <= maxSeconds, "Dcqcn.CnpGap", d.CnpGap, "want at most %d ps", maxSeconds)
	l.want(d.CutGap <= maxSeconds, "Dcqcn.CutGap", d.CutGap, "want at most %d ps", maxSeconds)
	l.want(d.AlphaTime >= 1*micros && d.AlphaTime <= maxSeconds, "Dcqcn.AlphaTime", d.AlphaTime, "want %d..%d ps", 1*micros, maxSeconds)
	l.want(d.RiseTime >= 1*micros && d.RiseTime <= maxSeconds, "Dcqcn.RiseTime", d.RiseTime, "want %d..%d ps", 1*micros, maxSeconds)
	l.want(d.GainShift >= 1 && d.GainShift <= 16, "Dcqcn.GainShift", d.GainShift, "want 1..16")
	l.want(d.Recovery <= 1000, "Dcqcn.Recovery", d.Recovery, "want at most 1000")
	l.want(d.Add >= 1 && d.Add <= line, "Dcqcn.Add", d.Add, "want 1..%d kb/s, the link", line)
	l.want(d.Hyper >= d.Add && d.Hyper <= line, "Dcqcn.Hyper", d.Hyper, "want Add..%d kb/s", line)
	l.want(d.Floor >= 1 && d.Floor <= line, "Dcqcn.Floor", d.Floor, "want 1..%d kb/s, the link", line)
}
