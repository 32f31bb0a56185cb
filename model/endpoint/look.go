package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathtimer"
)

// pathTally counts what the engines of a path keep no count of, modulo 2^32.
type pathTally struct {
	repeated uint32 // packets sent again, detours included
	timeouts uint32
}

// count is where a path counts its troubles. Most connections have none, and no memory for them.
func (t *sender) count(path uint8) *pathTally {
	if t.tally == nil {
		t.tally = make([]pathTally, len(t.paths))
	}
	return &t.tally[path]
}

// Shape is what was agreed on when a connection was opened.
type Shape struct {
	Paths   uint8
	Streams uint8 // log2 of their number
	Host    uint16
}

// Shape of an open connection.
func (n *NIC) Shape(conn uint16) (Shape, error) {
	if int(conn) >= len(n.conns) || !n.conns[conn].row.Valid {
		return Shape{}, ErrNotOpen
	}
	c := n.conns[conn]
	return Shape{c.paths, c.row.StreamLog2, c.host}, nil
}

// PathView is what a NIC knows of a path that it sends by. Bytes are bytes on the wire; counts are modulo 2^32.
type PathView struct {
	State    uint8 // of pathtimer: active, suspect, failed
	Plane    uint8 // by which it leaves now
	Home     uint8 // to which it belongs
	Epoch    uint8
	Sport    uint16 // UDP source port: its entropy
	Feeds    bool   // new data goes by it
	Window   uint32 // bytes
	Inflight uint32 // bytes not acknowledged, detours included
	Lost     uint16 // packets that wait to be sent again
	Srtt     uint32 // ticks; 0: no sample yet
	Rttvar   uint32 // ticks
	Rto      uint32 // ticks: timeout without back-off
	Sent     uint32 // packets, each once
	Repeated uint32 // packets sent again, detours included
	Timeouts uint32
}

// Path looks at a path of an open connection. Before the first packet a connection has no paths yet: they are as they will
// be, without ports.
func (n *NIC) Path(conn uint16, path uint8) (PathView, error) {
	shape, err := n.Shape(conn)
	if err != nil {
		return PathView{}, err
	}
	if path >= shape.Paths {
		return PathView{}, ErrNoPath
	}
	c := n.conns[conn]
	home := pathtimer.Home(int(path), n.cfg.Planes)
	if c.tx == nil {
		return PathView{Plane: home, Home: home, Rto: n.firstRto()}, nil
	}
	t := c.tx
	p := &t.paths[path]
	v := PathView{
		State: p.timer.State, Plane: p.timer.Plane, Home: home, Epoch: p.timer.Epoch, Sport: p.timer.Sport,
		Feeds: t.feed>>path&1 != 0, Window: n.cfg.rules.cc.Free(&event.CcPath{Window: p.cc.Window}, &t.cc), Inflight: p.cc.Inflight,
		Lost: p.xmit.Lost, Srtt: p.heard.Srtt, Rttvar: p.heard.Rttvar, Rto: n.rto(t, path),
		Sent: p.xmit.NextPsn - c.first,
	}
	if t.tally != nil {
		v.Repeated, v.Timeouts = t.tally[path].repeated, t.tally[path].timeouts
	}
	return v, nil
}

// firstRto is the timeout of a path that nothing is known of.
func (n *NIC) firstRto() uint32 {
	return pathtimer.Timeout(&n.cfg.Tuning, &event.PathTimerIn{Base: n.cfg.BaseRtt})
}
