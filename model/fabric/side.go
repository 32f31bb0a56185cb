package fabric

import "metaroce/tandem/model/sim"

// side holds the packets that do not keep the order of their link: cut ones, which go first, and late ones. Each has its
// own event.
type side struct {
	entries []sideEntry
	free    []uint32
}

type sideEntry struct {
	entry
	link  uint32
	event sim.Handle // 0: free
}

func (s *side) push(n *Network, li uint32, e *entry, at sim.Picos, kind uint32) {
	i := uint32(len(s.entries))
	if k := len(s.free); k > 0 {
		i = s.free[k-1]
		s.free = s.free[:k-1]
	} else {
		s.entries = append(s.entries, sideEntry{})
	}
	s.entries[i] = sideEntry{*e, li, n.calendar.Push(at, kind|i)}
}

// take frees an entry and returns what it was.
func (s *side) take(i uint32) sideEntry {
	e := s.entries[i]
	s.entries[i].event = 0
	s.free = append(s.free, i)
	return e
}

// comeFromSide is the arrival of a cut packet, or the end of the delay of a late one, which has drawn its fate before.
func (n *Network) comeFromSide(i uint32, late bool) {
	e := n.side.take(i)
	if late {
		n.land(e.link, &e.entry)
		return
	}
	n.reach(e.link, &e.entry)
}

// loseSide loses what a link that went down has at the side.
func (n *Network) loseSide(li uint32) {
	for i := range n.side.entries {
		if s := &n.side.entries[i]; s.event != 0 && s.link == li {
			n.calendar.Cancel(s.event)
			e := n.side.take(uint32(i))
			n.lose(&e.Packet, lostDown)
		}
	}
}
