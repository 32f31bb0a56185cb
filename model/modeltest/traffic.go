package modeltest

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Item is one piece of random stimulus: a frame, or register writes, or a wait for idle.
type Item struct {
	Frame    []byte
	Accesses []Access
	WaitIdle bool
}

// Traffic makes seeded random traffic for a few connections: messages of all kinds spread over paths, reordered,
// repeated, marked, refused and broken. It knows nothing of the device's state, so some of it is dropped or
// discarded; that is part of what is tested.
type Traffic struct {
	p       preset.Params
	r       sim.Random
	conns   int
	streams int // of a connection
	paths   []pathState
	flows   []flow
	pool    []*Packet
	recvs   []uint32 // per flow: next recv_index to post
}

type pathState struct {
	psn, tsn uint32
	epoch    uint8
}

type flow struct {
	msn, recv uint32
	life      uint8
}

// Addresses that traffic writes to: one region a connection, one buffer a posted receive.
const (
	regionBase  = 0x1_0000_0000
	regionBytes = 1 << 20
	bufferBytes = 1 << 14
)

// NewTraffic returns a generator. Serial numbers start just below wrap.
func NewTraffic(p preset.Params, seed uint64) *Traffic {
	t := &Traffic{p: p, r: sim.NewRandom(seed, "traffic"), conns: min(p.Conns, 4), streams: min(4, p.Streams/min(p.Conns, 4))}
	t.paths = make([]pathState, t.conns*p.Paths)
	for i := range t.paths {
		t.paths[i] = pathState{psn: -uint32(t.r.Below(40)), tsn: -uint32(t.r.Below(40)), epoch: uint8(t.r.Below(16))}
	}
	t.flows = make([]flow, t.conns*t.streams)
	t.recvs = make([]uint32, len(t.flows))
	for i := range t.flows {
		t.flows[i] = flow{msn: -uint32(t.r.Below(20)), recv: -uint32(t.r.Below(20)), life: uint8(t.r.Below(256))}
		t.recvs[i] = t.flows[i].recv
	}
	return t
}

// Setup opens everything that the traffic uses.
func (t *Traffic) Setup() []Item {
	var items []Item
	log2 := uint32(0)
	for 1<<log2 < t.streams {
		log2++
	}
	for c := range t.conns {
		dst := t.dst(c)
		items = append(items, t.command(event.CommandConnSet, Args{"conn": dst, "paths": uint32(t.p.Paths), "base": uint32(c * t.streams), "log2": log2}))
		for q := range t.p.Paths {
			s := t.paths[c*t.p.Paths+q]
			items = append(items, t.command(event.CommandPathSet, Args{"conn": dst, "path": uint32(q), "psn": s.psn, "tsn": s.tsn, "epoch": uint32(s.epoch), "peer": 0x55_0000 + uint32(c)}))
		}
		base := uint64(regionBase) + uint64(c)*regionBytes
		items = append(items, t.command(event.CommandKeySet, Args{"rkey": t.rkey(c), "conn": dst, "addr_lo": uint32(base & 0xffffffff), "addr_hi": uint32(base >> 32), "length": regionBytes, "perm": 1}))
	}
	for f := range t.flows {
		items = append(items, t.open(f))
		for range t.p.Recvs / 2 {
			items = append(items, t.post(f))
		}
	}
	return append(items, Item{WaitIdle: true})
}

// Next returns the next piece of traffic.
func (t *Traffic) Next() Item {
	switch x := t.r.Below(1000); {
	case x < 15:
		return t.post(int(t.r.Below(uint64(len(t.flows)))))
	case x < 18:
		return t.reopen(int(t.r.Below(uint64(len(t.flows)))))
	case x < 24:
		return Item{Frame: t.garbage()}
	case x < 40:
		return Item{Frame: t.control()}
	}
	for len(t.pool) < 12 {
		t.message()
	}
	return Item{Frame: t.take()}
}

func (t *Traffic) command(cmd event.Command, args Args) Item {
	a, err := Command(cmd, args)
	if err != nil {
		panic(err) // names above are those of the tables
	}
	return Item{Accesses: a}
}

func (t *Traffic) dst(c int) uint32  { return uint32(c) | uint32(c+1)<<16 }
func (t *Traffic) rkey(c int) uint32 { return uint32(c)<<8 | uint32(c)*7 + 1 }

func (t *Traffic) open(f int) Item {
	s := &t.flows[f]
	return t.command(event.CommandStreamSet, Args{"row": uint32(f), "msn": s.msn, "life": uint32(s.life)})
}

// reopen closes a stream or opens it again with its next message as the first: what is under way becomes old.
func (t *Traffic) reopen(f int) Item {
	t.flows[f].life++
	if t.r.Below(4) == 0 {
		return t.command(event.CommandStreamClose, Args{"row": uint32(f)})
	}
	return t.open(f)
}

func (t *Traffic) post(f int) Item {
	index := t.recvs[f]
	t.recvs[f]++
	addr := uint64(1)<<40 + uint64(f)<<24 + uint64(index%uint32(t.p.Recvs))*bufferBytes + t.r.Below(64)
	return t.command(event.CommandRecvPost, Args{
		"row": uint32(f), "recv": index, "addr_lo": uint32(addr & 0xffffffff), "addr_hi": uint32(addr >> 32), "length": uint32(t.r.Between(64, bufferBytes-64)), "wr_id": index ^ 0xabcd,
	})
}

// message adds the packets of one message to the pool.
func (t *Traffic) message() {
	f := int(t.r.Below(uint64(len(t.flows))))
	s := &t.flows[f]
	c := f / t.streams
	opcode := [...]wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest}[t.pick(40, 15, 25, 15, 1, 1)]
	length := [...]uint64{0, t.r.Between(1, 64), t.r.Between(1, 1500), t.r.Between(1, 6000)}[t.pick(5, 50, 30, 15)]
	mtu := [...]uint64{64, 256, 1024, 4096}[t.r.Below(4)]
	m := wire.Message{Stream: uint16(f % t.streams), Msn: s.msn, Length: uint32(length), Attempt: uint8(t.r.Below(2) * t.r.Below(3))}
	if opcode == wire.OpcodeWrite {
		m.Attempt = 0
	}
	addr := uint64(regionBase) + uint64(c)*regionBytes + t.r.Below(regionBytes/2)
	rkey := t.rkey(c)
	if t.r.Below(60) == 0 {
		rkey ^= uint32(1) << t.r.Below(12)
	}
	if t.r.Below(60) == 0 {
		addr += regionBytes - 100
	}
	recv := s.recv
	if opcode != wire.OpcodeWrite {
		s.recv++
	}
	for off := uint64(0); ; off += mtu {
		n := min(mtu, length-off)
		p := &Packet{
			Base:    wire.Base{Opcode: opcode, DstConn: t.dst(c), FlagL: off+n >= length},
			Message: m, Target: wire.Target{Rkey: rkey, Addr: addr + off}, Match: wire.Match{RecvIndex: recv},
			Imm: wire.Imm{ImmValue: s.msn * 3}, Read: wire.Read{Stream: m.Stream, Msn: m.Msn}, Atomic: wire.Atomic{Stream: m.Stream, Msn: m.Msn},
		}
		p.Offset = uint32(off)
		if wire.Kinds[opcode].Payload {
			p.Payload = make([]byte, n)
			for i := range p.Payload {
				p.Payload[i] = byte(t.r.Uint64())
			}
		}
		t.number(c, p)
		t.pool = append(t.pool, p)
		if off+n >= length || !wire.Kinds[opcode].Payload {
			break
		}
	}
	s.msn++
}

// number gives a packet its path and serial numbers, and the ways of its path.
func (t *Traffic) number(c int, p *Packet) {
	q := t.r.Below(uint64(t.p.Paths))
	s := &t.paths[c*t.p.Paths+int(q)]
	if t.r.Below(200) == 0 {
		s.epoch = (s.epoch + 1) & 15
	}
	p.Base.Path, p.Psn, p.Tsn, p.Epoch = uint8(q), s.psn, s.tsn, s.epoch
	p.TxTime = uint32(t.r.Uint64())
	s.psn++
	s.tsn++
	p.Net = Net{
		VLAN: t.r.Below(8) == 0, IPv6: t.r.Below(4) == 0, Ce: t.r.Below(10) == 0, Sport: 49152 + uint16(q)*16 + uint16(s.epoch),
		Tail: int(t.r.Below(4) * t.r.Below(3)),
	}
	p.FlagA, p.FlagD = t.r.Below(12) == 0, t.r.Below(30) == 0
}

// take sends one packet of the pool, mostly the oldest, and sometimes leaves it there to be sent again.
func (t *Traffic) take() []byte {
	i := 0
	if t.r.Below(4) == 0 {
		i = int(t.r.Below(uint64(len(t.pool))))
	}
	p := t.pool[i]
	frame := p.Frame()
	if t.r.Below(25) == 0 {
		p.FlagR = true
	} else {
		t.pool = append(t.pool[:i], t.pool[i+1:]...)
	}
	if t.r.Below(150) == 0 {
		frame[t.r.Below(uint64(len(frame)))] ^= 1 << t.r.Below(8)
	}
	return frame
}

// control is a packet of the path itself: flush, path probe, status query, or one far outside the window.
func (t *Traffic) control() []byte {
	f := int(t.r.Below(uint64(len(t.flows))))
	c := f / t.streams
	p := &Packet{Base: wire.Base{Opcode: wire.OpcodeProbe, DstConn: t.dst(c)}}
	t.number(c, p)
	t.paths[c*t.p.Paths+int(p.Base.Path)].psn--
	p.Probe = wire.Probe{Port: uint16(t.r.Uint64()), NewEpoch: uint8(t.r.Below(16)), Txn: uint8(t.r.Uint64()), Stream: uint16(f % t.streams), Msn: t.flows[f].msn - uint32(t.r.Below(6))}
	switch t.r.Below(4) {
	case 0:
		p.Opcode = wire.OpcodeFlush
	case 1:
		p.Query = true
	case 2:
		p.Opcode, p.Message = wire.OpcodeWrite, wire.Message{Stream: uint16(f % t.streams), Msn: t.flows[f].msn}
		p.Psn += 300
	}
	return p.Frame()
}

// garbage is a frame that means nothing, or nearly nothing.
func (t *Traffic) garbage() []byte {
	if t.r.Below(2) == 0 {
		p := &Packet{Base: wire.Base{Opcode: wire.Opcode(t.r.Below(32)), DstConn: uint32(t.r.Below(1 << 24)), Path: uint8(t.r.Below(20))}}
		p.Dport = uint16(t.r.Below(2) * 53)
		return p.Frame()
	}
	b := make([]byte, t.r.Below(200))
	for i := range b {
		b[i] = byte(t.r.Uint64())
	}
	return b
}

// pick draws an index by weight.
func (t *Traffic) pick(weights ...uint64) int {
	sum := uint64(0)
	for _, w := range weights {
		sum += w
	}
	x := t.r.Below(sum)
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return 0
}

// First is a Write of connection c, path q and stream s as its first packet: serial numbers as Setup gives them, no
// payload yet.
func (t *Traffic) First(c, q, s int) Packet {
	path, flow := t.paths[c*t.p.Paths+q], t.flows[c*t.streams+s]
	return Packet{
		Base: wire.Base{
			Opcode: wire.OpcodeWrite, DstConn: t.dst(c), Path: uint8(q), Psn: path.psn, Tsn: path.tsn, Epoch: path.epoch, FlagL: true,
		},
		Message: wire.Message{Stream: uint16(s), Msn: flow.msn},
		Target:  wire.Target{Rkey: t.rkey(c), Addr: regionBase + uint64(c)*regionBytes},
	}
}
