package scenario

import (
	"fmt"
	"maps"
	"slices"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// past is what the items before a part have left behind, as far as commands and settings say.
type past struct {
	conns   map[uint32][]uint32 // arguments of the latest conn_set, by index
	paths   map[[2]uint32][]uint32
	streams map[uint32][]uint32 // by row; nil: closed
	keys    map[uint32][]uint32 // by index
	recvs   map[[2]uint32][]uint32
	regs    map[uint16]uint32
	latency *stimulus.Item
	stalls  map[stimulus.Port]*stimulus.Item
	faults  []*stimulus.Item
}

func remember(items stimulus.List, units []unit) *past {
	p := &past{conns: map[uint32][]uint32{}, paths: map[[2]uint32][]uint32{}, streams: map[uint32][]uint32{}, keys: map[uint32][]uint32{},
		recvs: map[[2]uint32][]uint32{}, regs: map[uint16]uint32{}, stalls: map[stimulus.Port]*stimulus.Item{}}
	for i := range units {
		u := &units[i]
		switch it := &items[u.at]; {
		case u.cmd != nil:
			p.command(u)
		case it.Kind == stimulus.KindWrite && it.Addr < event.RegCmdConn:
			p.regs[it.Addr] = it.Value
		case it.Kind == stimulus.KindLatency:
			p.latency = it
		case it.Kind == stimulus.KindStall:
			p.stalls[it.Port] = it
		case it.Kind == stimulus.KindFault && it.Lo > it.Hi:
			p.faults = nil
		case it.Kind == stimulus.KindFault:
			p.faults = append(p.faults, it)
		}
	}
	return p
}

func (p *past) command(u *unit) {
	a := u.args
	switch u.cmd.Command {
	case event.CommandConnSet:
		p.conns[a[0]&0xffff] = a
	case event.CommandConnClear:
		delete(p.conns, a[0]&0xffff)
	case event.CommandPathSet:
		p.paths[[2]uint32{a[0] & 0xffff, a[1]}] = a
	case event.CommandStreamSet:
		p.streams[a[0]] = a
	case event.CommandStreamClose:
		delete(p.streams, a[0])
	case event.CommandKeySet:
		p.keys[a[0]>>8] = a
	case event.CommandKeyClear:
		delete(p.keys, a[0]>>8)
	case event.CommandRecvPost:
		p.recvs[[2]uint32{a[0], a[1]}] = a
	case event.CommandRecvClear:
		delete(p.recvs, [2]uint32{a[0], a[1]})
	}
}

// uses is what some units speak of.
type uses struct {
	conns, rows, keys map[uint32]bool
	paths, recvs      map[[2]uint32]bool
}

func (l *lifter) usesOf(p *past, part []unit) *uses {
	u := &uses{conns: map[uint32]bool{}, rows: map[uint32]bool{}, keys: map[uint32]bool{}, paths: map[[2]uint32]bool{}, recvs: map[[2]uint32]bool{}}
	n := l.frames
	for i := range part {
		it := &l.p.Items[part[i].at]
		switch {
		case it.Kind == stimulus.KindFrame:
			u.packet(p, &l.p.Frames[n].Packet)
			n++
		case part[i].cmd != nil:
			u.command(p, &part[i])
		}
	}
	return u
}

func (u *uses) packet(p *past, k *compose.Packet) {
	index := uint32(k.ConnIndex())
	conn := p.conns[index]
	if conn == nil {
		return
	}
	u.conns[index], u.paths[[2]uint32{index, uint32(k.Path)}] = true, true
	if !wire.Kinds[k.Op].HasStream && !k.Query {
		return
	}
	row := conn[2] + uint32(k.Stream)
	u.rows[row] = true
	if k.IsSend() || k.Op == wire.OpcodeWriteImm {
		u.recvs[[2]uint32{row, k.Recv}] = true
	}
	if !k.IsSend() && !k.Query {
		u.keys[k.Rkey>>8] = true
	}
}

// command: what it changes has to be there.
func (u *uses) command(p *past, c *unit) {
	switch c.cmd.Command {
	case event.CommandConnClear, event.CommandPathSet:
		u.conns[c.args[0]&0xffff] = true
	case event.CommandKeySet:
		u.conns[c.args[1]&0xffff] = true
	case event.CommandKeyClear:
		u.keys[c.args[0]>>8] = true
	case event.CommandStreamSet, event.CommandStreamClose, event.CommandRecvPost:
		u.rows[c.args[0]] = true
	case event.CommandRecvClear:
		u.rows[c.args[0]], u.recvs[[2]uint32{c.args[0], c.args[1]}] = true, true
	}
	for index, conn := range p.conns {
		for row := range u.rows {
			if row-conn[2] < 1<<conn[3] {
				u.conns[index] = true
			}
		}
	}
}

// setUp writes lines that leave what the units before the part left, of what the part uses.
func (l *lifter) setUp(before, part []unit) {
	p := remember(l.p.Items, before)
	u := l.usesOf(p, part)
	for _, f := range p.faults {
		l.bench(f)
	}
	for _, index := range slices.Sorted(maps.Keys(u.conns)) {
		l.connAgain(p, u, index)
	}
	for _, n := range slices.Sorted(maps.Keys(u.keys)) {
		if k := p.keys[n]; k != nil {
			l.key(k)
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(u.recvs), func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) }) {
		if a := p.recvs[r]; a != nil {
			if conn, at := p.connOfRow(a[0]); conn != nil && l.c.conns[uint64(conn[0]&0xffff)] != nil {
				l.recv(uint32(l.c.conns[uint64(conn[0]&0xffff)].Base)+at, a[1], buffer(a))
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(p.regs)) {
		l.line("set", registerName(r), fmt.Sprintf("%#x", p.regs[r]))
	}
	if p.latency != nil {
		l.bench(p.latency)
	}
	for _, s := range slices.Sorted(maps.Keys(p.stalls)) {
		if p.stalls[s].Permille > 0 {
			l.bench(p.stalls[s])
		}
	}
	l.line("wait", "idle")
}

// connOfRow finds the connection that has a stream row, and the place of the row in it.
func (p *past) connOfRow(row uint32) (conn []uint32, at uint32) {
	for _, c := range p.conns {
		if row-c[2] < 1<<c[3] {
			return c, row - c[2]
		}
	}
	return nil, 0
}

// connAgain opens a connection as it stands: its line says where the first path and stream of those in use stand, and
// lines behind it say it of the others.
func (l *lifter) connAgain(p *past, u *uses, index uint32) {
	a := p.conns[index]
	if a == nil || a[1] < 1 {
		return
	}
	o := connLine{dst: a[0], paths: int(a[1]), streams: 1 << a[3], peer: 0x100}
	paths, streams := map[uint32]Window{}, map[uint32]uint32{}
	for i := a[1]; i > 0; i-- {
		key := [2]uint32{index, i - 1}
		set := p.paths[key]
		if set == nil || !u.paths[key] {
			continue
		}
		w := Window{set[2], set[3], uint8(set[4])}
		if now, ok := l.o.Path(index, uint8(i-1)); ok {
			w = now
		}
		paths[i-1], o.at, o.peer = w, w, set[5]
	}
	for i := uint32(1) << a[3]; i > 0; i-- {
		row := a[2] + i - 1
		set := p.streams[row]
		if set == nil || !u.rows[row] {
			continue
		}
		msn := set[1]
		if now, ok := l.o.Stream(uint16(row)); ok {
			msn = now
		}
		streams[i-1], o.msn = msn, msn
	}
	o.recv = p.firstRecv(u, a[2], uint32(1)<<a[3])
	if !l.conn(&o) {
		return
	}
	for _, i := range slices.Sorted(maps.Keys(paths)) {
		if w := paths[i]; w != o.at {
			l.line("path", fmt.Sprintf("%d.%d", index, i), fmt.Sprintf("psn=%#x", w.Psn), fmt.Sprintf("tsn=%#x", w.Tsn), fmt.Sprintf("epoch=%d", w.Epoch))
		}
	}
	for _, i := range slices.Sorted(maps.Keys(streams)) {
		if streams[i] != o.msn {
			l.line("stream", fmt.Sprintf("%d.%d", index, i), fmt.Sprintf("msn=%#x", streams[i]))
		}
	}
}

// firstRecv is the lowest receive in use of the first stream that uses one: the number that the others count from.
func (p *past) firstRecv(u *uses, base, streams uint32) uint32 {
	first, row, found := uint32(0), base+streams, false
	for r := range u.recvs {
		if r[0]-base >= streams || r[0] > row {
			continue
		}
		if !found || r[0] < row || int32(r[1]-first) < 0 {
			first, row, found = r[1], r[0], true
		}
	}
	return first
}
