package fabric

import (
	"errors"
	"fmt"
	"math/bits"

	"metaroce/tandem/model/sim"
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("fabric: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Bounds of a Config.
const (
	maxHosts  = 1<<16 - 1 // a packet has 16 bits for them
	maxPlanes = 64
	maxFan    = 4096                         // spines, leaves of a pod, cores of a spine
	maxLinks  = 1 << 24                      // of all planes
	maxMbps   = psBits                       // a byte in a picosecond
	maxDelay  = sim.Picos(1_000_000_000_000) // 1 s
	maxScript = 10_000
	minTrim   = 64 // a frame
)

// problems collects what is wrong.
type problems []error

func (all *problems) add(bad bool, field string, value any, rule string, args ...any) {
	if bad {
		*all = append(*all, &Problem{field, fmt.Sprintf("%v", value), fmt.Sprintf(rule, args...)})
	}
}

// within wants lo..hi.
func (all *problems) within(field string, v, lo, hi int) {
	all.add(v < lo || v > hi, field, v, "want %d..%d", lo, hi)
}

// none wants 0 where a parameter has no meaning.
func (all *problems) none(field string, v int, kind Kind) {
	all.add(v != 0, field, v, "means nothing in a %s: want 0", kind)
}

// Validate returns every problem, joined; each is a *Problem.
func (c *Config) Validate() error {
	var all problems
	c.checkShape(&all)
	c.checkLinks(&all)
	c.checkTrouble(&all)
	c.checkPfc(&all)
	if len(all) == 0 { // a script speaks of parts of a network that exists
		c.checkScript(&all)
	}
	return errors.Join(all...)
}

func (c *Config) checkShape(all *problems) {
	before := len(*all)
	all.within("Hosts", c.Hosts, 2, maxHosts)
	all.within("Planes", c.Planes, 1, maxPlanes)
	switch c.Kind {
	case SingleSwitch:
		all.none("HostsPerLeaf", c.HostsPerLeaf, c.Kind)
		all.none("Spines", c.Spines, c.Kind)
	case LeafSpine, FatTree:
		all.within("HostsPerLeaf", c.HostsPerLeaf, 1, maxHosts)
		all.within("Spines", c.Spines, 1, maxFan)
	default:
		all.add(true, "Kind", uint8(c.Kind), "want one of %v", Kinds())
		return
	}
	if c.Kind == FatTree {
		all.within("LeavesPerPod", c.LeavesPerPod, 1, maxFan)
		all.within("CoresPerSpine", c.CoresPerSpine, 1, maxFan)
	} else {
		all.none("LeavesPerPod", c.LeavesPerPod, c.Kind)
		all.none("CoresPerSpine", c.CoresPerSpine, c.Kind)
	}
	if len(*all) == before {
		links := newPlan(c).links * c.Planes
		all.add(links > maxLinks, "links in all", links, "want at most %d", maxLinks)
	}
}

func (c *Config) checkLinks(all *problems) {
	all.within("LinkMbps", int(c.LinkMbps), 1, maxMbps)
	delay := func(field string, d sim.Picos) {
		all.add(d > maxDelay, field, d, "want at most %d ps", maxDelay)
	}
	delay("LinkDelay", c.LinkDelay)
	delay("SwitchDelay", c.SwitchDelay)
	delay("HostDelay", c.HostDelay)
	if k := len(c.SpineDelay); k > 0 {
		all.add(c.Kind != LeafSpine, "SpineDelay", c.SpineDelay, "means nothing in a %s: want none", c.Kind)
		all.add(k != c.Spines, "SpineDelay", fmt.Sprintf("%d long", k), "want none, or one for each of %d spines", c.Spines)
	}
	for i, d := range c.SpineDelay {
		delay(fmt.Sprintf("SpineDelay[%d]", i), d)
	}
	all.add(c.Buffer == 0, "Buffer", c.Buffer, "want at least 1 byte: a packet that finds the port idle always has room")
	all.add(c.EcnLo > c.EcnHi, "EcnLo", c.EcnLo, "want at most EcnHi, %d", c.EcnHi)
	all.add(c.Trim > 0 && c.Trim < minTrim, "Trim", c.Trim, "want 0 or at least %d bytes", minTrim)
}

func (c *Config) checkTrouble(all *problems) {
	rate := func(field string, v uint32) { all.within(field, int(v), 0, Million) }
	rate("Loss.Data", c.Loss.Data)
	rate("Loss.Control", c.Loss.Control)
	rate("Reorder.Ppm", c.Reorder.Ppm)
	where := func(field string, w Where) {
		all.add(w >= whereCount, field, w, "want %d (last link) or %d (every link)", LastLink, EveryLink)
	}
	where("Loss.Where", c.Loss.Where)
	where("Reorder.Where", c.Reorder.Where)
	r := c.Reorder
	all.add(r.Ppm > 0 && (r.Delay == 0 || r.Delay > maxDelay), "Reorder.Delay", r.Delay, "want 1..%d ps where Ppm is not 0", maxDelay)
}

func (c *Config) checkPfc(all *problems) {
	p := c.Pfc
	if p.Xoff == 0 {
		all.add(p.Xon > 0, "Pfc.Xon", p.Xon, "means nothing without Xoff: want 0")
		all.add(p.Headroom > 0, "Pfc.Headroom", p.Headroom, "means nothing without Xoff: want 0")
		return
	}
	all.add(p.Xon > p.Xoff, "Pfc.Xon", p.Xon, "want at most Xoff, %d", p.Xoff)
	all.add(c.Trim > 0, "Trim", c.Trim, "want 0 with Pfc: nothing lossless is cut")
	most := uint64(1<<32 - 1 - 1<<20)
	all.add(c.onTheWay() > most, "LinkDelay", c.LinkDelay, "want less with Pfc: %d bytes or more are on the way when a pause takes effect", most)
}

func (c *Config) checkScript(all *problems) {
	all.add(len(c.Script) > maxScript, "Script", fmt.Sprintf("%d long", len(c.Script)), "want at most %d changes", maxScript)
	p := newPlan(c)
	for i := range c.Script {
		c.checkChange(all, &p, fmt.Sprintf("Script[%d].", i), &c.Script[i])
	}
}

func (c *Config) checkChange(all *problems, p *plan, at string, ch *Change) {
	all.add(ch.Kind >= changeCount, at+"Kind", ch.Kind, "want one below %d", changeCount)
	all.within(at+"Plane", ch.Plane, 0, c.Planes-1)
	all.add(ch.Tier >= TierCount, at+"Tier", ch.Tier, "want one below %d", TierCount)
	all.add(ch.Way >= wayCount, at+"Way", ch.Way, "want one below %d", wayCount)
	if ch.Tier >= TierCount {
		return
	}
	lows, ports := p.uplinks(ch.Tier)
	switch ch.Kind {
	case LinkRate, LinkDown, LinkUp:
		all.add(ch.Low < 0 || ch.Low >= lows, at+"Low", ch.Low, "want one of the %d lower ends of that tier", lows)
		all.add(ch.Port < 0 || ch.Port >= ports, at+"Port", ch.Port, "want one of the %d uplinks of that tier", ports)
	case SwitchDown, SwitchUp:
		switches := p.switchesOf(ch.Tier)
		all.add(ch.Low < 0 || ch.Low >= switches, at+"Low", ch.Low, "want one of the %d switches of that tier", switches)
	}
	if ch.Kind == LinkRate {
		all.within(at+"Mbps", int(ch.Mbps), 1, maxMbps)
		all.within(at+"Ppm", int(ch.Ppm), 0, Million)
	}
}

// Headroom is what Pfc.Headroom has to be at least so that packets up to that size never find an ingress full: what
// comes while the pause is on its way and takes effect, one packet that began before it, and the one that passed Xoff.
// Its largest value says that no headroom is enough, and Validate refuses Pfc then.
func (c *Config) Headroom(largest int) uint32 {
	return uint32(min(c.onTheWay()+uint64(2*largest)+1, 1<<32-1))
}

// onTheWay is the bytes that a link may bring between a pause frame and its effect.
func (c *Config) onTheWay() uint64 {
	delay := 2*c.LinkDelay + c.SwitchDelay
	for _, d := range c.SpineDelay {
		delay = max(delay, 2*(c.LinkDelay+d)+c.SwitchDelay)
	}
	hi, lo := bits.Mul64(uint64(delay), uint64(c.LinkMbps))
	if hi > 0 {
		return 1 << 32
	}
	return min(lo/psBits, 1<<32)
}
