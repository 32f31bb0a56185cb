package fabric

// Hop is a link by the names that a Change uses.
type Hop struct {
	Plane     int
	Tier      Tier
	Low, Port int
	Way       Way // Upwards or Downwards
}

// Path lists the links that packets of a flow take in a plane, first to last: what a script has to kill to hit it.
func (n *Network) Path(src, dst, plane int, sport uint16) []Hop {
	p := Packet{Src: uint16(src), Dst: uint16(dst), Sport: sport}
	p.hash = p.entropy()
	var path []Hop
	for li := uint32(plane*n.plan.links + src); ; {
		path = append(path, n.hop(li))
		to := n.links[li].to
		if to&toHost != 0 {
			return path
		}
		li = n.route(to, &p)
	}
}

// hop names a link.
func (n *Network) hop(li uint32) Hop {
	p, plane := &n.plan, int(n.links[li].plane)
	id := int(li) - plane*p.links
	from, to, tier, way := p.ends(id)
	h := Hop{Plane: plane, Tier: tier, Way: way}
	lower, upper := from, to
	if way == Downwards {
		lower, upper = to, from
	}
	switch tier {
	case TierLeaf:
		h.Low = id % p.hosts
	case TierSpine:
		h.Low, h.Port = lower, (upper-p.firstSwitch[TierSpine])%p.spinesPod
	case TierCore:
		h.Low, h.Port = lower-p.firstSwitch[TierSpine], (upper-p.firstSwitch[TierCore])%p.coresEach
	}
	return h
}

// Of is a change that befalls this hop: what c says, at this place.
func (h Hop) Of(c Change) Change {
	c.Plane, c.Tier, c.Low, c.Port = h.Plane, h.Tier, h.Low, h.Port
	return c
}
