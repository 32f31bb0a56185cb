package scenario

import (
	"encoding/hex"
	"slices"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/vectors/compose"
)

// message makes all packets of a message, spread over paths in turn; only its last packet carries L.
func (c *compiler) message(a *args) {
	word, ok := a.choice(a.bare[0], "write", "write_imm", "send", "send_imm")
	conn := c.opened(a.num("conn", 0, 65535), a.stmt.Pos)
	if !ok || conn == nil {
		return
	}
	paths := c.spread(a, conn)
	bytes, mtu := a.num("bytes", 64, 1<<32-1), a.num("mtu", 1024, 9000)
	if mtu == 0 || bytes/max(mtu, 1) > maxFrames {
		c.rep.add(a.stmt.Pos, "an mtu above 0 and fewer packets", "a message of %d bytes in packets of %d", bytes, mtu)
		return
	}
	stream := c.target(conn, a.num("stream", 0, 65535))
	proto := compose.Packet{Op: opcode(word), Stream: stream.Index, Attempt: uint8(a.num("attempt", 0, 15)),
		Msn: a.serial("msn", stream.Msn0, stream.Msn, 32), Length: uint32(bytes)}
	if next := proto.Msn + 1; int32(next-stream.Msn) > 0 {
		stream.Msn, stream.LatestLength = next, proto.Length
	}
	c.matchFields(a, &proto, stream)
	list := c.cut(a, proto, conn, stream, paths, mtu)
	c.deliver(a, list)
}

// spread reads the paths of a message.
func (c *compiler) spread(a *args, conn *compose.Conn) []*compose.Path {
	g := a.keys["paths"]
	if g == nil {
		return conn.Paths[:1]
	}
	if g.Val == "all" || g.Val == "spray" {
		return conn.Paths
	}
	var paths []*compose.Path
	for _, n := range a.list("paths", uint64(len(conn.Paths)-1)) {
		paths = append(paths, conn.Paths[n])
	}
	if len(paths) == 0 {
		return conn.Paths[:1] // reported by list
	}
	return paths
}

// cut makes the packets, with serial numbers in the order of sending.
func (c *compiler) cut(a *args, proto compose.Packet, conn *compose.Conn, stream *compose.Stream, paths []*compose.Path, mtu uint64) []*sent {
	var list []*sent
	ce := a.list("ce", maxFrames)
	for off := uint64(0); off == 0 || off < uint64(proto.Length); off += mtu {
		p, path := proto, paths[len(list)%len(paths)]
		p.Offset, p.Bytes = uint32(off), int(min(mtu, uint64(proto.Length)-off))
		p.L = off+mtu >= uint64(proto.Length)
		c.targetFields(a, &p, conn, stream)
		c.serials(a, &p, path)
		c.frameFields(a, &p, conn, path)
		p.Net.CE = p.Net.CE || slices.Contains(ce, uint64(len(list)))
		list = append(list, &sent{pkt: p, row: stream.Row, path: path, conn: conn, gap: uint32(a.num("gap", 0, 1_000_000)), line: a.stmt.Pos.Line})
		c.name(a, list[len(list)-1])
		if len(c.rep.list) > 0 {
			break
		}
	}
	list[0].gap += c.gap(a)
	return list
}

// deliver takes out the lost packets and sends the others in the order asked for.
func (c *compiler) deliver(a *args, list []*sent) {
	lost := a.list("lose", maxFrames)
	for _, n := range lost {
		if n >= uint64(len(list)) {
			c.rep.refer(a.keys["lose"].ValPos, "packets of the message, from 0", "packet %d of %d", n, len(list))
		}
	}
	var come []*sent
	for i, s := range list {
		if !slices.Contains(lost, uint64(i)) {
			come = append(come, s)
		}
	}
	if g := a.keys["order"]; g != nil {
		if how, ok := a.choice(g, "forward", "reverse", "shuffle"); ok {
			c.arrange(come, how, a.stmt.Pos.Line)
		}
	}
	c.emitAll(come)
}

// again sends packets with a name once more: same psn, next tsn; as a detour its last tsn.
func (c *compiler) again(a *args) {
	g := a.bare[0]
	list := c.named[g.Val]
	if list == nil {
		c.rep.refer(g.Pos, "a name given with as= on a line before", "nothing is named %q", g.Val)
		return
	}
	which := a.list("packets", maxFrames)
	for i, s := range list {
		if which != nil && !slices.Contains(which, uint64(i)) {
			continue
		}
		p := s.pkt
		p.R = true
		if a.flag["D"] {
			p.Tsn = a.serial("tsn", s.path.Tsn0, p.Tsn, 32)
		} else {
			p.Tsn = a.serial("tsn", s.path.Tsn0, s.path.Tsn, 32)
			if next := p.Tsn + 1; int32(next-s.path.Tsn) > 0 {
				s.path.Tsn = next
			}
		}
		c.frameFields(a, &p, s.conn, s.path)
		c.emit(&sent{pkt: p, row: s.row, path: s.path, conn: s.conn, gap: c.gap(a), line: a.stmt.Pos.Line})
	}
	for _, n := range which {
		if n >= uint64(len(list)) {
			c.rep.refer(a.keys["packets"].ValPos, "packets under the name, from 0", "packet %d of %d", n, len(list))
			return
		}
	}
}

// garbage makes random bytes, right up to a chosen layer.
func (c *compiler) garbage(a *args) {
	n, count := int(a.num("bytes", 64, 12000)), a.num("count", 1, 10_000)
	like := ""
	if g := a.keys["like"]; g != nil {
		like, _ = a.choice(g, "ethernet", "ip", "udp", "icrc", "outer")
	}
	if c.hold != nil {
		c.rep.add(a.stmt.Pos, "packets only", "garbage inside reorder or lose")
		return
	}
	r := sim.NewRandom(c.seed+uint64(a.stmt.Pos.Line)<<32+uint64(len(c.b.Program.Frames)), "scenario/garbage")
	for range count {
		if !c.first(a.stmt.Pos.Line) {
			return
		}
		c.b.Raw(c.gap(a), compose.Garbage(&r, n, like, a.flag["ipv6"], a.flag["vlan"]))
	}
}

func (c *compiler) raw(a *args) {
	g := a.bare[0]
	data, err := hex.DecodeString(g.Val)
	if err != nil {
		c.rep.add(g.ValPos, "two hex digits a byte", "%q is no frame", g.Val)
		return
	}
	if c.hold != nil {
		c.rep.add(a.stmt.Pos, "packets only", "raw inside reorder or lose")
		return
	}
	if len(data) > 0 && c.first(a.stmt.Pos.Line) {
		c.b.Raw(c.gap(a), data)
	}
}
