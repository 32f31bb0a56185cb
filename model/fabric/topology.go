package fabric

import "metaroce/tandem/model/sim"

// toHost marks in link.to that the far end is a host.
const toHost = 1 << 31

// plan is the numbering of one plane. Switches: leaves, spines, cores. Links, in this order:
//
//	host h up       h                          leaf to host h   hosts + h
//	leaf l, port p  leafUp  + l*spines + p     spine s, port p  spineDown + s*spineDowns + p
//	spine s, port p spineUp + s*coresEach + p  core c, port p   coreDown  + c*pods + p
type plan struct {
	kind                    Kind
	hosts, perLeaf          int
	leaves, leavesPod, pods int
	spinesPod, spines       int
	coresEach, cores        int
	spineDowns              int // downlinks of a spine
	leafUp, spineDown       int
	spineUp, coreDown       int
	links, switches         int
	firstSwitch             [TierCount]int
}

func newPlan(c *Config) plan {
	p := plan{kind: c.Kind, hosts: c.Hosts, perLeaf: c.Hosts, leaves: 1, leavesPod: 1, pods: 1}
	if c.Kind != SingleSwitch {
		p.perLeaf = c.HostsPerLeaf
		p.leaves = (c.Hosts + c.HostsPerLeaf - 1) / c.HostsPerLeaf
		p.leavesPod = p.leaves
		p.spinesPod = c.Spines
	}
	if c.Kind == FatTree {
		p.leavesPod = c.LeavesPerPod
		p.pods = (p.leaves + c.LeavesPerPod - 1) / c.LeavesPerPod
		p.coresEach = c.CoresPerSpine
	}
	p.spines = p.spinesPod * p.pods
	p.cores = p.spinesPod * p.coresEach
	p.spineDowns = p.leavesPod
	p.leafUp = 2 * p.hosts
	p.spineDown = p.leafUp + p.leaves*p.spinesPod
	p.spineUp = p.spineDown + p.spines*p.spineDowns
	p.coreDown = p.spineUp + p.spines*p.coresEach
	p.links = p.coreDown + p.cores*p.pods
	p.firstSwitch = [TierCount]int{0, p.leaves, p.leaves + p.spines}
	p.switches = p.leaves + p.spines + p.cores
	return p
}

// seat is where a switch finds a host: below it, by the port, if its group is that of the host; else above.
type seat struct{ group, port uint16 }

// switchNode is a switch as forwarding sees it.
type switchNode struct {
	up, down uint32 // first link of each direction
	ups      uint32
	salt     uint32 // of its ECMP hash
	group    uint16
	tier     Tier
}

// seats says for each tier where its switches find a host.
func (p *plan) seats() (t [TierCount][]seat) {
	for i := range t {
		t[i] = make([]seat, p.hosts)
	}
	for h := range p.hosts {
		leaf := h / p.perLeaf
		pod := leaf / p.leavesPod
		t[TierLeaf][h] = seat{uint16(leaf), uint16(h)}
		t[TierSpine][h] = seat{uint16(pod), uint16(leaf % p.leavesPod)}
		t[TierCore][h] = seat{0, uint16(pod)}
	}
	return t
}

// build makes the switches and links of a plane.
func (n *Network) build(plane int, salts *sim.Random) {
	p, base := &n.plan, plane*n.plan.links
	for s := range p.switches {
		n.switches = append(n.switches, p.switchNode(s, base, uint32(salts.Uint64()>>32)))
	}
	for id := range p.links {
		_, to, tier, way := p.ends(id)
		l := link{to: uint32(plane*p.switches + max(to, 0)), plane: uint8(plane)}
		latency := n.cfg.LinkDelay + n.cfg.SwitchDelay + n.spineDelay(tier, id)
		if tier == TierLeaf && way == Downwards {
			l.to = toHost | uint32(id-p.hosts)
			latency = n.cfg.LinkDelay + n.cfg.HostDelay
		}
		l.grade = n.gradeOf(kin{tier, way, n.cfg.LinkMbps, 0, latency})
		n.links = append(n.links, l)
	}
}

func (p *plan) switchNode(s, base int, salt uint32) switchNode {
	sw := switchNode{salt: salt}
	switch {
	case s < p.leaves:
		sw.group, sw.ups = uint16(s), uint32(p.spinesPod)
		sw.up, sw.down = uint32(base+p.leafUp+s*p.spinesPod), uint32(base+p.hosts)
	case s < p.leaves+p.spines:
		s -= p.leaves
		sw.tier, sw.group, sw.ups = TierSpine, uint16(s/p.spinesPod), uint32(p.coresEach)
		sw.up, sw.down = uint32(base+p.spineUp+s*p.coresEach), uint32(base+p.spineDown+s*p.spineDowns)
	default:
		s -= p.leaves + p.spines
		sw.tier, sw.down = TierCore, uint32(base+p.coreDown+s*p.pods)
	}
	return sw
}

// ends gives the switches, or -1 for what is none, that a link of a plane comes from and goes to, with its tier and way.
func (p *plan) ends(id int) (from, to int, tier Tier, way Way) {
	spine, core := p.firstSwitch[TierSpine], p.firstSwitch[TierCore]
	switch {
	case id < p.hosts:
		return -1, id / p.perLeaf, TierLeaf, Upwards
	case id < p.leafUp:
		return (id - p.hosts) / p.perLeaf, -1, TierLeaf, Downwards
	case id < p.spineDown:
		leaf, j := (id-p.leafUp)/p.spinesPod, (id-p.leafUp)%p.spinesPod
		return leaf, spine + leaf/p.leavesPod*p.spinesPod + j, TierSpine, Upwards
	case id < p.spineUp:
		s, k := (id-p.spineDown)/p.spineDowns, (id-p.spineDown)%p.spineDowns
		if leaf := s/p.spinesPod*p.leavesPod + k; leaf < p.leaves {
			return spine + s, leaf, TierSpine, Downwards
		}
		return spine + s, -1, TierSpine, Downwards // the last pod is not full: a port with nothing in it
	case id < p.coreDown:
		s, c := (id-p.spineUp)/p.coresEach, (id-p.spineUp)%p.coresEach
		return spine + s, core + s%p.spinesPod*p.coresEach + c, TierCore, Upwards
	}
	c, pod := (id-p.coreDown)/p.pods, (id-p.coreDown)%p.pods
	return core + c, spine + pod*p.spinesPod + c/p.coresEach, TierCore, Downwards
}

// cable is the pair of links, up and down, of an uplink: port of the lower end.
func (p *plan) cable(tier Tier, low, port int) (up, down int) {
	switch tier {
	case TierLeaf:
		return low, p.hosts + low
	case TierSpine:
		spine := low/p.leavesPod*p.spinesPod + port
		return p.leafUp + low*p.spinesPod + port, p.spineDown + spine*p.spineDowns + low%p.leavesPod
	}
	core := low%p.spinesPod*p.coresEach + port
	return p.spineUp + low*p.coresEach + port, p.coreDown + core*p.pods + low/p.spinesPod
}

// uplinks is how many lower ends a tier has, and how many uplinks each.
func (p *plan) uplinks(tier Tier) (lows, ports int) {
	switch tier {
	case TierLeaf:
		return p.hosts, 1
	case TierSpine:
		return p.leaves, p.spinesPod
	}
	return p.spines, p.coresEach
}

// switchesOf is how many switches a tier has.
func (p *plan) switchesOf(tier Tier) int {
	return [TierCount]int{p.leaves, p.spines, p.cores}[tier]
}

// spineDelay is what Config.SpineDelay adds to a link.
func (n *Network) spineDelay(tier Tier, id int) sim.Picos {
	if tier != TierSpine || len(n.cfg.SpineDelay) == 0 {
		return 0
	}
	from, to, _, _ := n.plan.ends(id)
	return n.cfg.SpineDelay[max(from, to)-n.plan.leaves] // spines have the higher numbers
}

// route is the link by which a packet leaves a switch.
func (n *Network) route(s uint32, p *Packet) uint32 {
	sw := &n.switches[s]
	at := n.seats[sw.tier][p.Dst]
	if at.group == sw.group {
		return sw.down + uint32(at.port)
	}
	return sw.up + uint32(uint64(mix(p.hash^sw.salt))*uint64(sw.ups)>>32)
}
