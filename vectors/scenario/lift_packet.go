package scenario

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/stimulus"
)

// frame writes a packet by its fields, and byte by byte what is none.
func (l *lifter) frame(it *stimulus.Item) bool {
	f := &l.p.Frames[l.frames]
	l.frames++
	var gap *Arg
	if it.Gap > 0 {
		gap = &Arg{Val: fmt.Sprint(it.Gap)}
	}
	items, frames := len(l.c.b.Program.Items), len(l.c.b.Program.Frames)
	if l.packet(gap, &f.Packet, it.Data) {
		if bytes.Equal(l.c.b.Program.Items[len(l.c.b.Program.Items)-1].Data, it.Data) {
			return true
		}
		l.undo(items, frames)
	}
	return l.stmt(gap, "raw", []string{hex.EncodeToString(it.Data)})
}

// packet writes a packet as its kind; false where the language has no line for it.
func (l *lifter) packet(gap *Arg, p *compose.Packet, data []byte) bool {
	conn := l.connFor(p)
	if conn == nil || !wire.Kinds[p.Op].Known {
		return false
	}
	if made, _ := p.Frame(); !bytes.Equal(made, data) {
		return false // of a frame that is no packet nothing is known
	}
	word := wire.Kinds[p.Op].Name
	if p.Query {
		word = "query"
	}
	a := &pairs{spec: vocabulary[word]}
	if conn.Index != 0 {
		a.number("conn", uint64(conn.Index))
	}
	if p.DstConn != conn.DstConn() {
		a.add("dst", fmt.Sprintf("%#x", p.DstConn))
	}
	l.serialPairs(a, p, conn)
	l.messagePairs(a, p, conn)
	l.framePairs(a, p)
	return l.stmt(gap, word, a.list)
}

// pairs collects the arguments of a line, of those that its word takes.
type pairs struct {
	spec *wordSpec
	list []string
}

func (a *pairs) add(key, value string) {
	if a.spec.key(key) != nil {
		a.list = append(a.list, key+"="+value)
	}
}

func (a *pairs) number(key string, n uint64) { a.add(key, fmt.Sprint(n)) }

func (a *pairs) flag(name string, on bool) {
	if on {
		a.list = append(a.list, name)
	}
}

// connFor is the open connection that a packet names, or for one that names none the first that is open.
func (l *lifter) connFor(p *compose.Packet) *compose.Conn {
	if c := l.c.conns[uint64(p.ConnIndex())]; c != nil {
		return c
	}
	var first *compose.Conn
	for _, c := range l.c.conns {
		if first == nil || c.Index < first.Index {
			first = c
		}
	}
	return first
}

// far is the distance from a first serial number at which a number is no longer told relative to it.
const far = 1 << 16

// serialText writes a serial number of so many bits relative to the first one, if it is near.
func serialText(n, first uint32, width uint) string {
	mask := uint32(uint64(1)<<width - 1)
	up, down := (n-first)&mask, (first-n)&mask
	switch {
	case up < far && (width > 4 || up < 8):
		return fmt.Sprintf("+%d", up)
	case down < far:
		return fmt.Sprintf("-%d", down)
	}
	return fmt.Sprintf("%#x", n)
}

func (l *lifter) serialPairs(a *pairs, p *compose.Packet, conn *compose.Conn) {
	path := &compose.Path{}
	if int(p.Path) < len(conn.Paths) {
		path = conn.Paths[p.Path]
	}
	if p.Path != 0 {
		a.number("path", uint64(p.Path))
	}
	switch use := wire.Kinds[p.Op].Psn; {
	case use == wire.PsnAndTsn:
		a.add("psn", serialText(p.Psn, path.Psn0, 32))
		a.add("tsn", serialText(p.Tsn, path.Tsn0, 32))
	case use == wire.TsnOnly || p.Tsn != 0:
		a.add("tsn", serialText(p.Tsn, path.Tsn0, 32))
	}
	a.add("epoch", serialText(uint32(p.Epoch), uint32(path.Epoch0), 4))
}

func (l *lifter) messagePairs(a *pairs, p *compose.Packet, conn *compose.Conn) {
	kind := &wire.Kinds[p.Op]
	if !kind.HasStream && !p.Query {
		l.probePairs(a, p)
		return
	}
	stream := l.c.target(conn, uint64(p.Stream))
	if p.Stream != 0 {
		a.number("stream", uint64(p.Stream))
	}
	a.add("msn", serialText(p.Msn, stream.Msn0, 32))
	if kind.CarriesMessage {
		a.number("attempt", uint64(p.Attempt))
		a.number("offset", uint64(p.Offset))
		a.number("bytes", uint64(p.Bytes))
	}
	a.number("length", uint64(p.Length))
	l.targetPairs(a, p)
	a.add("recv", serialText(p.Recv, stream.Recv0, 32))
	if p.HasImm() {
		a.add("imm", fmt.Sprintf("%#x", p.Imm))
	}
	l.probePairs(a, p)
}

// targetPairs names the region if it is the one with that rkey.
func (l *lifter) targetPairs(a *pairs, p *compose.Packet) {
	if a.spec.key("rkey") == nil {
		return
	}
	n := uint64(p.Rkey >> 8)
	r := l.c.regions[n]
	if r == nil || r.Rkey() != p.Rkey {
		a.add("rkey", fmt.Sprintf("%#x", p.Rkey))
		a.add("addr", fmt.Sprintf("%#x", p.Addr))
		return
	}
	a.number("key", n)
	if off := p.Addr - r.Base; off < 1<<48 {
		a.add("addr", fmt.Sprintf("+%#x", off))
	} else {
		a.add("addr", fmt.Sprintf("%#x", p.Addr))
	}
}

func (l *lifter) probePairs(a *pairs, p *compose.Packet) {
	if p.Op == wire.OpcodeProbe {
		a.number("port", uint64(p.Port))
		a.number("new_epoch", uint64(p.NewEpoch))
		a.number("txn", uint64(p.Txn))
	}
}

func (l *lifter) framePairs(a *pairs, p *compose.Packet) {
	n := &p.Net
	a.number("time", uint64(p.Time))
	a.number("sport", uint64(n.Sport))
	if n.Dport != 0 {
		a.number("udp_port", uint64(n.Dport))
	}
	if n.PadTo != 0 {
		a.number("pad_to", uint64(n.PadTo))
	}
	if n.Cut != 0 {
		a.number("cut", uint64(n.Cut))
	}
	if n.Bad != compose.BadNone {
		a.add("bad", n.Bad.String())
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"A", p.A}, {"D", p.D}, {"R", p.R}, {"B", p.B}, {"L", p.L}, {"CE", n.CE}, {"ipv6", n.IPv6}, {"vlan", n.VLAN}} {
		a.flag(f.name, f.on)
	}
}
