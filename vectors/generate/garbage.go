package generate

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// garbage sends what is no packet for this device, or one that it must drop.
func (g *gen) garbage() {
	r := g.rnd("garbage")
	c := g.conns[r.Below(uint64(len(g.conns)))]
	p := c.paths[0]
	switch r.Below(5) {
	case 0:
		like := []string{"", "ethernet", "ip", "udp", "icrc"}[r.Below(5)]
		g.b.Raw(g.gap(), compose.Garbage(r, int(r.Between(1, 400)), like, r.Permille(300), r.Permille(300)))
	case 1:
		f := &flight{k: compose.Packet{Op: wire.OpcodeWrite, Bytes: int(r.Below(100)), Length: 200, Psn: p.Psn}, p: p}
		g.stamp(f, true)
		f.k.Net.Bad = compose.Mutations[r.Below(uint64(len(compose.Mutations)))].Bad
		f.k.Net.IPv6 = f.k.Net.IPv6 && compose.Mutations[f.k.Net.Bad-1].IPv6 != event.ReasonNone
		g.b.Send(g.gap(), &f.k, 0)
	case 2:
		ops := []wire.Opcode{wire.OpcodeAck, wire.OpcodeNak, wire.OpcodeAnswer, wire.OpcodeAnnounce, wire.OpcodeControl, wire.OpcodeReadResponse, wire.OpcodeAtomicResponse}
		f := &flight{k: compose.Packet{Op: ops[r.Below(uint64(len(ops)))]}, p: p}
		g.stamp(f, true)
		g.b.Send(g.gap(), &f.k, 0)
	case 3:
		f := &flight{k: compose.Packet{Op: wire.OpcodeFlush}, p: p}
		g.stamp(f, true)
		if r.Permille(500) {
			f.k.Net.Dport = uint16(r.Below(4000))
		} else {
			f.k.Net.PadTo = 9217 + int(r.Below(300))
		}
		g.b.Send(g.gap(), &f.k, 0)
	default:
		g.misaddressed(c, p)
	}
}

// misaddressed sends a right frame to a connection, path, stream or message that is not there.
func (g *gen) misaddressed(c *conn, p *path) {
	r := g.rnd("misaddressed")
	s := c.normal[0]
	k := compose.Packet{Op: wire.OpcodeSend, Bytes: 8, Length: 8, Stream: s.Index, Msn: s.completed, Psn: p.Psn, Recv: s.Match}
	f := &flight{k: k, p: p}
	g.stamp(f, true)
	switch r.Below(6) {
	case 0:
		f.k.DstConn ^= uint32(r.Between(1, 255)) << 16
	case 1:
		f.k.DstConn |= 0xffff
		if r.Permille(500) {
			f.k.DstConn = c.DstConn() ^ above(r, g.cfg.Params.Conns, 16)
		}
	case 2:
		f.k.Path = uint8(len(c.paths)) + uint8(r.Below(200))
	case 3:
		f.k.Stream = uint16(len(c.Streams)) + uint16(r.Below(1000))
	case 4:
		f.k.Msn = s.completed + uint32(g.cfg.Params.MsgSlots) + g.mostOpen() + uint32(r.Below(1<<20))
	default:
		f.k.Bytes, f.k.Length = 0, uint32(r.Between(1, 1<<31))
	}
	g.b.Send(g.gap(), &f.k, s.Row)
}
