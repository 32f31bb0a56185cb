package fabric

import "metaroce/tandem/model/sim"

// link is one direction of a cable with the queue before it, as much as every packet touches: half a cache line. The
// departure of a packet is known when it joins, so the link is a queue of arrivals, and only the first has an event.
//
//	head                                     tail
//	 |<---- on the wire ---->|<--- waiting --->|
type link struct {
	busy       sim.Picos // the transmitter is taken until then
	head, tail place     // first and last packet; both 0: none
	event      sim.Handle
	to         uint32 // switch, or toHost and the host
	grade      uint16
	plane      uint8
	state      uint8
}

// States of a link.
const (
	linkDown    = 1 << iota
	linkPulling // uplink of a host: a pull is to come
)

// entry is a packet as it moves from link to link.
type entry struct {
	Packet
	from uint32 // link by which it came into the switch that sends it
}

// pool holds the packets of all links. A line, one cache line long, has two; the one freed last is taken first. So the
// memory that a run goes through is that of the packets in flight, not that of the deepest queue of every link.
type pool struct {
	lines []line // 0 is no line
	free  uint32
}

type line struct {
	at     [2]sim.Picos // when the packet is dealt with at the far end; with Pfc, until it departs, entry.from
	packet [2]Packet
	next   uint32
}

// place is a line times two, and which of its packets.
type place uint32

func (p *pool) at(i place) *sim.Picos  { return &p.lines[i>>1].at[i&1] }
func (p *pool) packet(i place) *Packet { return &p.lines[i>>1].packet[i&1] }

// push appends to a link.
func (p *pool) push(l *link, at sim.Picos, packet *Packet) {
	if l.tail&1 == 1 || l.tail == 0 {
		i := p.take()
		if l.tail == 0 {
			l.head = place(i << 1)
		} else {
			p.lines[l.tail>>1].next = i
		}
		l.tail = place(i << 1)
	} else {
		l.tail |= 1
	}
	line := &p.lines[l.tail>>1]
	line.at[l.tail&1], line.packet[l.tail&1] = at, *packet
}

// pop removes the first of a link, which must have one.
func (p *pool) pop(l *link) {
	switch i := l.head; {
	case i == l.tail:
		p.give(uint32(i >> 1))
		l.head, l.tail = 0, 0
	case i&1 == 0:
		l.head |= 1
	default:
		l.head = p.next(i)
		p.give(uint32(i >> 1))
	}
}

// next is the place after one that is not the last.
func (p *pool) next(i place) place {
	if i&1 == 0 {
		return i | 1
	}
	return place(p.lines[i>>1].next << 1)
}

// after is the place after one of a link, 0 after the last.
func (p *pool) after(l *link, i place) place {
	if i == l.tail {
		return 0
	}
	return p.next(i)
}

func (p *pool) take() uint32 {
	if i := p.free; i != 0 {
		p.free = p.lines[i].next
		return i
	}
	if len(p.lines) == 0 {
		p.lines = make([]line, 1, 1024)
	}
	p.lines = append(p.lines, line{})
	return uint32(len(p.lines) - 1)
}

func (p *pool) give(i uint32) {
	p.lines[i].next = p.free
	p.free = i
}
