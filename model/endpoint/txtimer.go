package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/xmit"
)

// Owners in the wheel: two bits of kind, then what it is.
const (
	ownerPath   = 0 << 30 // connection, path
	ownerStream = 1 << 30 // row
	ownerConn   = 2 << 30 // connection
	ownerKind   = 3 << 30
)

func pathOwner(conn uint16, path uint8) uint32 { return ownerPath | uint32(conn)<<8 | uint32(path) }

// expire looks at the owners in the wheel whose slot has come.
func (n *NIC) expire() {
	for {
		id, slot, ok := n.timers.pop(n.tick)
		if !ok {
			return
		}
		switch id & ownerKind {
		case ownerPath:
			n.pathExpired(n.conns[id>>8&0xffff], uint8(id), slot)
		case ownerStream:
			n.streamExpired(n.streams[id&0xffff], slot)
		default:
			n.connExpired(n.conns[id&0xffff], slot)
		}
	}
}

// pathExpired does what is due on a path and puts it back into the wheel.
func (n *NIC) pathExpired(c *conn, path uint8, slot uint32) {
	if c.tx == nil || c.tx.paths[path].slot != slot {
		return // closed since, or another entry is to come
	}
	t := c.tx
	pt := &t.paths[path]
	pt.slot = notInWheel
	if pt.timer.Armed && int32(pt.timer.Deadline-n.tick) <= 0 {
		in := n.timerIn(c, path)
		if pt.timer.State != pathtimer.Active || pt.timer.Probes > 0 {
			planes := n.countPlanes(t)
			in.Port, in.Plane = n.port(), planes.Propose(int(path))
		}
		n.pathTimer(c, path, event.PathTimerDue, &in)
		if t.cc.Inflight > 0 && n.silent(c) {
			n.abort(c, StatusTimeout)
		}
	}
	if pt.xmit.Away > 0 {
		n.walkAway(c, path)
	}
	n.armPath(c, path)
	if pt.xmit.Away > 0 {
		n.armAway(c, path)
	}
}

// walkAway looks for records that left by another port and whose time has passed. That is no evidence against the path
// (R-DETOUR), so R-CC is not told of a loss.
func (n *NIC) walkAway(c *conn, path uint8) {
	var w walked
	n.walk(c, path, xmit.Away, nil, &event.AckRecvOut{}, &w)
	n.maskLists(c.tx, path)
	if w.acked > 0 {
		out := n.cc(c, path, event.CcAck, &event.CcIn{Acked: w.bytes, Packets: w.acked, Ce: c.tx.paths[path].cc.Ce})
		n.roomFor(c, path, &out)
		n.drained(c)
	}
	if w.lost > 0 {
		n.wakeLost(c)
	}
}

// listen begins the silence anew where nothing was in flight: nothing was asked that could have been answered.
func (n *NIC) listen(t *sender) {
	if t.cc.Inflight == 0 {
		t.lastAlive = n.tick
	}
}

// silent tells whether a connection that waits for an answer has heard nothing for so long that it is given up (R-CLOSE).
func (n *NIC) silent(c *conn) bool {
	return n.tick-c.tx.lastAlive > n.cfg.ConnTimeout && c.state <= connDraining
}

func (n *NIC) countPlanes(t *sender) pathtimer.Planes {
	return pathtimer.Count(n.cfg.Planes, len(t.paths), func(i int) *event.PathTimerPath { return &t.paths[i].timer })
}

// armTimer is op arm of R-TIMER: a packet left and no deadline holds.
func (n *NIC) armTimer(c *conn, path uint8) {
	in := n.timerIn(c, path)
	n.pathTimer(c, path, event.PathTimerArm, &in)
}

// armPath puts a path into the wheel where its deadline is, unless it stands there or earlier.
func (n *NIC) armPath(c *conn, path uint8) {
	pt := &c.tx.paths[path]
	if pt.timer.Armed {
		n.wheelPath(c, path, pt.timer.Deadline)
	}
}

// armAway puts a path into the wheel where the time of the record is that was sent away longest ago.
func (n *NIC) armAway(c *conn, path uint8) {
	pt := &c.tx.paths[path]
	psn, ok := xmit.Head(&pt.xmit, xmit.Away)
	if !ok {
		return
	}
	rec := n.records.At(&pt.ring, psn)
	n.wheelPath(c, path, rec.Sent+n.rto(c.tx, xmit.Carrier(rec)))
}

func (n *NIC) wheelPath(c *conn, path uint8, tick uint32) {
	pt := &c.tx.paths[path]
	if pt.slot != notInWheel && !n.timers.before(tick, pt.slot) {
		return
	}
	pt.slot = n.addTimer(pathOwner(c.index, path), tick)
}

// pathTimer executes a transaction of R-TIMER and does what it says.
func (n *NIC) pathTimer(c *conn, path, op uint8, in *event.PathTimerIn) {
	t := c.tx
	pt := &t.paths[path]
	before := pt.timer.Plane
	var out event.PathTimerOut
	pathtimer.Step(&n.cfg.Tuning, &pt.timer, op, in, &out)
	if n.trace != nil {
		n.record(&event.PathTimer{Head: n.txHead(op, c, path), Out: out, In: *in, Path: pt.timer})
	}
	if out.Timeout {
		n.count.Timeouts++
		t.count(path).timeouts++
		n.penalise(c, path, n.cfg.Tuning.TimeoutPenalty)
		n.cc(c, path, event.CcTimeout, &event.CcIn{})
	}
	if out.Changed {
		n.changeEpoch(c, path, before)
	}
	if out.Suspect || out.Failed || out.Active {
		n.changeState(c, path, &out)
	}
	if out.Resend && pt.xmit.Live > 0 {
		n.xmit(c, path, event.XmitLose, &event.XmitIn{List: xmit.Live})
		n.maskLists(t, path)
		n.wakeLost(c)
	}
	if out.SendProbe {
		t.probed |= 1 << path
		n.control(pt.timer.ToPlane, control{kind: controlProbe, conn: c.index, path: path, epoch: out.NewEpoch})
	}
	n.armPath(c, path)
}

// changeEpoch moves a path to the port and plane that were answered. What is in flight by the old port is away: it has its
// time, and no order (R-EPOCH).
func (n *NIC) changeEpoch(c *conn, path, before uint8) {
	t := c.tx
	pt := &t.paths[path]
	for pt.xmit.Live > 0 {
		n.xmit(c, path, event.XmitRetire, &event.XmitIn{})
	}
	t.on[before] &^= 1 << path
	t.on[pt.timer.Plane] |= 1 << path
	var out event.AckRecvOut
	ackrecv.Step(&pt.heard, event.AckRecvEpoch, &event.AckRecvIn{}, &out)
	ccOut := n.cc(c, path, event.CcStart, &event.CcIn{})
	n.roomFor(c, path, &ccOut)
	n.maskLists(t, path)
	if pt.xmit.Away > 0 {
		n.armAway(c, path)
	}
	n.refeed(t)
	n.count.Moves++
}

// changeState takes a path out of use or back into it.
func (n *NIC) changeState(c *conn, path uint8, out *event.PathTimerOut) {
	t := c.tx
	pt := &t.paths[path]
	switch {
	case out.Active:
		t.active |= 1 << path
		n.count.PathReturns++
	case out.Suspect:
		t.active &^= 1 << path
		n.count.PathFailures++
		for pt.xmit.Live > 0 {
			n.xmit(c, path, event.XmitLose, &event.XmitIn{List: xmit.Live})
		}
		n.maskLists(t, path)
		for left := t.away; left != 0; left &= left - 1 {
			n.walkAway(c, uint8(bits.TrailingZeros64(left)))
		}
	}
	n.cc(c, path, event.CcPaths, &event.CcIn{})
	n.refeed(t)
	n.reroom(t)
	n.wakeLost(c)
	n.wakeConn(c)
	if out.Active {
		n.rebalance(c)
	}
}

// rebalance asks paths that went to other planes to come home when home lives.
func (n *NIC) rebalance(c *conn) {
	t := c.tx
	if n.cfg.Planes == 1 {
		return
	}
	planes := n.countPlanes(t)
	for i := range t.paths {
		if !planes.Strayed(i, &t.paths[i].timer) {
			continue
		}
		in := n.timerIn(c, uint8(i))
		in.Port, in.Plane = n.port(), pathtimer.Home(i, n.cfg.Planes)
		n.pathTimer(c, uint8(i), event.PathTimerMove, &in)
	}
}

// onAnswer takes the answer to a probe, or to a status query.
func (n *NIC) onAnswer(plane int, p *Packet) {
	c := n.admitReply(p)
	if c == nil {
		return
	}
	if p.Query {
		c.tx.lastAlive = n.tick
		n.answered(c, p)
		return
	}
	in := n.timerIn(c, p.Path)
	in.Port, in.Plane, in.Txn, in.NewEpoch = p.Port, uint8(plane), p.Txn, p.NewEpoch
	n.pathTimer(c, p.Path, event.PathTimerAnswer, &in)
	if c.tx.paths[p.Path].timer.State == pathtimer.Active {
		c.tx.lastAlive = n.tick
	}
}

// admitReply finds the connection of what comes back to a sender; nil: it is dropped, and counted.
func (n *NIC) admitReply(p *Packet) *conn {
	c := n.known(p)
	if c == nil || c.tx == nil {
		return nil // never sent anything
	}
	return c
}

// known is the connection of a packet that admit does not see, by the checks of R-ADMIT that concern it; nil: it is
// dropped, and counted by the first reason.
func (n *NIC) known(p *Packet) *conn {
	c := n.connAt(p.DstConn)
	reason := event.ReasonNone
	switch {
	case c == nil || !c.row.Valid:
		reason = event.ReasonConn
	case uint8(p.DstConn>>16) != c.row.Generation:
		reason = event.ReasonGeneration
	case p.Path >= c.paths:
		reason = event.ReasonPath
	}
	if reason != event.ReasonNone {
		n.count.Drops[reason]++
		return nil
	}
	return c
}
