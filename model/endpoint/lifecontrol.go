package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// sendLife makes the control packet that the state of a connection calls for.
func (n *NIC) sendLife(q control, p *Packet) bool {
	p.Base = wire.Base{Opcode: wire.OpcodeControl, TxTime: n.tick}
	p.Src, p.Sport, p.Ce, p.PayloadLen = n.host, n.port(), false, 0
	if q.kind == controlStray {
		s := n.strays.Head()
		if s == nil {
			return false
		}
		p.Dst, p.DstConn = s.host, s.dst
		p.Control = wire.Control{Action: wire.ControlActionClosed, Txn: s.txn}
		n.strays.Drop()
		return true
	}
	c := n.conns[q.conn]
	p.Dst, p.DstConn = c.host, c.peer
	p.Control = wire.Control{
		Paths: c.paths, Streams: c.row.StreamLog2, Txn: c.life.txn, SrcConn: n.connName(c), StartPsn: c.first, PortRate: n.cfg.portRate(),
	}
	switch {
	case c.state == connOpening:
		p.Control.Action = wire.ControlActionOpen
	case c.state == connClosing:
		p.Control.Action = wire.ControlActionClose
	case q.answer:
		p.Control.Action = wire.ControlActionAccept
	default:
		return false
	}
	return true
}

// onControl takes what a peer says of a connection.
func (n *NIC) onControl(plane int, p *Packet) {
	switch p.Control.Action {
	case wire.ControlActionOpen:
		n.onOpen(plane, p)
	case wire.ControlActionAccept:
		if c := n.connAt(p.DstConn); c != nil && c.state == connOpening && n.connName(c) == p.DstConn && c.life.txn == p.Control.Txn {
			n.accept(c, &p.Control)
		}
	case wire.ControlActionClose:
		n.onClose(plane, p)
	case wire.ControlActionClosed:
		n.onClosed(p)
	default:
		n.count.Drops[event.ReasonOpcode]++
	}
}

// accept begins to use a connection that the peer accepted, or closes it: with a rate that no window fits it is of no use.
func (n *NIC) accept(c *conn, q *wire.Control) {
	if n.checkPeer(q.PortRate) != nil {
		c.peer, c.life.refused = q.SrcConn, true
		n.askClose(c)
		return
	}
	n.opened(c, q.SrcConn, q.PortRate, q.StartPsn)
	n.tell(c, LifeOpened)
}

// onOpen accepts a connection, or says again that it was accepted.
func (n *NIC) onOpen(plane int, p *Packet) {
	q := &p.Control
	if c := n.accepted(p.Src, q.SrcConn); c != nil {
		if c.life.txn == q.Txn {
			n.control(uint8(plane), control{kind: controlLife, conn: c.index, answer: true})
		}
		return
	}
	bad := q.Paths == 0 || int(q.Paths) > n.cfg.Paths || q.Streams > 16 || n.checkPeer(q.PortRate) != nil
	if bad || !n.cfg.Accept {
		n.refuse(plane, p)
		return
	}
	c, err := n.take(p.Src, q.Paths, q.Streams)
	if err != nil {
		n.refuse(plane, p)
		return
	}
	n.opened(c, q.SrcConn, q.PortRate, q.StartPsn)
	c.life.txn, c.life.answers = q.Txn, true
	n.control(uint8(plane), control{kind: controlLife, conn: c.index, answer: true})
	n.tell(c, LifeAccepted)
}

// accepted is the connection that was accepted from a peer that knows it by that name. One that rests is still known, so
// that a late copy of its open does not begin another; an own open that was refused never learnt a name.
func (n *NIC) accepted(host uint16, name uint32) *conn {
	for _, c := range n.conns {
		if c.life.answers && c.host == host && c.peer == name && c.state != connFree {
			return c
		}
	}
	return nil
}

// refuse answers with closed: nothing was opened, or nothing is open any more.
func (n *NIC) refuse(plane int, p *Packet) {
	*n.strays.Push() = stray{p.Src, p.Control.SrcConn, p.Control.Txn}
	n.control(uint8(plane), control{kind: controlStray})
}

// onClose ends a connection for its peer, and answers in any case: the answer before may have been lost.
func (n *NIC) onClose(plane int, p *Packet) {
	c := n.connAt(p.DstConn)
	if c != nil && c.row.Valid && n.connName(c) == p.DstConn && c.host == p.Src {
		n.flushAll(c, StatusFlushed)
		n.tell(c, LifeClosed)
		n.rest(c)
	}
	n.refuse(plane, p)
}

// onClosed ends a connection that asked to be closed, or one that was refused.
func (n *NIC) onClosed(p *Packet) {
	c := n.connAt(p.DstConn)
	if c == nil || n.connName(c) != p.DstConn || c.life.txn != p.Control.Txn {
		return
	}
	if c.state == connOpening || c.state == connClosing {
		n.ended(c)
	}
}
