package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// Pull asks for the next packet of a plane whose uplink is free, and fills p. After false the plane is kicked when there is
// something. What goes first: replies, control of the sender, what has to be sent again, new data.
func (n *NIC) Pull(now sim.Picos, plane int, p *Packet) bool {
	n.at(now)
	waiting := n.filled[plane]
	if waiting == 0 && !n.ripe {
		return false
	}
	pl := &n.planes[plane]
	if (waiting&hasReplies != 0 || n.ripe) && n.pullReply(pl, uint8(plane), p) ||
		waiting&hasControl != 0 && n.pullControl(pl, uint8(plane), p) {
		n.count.Control++
		return true
	}
	return waiting&hasLost != 0 && n.pullLost(pl, uint8(plane), p) || waiting&hasReady != 0 && n.pullData(uint8(plane), p)
}

// pullReply takes from the queues of ack in turn (R-ARBITER).
func (n *NIC) pullReply(pl *plane, plane uint8, p *Packet) bool {
	if n.filled[plane]&hasReplies == hasWishes && !n.ripe {
		return n.pullWish(pl, plane, p)
	}
	for range 3 {
		pl.turn = (pl.turn + 1) % 3
		switch pl.turn {
		case 0:
			if n.pullWish(pl, plane, p) {
				return true
			}
		case 1:
			if n.pullAnswer(pl, plane, p) {
				return true
			}
		default:
			if n.pullNotice(plane, p) {
				return true
			}
		}
	}
	return false
}

// pullWish builds the acknowledgement of the path that waits longest. A path whose newest packet came by another plane
// since is acknowledged there.
func (n *NIC) pullWish(pl *plane, plane uint8, p *Packet) bool {
	for pl.wishes.Len() > 0 {
		w := *pl.wishes.Head()
		pl.wishes.Drop()
		c := n.conns[w.conn]
		if c.rx == nil {
			continue // closed since
		}
		row := &c.rx[w.path]
		if row.plane != plane {
			*n.planes[row.plane].wishes.Push() = w
			n.wait(row.plane, hasWishes)
			continue
		}
		n.buildAck(c, w.path, w.op, p)
		return true
	}
	n.filled[plane] &^= hasWishes
	return false
}

func (n *NIC) pullAnswer(pl *plane, plane uint8, p *Packet) bool {
	for pl.answers.Len() > 0 {
		r := *pl.answers.Head()
		pl.answers.Drop()
		c := n.conns[r.Conn]
		if !c.row.Valid {
			continue
		}
		n.buildReply(c, &r, p)
		return true
	}
	n.filled[plane] &^= hasAnswers
	return false
}

// pullNotice sends the oldest notice alone when no acknowledgement took it for long enough.
func (n *NIC) pullNotice(plane uint8, p *Packet) bool {
	if !n.ripe {
		return false
	}
	h := n.notices.head()
	c := n.conns[h.conn]
	if c.rx == nil {
		n.dropNotice() // closed since
		return false
	}
	if by := c.rx[h.path].plane; by != plane {
		n.kick(by)
		return false
	}
	n.buildAck(c, h.path, event.AckNotice, p)
	return true
}

// transmit fills the base header of what the sender sends: carrier is the path whose port and plane it leaves by.
func (n *NIC) transmit(c *conn, op wire.Opcode, path, carrier uint8, p *Packet) {
	t := c.tx
	p.Base = wire.Base{Opcode: op, Epoch: t.paths[path].timer.Epoch, Path: path, DstConn: c.peer, TxTime: n.tick}
	p.Src, p.Dst, p.Sport = n.host, c.host, t.paths[carrier].timer.Sport
	p.Ce, p.PayloadLen = false, 0
}

// pullLost sends again what is lost: on its own path, or as a detour where that is not active.
func (n *NIC) pullLost(pl *plane, plane uint8, p *Packet) bool {
	for pl.lost.Len() > 0 {
		c := n.conns[*pl.lost.Head()]
		t := c.tx
		if t != nil && n.paced(t) {
			here := t.active & n.onPlane(t, plane)
			if own := t.lost & here; own != 0 {
				n.sendAgain(c, uint8(bits.TrailingZeros64(own)), p)
				n.turnLost(pl, plane, c)
				return true
			}
			if gone := t.lost &^ t.active; gone != 0 && here != 0 {
				n.sendDetour(c, uint8(bits.TrailingZeros64(gone)), here, p)
				n.turnLost(pl, plane, c)
				return true
			}
		}
		if t != nil {
			t.inLost &^= 1 << plane
		}
		pl.lost.Drop()
	}
	n.filled[plane] &^= hasLost
	return false
}

// turnLost moves the connection that sent to the end of the list, so that the next one is another's.
func (n *NIC) turnLost(pl *plane, plane uint8, c *conn) {
	pl.lost.Drop()
	if n.canRepeat(c.tx, plane) {
		*pl.lost.Push() = c.index
	} else {
		c.tx.inLost &^= 1 << plane
	}
}

// canRepeat tells whether something lost may leave by a plane.
func (n *NIC) canRepeat(t *sender, plane uint8) bool {
	here := t.active & n.onPlane(t, plane)
	return t.lost&here != 0 || t.lost&^t.active != 0 && here != 0
}

// wakeLost puts a connection on the lists of the planes by which its lost packets may leave.
func (n *NIC) wakeLost(c *conn) {
	t := c.tx
	if t.lost == 0 || !n.paced(t) {
		return
	}
	for i := range n.planes {
		if t.inLost>>i&1 == 0 && n.canRepeat(t, uint8(i)) {
			t.inLost |= 1 << i
			*n.planes[i].lost.Push() = c.index
		}
		if t.inLost>>i&1 != 0 {
			n.wait(uint8(i), hasLost)
		}
	}
}

// sendAgain repeats the first lost packet of an active path on that path, with the next tsn (R-WALK).
func (n *NIC) sendAgain(c *conn, path uint8, p *Packet) {
	pt := &c.tx.paths[path]
	psn, _ := xmit.Head(&pt.xmit, xmit.Lost)
	rec := *n.records.At(&pt.ring, psn)
	out := n.xmit(c, path, event.XmitAgain, &event.XmitIn{})
	n.transmit(c, n.opcodeOf(c, &rec), path, path, p)
	p.Psn, p.Tsn, p.FlagR, p.FlagA = out.Psn, out.Tsn, true, pt.timer.Expired > 0
	n.repeated(c, path, path, &rec, p)
}

// sendDetour sends the first lost packet of a path that is not active by another one's port (R-DETOUR).
func (n *NIC) sendDetour(c *conn, home uint8, carriers uint64, p *Packet) {
	t := c.tx
	carrier := n.choose(c, carriers)
	psn, _ := xmit.Head(&t.paths[home].xmit, xmit.Lost)
	rec := *n.records.At(&t.paths[home].ring, psn)
	out := n.xmit(c, home, event.XmitDetour, &event.XmitIn{Carrier: carrier})
	n.transmit(c, n.opcodeOf(c, &rec), home, carrier, p)
	p.Psn, p.Tsn, p.FlagR, p.FlagD = out.Psn, out.Tsn, true, true
	t.away |= 1 << home
	n.repeated(c, home, carrier, &rec, p)
	n.count.Detours++
}

// repeated is what both ways of sending again have in common.
func (n *NIC) repeated(c *conn, home, carrier uint8, rec *event.XmitPacket, p *Packet) {
	t := c.tx
	pt := &t.paths[home]
	if pt.xmit.Lost == 0 {
		t.lost &^= 1 << home
	}
	n.fill(c, rec, p)
	n.count.Data++
	n.count.Retransmitted++
	t.count(home).repeated++
	out := n.ccSend(c, home, p, false)
	p.FlagB = out.Demand
	if home == carrier {
		if !pt.timer.Armed {
			n.armTimer(c, home)
		}
		t.dirty |= 1 << home
	} else {
		n.armAway(c, home)
	}
	n.tail(c)
}

// pullData cuts the next packet of the connection whose turn it is.
func (n *NIC) pullData(plane uint8, p *Packet) bool {
	list := &n.ready[plane]
	for list.count > 0 {
		c := n.conns[list.head]
		t := c.tx
		mask := n.sendable(t) & n.onPlane(t, plane)
		if mask == 0 {
			list.drop(n, plane)
			t.inReady &^= 1 << plane
			continue
		}
		if t.credit <= 0 {
			t.credit += int32(n.cfg.Mtu)
			if list.count > 1 {
				list.drop(n, plane)
				list.push(n, plane, c)
				continue
			}
		}
		if n.sendFirst(c, mask, p) {
			return true
		}
	}
	n.filled[plane] &^= hasReady
	return false
}

// connList is a list of connections, through their senders.
type connList struct {
	head, tail uint16 // indexes; mean nothing while it is empty
	count      uint32
}

func (l *connList) push(n *NIC, plane uint8, c *conn) {
	if l.count == 0 {
		l.head = c.index
	} else {
		n.conns[l.tail].tx.next[plane] = c.index
	}
	l.tail = c.index
	l.count++
}

// drop takes the first one out; there is one.
func (l *connList) drop(n *NIC, plane uint8) {
	l.head = n.conns[l.head].tx.next[plane]
	l.count--
}

// remove takes a connection out that stands anywhere.
func (l *connList) remove(n *NIC, plane uint8, c *conn) {
	for range l.count { // once round
		first := n.conns[l.head]
		l.drop(n, plane)
		if first != c {
			l.push(n, plane, first)
		}
	}
}

// sendable is the paths by which the connection may send new data now: it has some, its pacing time has come, and there
// is room (R-ROOM). A connection that only waits for a time is put where that will be seen.
func (n *NIC) sendable(t *sender) uint64 {
	if t.turn.Queued == 0 && !t.replying() {
		n.endTurn(t, turnNone)
		return 0
	}
	if !n.served(t) {
		return 0
	}
	if n.cfg.rules.cc.Asleep(&t.cc, n.tick) {
		n.resume(n.conns[t.conn])
	}
	mask := t.feed & t.room
	if !t.connRoom {
		if at, waits := n.cfg.rules.cc.Reminder(&t.cc); waits {
			n.await(t, at)
		}
		return 0
	}
	if mask == 0 || !n.paced(t) {
		return 0
	}
	return mask
}

// paced tells whether the pace lets the next packet go now, new or again; if not, the connection waits for its time.
func (n *NIC) paced(t *sender) bool {
	if cc.Paced(&t.cc, n.tick) {
		return true
	}
	n.await(t, t.cc.PaceAt)
	return false
}

// await puts a connection where its time is seen: the next packet's by the pace, or that of another announcement.
func (n *NIC) await(t *sender, tick uint32) {
	if !t.inPace || int32(tick-t.wait) < 0 {
		t.inPace, t.wait = true, tick
		n.pace.push(tick, t.conn)
		n.soon(tick)
	}
}

// unpace looks at the connections whose pacing time has come.
func (n *NIC) unpace() {
	for len(n.pace.e) > 0 && int32(n.pace.e[0].at-n.tick) <= 0 {
		e := n.pace.pop()
		c := n.conns[e.conn]
		if c.tx == nil || !c.tx.inPace || c.tx.wait != e.at {
			continue // closed since, or looked at earlier
		}
		c.tx.inPace = false
		if cc.Unanswered(&c.tx.cc) && c.tx.cc.Inflight == 0 && n.silent(c) {
			n.abort(c, StatusTimeout)
			continue
		}
		n.wakeLost(c)
		n.wakeConn(c)
	}
}

// wakeConn puts a connection on the ready lists of the planes by which it may send new data.
func (n *NIC) wakeConn(c *conn) {
	t := c.tx
	mask := n.sendable(t)
	if mask == 0 {
		return
	}
	for i := range n.planes {
		if mask&n.onPlane(t, uint8(i)) == 0 {
			continue
		}
		if t.inReady>>i&1 == 0 {
			t.inReady |= 1 << i
			n.ready[i].push(n, uint8(i), c)
		}
		n.wait(uint8(i), hasReady)
	}
}
