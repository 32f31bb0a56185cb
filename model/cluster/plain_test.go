package cluster_test

import (
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// The plain transport cuts messages into packets, sends them as fast as the links take them, and repeats nothing. On a
// network that loses nothing it is right; faults are planted in it by hand.

const (
	plainMtu    = 4096
	plainHeader = 100
)

// fault is what is planted, for the message with that tag.
type fault struct {
	tag uint32
	do  func(t *plain, now sim.Picos, m workload.Message)
}

type plain struct {
	net      *fabric.Network
	events   cluster.Events
	nics     []plainNic
	left     []uint64 // bytes that have not arrived, by tag
	message  []workload.Message
	open     int
	counters cluster.Counters
	fault    *fault // in place of a completion
	onTick   func(now sim.Picos, host int)
}

type plainNic struct {
	t     *plain
	host  int
	queue sim.Ring[plainSend]
}

type plainSend struct {
	tag  uint32
	left uint64
}

// buildPlain is a cluster.Build. change is nil, or plants faults.
func buildPlain(hosts, messages int, change func(t *plain)) cluster.Build {
	return func(net *fabric.Network, events cluster.Events) (cluster.Transport, error) {
		t := &plain{net: net, events: events, left: make([]uint64, messages), message: make([]workload.Message, messages)}
		t.nics = make([]plainNic, hosts)
		for i := range t.nics {
			t.nics[i] = plainNic{t: t, host: i}
		}
		if change != nil {
			change(t)
		}
		return t, nil
	}
}

func (t *plain) Hosts() []fabric.Host {
	hosts := make([]fabric.Host, len(t.nics))
	for i := range t.nics {
		hosts[i] = &t.nics[i]
	}
	return hosts
}

func (t *plain) Post(_ sim.Picos, m workload.Message) {
	t.left[m.Tag], t.message[m.Tag] = m.Bytes, m
	t.open++
	*t.nics[m.Src].queue.Push() = plainSend{m.Tag, m.Bytes}
	t.net.Kick(int(m.Src), 0)
}

func (t *plain) Outstanding() int           { return t.open }
func (t *plain) Counters() cluster.Counters { return t.counters }

func (n *plainNic) Pull(_ sim.Picos, _ int, p *fabric.Packet) bool {
	s := n.queue.Head()
	if s == nil {
		return false
	}
	size := min(s.left, plainMtu)
	m := &n.t.message[s.tag]
	*p = fabric.Packet{Ref: s.tag, Size: uint16(size + plainHeader), Src: m.Src, Dst: m.Dst, Sport: m.Stream}
	n.t.counters.Data++
	if s.left -= size; s.left == 0 {
		n.queue.Drop()
	}
	return true
}

func (n *plainNic) Deliver(now sim.Picos, _ int, p *fabric.Packet) {
	bytes := uint64(p.Size - plainHeader)
	n.t.counters.Bytes += bytes
	if n.t.left[p.Ref] -= bytes; n.t.left[p.Ref] > 0 {
		return
	}
	m := n.t.message[p.Ref]
	if f := n.t.fault; f != nil && f.tag == m.Tag {
		f.do(n.t, now, m)
		return
	}
	n.t.complete(now, m)
}

func (t *plain) complete(now sim.Picos, m workload.Message) {
	t.open--
	t.events.Completed(now, m)
}

func (n *plainNic) Lost(*fabric.Packet) {}

func (n *plainNic) Tick(now sim.Picos) {
	if n.t.onTick != nil {
		n.t.onTick(now, n.host)
	}
}

// quiet is a network that loses nothing: ports hold whatever comes.
func quiet(kind fabric.Kind, hosts int) *fabric.Network {
	c := fabric.Default(kind, hosts)
	c.Buffer, c.EcnLo, c.EcnHi = 1<<30, 0, 0
	net, err := fabric.New(c)
	if err != nil {
		panic(err)
	}
	return net
}
