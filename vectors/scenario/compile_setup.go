package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/compose"
)

// Places in host memory when a scenario names none: regions and receive buffers of different numbers never meet, and
// the messages of a region have room of their own.
const (
	regionStep  = 1 << 44
	receiveBase = 0x8000 << 48
	streamStep  = 1 << 36
	messageStep = 1 << 28
	places      = 256 // messages of a stream, until they share places again
)

func (c *compiler) conn(a *args) {
	n := a.bounded(a.bare[0], "connection", 0, 65535)
	if c.conns[n] != nil {
		c.rep.add(a.bare[0].Pos, "a connection that is not open, or \"clear conn\" first", "connection %d again", n)
		return
	}
	cfg := compose.ConnConfig{Index: uint32(n), Gen: uint32(a.num("gen", 1, 255)), Peer: uint32(a.num("peer", 0x100+n, 1<<24-1)),
		Paths: int(a.num("paths", 1, 256)), Streams: int(a.num("streams", 1, 65536)), Psn: uint32(a.num("psn", 0, 1<<32-1)),
		Tsn: uint32(a.num("tsn", 0, 1<<32-1)), Msn: uint32(a.num("msn", 0, 1<<32-1)), Recv: uint32(a.num("recv", 0, 1<<32-1)),
		Epoch: uint8(a.num("epoch", 0, 15)), Time: uint32(a.num("time", 1000, 1<<32-1))}
	conn, err := c.b.Open(cfg)
	if err != nil {
		c.rep.add(a.stmt.Pos, "what the preset has room for", "%v", err)
		return
	}
	c.conns[n] = conn
}

// pair reads "CONN.N" of an open connection.
func (c *compiler) pair(a *args, g *Arg, what string) (*compose.Conn, uint64, bool) {
	first, second, two := strings.Cut(g.Val, ".")
	if !two {
		c.rep.add(g.Pos, "CONNECTION."+strings.ToUpper(what)+" such as 0.1", "%q", g.Val)
		return nil, 0, false
	}
	n, ok := a.number(first, g.Pos)
	m, ok2 := a.number(second, Pos{g.Pos.Line, g.Pos.Col + len(first) + 1})
	if !ok || !ok2 {
		return nil, 0, false
	}
	conn := c.opened(n, g.Pos)
	return conn, m, conn != nil
}

func (c *compiler) opened(n uint64, at Pos) *compose.Conn {
	conn := c.conns[n]
	if conn == nil {
		c.rep.refer(at, "a line \"conn "+strconv.FormatUint(n, 10)+"\" before", "connection %d is not open", n)
	}
	return conn
}

func (c *compiler) pathArg(a *args) (*compose.Conn, *compose.Path) {
	g := a.bare[0]
	conn, n, ok := c.pair(a, g, "path")
	if !ok {
		return nil, nil
	}
	if n >= uint64(len(conn.Paths)) {
		c.rep.refer(g.Pos, "a path of the connection", "path %d of %d", n, len(conn.Paths))
		return nil, nil
	}
	return conn, conn.Paths[n]
}

func (c *compiler) streamArg(a *args, g *Arg) *compose.Stream {
	conn, n, ok := c.pair(a, g, "stream")
	if !ok {
		return nil
	}
	if n >= uint64(len(conn.Streams)) {
		c.rep.refer(g.Pos, "a stream of the connection", "stream %d of %d", n, len(conn.Streams))
		return nil
	}
	return conn.Streams[n]
}

func (c *compiler) path(a *args) {
	conn, p := c.pathArg(a)
	if p == nil {
		return
	}
	peer := *conn
	peer.Peer = uint32(a.num("peer", uint64(conn.Peer), 1<<24-1))
	c.b.StartPath(&peer, p, a.serial("psn", p.Psn0, p.Psn, 32), a.serial("tsn", p.Tsn0, p.Tsn, 32), uint8(a.serial("epoch", uint32(p.Epoch0), uint32(p.Epoch), 4)))
}

func (c *compiler) stream(a *args) {
	if s := c.streamArg(a, a.bare[0]); s != nil {
		c.b.OpenStream(s, a.serial("msn", s.Msn0, s.Msn, 32), a.serial("recv", s.Recv0, s.Post, 32), uint8(a.num("life", uint64(s.Life+1), 255)))
	}
}

func (c *compiler) key(a *args) {
	n := a.bounded(a.bare[0], "region", 0, 1<<24-1)
	conn := c.opened(a.num("conn", 0, 65535), a.stmt.Pos)
	if conn == nil {
		return
	}
	r := &compose.Region{Index: uint32(n), Conn: conn, Tag: uint8(a.num("tag", (0xa0+n)&0xff, 255)), Base: a.num("base", (n&0x3ff+1)*regionStep, 1<<64-1),
		Length: a.num("length", 1<<40, 1<<64-1), Perm: 1}
	if g := a.keys["perm"]; g != nil {
		r.Perm = c.perm(g)
	}
	c.regions[n] = r
	c.b.SetKey(r)
}

func (c *compiler) perm(g *Arg) uint8 {
	if g.Val == "none" {
		return 0
	}
	bits, col := uint8(0), g.ValPos.Col
	for _, w := range strings.Split(g.Val, ",") {
		switch w {
		case "write":
			bits |= 1
		case "read":
			bits |= 2
		case "atomic":
			bits |= 4
		default:
			c.rep.add(Pos{g.ValPos.Line, col}, "write, read, atomic or none", "permission %q", w)
		}
		col += len(w) + 1
	}
	return bits
}

func (c *compiler) recv(a *args) {
	s := c.streamArg(a, a.bare[0])
	if s == nil {
		return
	}
	index := a.serial("index", s.Recv0, s.Post, 32)
	count := a.num("count", 1, 4096)
	for range count {
		c.posts++
		place := receiveBase + uint64(s.Row)*streamStep + uint64((index-s.Recv0)%places)*messageStep
		c.b.PostRecv(s, index, compose.Buffer{Addr: a.num("addr", place, 1<<64-1), Length: uint32(a.num("bytes", 64<<10, 1<<32-1)),
			WrID: uint32(a.num("wr_id", uint64(0x5000+c.posts-1), 1<<32-1))})
		index++
		if int32(index-s.Post) > 0 {
			s.Post = index
		}
	}
}

func (c *compiler) clear(a *args) {
	what, ok := a.choice(a.bare[0], "conn", "key", "recv")
	g := a.bare[1]
	switch {
	case !ok:
	case what == "recv":
		if s := c.streamArg(a, g); s != nil {
			c.b.ClearRecv(s, a.serial("index", s.Recv0, s.Recv0, 32))
		}
	case what == "key":
		n := a.bounded(g, "region", 0, 1<<24-1)
		if r := c.regions[n]; r != nil {
			c.b.ClearKey(r)
		} else {
			c.rep.refer(g.Pos, "a region set before", "region %d", n)
		}
	default:
		n := a.bounded(g, "connection", 0, 65535)
		if conn := c.opened(n, g.Pos); conn != nil {
			c.b.CloseConn(conn)
		}
	}
}

func (c *compiler) close(a *args) {
	if s := c.streamArg(a, a.bare[0]); s != nil {
		c.b.CloseStream(s)
	}
}

func (c *compiler) epoch(a *args) {
	if _, p := c.pathArg(a); p != nil {
		p.Epoch = uint8(a.serialArg(a.bare[1], "epoch", uint32(p.Epoch0), uint32(p.Epoch), 4))
	}
}

// register finds "NAME" or "NAME.N", N the number or name of an entry of a register array.
func (c *compiler) register(a *args, g *Arg, access string) (*event.RegisterInfo, uint16) {
	name, entry, indexed := strings.Cut(strings.ToLower(g.Val), ".")
	var known []string
	for i := range event.Registers {
		r := &event.Registers[i]
		if !strings.Contains(r.Access, access) {
			continue
		}
		known = append(known, registerWord(r))
		if strings.ToLower(r.Name) != name {
			continue
		}
		if !indexed {
			return r, uint16(r.Offset)
		}
		n, ok := entryNumber(r.Name, entry)
		if !ok {
			var isNum bool
			if n, isNum = a.number(entry, Pos{g.Pos.Line, g.Pos.Col + len(name) + 1}); !isNum {
				return nil, 0
			}
		}
		if n >= uint64(max(r.Count, 1)) {
			c.rep.add(g.Pos, "an entry of the register", "entry %d of %s", n, r.Name)
			return nil, 0
		}
		return r, uint16(r.Offset + int(n)*r.Stride)
	}
	c.rep.add(g.Pos, "one of "+strings.Join(known, ", "), "register %q", g.Val)
	return nil, 0
}

// registerWord is how a message names a register: one that is an array with the dot in front of an entry.
func registerWord(r *event.RegisterInfo) string {
	word := strings.ToLower(r.Name)
	if r.Count > 1 {
		return fmt.Sprintf("%s.0 to %s.%d", word, word, r.Count-1)
	}
	return word
}

// entryNumber finds an entry of a register array by what it counts.
func entryNumber(reg, entry string) (uint64, bool) {
	for n := range uint64(32) {
		if reg == "DROPS" && event.Reason(n).String() == entry || reg == "VERDICTS" && n < 16 && event.Verdict(n).String() == entry {
			return n, true
		}
	}
	return 0, false
}

func (c *compiler) set(a *args) {
	r, addr := c.register(a, a.bare[0], "w")
	v := uint32(a.bounded(a.bare[1], "value", 0, 1<<32-1))
	if r == nil {
		return
	}
	// a port that changes under a frame on its way would be told to nobody: docs/receive.md, section 5
	if addr == event.RegUDPPort {
		c.b.WaitIdle()
		defer c.b.WaitIdle()
	}
	c.b.Write(addr, v)
}

func (c *compiler) read(a *args) {
	if addr, ok := c.readable(a, a.bare[0]); ok {
		c.b.Read(addr)
	}
}

// readable finds what is read: a register, or an address, so that those where none is can be tried.
func (c *compiler) readable(a *args, g *Arg) (uint16, bool) {
	if g.Val != "" && g.Val[0] >= '0' && g.Val[0] <= '9' {
		n, ok := a.number(g.Val, g.ValPos)
		if ok && n > mostAddr {
			c.rep.add(g.ValPos, fmt.Sprintf("at most %#x", mostAddr), "address %#x", n)
		}
		return uint16(n), ok && n <= mostAddr
	}
	r, addr := c.register(a, g, "r")
	return addr, r != nil
}

// mostAddr is the last byte address of the register port.
const mostAddr = 0xfff

// command starts a command with raw arguments, so that those out of range can be tried.
func (c *compiler) command(a *args) {
	var info *event.CommandInfo
	var known []string
	for i := range event.Commands {
		known = append(known, event.Commands[i].Name)
		if event.Commands[i].Name == a.bare[0].Val {
			info = &event.Commands[i]
		}
	}
	if info == nil {
		c.rep.add(a.bare[0].Pos, "one of "+strings.Join(known, ", "), "command %q", a.bare[0].Val)
		return
	}
	var list []compose.Arg
	left := map[string]bool{}
	for key := range a.keys {
		left[key] = true
	}
	for _, g := range info.Args {
		if a.has(g.Name) {
			list = append(list, compose.Arg{Reg: uint16(g.Reg), Value: uint32(a.num(g.Name, 0, 1<<32-1))})
			delete(left, g.Name)
		}
	}
	for key := range left {
		c.rep.add(a.keys[key].Pos, "an argument of the command (docs/registers.md)", "%s takes no %q", info.Name, key)
	}
	c.b.Command(info.Command, list...)
}
