package generate

import (
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// odd sends one packet that is out of the ordinary, with flags, epoch and distance to the packet before drawn evenly:
// what ordinary traffic brings together once in a million comes together here.
func (g *gen) odd() {
	r := g.rnd("odd")
	c := g.conns[r.Below(uint64(len(g.conns)))]
	p := c.paths[r.Below(uint64(len(c.paths)))]
	if p.Psn-p.cum >= 240 {
		return
	}
	switch r.Below(9) {
	case 0:
		g.forged(c, p)
	case 1:
		g.doubled(c, p)
	case 2:
		g.even(c, p)
	case 3, 4, 5, 6:
		g.fatal(c, p)
	case 7:
		g.attempts(c, p)
	default:
		g.flush(p, g.gap())
		g.flush(p, 0)
	}
}

func (g *gen) flush(p *path, gap uint32) {
	k := compose.Packet{Op: wire.OpcodeFlush}
	f := &flight{k: k, p: p, copies: true}
	g.stamp(f, false)
	g.shape(f)
	f.show()
	g.b.Send(gap, &f.k, 0)
}

// show notes that the device sees the epoch of a packet that arrives now.
func (f *flight) show() {
	if !f.k.D && f.k.Epoch == f.p.Epoch {
		f.p.shown = f.k.Epoch
	}
}

// shape draws flags and epoch evenly. A step to the next epoch is a change of the path's epoch, so it happens only
// when the rules allow one, and the sender moves with it.
func (g *gen) shape(f *flight) {
	r := g.rnd("shape")
	k := &f.k
	k.D, k.L, k.Net.CE, k.Net.IPv6, k.Net.VLAN = r.Permille(500), r.Permille(500), r.Permille(500), false, false
	switch r.Below(3) {
	case 0:
		k.Epoch = (f.p.Epoch - 1 - uint8(r.Below(4))) & 15
	case 1:
		if f.p.mayMove() {
			k.Epoch = (f.p.Epoch + 1) & 15
			if !k.D {
				g.move(f.p)
			}
		}
	}
}

// shaped stamps a packet, shapes it and sends it now. It settles as any other.
func (g *gen) shaped(f *flight) {
	// half of them right behind a short packet of the same path, so that they find its row still being written
	if g.rnd("near").Permille(500) {
		g.flush(f.p, g.gap())
	}
	g.stamp(f, false)
	g.shape(f)
	n := len(g.b.Program.Items)
	g.net.arrive(g, f)
	g.b.Program.Items[n].Gap = 0
}

// forged sends a psn far from the window, in front or behind, within a quarter of the serial space.
func (g *gen) forged(c *conn, p *path) {
	r := g.rnd("forged")
	s := c.normal[0]
	k := compose.Packet{Op: wire.OpcodeWrite, Stream: s.Index, Msn: s.completed, Length: 8, Bytes: 8, Rkey: c.keys[keyGood].Rkey(), Addr: c.keys[keyGood].Base}
	far := uint32(256 + r.Below(4))
	if r.Permille(300) {
		far = uint32(r.Between(256, 1<<29))
	}
	if r.Permille(500) {
		k.Psn = p.Psn + far
	} else {
		k.Psn = p.cum - 1 - far&0x1fff_ffff
		if r.Permille(500) {
			k.Psn = p.cum - 1 - uint32(r.Below(4))
		}
	}
	g.shaped(&flight{k: k, p: p, copies: true, row: s.Row})
}

// doubled sends a packet once more that was let in: half of the time one that stands in the window behind a hole, which
// is made if there is none.
func (g *gen) doubled(c *conn, p *path) {
	r := g.rnd("doubled")
	inside := p.inside()
	if inside == nil && r.Permille(700) {
		s := c.victims[r.Below(uint64(len(c.victims)))]
		late := &flight{k: g.single(c, s, 4), p: p, row: s.Row}
		late.k.Stream, late.k.Msn, late.k.Length, late.k.Psn = s.Index, s.Msn, 4, p.Psn
		s.Msn++
		p.Psn++
		g.stamp(late, false)
		g.net.later(g, late, 30)
		g.even(c, p)
		inside = p.inside()
	}
	if inside == nil {
		inside = p.last
	}
	if len(inside) == 0 {
		return
	}
	twin := *inside[r.Below(uint64(len(inside)))]
	twin.k.R = true
	g.shaped(&twin)
}

// inside are the packets let in last whose psn is above a hole.
func (p *path) inside() (list []*flight) {
	for _, f := range p.last {
		if int32(f.k.Psn-p.cum) >= 0 {
			list = append(list, f)
		}
	}
	return list
}

// even sends a right packet with even flags: a message of one packet. Where it needs a receive there is none.
func (g *gen) even(c *conn, p *path) {
	r := g.rnd("even")
	s := c.victims[r.Below(uint64(len(c.victims)))]
	k := g.single(c, s, int(r.Below(30)))
	if r.Permille(500) {
		k.Op = wire.OpcodeWrite
	}
	if r.Permille(200) {
		k.Bytes = 0
	}
	g.victim(s, p, k, false)
}

// single is a message of one packet, of any kind, that is right but for the receive it may need.
func (g *gen) single(c *conn, s *stream, bytes int) compose.Packet {
	r := g.rnd("single")
	ops := []wire.Opcode{wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeSend, wire.OpcodeSendImm}
	return compose.Packet{Op: ops[r.Below(4)], Bytes: bytes, Imm: uint32(r.Uint64()), Recv: s.Match + uint32(g.cfg.Params.Recvs)/2,
		Rkey: c.keys[keyGood].Rkey(), Addr: c.keys[keyGood].Base + uint64(s.Index)<<32 + r.Below(1<<20)}
}

// attempts sends two parts of one message under attempts that have nothing to do with each other.
func (g *gen) attempts(c *conn, p *path) {
	r := g.rnd("attempts")
	s := c.victims[r.Below(uint64(len(c.victims)))]
	k := g.single(c, s, int(r.Between(1, 20)))
	k.Length, k.Attempt = 200, uint8(r.Below(16))
	first := k.Attempt
	g.victim(s, p, k, false)
	k.Stream, k.Msn, k.Offset, k.Attempt = s.Index, s.Msn-1, 100, uint8(r.Below(16))
	if r.Permille(250) { // what was refused stays so, whatever its packets say
		k.Op, k.Attempt = g.single(c, s, 0).Op, first
	}
	k.Psn = p.Psn
	p.Psn++
	g.shaped(&flight{k: k, p: p, row: s.Row})
}

// victim sends a message of one packet on a stream that may be in error.
func (g *gen) victim(s *stream, p *path, k compose.Packet, fatal bool) {
	if s.Msn-s.Msn0 >= g.mostOpen() {
		g.refresh(s.conn)
	}
	k.Stream, k.Msn = s.Index, s.Msn
	s.Msn++
	if k.Length == 0 {
		k.Length = uint32(k.Bytes)
	}
	k.Psn = p.Psn
	p.Psn++
	g.shaped(&flight{k: k, p: p, row: s.Row})
	s.poisoned = s.poisoned || fatal
}

// fatal sends one packet that brings its stream into error. A packet for a stream in error already shows the refusal of
// key or receive all the same.
func (g *gen) fatal(c *conn, p *path) {
	r := g.rnd("fatal")
	s := c.victims[r.Below(uint64(len(c.victims)))]
	bytes := int(r.Between(1, 30))
	write := func(k int, addr uint64) compose.Packet {
		w := compose.Packet{Op: wire.OpcodeWrite, Bytes: bytes, Rkey: c.keys[k].Rkey(), Addr: addr, Recv: s.Match + uint32(g.cfg.Params.Recvs)/2}
		if r.Permille(250) {
			w.Op = wire.OpcodeWriteImm
		}
		return w
	}
	if s.poisoned && r.Permille(800) {
		g.refresh(c)
	}
	var k compose.Packet
	switch r.Below(9) {
	case 0:
		k = write(keyGood, c.keys[keyGood].Base)
		k.Rkey ^= uint32(r.Between(1, 255)) // another tag
		if r.Permille(300) {
			k.Rkey = uint32(r.Uint64()) | 1<<31
		}
	case 1:
		other := g.conns[(c.place+1)%len(g.conns)].keys[keyGood]
		k = write(keyGood, other.Base)
		k.Rkey = other.Rkey()
		if len(g.conns) == 1 {
			k.Rkey ^= 1
		}
	case 2:
		k = write(keySmall, c.keys[keySmall].Base+65-uint64(bytes))
		if r.Permille(300) {
			k.Addr = c.keys[keySmall].Base - uint64(r.Between(1, 9))
		}
	case 3:
		k = write(keyNone, c.keys[keyNone].Base)
	case 4:
		k = g.tooLong(s, bytes)
	case 5:
		k = g.single(c, s, bytes)
		k.Length = uint32(bytes - 1) // more bytes than the message has
		if bytes == 1 {
			k.Length, k.Offset = 1, 1
		}
	case 6:
		k = compose.Packet{Op: wire.OpcodeReadRequest, Length: 4096}
		if r.Permille(500) {
			k.Op = wire.OpcodeAtomicRequest
		}
	default:
		k = write(keyFault, c.keys[keyFault].Base+r.Below(4096))
		k.Op = wire.OpcodeWrite
	}
	g.victim(s, p, k, true)
}

// tooLong posts a receive that is a byte too short and sends to it.
func (g *gen) tooLong(s *stream, bytes int) compose.Packet {
	k := compose.Packet{Op: wire.OpcodeSend, Bytes: bytes, Recv: s.Post}
	if g.rnd("fatal").Permille(300) {
		k.Op = wire.OpcodeSendImm
	}
	g.b.PostRecv(s.Stream, s.Post, compose.Buffer{Addr: recvBase + uint64(s.Row)<<36, Length: uint32(bytes - 1), WrID: uint32(s.Post)})
	g.b.Wait(1)
	s.Post++
	return k
}

// refresh opens all streams of a connection again that are in error.
func (g *gen) refresh(c *conn) {
	g.b.Wait(1)
	for _, s := range c.victims {
		if s.poisoned || s.Msn-s.Msn0 >= g.mostOpen() {
			g.reopen(s)
		}
	}
	g.b.Wait(1)
}

// mayMove says whether the rules allow a change of epoch: nothing of the epoch before is on its way, and the device has
// seen the current one, since two changes in flight could not be told apart.
func (p *path) mayMove() bool { return p.prior == 0 && p.shown == p.Epoch }

// move changes the epoch. What is on its way now belongs to the epoch before.
func (g *gen) move(p *path) {
	p.Epoch = (p.Epoch + 1) & 15
	for _, f := range g.net.list {
		if f.p == p && !f.copies && !f.lost && !f.prior {
			f.prior = true
			p.prior++
		}
	}
}
