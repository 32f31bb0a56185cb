package rocev2

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Network is what the NICs use of a fabric.Network.
type Network interface {
	Kick(host, plane int)
	Wake(host int, at sim.Picos)
	Diameter(dataSize, ackSize int) sim.Picos
}

// Transport is the NICs of all hosts of one network.
type Transport struct {
	cfg    Config
	net    Network
	events cluster.Events
	line   uint64 // kb/s of an uplink
	class  uint8  // fabric.FlagLossless, or 0
	planes uint32
	window int64 // packets in flight a queue pair

	hosts    []host
	flows    []flow
	flowOf   map[flowKey]uint32 // only ever looked up in
	qps      []*qp
	pool     pool
	messages messages
}

var (
	_ cluster.Transport = (*Transport)(nil)
	_ cluster.Describer = (*Transport)(nil)
)

// flowKey: a stream is ordered, so each has queue pairs of its own.
type flowKey struct{ src, dst, stream uint16 }

// flow is the queue pairs of a key: Config.Spread of them, from number first on.
type flow struct {
	flowKey
	first uint32
	next  uint32 // which of them takes the first part of the next message
}

// counters of one host.
type counters struct{ data, retransmitted, control, marked, duplicates, timeouts, bytes uint64 }

// New makes the NICs of a network that was made with f. The error is that of Config.Validate.
func New(net Network, f *fabric.Config, events cluster.Events, c Config) (*Transport, error) {
	if err := c.Validate(f); err != nil {
		return nil, err
	}
	t := &Transport{cfg: c, net: net, events: events, line: uint64(f.LinkMbps) * 1000, planes: uint32(f.Planes),
		hosts: make([]host, f.Hosts), flowOf: map[flowKey]uint32{}}
	if c.Lossless {
		t.class = fabric.FlagLossless
	}
	t.window = t.windowPackets()
	for i := range t.hosts {
		t.hosts[i] = host{t: t, number: i, uplink: make([]uplink, f.Planes), wake: never}
	}
	return t, nil
}

// windowPackets is what a queue pair may have in flight: its share of the bandwidth-delay product over the longest
// way, in whole packets, and what an acknowledgement may be behind: else a window of one product would not fill the link.
func (t *Transport) windowPackets() int64 {
	if t.cfg.Window == 0 {
		return maxInFlight
	}
	size := uint64(dataBytes(t.cfg.Mtu, false))
	rtt := uint64(t.net.Diameter(int(size), ackBytes))
	bytes := sim.MulDiv(t.line, rtt, 8_000_000_000) // kb/s * ps
	sharing := (uint64(t.cfg.Spread) + uint64(t.planes) - 1) / uint64(t.planes)
	packets := sim.MulDiv(bytes, uint64(t.cfg.Window), 1000*size*sharing) + 1
	return int64(min(maxInFlight, packets+uint64(t.cfg.AckEvery)))
}

// Hosts are the NICs, by host number.
func (t *Transport) Hosts() []fabric.Host {
	all := make([]fabric.Host, len(t.hosts))
	for i := range t.hosts {
		all[i] = &t.hosts[i]
	}
	return all
}

// Post begins to send m.
func (t *Transport) Post(now sim.Picos, m workload.Message) {
	f := t.flow(flowKey{m.Src, m.Dst, m.Stream})
	mtu, spread := uint64(t.cfg.Mtu), uint64(t.cfg.Spread)
	packets := max(1, (m.Bytes+mtu-1)/mtu)
	parts := min(packets, spread)
	id := t.messages.add(m, uint32(parts))
	left := m.Bytes
	for i := range parts {
		share := packets / parts
		if i < packets%parts {
			share++
		}
		bytes := min(left, share*mtu)
		left -= bytes
		q := t.qps[f.first+(f.next+uint32(i))%uint32(spread)]
		q.post(id, int64(share), bytes)
		t.hosts[m.Src].start(now, q)
	}
	f.next = (f.next + uint32(parts)) % uint32(spread)
}

// flow finds the queue pairs of a key, and makes them when it is new. The pointer is valid until the next call.
func (t *Transport) flow(k flowKey) *flow {
	i, ok := t.flowOf[k]
	if !ok {
		i = uint32(len(t.flows))
		t.flowOf[k] = i
		t.flows = append(t.flows, flow{flowKey: k, first: uint32(len(t.qps))})
		t.open(k)
	}
	return &t.flows[i]
}

// open makes the queue pairs of a flow. Each keeps the source port and the plane it draws here, and so its way, for
// life. Those of one flow are on planes that follow each other.
func (t *Transport) open(k flowKey) {
	r := sim.NewRandom(t.cfg.Seed^(uint64(k.src)<<32|uint64(k.dst)<<16|uint64(k.stream)), "rocev2 queue pair")
	plane := uint32(r.Below(uint64(t.planes)))
	first := int64(t.cfg.FirstPsn)
	made := make([]qp, t.cfg.Spread)
	for i := range made {
		q := &made[i]
		q.id, q.src, q.dst = uint32(len(t.qps)), k.src, k.dst
		q.sport = uint16(r.Between(49152, 65535))
		q.plane = uint8((plane + uint32(i)) % t.planes)
		q.una, q.nxt, q.sent, q.end, q.expect, q.window = first, first, first, first, first, t.window
		t.qps = append(t.qps, q)
	}
}

// complete takes a part of a message for arrived.
func (t *Transport) complete(now sim.Picos, id uint32) {
	if m, all := t.messages.part(id); all {
		t.events.Completed(now, m)
	}
}

// Outstanding is how many messages were posted and have not been completed.
func (t *Transport) Outstanding() int { return t.messages.used }

// Counters are sums over all NICs. A queue pair has one path for life, so no path fails or returns.
func (t *Transport) Counters() cluster.Counters {
	var c cluster.Counters
	for i := range t.hosts {
		n := &t.hosts[i].count
		c.Data += n.data
		c.Retransmitted += n.retransmitted
		c.Control += n.control
		c.Marked += n.marked
		c.Duplicates += n.duplicates
		c.Timeouts += n.timeouts
		c.Bytes += n.bytes
	}
	return c
}

// Rates calls each with the pacing rate in kb/s, at now, of every queue pair that has something in flight or to send.
func (t *Transport) Rates(now sim.Picos, each func(src, dst, stream uint16, kbps uint64)) {
	for i := range t.flows {
		f := &t.flows[i]
		for _, q := range t.qps[f.first : f.first+uint32(t.cfg.Spread)] {
			if q.una == q.end {
				continue
			}
			pace := q.pace // a copy: looking at it changes nothing
			if t.cfg.Dcqcn != nil {
				pace.advance(t.cfg.Dcqcn, t.line, now)
			}
			each(f.src, f.dst, f.stream, pace.rate(t.line))
		}
	}
}

// Describe shows queue pairs that are not done.
func (t *Transport) Describe(lines int) string {
	var s strings.Builder
	for i, q := range t.qps {
		if q.una == q.end {
			continue
		}
		if lines == 0 {
			s.WriteString("...\n")
			break
		}
		lines--
		fmt.Fprintf(&s, "queue pair %d: host %d to %d, plane %d, port %d: acknowledged %d, next %d, sent up to %d, posted up to %d; receiver expects %d; timeout at %d ps\n",
			i, q.src, q.dst, q.plane, q.sport, q.una, q.nxt, q.sent, q.end, q.expect, q.dueAt)
	}
	return s.String()
}
