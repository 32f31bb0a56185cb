package scenario

import (
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// sender finds the connection, path and stream that a packet speaks of. Numbers beyond what is open make packets that
// the device must drop; their serial numbers are kept in stand-ins.
func (c *compiler) sender(a *args) (*compose.Conn, *compose.Path) {
	conn := c.opened(a.num("conn", 0, 65535), a.stmt.Pos)
	if conn == nil {
		return nil, nil
	}
	n := a.num("path", 0, 255)
	for uint64(len(conn.Paths)) > n {
		return conn, conn.Paths[n]
	}
	return conn, &compose.Path{Index: uint8(n)}
}

func (c *compiler) target(conn *compose.Conn, n uint64) *compose.Stream {
	if n < uint64(len(conn.Streams)) {
		return conn.Streams[n]
	}
	for _, s := range c.phantoms {
		if uint64(s.Index) == n {
			return s
		}
	}
	s := &compose.Stream{Index: uint16(n), LastRecv: map[uint32]uint32{}}
	c.phantoms = append(c.phantoms, s)
	return s
}

// opcode is the wire opcode a word stands for.
func opcode(word string) wire.Opcode {
	if word == "query" {
		return wire.OpcodeProbe
	}
	for op := range wire.Kinds {
		if wire.Kinds[op].Known && wire.Kinds[op].Name == word {
			return wire.Opcode(op)
		}
	}
	panic("scenario: word " + word + " names no packet")
}

// packet makes one packet of what a line says and of what its sender would say by itself.
func (c *compiler) packet(a *args) {
	conn, path := c.sender(a)
	if conn == nil {
		return
	}
	p := compose.Packet{Op: opcode(a.stmt.Word), Query: a.stmt.Word == "query"}
	stream := c.target(conn, a.num("stream", 0, 65535))
	c.messageFields(a, &p, stream)
	c.targetFields(a, &p, conn, stream)
	c.matchFields(a, &p, stream)
	c.probeFields(a, &p, path)
	c.serials(a, &p, path)
	c.frameFields(a, &p, conn, path)
	c.name(a, c.record(a, &p, conn, path, stream.Row))
}

// record sends the packet on, after the gap of the line.
func (c *compiler) record(a *args, p *compose.Packet, conn *compose.Conn, path *compose.Path, row uint16) *sent {
	s := &sent{pkt: *p, row: row, path: path, conn: conn, gap: c.gap(a), line: a.stmt.Pos.Line}
	c.emit(s)
	return s
}

func (c *compiler) gap(a *args) uint32 {
	if g := a.stmt.Gap; g != nil {
		return uint32(a.bounded(g, "gap", 0, 1_000_000))
	}
	return 0
}

func (c *compiler) name(a *args, s *sent) {
	g := a.keys["as"]
	if g == nil {
		return
	}
	if !isName(g.Val) {
		c.rep.add(g.ValPos, "a name of up to 16 letters", "%q", g.Val)
		return
	}
	c.named[g.Val] = append(c.named[g.Val], s)
}

// messageFields reads message number, length and offset. An offset continues the latest message of the stream.
func (c *compiler) messageFields(a *args, p *compose.Packet, s *compose.Stream) {
	p.Stream = s.Index
	if !wire.Kinds[p.Op].HasStream && !p.Query {
		p.Bytes = 64
		return
	}
	p.Attempt = uint8(a.num("attempt", 0, 15))
	p.Offset = uint32(a.num("offset", 0, 1<<32-1))
	def := s.Msn
	if p.Offset > 0 {
		def = s.Msn - 1
	}
	p.Msn = a.serial("msn", s.Msn0, def, 32)
	if next := p.Msn + 1; int32(next-s.Msn) > 0 && !p.Query {
		s.Msn = next
	}
	p.Bytes = int(a.num("bytes", 64, 9500))
	length := uint64(p.Offset) + uint64(p.Bytes)
	if p.Offset > 0 && p.Msn+1 == s.Msn {
		length = max(uint64(s.LatestLength), length)
	}
	p.Length = uint32(a.num("length", length&(1<<32-1), 1<<32-1))
	if p.Msn+1 == s.Msn && !p.Query {
		s.LatestLength = p.Length
	}
}

// targetFields reads region and address: each message of a region has a place of its own.
func (c *compiler) targetFields(a *args, p *compose.Packet, conn *compose.Conn, s *compose.Stream) {
	switch p.Op {
	case wire.OpcodeWrite, wire.OpcodeWriteImm, wire.OpcodeReadRequest, wire.OpcodeAtomicRequest:
	default:
		return
	}
	n := a.num("key", 0, 1<<24-1)
	r := c.regions[n]
	if r == nil {
		if !a.has("rkey") || !a.has("addr") {
			c.rep.refer(a.stmt.Pos, "a line \"key N\" before, or rkey= and addr=", "memory region %d is not set", n)
			return
		}
		r = &compose.Region{Conn: conn}
	}
	p.Rkey = uint32(a.num("rkey", uint64(r.Rkey()), 1<<32-1))
	place := r.Base + uint64(s.Index)*streamStep + uint64((p.Msn-s.Msn0)%places)*messageStep
	p.Addr = c.address(a, r.Base, place) + c.addressOffset(a, p)
}

// addressOffset: an address is that of the packet; without one it follows from the message's place.
func (c *compiler) addressOffset(a *args, p *compose.Packet) uint64 {
	if a.has("addr") && a.stmt.Word != "message" {
		return 0
	}
	return uint64(p.Offset)
}

func (c *compiler) address(a *args, base, def uint64) uint64 {
	g := a.keys["addr"]
	if g == nil {
		return def
	}
	text, at := g.Val, g.ValPos
	if len(text) > 0 && text[0] == '+' {
		n, ok := a.number(text[1:], Pos{at.Line, at.Col + 1})
		if !ok {
			return def
		}
		return base + n
	}
	return a.bounded(g, "addr", def, 1<<64-1)
}

// matchFields reads which receive a message uses: one message, one receive, whatever the attempt.
func (c *compiler) matchFields(a *args, p *compose.Packet, s *compose.Stream) {
	if p.HasImm() {
		p.Imm = uint32(a.num("imm", uint64(0x1111_0000|p.Msn&0xffff), 1<<32-1))
	}
	if !p.IsSend() && p.Op != wire.OpcodeWriteImm {
		return
	}
	def, known := s.LastRecv[p.Msn]
	if !known {
		def = s.Match
	}
	p.Recv = a.serial("recv", s.Recv0, def, 32)
	s.LastRecv[p.Msn] = p.Recv
	if next := p.Recv + 1; int32(next-s.Match) > 0 {
		s.Match = next
	}
}

func (c *compiler) probeFields(a *args, p *compose.Packet, path *compose.Path) {
	if p.Op != wire.OpcodeProbe {
		return
	}
	p.Txn = uint8(a.num("txn", 1, 255))
	p.NewEpoch = uint8(a.num("new_epoch", uint64(path.Epoch+1)&15, 15))
	p.Port = uint16(a.num("port", uint64(path.Sport(0, p.NewEpoch)), 65535))
}

// serials gives psn and tsn to the kinds that take them. The next of each is one above the highest so far; a detour
// takes no place in the order of transmission.
func (c *compiler) serials(a *args, p *compose.Packet, path *compose.Path) {
	use := wire.Kinds[p.Op].Psn
	if use == wire.NoPsn && !a.has("psn") && !a.has("tsn") {
		return
	}
	if use == wire.PsnAndTsn || a.has("psn") {
		p.Psn = a.serial("psn", path.Psn0, path.Psn, 32)
		if next := p.Psn + 1; int32(next-path.Psn) > 0 {
			path.Psn = next
		}
	}
	def := path.Tsn
	if a.flag["D"] {
		def--
	}
	p.Tsn = a.serial("tsn", path.Tsn0, def, 32)
	if next := p.Tsn + 1; int32(next-path.Tsn) > 0 {
		path.Tsn = next
	}
}

// frameFields reads flags and everything around the UDP payload.
func (c *compiler) frameFields(a *args, p *compose.Packet, conn *compose.Conn, path *compose.Path) {
	p.A, p.D, p.R, p.B, p.L = p.A || a.flag["A"], a.flag["D"], p.R || a.flag["R"], p.B || a.flag["B"], p.L || a.flag["L"]
	p.Path = path.Index
	p.DstConn = uint32(a.num("dst", uint64(conn.DstConn()), 1<<24-1))
	p.Epoch = uint8(a.serial("epoch", uint32(path.Epoch0), uint32(path.Epoch), 4))
	p.Time = uint32(a.num("time", uint64(conn.Tick()), 1<<32-1))
	carrier := *path
	carrier.Index = uint8(a.num("via", uint64(path.Index), 255))
	n := &p.Net
	n.CE = a.flag["CE"]
	n.IPv6, n.VLAN = n.IPv6 || a.flag["ipv6"], n.VLAN || a.flag["vlan"]
	n.Sport = uint16(a.num("sport", uint64(carrier.Sport(conn.Index, p.Epoch)), 65535))
	n.Dport = uint16(a.num("udp_port", uint64(n.Dport), 65535))
	n.PadTo, n.Cut = int(a.num("pad_to", uint64(n.PadTo), 12000)), int(a.num("cut", 0, 12000))
	n.Bad = compose.BadNone
	if g := a.keys["bad"]; g != nil {
		bad, ok := compose.BadByName(g.Val)
		if !ok {
			c.rep.add(g.ValPos, "one of "+mutationNames(), "mutation %q", g.Val)
		}
		n.Bad = bad
	}
}

func mutationNames() string {
	s := ""
	for i, m := range compose.Mutations {
		if i > 0 {
			s += ", "
		}
		s += m.Name
	}
	return s
}

// arrange puts packets into another order. A shuffle depends on the seed and its line only.
func (c *compiler) arrange(list []*sent, how string, line int) {
	switch how {
	case "reverse":
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	case "rotate":
		if len(list) > 1 {
			first := list[0]
			copy(list, list[1:])
			list[len(list)-1] = first
		}
	case "shuffle":
		r := sim.NewRandom(c.seed+uint64(line)<<32, "scenario/shuffle")
		for i := len(list) - 1; i > 0; i-- {
			j := int(r.Below(uint64(i + 1)))
			list[i], list[j] = list[j], list[i]
		}
	}
}
