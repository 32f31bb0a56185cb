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
	return n.oneWay(tiers, least, dataSize) + n.oneWay(tiers, least, ackSize)
}

// Diameter is the largest BaseRTT of any two hosts, over the longest of the ways that ECMP may take.
func (n *Network) Diameter(dataSize, ackSize int) sim.Picos {
	tiers := TierLeaf
	if n.plan.leaves > 1 {
		tiers = TierSpine
	}
	if n.plan.pods > 1 {
		tiers = TierCore
	}
	most := sim.Picos(0)
	for _, d := range n.cfg.SpineDelay {
		most = max(most, d)
	}
	if tiers == TierLeaf {
		most = 0
	}
	return n.oneWay(tiers, most, dataSize) + n.oneWay(tiers, most, ackSize)
}

// oneWay is the time up to a tier and down again: two links a tier, a switch between any two links.
func (n *Network) oneWay(top Tier, spineDelay sim.Picos, size int) sim.Picos {
	links := 2 * (sim.Picos(top) + 1)
	return links*(n.packetTime(size)+n.cfg.LinkDelay) + (links-1)*n.cfg.SwitchDelay + 2*spineDelay + n.cfg.HostDelay
}
