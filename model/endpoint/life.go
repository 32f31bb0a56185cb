package endpoint

import (
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/message"
	"metaroce/tandem/model/sim"
)

// life is where the opening or closing of a connection stands.
type life struct {
	txn  uint16
	slot uint32
}

// ConnectNow opens a connection between two NICs at once, as a handshake without loss would, and returns its index at
// both. Streams is log2 of the number of its streams.
func ConnectNow(now sim.Picos, a, b *NIC, paths uint8, streams uint8) (atA, atB uint16, err error) {
	a.at(now)
	b.at(now)
	first := uint32(a.random.Uint64())
	ca, err := a.take(b.cfg.Host, paths, streams, first)
	if err != nil {
		return 0, 0, err
	}
	cb, err := b.take(a.cfg.Host, paths, streams, first)
	if err != nil {
		return 0, 0, err
	}
	a.opened(ca, b.connName(cb), b.cfg.Mbps*uint32(b.cfg.Planes))
	b.opened(cb, a.connName(ca), a.cfg.Mbps*uint32(a.cfg.Planes))
	return ca.index, cb.index, nil
}

// connName is what a peer calls the connection: index and generation.
func (n *NIC) connName(c *conn) uint32 { return uint32(c.row.Generation)<<16 | uint32(c.index) }

// take gives a new connection an index and rows for its streams.
func (n *NIC) take(host uint16, paths, streams uint8, first uint32) (*conn, error) {
	if len(n.conns) >= n.cfg.Conns {
		return nil, &Problem{"connections", "all in use", "close one, or configure more"}
	}
	if len(n.streams)+1<<streams > n.cfg.Streams {
		return nil, &Problem{"streams", "all in use", "close a connection, or configure more"}
	}
	c := &conn{index: uint16(len(n.conns)), host: host, paths: paths, first: first, state: connOpening}
	c.row = event.AdmitConn{Paths: paths, StreamBase: uint16(len(n.streams)), StreamLog2: streams}
	n.conns = append(n.conns, c)
	n.streams = append(n.streams, make([]*stream, 1<<streams)...)
	n.links = append(n.links, make([]event.StreamSchedLink, 1<<streams)...)
	return c, nil
}

// opened makes a connection usable.
func (n *NIC) opened(c *conn, peer, rate uint32) {
	c.state, c.peer, c.rate = connOpen, peer, rate
	c.row.Valid = true
}

// stream is a stream of an open connection, made when it is first used: most connections use few of those they have.
func (n *NIC) stream(c *conn, number uint16) *stream {
	row := c.row.StreamBase + number
	s := n.streams[row]
	if s == nil {
		s = &stream{row: row, number: number, conn: c.index}
		s.send.slot = notInWheel
		n.streams[row] = s
		n.openStream(s)
	}
	return s
}

// openStream gives a stream a new life, both directions.
func (n *NIC) openStream(s *stream) {
	life := s.order.Life + 1
	var mo event.MessageOut
	message.Step(&event.MessageSlot{}, &s.sticky, event.MessageSet, &event.MessageIn{LifeIn: life}, &mo)
	var co event.CompleteOut
	complete.Step(&s.order, event.CompleteSet, &event.CompleteIn{Life: life}, &co)
	q := &s.send
	var turn event.StreamSchedTurn
	var so event.StreamSchedOut
	n.rules.sched.Step(&q.sched, &event.StreamSchedMessage{}, &turn, event.StreamSchedOpen, &event.StreamSchedIn{Weight: 1}, &so)
}

// streamOf finds a stream of an open connection.
func (n *NIC) streamOf(conn, number uint16) (*stream, *conn, error) {
	if int(conn) >= len(n.conns) || n.conns[conn].state != connOpen {
		return nil, nil, ErrNotOpen
	}
	c := n.conns[conn]
	if uint32(number)>>c.row.StreamLog2 != 0 {
		return nil, nil, ErrNoStream
	}
	return n.stream(c, number), c, nil
}

func (n *NIC) connExpired(c *conn, slot uint32) {}

func (n *NIC) onControl(plane int, p *Packet) {}

func (n *NIC) sendLife(q control, p *Packet) bool { return false }
