package nic

import (
	"encoding/binary"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// bench is a device with a peer that makes packets for it.
type bench struct {
	d        *Device
	peer     *endpoint.NIC
	conn     uint16                     // at the peer
	first    endpoint.Packet            // of the peer: a Write of one part
	planes   int                        // 0: one
	released []sim.Picos                // of messages
	seen     map[event.Kind][]sim.Picos // records of the device: when
	xids     map[event.Kind][]uint32    // and of which packet
}

func newBench(t require.TestingT, c Config, payload uint16) *bench {
	b := &bench{}
	b.open(t, c, payload, b.trace)
	return b
}

// trace keeps the times of records.
func (b *bench) trace(r endpoint.Record) {
	if b.seen == nil {
		b.seen, b.xids = map[event.Kind][]sim.Picos{}, map[event.Kind][]uint32{}
	}
	var x [event.MaxRecord]byte
	r.Encode(&x)
	kind := event.Kind(x[1])
	b.seen[kind] = append(b.seen[kind], b.d.nic.Now())
	b.xids[kind] = append(b.xids[kind], binary.LittleEndian.Uint32(x[16:]))
}

func (b *bench) open(t require.TestingT, c Config, payload uint16, trace func(endpoint.Record)) {
	e := endpoint.Default()
	e.Mtu, e.Planes = payload, max(1, b.planes)
	var err error
	b.peer, err = endpoint.New(e)
	require.NoError(t, err)
	e.Host = 1
	e.Trace = trace
	b.d, err = New(e, c)
	require.NoError(t, err)
	var own uint16
	b.conn, own, err = endpoint.ConnectNow(0, b.peer, b.d.NIC(), 8, 1)
	require.NoError(t, err)
	require.NoError(t, b.peer.Register(1<<8, b.conn, key.PermWrite, 0, 1<<40))
	require.NoError(t, b.d.NIC().Register(1<<8, own, key.PermWrite|key.PermRead|key.PermAtomic, 0, 1<<40))
	_, err = b.peer.Post(0, b.conn, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: uint32(payload), Rkey: 1 << 8})
	require.NoError(t, err)
	require.True(t, b.peer.Pull(0, 0, &b.first))
}

// part is the only part of the i-th message, which the peer might have sent.
func (b *bench) part(i int) *endpoint.Packet {
	p := b.first
	p.Psn += uint32(i)
	p.Tsn += uint32(i)
	p.Msn += uint32(i)
	return &p
}

// rest runs the device until nothing is due of what stands in it.
func (b *bench) rest() {
	for {
		at, ok := b.d.next()
		if !ok {
			return
		}
		b.d.OnTime(at)
		b.drain()
	}
}

// drain takes completions; what was built stays at the ports.
func (b *bench) drain() {
	for {
		c, ok := b.d.NIC().Completion()
		if !ok {
			return
		}
		if c.Responder {
			b.released = append(b.released, b.d.now)
		}
	}
}

// line is the way of a part of a Write through the device.
var line = dataIn[:]

// atPorts is how many packets are built and wait for an uplink.
func (b *bench) atPorts() (n int) {
	for i := range b.d.planes {
		n += b.d.planes[i].ready[0].Len() + b.d.planes[i].ready[1].Len()
	}
	return n
}

// flood brings messages all at one time and returns the cycles between the first and the last effect of an engine.
func (b *bench) flood(n int, kind event.Kind, packet func(i int) *endpoint.Packet) uint64 {
	for i := range n {
		b.d.OnPacket(0, 0, packet(i))
	}
	b.rest()
	at := b.seen[kind]
	return uint64(at[len(at)-1]-at[0]) / uint64(b.d.cycle)
}
