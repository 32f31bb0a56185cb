package scenario

import (
	"fmt"

	"metaroce/tandem/model/event"
)

// open writes a connection that is opened with all its paths and streams, as compose.Builder.Open does, and tells how
// many units that took; 0 where it is done otherwise.
func (l *lifter) open(units []unit) int {
	a := units[0].args
	paths, base, log2 := int(a[1]), a[2], a[3]
	if l.c.conns[uint64(a[0]&0xffff)] != nil || log2 > 16 || paths < 1 || paths > l.o.Params.Paths || a[0] >= 1<<24 {
		return 0
	}
	streams := 1 << log2
	n := 1 + paths + streams
	if len(units) < n || l.c.b.NextRow(streams) != int(base) {
		return 0
	}
	p, s := units[1].args, units[1+paths].args
	for i := range paths {
		u := &units[1+i]
		if !is(u, event.CommandPathSet) || u.args[0] != a[0] || u.args[1] != uint32(i) || fmt.Sprint(u.args[2:]) != fmt.Sprint(p[2:]) {
			return 0
		}
	}
	for i := range streams {
		u := &units[1+paths+i]
		if !is(u, event.CommandStreamSet) || u.args[0] != base+uint32(i) || u.args[1] != s[1] || u.args[2] != 1 {
			return 0
		}
	}
	if !l.conn(&connLine{dst: a[0], paths: paths, streams: streams, peer: p[5], at: Window{p[2], p[3], uint8(p[4])}, msn: s[1]}) {
		return 0
	}
	return n
}

func is(u *unit, c event.Command) bool { return u.cmd != nil && u.cmd.Command == c }

// connLine is what the line "conn" says.
type connLine struct {
	dst            uint32
	paths, streams int
	peer           uint32
	at             Window
	msn, recv      uint32
}

func (l *lifter) conn(o *connLine) bool {
	return l.line("conn", fmt.Sprint(o.dst&0xffff), fmt.Sprintf("gen=%d", o.dst>>16), fmt.Sprintf("paths=%d", o.paths), fmt.Sprintf("streams=%d", o.streams),
		fmt.Sprintf("peer=%#x", o.peer), fmt.Sprintf("psn=%#x", o.at.Psn), fmt.Sprintf("tsn=%#x", o.at.Tsn), fmt.Sprintf("epoch=%d", o.at.Epoch),
		fmt.Sprintf("msn=%#x", o.msn), fmt.Sprintf("recv=%#x", o.recv))
}
