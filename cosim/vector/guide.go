package vector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/cover"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/mrv"
)

// A guide steers by the model's state: it runs the model along with what it writes, looks where windows and streams
// stand, and makes the very packet that falls into a wanted bin from there.
type guide struct {
	b    *compose.Builder
	r    sim.Random
	live *walker
	done int // items that the live model has had
	err  error
	conn *compose.Conn
	path *compose.Path
	row  event.WindowPath // as the live model left it
	keys [keyCount]*compose.Region
}

// Memory regions of a guide.
const (
	keyGood = iota
	keyReadOnly
	keySmall
	keyFaulty
	keyCount
)

const faultyBase = 0x7000 << 48

func newGuide(name string, p preset.Params, seed uint64) (*guide, error) {
	g := &guide{b: compose.NewBuilder(name, p), r: sim.NewRandom(seed, "guide/"+name)}
	g.b.InOrder = true
	var err error
	if g.live, err = newWalker(p, g.observe); err != nil {
		return nil, err
	}
	g.b.Fault(faultyBase, faultyBase+1<<47)
	g.conn, err = g.b.Open(compose.ConnConfig{Index: 1, Gen: uint32(g.r.Below(256)), Peer: uint32(g.r.Below(1 << 24)), Time: uint32(g.r.Uint64()), Paths: 2, Streams: 2,
		Psn: -uint32(g.r.Between(1, 40)), Tsn: -uint32(g.r.Between(1, 40)), Msn: -uint32(g.r.Between(1, 40)), Recv: -uint32(g.r.Between(1, 10)), Epoch: uint8(g.r.Below(16))})
	if err != nil {
		return nil, err
	}
	g.path = g.conn.Paths[0]
	for i := range g.keys {
		r := &compose.Region{Index: uint32(i + 1), Tag: uint8(g.r.Uint64()), Conn: g.conn, Base: uint64(i+1) << 44, Length: 1 << 40, Perm: 1}
		switch i {
		case keyReadOnly:
			r.Perm = 2
		case keySmall:
			r.Length = 64
		case keyFaulty:
			r.Base = faultyBase
		}
		g.keys[i] = r
		g.b.SetKey(r)
	}
	g.b.WaitIdle()
	g.follow()
	return g, g.err
}

// observe notes where the window stands.
func (g *guide) observe(rec []byte) {
	if event.Kind(rec[1]) != event.KindWindow {
		return
	}
	var w event.Window
	if w.Decode(rec) == nil && w.Head.Path == g.path.Index {
		g.row = w.Path
	}
}

// follow lets the live model do what was written since.
func (g *guide) follow() {
	for items := g.b.Program.Items; g.done < len(items) && g.err == nil; g.done++ {
		g.err = g.live.item(&items[g.done])
	}
}

// Relations of a packet's epoch to that of its path, as cover has them.
var epochs = []string{"current", "next", "old"}

// cell is a bin of the group window without D, CE, L and near.
type cell struct {
	class    event.Class
	epoch    int
	syndrome wire.Syndrome
}

func (c cell) String() string {
	s := c.class.String() + "-" + epochs[c.epoch]
	if c.class == event.ClassNew {
		s += "-" + c.syndrome.String()
	}
	return s
}

// cells lists all that can be: only a packet that is new is looked at further.
func cells() []cell {
	var list []cell
	for epoch := range epochs {
		for _, class := range []event.Class{event.ClassTooNew, event.ClassTooOld, event.ClassDuplicate, event.ClassFlush} {
			list = append(list, cell{class, epoch, wire.SyndromeNone})
		}
		for s := wire.SyndromeNone; s <= wire.SyndromeRemoteOp; s++ {
			list = append(list, cell{event.ClassNew, epoch, s})
		}
	}
	return list
}

// reach makes the packet of a cell with flags. A near one follows another step of its path as fast as can be.
func (g *guide) reach(c cell, d, ce, l, near bool) {
	gap := uint32(60)
	g.ready(c)
	g.follow()
	epoch := (g.row.Epoch + [...]uint8{0, 1, 8}[c.epoch]) & 15
	pkt := g.packet(c)
	pkt.Epoch, pkt.D, pkt.L, pkt.Net.CE = epoch, d, l, ce
	pkt.Net.Sport = g.path.Sport(g.conn.Index, epoch)
	if near {
		filler := compose.Packet{Op: wire.OpcodeFlush, Epoch: g.row.Epoch, D: true, Path: g.path.Index, DstConn: g.conn.DstConn(), Tsn: g.path.Tsn - 1, Time: g.conn.Tick()}
		filler.Net.Sport = g.path.Sport(g.conn.Index, g.row.Epoch)
		g.b.Send(gap, &filler, 0)
		gap = 0
	}
	pkt.Time = g.conn.Tick()
	g.b.Send(gap, &pkt, g.conn.Streams[pkt.Stream].Row)
	g.b.WaitIdle()
	g.follow()
	g.mend(c)
}

// ready brings the path into a state from which the cell can be reached.
func (g *guide) ready(c cell) {
	switch {
	case c.class == event.ClassDuplicate && g.row.Vector.IsZero():
		pkt := g.write(g.row.Cum+uint32(g.r.Between(2, 200)), keyGood, 32)
		g.b.Send(0, &pkt, g.conn.Streams[0].Row)
		g.b.WaitIdle()
	case c.class == event.ClassNew && c.syndrome == wire.SyndromeMalformed: // a message that the packet disagrees with
		pkt := g.write(g.row.Cum, keyGood, 32)
		pkt.Length = 4000
		g.b.Send(0, &pkt, g.conn.Streams[0].Row)
		g.b.WaitIdle()
	case c.class == event.ClassNew && c.syndrome == wire.SyndromeLength:
		s := g.conn.Streams[0]
		g.b.PostRecv(s, s.Match, compose.Buffer{Addr: 0x9000<<48 + uint64(s.Match&0xff)<<20, Length: 16, WrID: 0x77})
		s.Post = s.Match + 1
		g.b.WaitIdle()
	}
}

// packet is the one of a cell, without epoch and flags.
func (g *guide) packet(c cell) compose.Packet {
	row := &g.row
	switch c.class {
	case event.ClassTooNew:
		return g.write(row.Cum+preset.WindowBits+uint32(g.r.Below(1000)), keyGood, 32)
	case event.ClassTooOld:
		return g.write(row.Cum-1-uint32(g.r.Below(1000)), keyGood, 32)
	case event.ClassDuplicate:
		at := uint32(row.Vector.Highest())
		return g.write(row.Cum+at, keyGood, 32)
	case event.ClassFlush:
		p := compose.Packet{Op: wire.OpcodeFlush, Path: g.path.Index, DstConn: g.conn.DstConn(), Tsn: g.path.Tsn}
		g.path.Tsn++
		return p
	}
	return g.refused(c.syndrome)
}

// refused is a packet that is new and comes to a syndrome.
func (g *guide) refused(s wire.Syndrome) compose.Packet {
	cum := g.row.Cum
	switch s {
	case wire.SyndromeRnr, wire.SyndromeLength:
		p := g.write(cum, keyGood, 24)
		p.Op, p.Rkey, p.Addr, p.Recv = wire.OpcodeSend, 0, 0, g.conn.Streams[0].Match
		g.conn.Streams[0].Match++
		return p
	case wire.SyndromeKey:
		p := g.write(cum, keyGood, 32)
		p.Rkey ^= 0x80
		return p
	case wire.SyndromeBounds:
		p := g.write(cum, keySmall, 32)
		p.Addr = g.keys[keySmall].Base + 60
		return p
	case wire.SyndromePermission:
		return g.write(cum, keyReadOnly, 32)
	case wire.SyndromeMalformed:
		s := g.conn.Streams[0]
		p := g.write(cum, keyGood, 32)
		s.Msn--
		p.Msn, p.Length, p.Offset = s.Msn-1, 3000, 32
		return p
	case wire.SyndromeUnsupported:
		p := g.write(cum, keyGood, 0)
		p.Op, p.Length = wire.OpcodeReadRequest, 64
		return p
	case wire.SyndromeRemoteOp:
		return g.write(cum, keyFaulty, 32)
	}
	return g.write(cum, keyGood, 32)
}

// write is a Write of one packet with the next message of stream 0. Its frame has two beats: none is shorter.
func (g *guide) write(psn uint32, key, bytes int) compose.Packet {
	s := g.conn.Streams[0]
	p := compose.Packet{Op: wire.OpcodeWrite, Path: g.path.Index, DstConn: g.conn.DstConn(), Psn: psn, Tsn: g.path.Tsn, Msn: s.Msn, Length: uint32(bytes), Bytes: bytes,
		Rkey: g.keys[key].Rkey(), Addr: g.keys[key].Base, Epoch: g.row.Epoch, Time: g.conn.Tick()}
	if key != keySmall {
		p.Addr += uint64(s.Msn&0xff) << 12
	}
	p.Net.Sport = g.path.Sport(g.conn.Index, g.row.Epoch)
	s.Msn++
	g.path.Tsn++
	return p
}

// mend starts the stream anew, and the path where it has holes: the next cell must find both in order.
func (g *guide) mend(c cell) {
	s := g.conn.Streams[0]
	g.b.OpenStream(s, s.Msn, s.Match, s.Life+1)
	if !g.row.Vector.IsZero() && g.r.Below(3) == 0 {
		g.b.StartPath(g.conn, g.path, g.row.Cum, g.path.Tsn, g.row.Epoch)
	}
	g.b.WaitIdle()
	g.follow()
}

// Reach makes a vector for every cell of window steps: class, epoch and refusal, in all combinations of detour, mark,
// last packet and distance to the step before.
func Reach(ctx context.Context, presetName string, seed uint64) ([]*mrv.Vector, error) {
	p, err := params(presetName)
	if err != nil {
		return nil, err
	}
	var list []*mrv.Vector
	for _, c := range cells() {
		name := "window/" + c.String()
		g, err := newGuide(name, p, seed)
		if err != nil {
			return nil, err
		}
		for n := range 16 {
			g.reach(c, n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0)
		}
		if g.err != nil {
			return nil, fmt.Errorf("vector %s: %w", name, g.err)
		}
		v := fresh("guided/"+name, presetName, mrv.Source{Kind: "guided", Name: name, Seed: seed})
		v.Title = fmt.Sprintf("window steps of class %s, epoch %s, syndrome %s: with and without D, CE, L, near and far", c.class, epochs[c.epoch], c.syndrome)
		v.Rules = []string{"R-WINDOW", "R-ACK-NOW"}
		v.FromProgram(g.b.Program)
		if err := settled(ctx, v); err != nil {
			return nil, err
		}
		if missing := missed(ctx, v, c); len(missing) > 0 {
			return nil, fmt.Errorf("vector %s does not reach: %s", v.Name, strings.Join(missing, "; "))
		}
		list = append(list, v)
	}
	return list, nil
}

// missed lists the bins of a cell that a vector does not hit on the model in cycles.
func missed(ctx context.Context, v *mrv.Vector, c cell) (list []string) {
	hit := Bins(ctx, v)
	for n := range 16 {
		yes := func(bit int) string { return [...]string{"no", "yes"}[n>>bit&1] }
		bin := fmt.Sprintf("window class=%s epoch=%s D=%s CE=%s L=%s syndrome=%s near=%s", c.class, epochs[c.epoch], yes(0), yes(1), yes(2), c.syndrome, yes(3))
		if !slices.Contains(hit, bin) {
			list = append(list, bin)
		}
	}
	return list
}

// Bins lists the bins of coverage that a vector hits on the model in cycles.
func Bins(ctx context.Context, v *mrv.Vector) []string {
	c := cover.New()
	if cycles(ctx, usual(v), v.Program().Items, c.Observe) != nil {
		return nil
	}
	all, empty := cover.New().Report(nil, "").Empty, map[string]bool{}
	for _, b := range c.Report(nil, "").Empty {
		empty[b] = true
	}
	return slices.DeleteFunc(all, func(b string) bool { return empty[b] })
}

// Spread makes vectors of random traffic until no bin outside the window group is empty that can be hit, or no seed of
// the next most finds another. A vector stays if it hits a bin that those before did not.
func Spread(ctx context.Context, presetName string, seed uint64, packets, most int) ([]*mrv.Vector, error) {
	var list []*mrv.Vector
	have := map[string]bool{}
	for idle := 0; idle < most; seed++ {
		v, err := FromSeed(ctx, fmt.Sprintf("guided/traffic/%d", seed), presetName, seed, packets, nil)
		if err != nil {
			return nil, err
		}
		var more []string
		for _, b := range Bins(ctx, v) {
			if !strings.HasPrefix(b, "window ") && !have[b] {
				more = append(more, b)
				have[b] = true
			}
		}
		if idle++; len(more) == 0 {
			continue
		}
		idle = 0
		v.Source.Kind, v.Source.Name = "guided", "bins"
		v.Title = fmt.Sprintf("first to reach %d bins: %s", len(more), brief(more))
		list = append(list, v)
	}
	return list, nil
}

// brief names a few bins.
func brief(bins []string) string {
	const few = 3
	if len(bins) > few {
		return strings.Join(bins[:few], "; ") + "; ..."
	}
	return strings.Join(bins, "; ")
}
