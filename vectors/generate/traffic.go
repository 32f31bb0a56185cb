package generate

import (
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// message is one message of a stream as its sender knows it.
type message struct {
	s       *stream
	proto   compose.Packet
	mtu     int
	next    uint32 // offset of the next packet to send
	sent    bool   // all packets of this attempt went out
	wait    int    // packets of this attempt not let in yet
	refused bool   // its receive was not posted when it went out
	addr    uint64 // Write: of its first byte
}

// data sends the next packet of some message.
func (g *gen) data() {
	r := g.rnd("pick")
	c := g.conns[r.Below(uint64(len(g.conns)))]
	if g.p.Hot && r.Permille(850) {
		c = g.hot.conn
	}
	s := c.normal[r.Below(uint64(len(c.normal)))]
	m := g.current(s)
	if m == nil {
		return
	}
	p := g.pathFor(c)
	if p == nil {
		g.net.hurry(g)
		return
	}
	g.sendPart(m, p)
}

// current is the message that a stream is sending, a new one if need be.
func (g *gen) current(s *stream) *message {
	r := g.rnd("message")
	if len(s.queue) > 0 && (len(s.queue) > 2 || r.Permille(700)) {
		return s.queue[r.Below(uint64(len(s.queue)))]
	}
	if s.Msn-s.completed >= g.mostOpen() {
		return nil
	}
	m := &message{s: s, mtu: g.p.MTU, proto: compose.Packet{Op: g.kind(s), Stream: s.Index, Msn: s.Msn, Length: g.length()}}
	s.Msn++
	if m.proto.HasImm() {
		m.proto.Imm = uint32(r.Uint64())
		if g.rnd("imm").Permille(250) {
			m.proto.Imm = 0
		}
	}
	m.addr = g.place(s, m.proto.Msn)
	if m.proto.IsSend() || m.proto.HasImm() {
		m.proto.Recv = s.Match
		s.Match++
		m.refused = s.missing[m.proto.Recv]
	}
	s.queue, s.open = append(s.queue, m), append(s.open, m)
	return m
}

// kind draws an opcode. Where no receive is left, it is a Write.
func (g *gen) kind(s *stream) wire.Opcode {
	n := g.rnd("kind").Below(8)
	if int32(s.Match-s.posted) >= 0 {
		return wire.OpcodeWrite
	}
	switch n {
	case 0, 1:
		return wire.OpcodeSend
	case 2:
		return wire.OpcodeSendImm
	case 3:
		return wire.OpcodeWriteImm
	}
	return wire.OpcodeWrite
}

func (g *gen) length() uint32 {
	r := g.rnd("length")
	mtu := uint64(g.p.MTU)
	switch n := r.Below(100); {
	case n < 6:
		return 0
	case n < 50:
		return uint32(r.Between(1, 34)) // two beats on the wire
	case n < 70:
		return uint32(r.Between(1, 200))
	case n < 97:
		return uint32(r.Between(1, 8*mtu))
	}
	return uint32(r.Between(1, 9000))
}

// place gives each message a range of its own, mostly not aligned.
func (g *gen) place(s *stream, msn uint32) uint64 {
	return s.conn.keys[keyGood].Base + uint64(s.Index)<<32 + uint64(msn&0xff)<<20 + g.rnd("addr").Below(4096)
}

// postAhead posts receives for the messages of the next round, and leaves some out so that their messages are
// refused. A slot of the table serves every index modulo its size, so none is written that an open message may need.
func (g *gen) postAhead() {
	r := g.rnd("recv")
	for _, c := range g.conns {
		for _, s := range c.normal {
			oldest := s.Match
			for _, m := range s.open {
				if m.proto.IsSend() || m.proto.HasImm() {
					oldest = m.proto.Recv
					break
				}
			}
			for s.posted-oldest < uint32(g.cfg.Params.Recvs)-1 && s.posted-s.Match < 20 {
				if r.Permille(80) {
					s.missing[s.posted] = true
				} else {
					g.postIndex(s, s.posted)
				}
				s.posted++
			}
		}
	}
	g.b.WaitIdle()
}

func (g *gen) postIndex(s *stream, index uint32) {
	r := g.rnd("recv")
	g.b.PostRecv(s.Stream, index, compose.Buffer{Addr: recvBase + uint64(s.Row)<<36 + uint64(index&0xff)<<24 + r.Below(64), Length: 1 << 20, WrID: uint32(r.Uint64())})
}

// pathFor picks a path with room in its window.
func (g *gen) pathFor(c *conn) *path {
	r := g.rnd("path")
	p := c.paths[r.Below(uint64(len(c.paths)))]
	if g.p.Hot && c == g.hot.conn && r.Permille(950) {
		p = g.hot
	}
	if p.Psn-p.cum >= 259 { // a few more than the window, so that some are too new
		return nil
	}
	return p
}

// sendPart cuts the next packet off a message and gives it to the network.
func (g *gen) sendPart(m *message, p *path) {
	k := m.proto
	k.Offset = m.next
	k.Bytes = int(min(uint32(m.mtu), k.Length-m.next, 9000))
	m.next += uint32(k.Bytes)
	last := m.next >= k.Length
	k.L = last
	if !k.IsSend() {
		k.Rkey, k.Addr = m.s.conn.keys[keyGood].Rkey(), m.addr+uint64(k.Offset)
	}
	if last {
		m.sent = true
		m.s.queue = without(m.s.queue, m)
	}
	m.wait++
	k.Psn = p.Psn
	p.Psn++
	g.net.first(g, &flight{k: k, p: p, m: m, row: m.s.Row})
}

func without(list []*message, m *message) []*message {
	for i, x := range list {
		if x == m {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// settled is called when a packet was let in for the first time; it moves what the sender thinks is complete.
func (m *message) settled() {
	m.wait--
	if m.wait > 0 || !m.sent || m.refused {
		return
	}
	s := m.s
	for len(s.open) > 0 && s.open[0].sent && s.open[0].wait == 0 && !s.open[0].refused {
		s.completed = s.open[0].proto.Msn + 1
		s.open = s.open[1:]
	}
}

// repost posts what was missing and sends refused messages whole, under the next attempt, and everything that was not
// sent yet. It tells whether there was something.
func (g *gen) repost() bool {
	var streams []*stream
	for _, c := range g.conns {
		for _, s := range c.normal {
			for _, m := range s.open {
				if m.refused && m.sent && m.wait == 0 {
					g.again(m)
				}
			}
			if len(s.queue) > 0 {
				streams = append(streams, s)
			}
		}
	}
	if streams == nil {
		return false
	}
	g.b.WaitIdle()
	for _, s := range streams {
		for len(s.queue) > 0 {
			p := g.pathFor(s.conn)
			for p == nil {
				g.net.hurry(g)
				p = g.pathFor(s.conn)
			}
			g.sendPart(s.queue[0], p)
		}
	}
	return true
}

// again starts a message over. Now and then its receive is still not there.
func (g *gen) again(m *message) {
	index := m.proto.Recv
	if m.s.missing[index] && !g.rnd("recv").Permille(150) {
		g.postIndex(m.s, index)
		delete(m.s.missing, index)
	}
	m.refused = m.s.missing[index]
	m.proto.Attempt = (m.proto.Attempt + 1) & 15
	m.next, m.sent = 0, false
	m.s.queue = append(m.s.queue, m)
}
