package metaroce

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/pipe/nic"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/workload"
	"metaroce/tandem/model/xmit"
)

// Network is what the NICs use of a fabric.Network.
type Network interface {
	Kick(host, plane int)
	Wake(host int, at sim.Picos)
	Diameter(dataSize, ackSize int) sim.Picos
}

// Transport is the NICs of all hosts of one network.
type Transport struct {
	net     Network
	events  cluster.Events
	cfg     Config
	hosts   []host
	bodies  bodies
	packet  endpoint.Packet // that leaves or comes just now
	framing int

	links   []*link
	linksOf [][]*link      // by host and connection
	linkOf  map[pair]*link // only ever looked up in
	open    int            // messages posted and not complete
}

var (
	_ cluster.Transport = (*Transport)(nil)
	_ cluster.Describer = (*Transport)(nil)
)

// pair is two hosts, the lower first.
type pair struct{ a, b uint16 }

// link is the connection of a pair.
type link struct {
	pair
	connA, connB uint16
	// messages on their way, oldest first, by direction and stream: those of a stream complete in order
	toA, toB []sim.Ring[workload.Message]
}

// New makes the NICs of a network that was made with f. The error has everything that is wrong with c.
func New(net Network, f *fabric.Config, events cluster.Events, c Config) (*Transport, error) {
	rtt := c.roundTrip(net)
	if err := c.check(f, rtt); err != nil {
		return nil, err
	}
	t := &Transport{net: net, events: events, cfg: c, hosts: make([]host, f.Hosts), linksOf: make([][]*link, f.Hosts), linkOf: map[pair]*link{}, framing: endpoint.FramingV4}
	records := &xmit.Store{}
	for i := range t.hosts {
		e := c.endpoint(f, i, rtt)
		e.Records = records
		t.hosts[i] = host{t: t, number: int32(i), planes: uint8(f.Planes), wake: never}
		if err := t.hosts[i].make(e, c.Cycles); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Sizes on a link of a full part of a Write beside its payload, and of an acknowledgement.
const (
	dataHeaders = wire.BaseSize + wire.MessageSize + wire.TargetSize + 4 + endpoint.FramingV4
	ackBytes    = wire.BaseSize + wire.AckSize + 4 + endpoint.FramingV4
)

// Hosts are the NICs, by host number.
func (t *Transport) Hosts() []fabric.Host {
	all := make([]fabric.Host, len(t.hosts))
	for i := range t.hosts {
		all[i] = &t.hosts[i]
	}
	return all
}

// Post begins to send m as a Write.
func (t *Transport) Post(now sim.Picos, m workload.Message) {
	if m.Stream>>t.cfg.Streams != 0 {
		panic(fmt.Sprintf("metaroce BUG: message %d on stream %d, connections have 1<<%d", m.Tag, m.Stream, t.cfg.Streams))
	}
	l := t.link(now, m.Src, m.Dst)
	conn, peer, queue := l.connA, l.connB, &l.toB[m.Stream]
	if m.Src == l.b {
		conn, peer, queue = l.connB, l.connA, &l.toA[m.Stream]
	}
	*queue.Push() = m
	t.open++
	h := &t.hosts[m.Src]
	w := endpoint.Work{ID: uint64(m.Tag), Op: wire.OpcodeWrite, Length: uint32(m.Bytes), Rkey: regionKey(peer)}
	if _, err := h.nic.Post(now, conn, m.Stream, w); err != nil {
		panic("metaroce BUG: " + err.Error())
	}
	h.after(now)
}

// link finds the connection of two hosts, and opens it when it is new.
func (t *Transport) link(now sim.Picos, src, dst uint16) *link {
	p := pair{min(src, dst), max(src, dst)}
	l := t.linkOf[p]
	if l != nil {
		return l
	}
	l = &link{pair: p}
	a, b := &t.hosts[p.a], &t.hosts[p.b]
	var err error
	l.connA, l.connB, err = endpoint.ConnectNow(now, a.nic, b.nic, uint8(t.cfg.Paths), t.cfg.Streams)
	if err != nil {
		panic("metaroce BUG: " + err.Error())
	}
	a.region(l.connA)
	b.region(l.connB)
	l.toA = make([]sim.Ring[workload.Message], 1<<t.cfg.Streams)
	l.toB = make([]sim.Ring[workload.Message], 1<<t.cfg.Streams)
	t.linksOf[p.a], t.linksOf[p.b] = append(t.linksOf[p.a], l), append(t.linksOf[p.b], l)
	t.linkOf[p] = l
	t.links = append(t.links, l)
	return l
}

// released takes a message of a host's peer for complete.
func (t *Transport) released(now sim.Picos, h *host, c *endpoint.Completion) {
	l := t.linksOf[h.number][c.Conn]
	queue := &l.toA[c.Stream]
	if int(h.number) == int(l.b) {
		queue = &l.toB[c.Stream]
	}
	m := *queue.Head()
	queue.Drop()
	t.open--
	t.events.Completed(now, m)
}

// Outstanding is how many messages were posted and are not complete.
func (t *Transport) Outstanding() int { return t.open }

// Counters are sums over all NICs.
func (t *Transport) Counters() cluster.Counters {
	var sum cluster.Counters
	for i := range t.hosts {
		c := t.hosts[i].nic.Count()
		sum.Data += c.Data
		sum.Retransmitted += c.Retransmitted
		sum.Control += c.Control
		sum.Marked += c.Marked
		sum.Duplicates += c.Duplicates
		sum.Timeouts += c.Timeouts
		sum.Bytes += c.Bytes
		sum.PathFailures += c.PathFailures
		sum.PathReturns += c.PathReturns
		sum.Refused += c.Refused
	}
	return sum
}

// NIC is the device of a host, to be looked at.
func (t *Transport) NIC(host int) *endpoint.NIC { return t.hosts[host].nic }

// Device is the NIC of a host in cycles, nil where NICs take no time.
func (t *Transport) Device(host int) *nic.Device {
	d, _ := t.hosts[host].dev.(*nic.Device)
	return d
}

// Rates calls f for every direction of every connection that sends, with its pace in 1/2^20 of the receiver's port; 0: it
// has no hint. The order is that in which connections were opened.
func (t *Transport) Rates(f func(src, dst uint16, hint uint32)) {
	for _, l := range t.links {
		if hint, sends := t.hosts[l.a].nic.Pace(l.connA); sends {
			f(l.a, l.b, hint)
		}
		if hint, sends := t.hosts[l.b].nic.Pace(l.connB); sends {
			f(l.b, l.a, hint)
		}
	}
}

// Describe shows connections that have something to do.
func (t *Transport) Describe(lines int) string {
	var b strings.Builder
	for _, l := range t.links {
		for _, end := range []struct {
			h    uint16
			conn uint16
		}{{l.a, l.connA}, {l.b, l.connB}} {
			s := t.hosts[end.h].nic.Describe(end.conn)
			if s == "" {
				continue
			}
			if lines--; lines < 0 {
				return b.String()
			}
			fmt.Fprintf(&b, "host %d, of %d-%d: %s\n", end.h, l.a, l.b, s)
		}
	}
	return b.String()
}
