package fabric

import "metaroce/tandem/model/sim"

// BaseRTT is the time of a packet of dataSize bytes from src to dst and of one of ackSize back, on the shortest way of
// each, with no queue, at nominal rates: last byte sent to acknowledgement delivered, and the time to send it.
func (n *Network) BaseRTT(src, dst, dataSize, ackSize int) sim.Picos {
	leafA, leafB := n.seats[TierLeaf][src].group, n.seats[TierLeaf][dst].group
	podA, podB := n.seats[TierSpine][src].group, n.seats[TierSpine][dst].group
	tiers := TierLeaf
	switch {
	case podA != podB:
		tiers = TierCore
	case leafA != leafB:
		tiers = TierSpine
	}
	least := ^sim.Picos(0)
	for _, d := range n.cfg.SpineDelay {
		least = min(least, d)
	}
	if tiers == TierLeaf || len(n.cfg.SpineDelay) == 0 {
		least = 0
	}
	return n.cfg.oneWay(tiers, least, dataSize) + n.cfg.oneWay(tiers, least, ackSize)
}

// Diameter is the largest BaseRTT of any two hosts, over the longest of the ways that ECMP may take.
func (n *Network) Diameter(dataSize, ackSize int) sim.Picos {
	return n.cfg.diameter(&n.plan, dataSize, ackSize)
}

// Diameter is that of a network of this configuration, which has to be sound: what checks transports needs no network.
func (c *Config) Diameter(dataSize, ackSize int) sim.Picos {
	p := newPlan(c)
	return c.diameter(&p, dataSize, ackSize)
}

func (c *Config) diameter(p *plan, dataSize, ackSize int) sim.Picos {
	tiers := TierLeaf
	if p.leaves > 1 {
		tiers = TierSpine
	}
	if p.pods > 1 {
		tiers = TierCore
	}
	most := sim.Picos(0)
	for _, d := range c.SpineDelay {
		most = max(most, d)
	}
	if tiers == TierLeaf {
		most = 0
	}
	return c.oneWay(tiers, most, dataSize) + c.oneWay(tiers, most, ackSize)
}

// oneWay is the time up to a tier and down again: two links a tier, a switch between any two links.
func (c *Config) oneWay(top Tier, spineDelay sim.Picos, size int) sim.Picos {
	links := 2 * (sim.Picos(top) + 1)
	return links*(c.packetTime(size)+c.LinkDelay) + (links-1)*c.SwitchDelay + 2*spineDelay + c.HostDelay
}
