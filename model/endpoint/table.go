package endpoint

import (
	"metaroce/tandem/model/complete"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/message"
)

// take gives a new connection an index and rows for its streams: those of one that has rested, where there is one with
// enough streams, else new ones.
func (n *NIC) take(host uint16, paths, streams uint8) (*conn, error) {
	if err := n.checkOpen(paths, streams); err != nil {
		return nil, err
	}
	c := n.rested(streams)
	if c == nil {
		if len(n.conns) >= n.cfg.Conns {
			return nil, &Problem{"connections", "all in use or resting", "close one, or configure more"}
		}
		if len(n.streams)+1<<streams > n.cfg.Streams {
			return nil, &Problem{"streams", "all in use or resting", "close a connection, or configure more"}
		}
		c = &conn{index: uint16(len(n.conns)), rows: streams}
		c.row.StreamBase = uint16(len(n.streams))
		n.conns = append(n.conns, c)
		n.share.rows = append(n.share.rows, event.ShareSender{})
		n.streams = append(n.streams, make([]*stream, 1<<streams)...)
		n.links = append(n.links, make([]event.StreamSchedLink, 1<<streams)...)
	}
	c.state, c.host, c.peer, c.paths, c.first, c.why = connOpening, host, 0, paths, uint32(n.random.Uint64()), StatusOK
	c.row.Paths, c.row.StreamLog2 = paths, streams
	c.life = life{slot: notInWheel}
	return c, nil
}

// rested takes the connection that was closed longest ago, if its rest is over, under another generation.
func (n *NIC) rested(streams uint8) *conn {
	for left := n.freed.Len(); left > 0; left-- {
		r := *n.freed.Head()
		if int32(r.until-n.tick) > 0 {
			return nil
		}
		n.freed.Drop()
		c := n.conns[r.index]
		if c.rows < streams {
			*n.freed.Push() = r
			continue
		}
		c.row.Generation++
		return c
	}
	return nil
}

// leave gives back an index that nobody was told of.
func (n *NIC) leave(c *conn) {
	c.state = connFree
	*n.freed.Push() = resting{n.tick, c.index}
}

// opened makes a connection usable: rate is that of the peer's port, psn the first of its packets.
func (n *NIC) opened(c *conn, peer, rate, psn uint32) {
	c.state, c.peer, c.rate, c.peerFirst = connOpen, peer, rate, psn
	c.row.Valid = true
	for i := range 1 << c.row.StreamLog2 {
		if s := n.streams[int(c.row.StreamBase)+i]; s != nil {
			n.openStream(s)
		}
	}
}

// rest takes everything from a connection. Its index is given again after the rest: by then nothing is on its way that
// speaks of it (docs/memory-port.md).
func (n *NIC) rest(c *conn) {
	c.row.Valid = false
	for i := range 1 << c.row.StreamLog2 {
		if s := n.streams[int(c.row.StreamBase)+i]; s != nil {
			n.closeStream(s)
		}
	}
	if t := c.tx; t != nil {
		n.endTurn(t, turnNone)
		for i := range n.planes {
			n.ready[i].remove(n, uint8(i), c)
		}
		for i := range t.paths {
			n.records.Close(t.paths[i].ring)
		}
	}
	c.rx, c.tx, c.asks, c.state = nil, nil, nil, connResting
	*n.freed.Push() = resting{n.tick + n.cfg.Rest, c.index}
}

// flushAll gives everything that was posted and is not complete its completion.
func (n *NIC) flushAll(c *conn, why Status) {
	for i := range 1 << c.row.StreamLog2 {
		s := n.streams[int(c.row.StreamBase)+i]
		if s == nil || s.send.failed {
			continue
		}
		if c.tx != nil {
			n.failStream(c, s, s.send.reported, why)
		}
	}
}

// stream is a stream of an open connection, made when it is first used: most connections use few of those they have.
func (n *NIC) stream(c *conn, number uint16) *stream {
	if number == 0 && c.zero != nil {
		return c.zero
	}
	row := c.row.StreamBase + number
	s := n.streams[row]
	if s == nil {
		s = newStream()
		s.row, s.number, s.conn = row, number, c.index
		n.streams[row] = s
		if number == 0 {
			c.zero = s
		}
		n.openStream(s)
	}
	return s
}

// newStream allocates a stream and what it needs first in one piece, as senderOf does.
func newStream() *stream {
	b := &streamBlock{}
	b.first()
	return &b.stream
}

type streamBlock struct {
	stream
	_     [5*64 - 296]byte // the first slot is in one cache line
	slots [2]msgSlot
	work  [2]work
}

func (b *streamBlock) first() {
	b.stream.slots, b.send.rows, b.send.work = b.slots[:], b.send.few[:], b.work[:]
}

// openStream gives a stream a new life, both directions.
func (n *NIC) openStream(s *stream) {
	life := s.order.Life + 1
	var mo event.MessageOut
	message.Step(&event.MessageSlot{}, &s.sticky, event.MessageSet, &event.MessageIn{LifeIn: life}, &mo)
	var co event.CompleteOut
	complete.Step(&s.order, event.CompleteSet, &event.CompleteIn{Life: life}, &co)
	s.recvs, s.posted, s.consumed = nil, 0, 0
	s.send = sendStream{slot: notInWheel, rows: s.send.rows, work: s.send.work}
	var turn event.StreamSchedTurn
	var so event.StreamSchedOut
	n.cfg.rules.sched.Step(&s.send.sched, &event.StreamSchedMessage{}, &turn, event.StreamSchedOpen, &event.StreamSchedIn{Weight: 1}, &so)
}

// closeStream ends a life: what is on its way for it is thrown away.
func (n *NIC) closeStream(s *stream) {
	n.failReceives(s, StatusFlushed, noReceive)
	var mo event.MessageOut
	message.Step(&event.MessageSlot{}, &s.sticky, event.MessageClose, &event.MessageIn{}, &mo)
	var co event.CompleteOut
	complete.Step(&s.order, event.CompleteClose, &event.CompleteIn{}, &co)
}

// PostRecv posts a receive of a stream: the next message that consumes one goes there. It returns its index.
func (n *NIC) PostRecv(conn, number uint16, id uint32, addr uint64, length uint32) (uint32, error) {
	s, _, err := n.streamOf(conn, number)
	if err != nil {
		return 0, err
	}
	if s.posted-s.consumed >= uint32(n.cfg.Recvs) {
		return 0, ErrNoRoom
	}
	return n.postRecv(s, id, addr, length), nil
}
