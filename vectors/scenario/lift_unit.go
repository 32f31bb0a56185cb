package scenario

import (
	"cmp"
	"fmt"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// unit is what becomes one line: an item, or the register writes of one command.
type unit struct {
	at, end int                // items
	cmd     *event.CommandInfo // nil: no command, or one with other registers than its own
	args    []uint32           // of the command, in the order of cmd.Args
}

// cut takes a program apart.
func cut(p *compose.Program) ([]unit, error) {
	if n := p.Items.Frames(); n != len(p.Frames) {
		return nil, fmt.Errorf("%d frames, and something is known of %d", n, len(p.Frames))
	}
	var units []unit
	for at := 0; at < len(p.Items); {
		u := command(p.Items[at:])
		u.at, u.end = at, at+max(u.end, 1)
		units = append(units, u)
		at = u.end
	}
	return units, nil
}

// command finds the command that begins here: all its arguments in their order, then its number.
func command(items stimulus.List) unit {
	n := 0
	for n < len(items) && items[n].Kind == stimulus.KindWrite && items[n].Addr != event.RegCmdOp && n < 16 {
		n++
	}
	if n == len(items) || items[n].Kind != stimulus.KindWrite || items[n].Addr != event.RegCmdOp {
		return unit{}
	}
	for i := range event.Commands {
		info := &event.Commands[i]
		if uint32(info.Command) != items[n].Value || len(info.Args) != n {
			continue
		}
		u := unit{end: n + 1, cmd: info}
		for j := range info.Args {
			if items[j].Addr != uint16(info.Args[j].Reg) {
				return unit{}
			}
			u.args = append(u.args, items[j].Value)
		}
		return u
	}
	return unit{}
}

// access writes what goes to the register port.
func (l *lifter) access(units []unit) (int, error) {
	u := &units[0]
	it := &l.p.Items[u.at]
	name := registerName(it.Addr)
	switch {
	case u.cmd != nil:
		return l.command(units), nil
	case it.Kind == stimulus.KindRead:
		l.line("read", cmp.Or(name, fmt.Sprintf("%#x", it.Addr)))
		return 1, nil
	case name == "":
		return 0, fmt.Errorf("item %d of the stimulus: no register at %#x", u.at, it.Addr)
	case !l.line("set", name, fmt.Sprintf("%#x", it.Value)):
		return 0, fmt.Errorf("item %d of the stimulus: register %s is written to", u.at, name)
	}
	n := 1
	if it.Addr == event.RegUDPPort && len(units) > 1 && l.p.Items[units[1].at].Kind == stimulus.KindWaitIdle {
		n++ // the line waits by itself
	}
	return n, nil
}

// registerName finds the name by which a line calls a register.
func registerName(addr uint16) string {
	for i := range event.Registers {
		r := &event.Registers[i]
		n, rest := (int(addr)-r.Offset)/r.Stride, (int(addr)-r.Offset)%r.Stride
		switch {
		case int(addr) < r.Offset || n >= r.Count || rest != 0:
		case r.Count > 1:
			return fmt.Sprintf("%s.%d", r.Name, n)
		default:
			return r.Name
		}
	}
	return ""
}

// command writes a command, in the terms of connections and streams if it can be said so. It tells how many units that
// took: opening a connection is many.
func (l *lifter) command(units []unit) int {
	u := &units[0]
	if n := l.spoken(units); n > 0 {
		return n
	}
	args := []string{u.cmd.Name}
	for i := range u.cmd.Args {
		args = append(args, fmt.Sprintf("%s=%#x", u.cmd.Args[i].Name, u.args[i]))
	}
	l.line("command", args...)
	return 1
}

func (l *lifter) spoken(units []unit) int {
	u := &units[0]
	ok := false
	switch u.cmd.Command {
	case event.CommandConnSet:
		return l.open(units)
	case event.CommandPathSet:
		ok = l.path(u.args)
	case event.CommandStreamSet:
		if name := l.streamName(u.args[0]); name != "" && u.args[2] < 256 {
			ok = l.line("stream", name, fmt.Sprintf("msn=%#x", u.args[1]), fmt.Sprintf("life=%d", u.args[2]))
		}
	case event.CommandStreamClose:
		if name := l.streamName(u.args[0]); name != "" {
			ok = l.line("close", name)
		}
	case event.CommandConnClear:
		if c := l.connOf(u.args[0]); c != nil {
			ok = l.line("clear", "conn", fmt.Sprint(c.Index))
		}
	case event.CommandKeySet:
		ok = l.key(u.args)
	case event.CommandKeyClear:
		if r := l.c.regions[uint64(u.args[0]>>8)]; r != nil && r.Rkey() == u.args[0] {
			ok = l.line("clear", "key", fmt.Sprint(r.Index))
		}
	case event.CommandRecvPost:
		ok = l.recv(u.args[0], u.args[1], buffer(u.args))
	case event.CommandRecvClear:
		if name := l.streamName(u.args[0]); name != "" {
			ok = l.line("clear", "recv", name, "index="+serialText(u.args[1], l.stream(u.args[0]).Recv0, 32))
		}
	}
	if ok {
		return 1
	}
	return 0
}

// connOf is the open connection of that index and generation.
func (l *lifter) connOf(dst uint32) *compose.Conn {
	if c := l.c.conns[uint64(dst&0xffff)]; c != nil && c.DstConn() == dst {
		return c
	}
	return nil
}

// stream finds the stream of a row.
func (l *lifter) stream(row uint32) *compose.Stream {
	for _, c := range l.c.conns {
		if at := row - uint32(c.Base); at < uint32(len(c.Streams)) {
			return c.Streams[at]
		}
	}
	return nil
}

// streamName is CONN.STREAM of a row, "" where no connection has it.
func (l *lifter) streamName(row uint32) string {
	for _, c := range l.c.conns {
		if at := row - uint32(c.Base); at < uint32(len(c.Streams)) {
			return fmt.Sprintf("%d.%d", c.Index, at)
		}
	}
	return ""
}

func (l *lifter) path(args []uint32) bool {
	c := l.connOf(args[0])
	if c == nil || args[1] >= uint32(len(c.Paths)) || args[4] > 15 {
		return false
	}
	list := []string{fmt.Sprintf("%d.%d", c.Index, args[1]), fmt.Sprintf("psn=%#x", args[2]), fmt.Sprintf("tsn=%#x", args[3]), fmt.Sprintf("epoch=%d", args[4])}
	if args[5] != c.Peer {
		list = append(list, fmt.Sprintf("peer=%#x", args[5]))
	}
	return l.line("path", list...)
}

// key writes a region of an open connection; one that had its number is forgotten.
func (l *lifter) key(args []uint32) bool {
	c := l.connOf(args[1])
	if c == nil || args[6] > 7 {
		return false
	}
	list := []string{fmt.Sprint(args[0] >> 8)}
	if c.Index != 0 {
		list = append(list, fmt.Sprintf("conn=%d", c.Index))
	}
	return l.line("key", append(list, fmt.Sprintf("base=%#x", uint64(args[3])<<32|uint64(args[2])), fmt.Sprintf("length=%#x", uint64(args[5])<<32|uint64(args[4])),
		fmt.Sprintf("tag=%#x", args[0]&0xff), "perm="+permText(args[6]))...)
}

func permText(bits uint32) string {
	var words []string
	for i, w := range []string{"write", "read", "atomic"} {
		if bits>>i&1 != 0 {
			words = append(words, w)
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ",")
}

func buffer(args []uint32) compose.Buffer {
	return compose.Buffer{Addr: uint64(args[3])<<32 | uint64(args[2]), Length: args[4], WrID: args[5]}
}

func (l *lifter) recv(row, index uint32, b compose.Buffer) bool {
	name := l.streamName(row)
	if name == "" {
		return false
	}
	return l.line("recv", name, "index="+serialText(index, l.stream(row).Recv0, 32), fmt.Sprintf("addr=%#x", b.Addr), fmt.Sprintf("bytes=%d", b.Length),
		fmt.Sprintf("wr_id=%#x", b.WrID))
}
