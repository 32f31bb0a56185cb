package fabric

// downState says why links are down: a link is up when none of these holds.
type downState struct {
	links    []bool // by link, itself
	switches []bool // by switch
	planes   []bool
}

func newDownState(c *Config, switches, links int) downState {
	return downState{make([]bool, links), make([]bool, c.Planes*switches), make([]bool, c.Planes)}
}

// nextChange makes the event of the first change that is still to come. There is one at a time, so that changes of one
// time keep the order of the script.
func (n *Network) nextChange() {
	if len(n.script) > 0 {
		n.calendar.Push(n.script[0].At, kindChange)
	}
}

func (n *Network) runScript() {
	for len(n.script) > 0 && n.script[0].At <= n.now {
		n.apply(&n.script[0])
		n.script = n.script[1:]
	}
	n.nextChange()
}

func (n *Network) apply(c *Change) {
	switch c.Kind {
	case LinkDown, LinkUp:
		for _, li := range n.linksOf(c) {
			n.down.links[li] = c.Kind == LinkDown
		}
	case LinkRate:
		for _, li := range n.linksOf(c) {
			n.setRate(li, c.Mbps, c.Ppm)
		}
		return
	case SwitchDown, SwitchUp:
		s := c.Plane*n.plan.switches + n.plan.firstSwitch[c.Tier] + c.Low
		n.down.switches[s] = c.Kind == SwitchDown
	case PlaneDown, PlaneUp:
		n.down.planes[c.Plane] = c.Kind == PlaneDown
	}
	n.refresh(c.Plane)
}

// linksOf are the links that a change of a link means.
func (n *Network) linksOf(c *Change) []uint32 {
	up, down := n.plan.cable(c.Tier, c.Low, c.Port)
	base := c.Plane * n.plan.links
	switch c.Way {
	case Upwards:
		return []uint32{uint32(base + up)}
	case Downwards:
		return []uint32{uint32(base + down)}
	}
	return []uint32{uint32(base + up), uint32(base + down)}
}

// refresh takes links of a plane down or up that are not as they have to be.
func (n *Network) refresh(plane int) {
	for id := range n.plan.links {
		li := uint32(plane*n.plan.links + id)
		from, to, _, _ := n.plan.ends(id)
		down := n.down.planes[plane] || n.down.links[li] || n.switchDown(plane, from) || n.switchDown(plane, to)
		if l := &n.links[li]; down && l.state&linkDown == 0 {
			n.takeDown(li)
		} else if !down && l.state&linkDown != 0 {
			n.bringUp(li)
		}
	}
}

func (n *Network) switchDown(plane, s int) bool {
	return s >= 0 && n.down.switches[plane*n.plan.switches+s]
}

// takeDown loses all that is on a link, that waits for it, and that will be put on it.
func (n *Network) takeDown(li uint32) {
	l := &n.links[li]
	if l.event != 0 {
		n.calendar.Cancel(l.event)
		l.event = 0
	}
	waits := place(0) // with flow control: the first that is still counted at its ingress
	if n.pfc != nil {
		waits = n.pfc[li].sent
		n.shut(li)
	}
	l.state |= linkDown
	for counted := false; l.head != 0; {
		i := l.head
		counted = counted || i == waits
		if counted {
			n.release(i)
		}
		p := *n.pool.packet(i)
		n.pool.pop(l)
		n.lose(&p, lostDown)
	}
	n.loseSide(li)
}

// bringUp begins with an idle transmitter. An uplink of a host pulls on as before: it never stopped.
func (n *Network) bringUp(li uint32) {
	l := &n.links[li]
	l.state &^= linkDown
	l.busy = n.now
	if n.lane != nil {
		n.lane[li] = n.now
	}
}

// setRate changes the rate of a link. The packet that is being sent keeps its time, those behind it get new ones.
func (n *Network) setRate(li, mbps, ppm uint32) {
	l := &n.links[li]
	g := &n.grades[l.grade]
	l.grade = n.gradeOf(kin{g.tier, g.way, mbps, ppm, g.latency})
	if n.pfc != nil {
		return // departures are not known ahead
	}
	g = &n.grades[l.grade]
	sending := false
	for i := l.head; i != 0; i = n.pool.after(l, i) {
		at := n.pool.at(i)
		depart := *at - g.latency
		if depart <= n.now {
			continue
		}
		if sending {
			depart = l.busy + n.wireTime(li, g, n.pool.packet(i).Size)
			*at = depart + g.latency
		}
		sending = true
		l.busy = depart
	}
}

// hostOf is the host of an uplink; for other links it is at least the number of hosts.
func (n *Network) hostOf(li uint32) int { return int(li) - int(n.links[li].plane)*n.plan.links }
