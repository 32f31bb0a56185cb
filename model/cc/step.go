package cc

import (
	"math/bits"

	"metaroce/tandem/model/event"
)

// States of a connection.
const (
	stateQuiet     = 0 // no hint, not announced
	stateAllowed   = 1 // sending its allowance: its packets announce it
	stateHinted    = 2
	stateAnnounced = 3 // waits for the answer
)

const askedMax = 7 // doublings of the wait for an answer are at most one less

const (
	hintBits  = 20
	pathBits  = 15 // Wp is a part of 2^15 of the path's share
	connBits  = 24 // Wc is a part of 2^24 of the ceiling
	paceBits  = 28 // pace_at has 28 bits behind the tick
	paceMask  = 1<<paceBits - 1
	phaseBits = 16
)

// Step executes one transaction. path is unused by open, resume, hint and paths; conn by none.
func (e *Engine) Step(path *event.CcPath, conn *event.CcConn, op uint8, in *event.CcIn, out *event.CcOut) {
	*out = event.CcOut{}
	switch op {
	case event.CcOpen:
		*conn = event.CcConn{Rate: in.Rate, BaseRtt: in.BaseRtt, Active: max(in.Active, 1), Window: 1 << connBits, LastSent: in.Now}
		e.reshape(conn)
	case event.CcStart:
		*path = event.CcPath{Window: 1 << pathBits, Inflight: path.Inflight, Ce: path.Ce}
	case event.CcResume:
		e.resume(conn, in, out)
	case event.CcSend:
		e.send(path, conn, in, out)
	case event.CcAck:
		e.ack(path, conn, in, out)
	case event.CcTimeout:
		out.Cut = e.cutPath(path, conn, in, e.tuning.TimeoutShift)
	case event.CcHint:
		e.hint(conn, in)
	case event.CcPaths:
		conn.Active = max(in.Active, 1)
		e.reshape(conn)
	}
}

// PathRoom tells whether new data may go on a path.
func (e *Engine) PathRoom(path *event.CcPath, conn *event.CcConn) bool {
	return path.Inflight < e.pathWindow(path, conn)
}

// ConnRoom tells whether the connection may send new data.
func (e *Engine) ConnRoom(conn *event.CcConn) bool { return conn.Inflight < e.connWindow(conn) }

// Paced tells whether the pace lets the next packet go now.
func Paced(conn *event.CcConn, now uint32) bool {
	return conn.State != stateHinted || int32(now-conn.PaceAt) >= 0
}

// Hinted tells whether the connection has a hint; its pace is conn.Hint of the peer's port then.
func Hinted(conn *event.CcConn) bool { return conn.State == stateHinted }

// pathWindow is Wp in bytes.
func (e *Engine) pathWindow(path *event.CcPath, conn *event.CcConn) uint32 {
	return max(uint32(uint64(conn.Share)*uint64(path.Window)>>pathBits), e.floor)
}

// connWindow is Wc in bytes; without a hint that of the allowance, and less behind an announcement.
func (e *Engine) connWindow(conn *event.CcConn) uint32 {
	switch conn.State {
	case stateAnnounced:
		return e.announced
	case stateQuiet, stateAllowed:
		return e.allowance
	}
	return max(uint32(uint64(conn.Ceiling)*uint64(conn.Window)>>connBits), e.floor)
}

// send counts a packet, moves the pace and sets flag B.
func (e *Engine) send(path *event.CcPath, conn *event.CcConn, in *event.CcIn, out *event.CcOut) {
	if in.Fresh {
		path.Inflight += uint32(in.Bytes)
		conn.Inflight += uint32(in.Bytes)
	}
	if conn.State == stateHinted {
		e.pace(conn, in)
	}
	conn.LastSent = in.Now
	conn.Demand = e.demand(conn, in.Waiting)
	out.Demand = conn.Demand
	out.PathRoom, out.ConnRoom = e.PathRoom(path, conn), e.ConnRoom(conn)
}

// demand is flag B: more waits than the window takes, or than the pace lets out in a round trip. The second holds up
// to the last packet of a sender with a long gap: without it both sides would let the hint lapse between two packets.
func (e *Engine) demand(conn *event.CcConn, waiting uint32) bool {
	if waiting == 0 {
		return false
	}
	return uint64(waiting)+uint64(conn.Inflight) > uint64(e.connWindow(conn)) || conn.State == stateHinted && waiting > conn.PerRtt
}

// ack takes what is settled out of flight, cuts at marks and losses, and lets the windows grow by a packet for each
// window that was acknowledged.
func (e *Engine) ack(path *event.CcPath, conn *event.CcConn, in *event.CcIn, out *event.CcOut) {
	out.Under = in.Acked > path.Inflight || in.Acked > conn.Inflight
	path.Inflight -= min(in.Acked, path.Inflight)
	conn.Inflight -= min(in.Acked, conn.Inflight)
	if path.Cut && in.LimitValid && int32(in.Limit-path.CutTsn) >= 0 {
		path.Cut = false
	}
	marked := in.Fresh && int16(in.Ce-path.Ce) > 0
	if marked {
		path.Ce = in.Ce
	}
	e.judgeLoss(path, conn, in, out)
	switch {
	case conn.State != stateHinted: // no ceiling: nothing to cut and nothing to grow
	case marked:
		if e.cutPath(path, conn, in, e.tuning.CutShift) {
			out.Cut = true
			e.cutConn(conn)
		}
	default:
		e.grow(path, conn, in.Acked)
	}
	out.PathRoom, out.ConnRoom = e.PathRoom(path, conn), e.ConnRoom(conn)
}

// judgeLoss shrinks a path that loses more than it may. A gap alone shrinks nothing: at random loss that would cost
// rate without helping anybody.
func (e *Engine) judgeLoss(path *event.CcPath, conn *event.CcConn, in *event.CcIn, out *event.CcOut) {
	judged := uint32(path.Judged) + uint32(in.Packets) + uint32(in.Lost)
	lost := uint32(path.Lost) + uint32(in.Lost)
	if judged < e.tuning.LossWindow {
		path.Judged, path.Lost = uint8(judged), uint8(lost)
		return
	}
	path.Judged, path.Lost = 0, 0
	if lost<<10 > judged*e.tuning.LossThreshold && e.cutPath(path, conn, in, e.tuning.LossShift) {
		out.Cut = true
	}
}

// cutPath takes a part of the path's window off it, once a round trip, and never below the floor.
func (e *Engine) cutPath(path *event.CcPath, conn *event.CcConn, in *event.CcIn, shift uint32) bool {
	if path.Cut || conn.State != stateHinted {
		return false
	}
	path.Cut, path.CutTsn, path.Credit = true, in.NextTsn, 0
	if e.pathWindow(path, conn) > e.floor {
		path.Window -= path.Window >> shift
	}
	return true
}

// cutConn takes off the connection what the cut of one of its paths is worth: with all paths cut, about as much.
func (e *Engine) cutConn(conn *event.CcConn) {
	conn.Credit = 0
	if e.connWindow(conn) > e.floor {
		conn.Window -= conn.Window >> (e.tuning.CutShift + uint32(bits.Len8(conn.Active)-1))
	}
}

// grow adds a packet to a window each time that a window full of bytes was acknowledged.
func (e *Engine) grow(path *event.CcPath, conn *event.CcConn, acked uint32) {
	path.Credit += acked
	if w := e.pathWindow(path, conn); path.Credit >= w {
		path.Credit = min(path.Credit-w, w)
		path.Window = uint16(min(uint32(path.Window)+uint32(conn.PathStep), e.pathMax))
	}
	conn.Credit += acked
	if w := e.connWindow(conn); conn.Credit >= w {
		conn.Credit = min(conn.Credit-w, w)
		conn.Window = min(conn.Window+conn.ConnStep, 1<<connBits)
	}
}
