package generate

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
)

// control is what is neither data nor wrong: probes, queries, flushes, changes of epoch, registers, late receives.
func (g *gen) control() {
	r := g.rnd("control")
	c := g.conns[r.Below(uint64(len(g.conns)))]
	p := c.paths[r.Below(uint64(len(c.paths)))]
	switch r.Below(10) {
	case 0, 1, 2:
		k := compose.Packet{Op: wire.OpcodeFlush, A: true}
		f := &flight{k: k, p: p}
		g.stamp(f, false)
		f.k.A = true
		f.show()
		g.b.Send(g.gap(), &f.k, 0)
	case 3, 4:
		g.probe(p, false)
		if p.mayMove() {
			g.move(p)
		}
	case 5, 6:
		g.probe(p, true)
	case 7:
		g.b.Write(event.RegHint, uint32(r.Below(1<<20)))
		g.b.Write(event.RegHintGen, uint32(r.Between(1, 255)))
	case 8:
		g.read()
	default:
		g.driver(c)
	}
}

// read reads a register once, or a counter so often that it counts meanwhile.
func (g *gen) read() {
	r := g.rnd("read")
	if r.Permille(500) {
		counter := []uint16{event.RegVerdicts + 4*uint16(event.VerdictPlace), event.RegVerdicts + 4*uint16(r.Below(9)), event.RegDrops, event.RegCmdDone}[r.Below(4)]
		for range r.Between(2, 30) {
			g.b.Read(counter)
		}
		return
	}
	g.b.Read([]uint16{event.RegId, event.RegCmdDone, event.RegDrops + 4*uint16(r.Below(23)), event.RegVerdicts + 4*uint16(r.Below(9))}[r.Below(4)])
}

func (g *gen) probe(p *path, query bool) {
	r := g.rnd("probe")
	k := compose.Packet{Op: wire.OpcodeProbe, Query: query, NewEpoch: (p.Epoch + 1) & 15, Port: uint16(r.Uint64()), Txn: uint8(r.Uint64())}
	row := uint16(0)
	if query {
		all := append(append([]*stream(nil), p.conn.normal...), p.conn.victims...)
		s := all[r.Below(uint64(len(all)))]
		k.Stream, k.Msn, row = s.Index, s.completed+uint32(r.Below(4)), s.Row
	}
	f := &flight{k: k, p: p}
	g.stamp(f, true)
	f.k.D, f.k.Tsn = false, 0
	g.b.Send(g.gap(), &f.k, row)
}

// driver is a command under traffic, for streams and regions that carry nothing of worth.
func (g *gen) driver(c *conn) {
	r := g.rnd("driver")
	s := c.victims[r.Below(uint64(len(c.victims)))]
	switch r.Below(5) {
	case 0:
		g.shut(c, s)
	case 1:
		k := c.keys[keySmall+r.Below(2)]
		g.b.ClearKey(k)
		k.Tag = uint8(r.Uint64())
		g.b.SetKey(k)
	case 2:
		g.b.ClearRecv(s.Stream, s.Post)
	case 3:
		g.void()
	default:
		g.reopen(s)
	}
}

// shut closes a stream right before packets of it, so that some have passed admission when the close takes hold.
func (g *gen) shut(c *conn, s *stream) {
	p := c.paths[0]
	g.b.Wait(1)
	g.b.CloseStream(s.Stream)
	for range 6 {
		if p.Psn-p.cum < 240 {
			k := g.single(c, s, 4)
			k.Stream, k.Msn, k.Length, k.Psn = s.Index, s.Msn, 4, p.Psn
			f := &flight{k: k, p: p, row: s.Row, copies: true}
			g.stamp(f, true)
			g.b.Send(0, &f.k, s.Row)
		}
	}
	g.b.Wait(40)
	g.reopen(s)
}

// void is a command beyond its table: confirmed, without effect. Or a number that is no command, and starts nothing. Half
// of the time only one bit tells the index from one that is in use.
func (g *gen) void() {
	r := g.rnd("void")
	if r.Permille(250) {
		g.b.Write(event.RegCmdOp, uint32(r.Below(10))|uint32(1)<<r.Between(4, 31))
		return
	}
	p := &g.cfg.Params
	conn, path, row, key := uint32(0xffff), uint32(255), uint32(0xffff), uint32(0xffffff)
	if r.Permille(500) {
		c := g.conns[r.Below(uint64(len(g.conns)))]
		conn, path = c.DstConn()^above(r, p.Conns, 16), uint32(r.Below(uint64(p.Paths)))|above(r, p.Paths, 8)
		row, key = uint32(c.normal[0].Row)|above(r, p.Streams, 16), c.keys[keyGood].Index|above(r, p.Keys, 24)
	}
	args := []compose.Arg{{Reg: event.RegCmdConn, Value: conn}, {Reg: event.RegCmdPath, Value: path}, {Reg: event.RegCmdStream, Value: row}, {Reg: event.RegCmdRkey, Value: key << 8}}
	g.b.Command(event.Commands[r.Below(uint64(len(event.Commands)))].Command, args...)
}

// above is one bit of an index of so many bits, too high for a table of n rows.
func above(r *sim.Random, n, width int) uint32 {
	return 1 << r.Between(uint64(bits.Len(uint(n-1))), uint64(width-1))
}
