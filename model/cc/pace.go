package cc

import "metaroce/tandem/model/event"

// Asleep tells whether op resume is due before the connection sends: it is quiet, its hint has lapsed, or it rested
// for more than a gap and has to begin at another phase.
func (e *Engine) Asleep(conn *event.CcConn, now uint32) bool {
	switch conn.State {
	case stateQuiet:
		return true
	case stateAllowed, stateAnnounced:
		return now-conn.LastSent > e.patience(conn)
	}
	return e.phased(conn) && int32(now-conn.PaceAt) > int32(conn.Gap) || now-conn.LastSent > e.lapse(conn)
}

// resume begins to send again.
func (e *Engine) resume(conn *event.CcConn, in *event.CcIn, out *event.CcOut) {
	if conn.State == stateHinted && in.Now-conn.LastSent <= e.lapse(conn) {
		if e.phased(conn) && int32(in.Now-conn.PaceAt) > int32(conn.Gap) {
			e.phase(conn, in)
			conn.LastSent = in.Now // the wait may be longer than the lapse
			conn.Demand = in.Waiting > conn.PerRtt
		}
		return
	}
	asked := conn.State == stateAllowed || conn.State == stateAnnounced
	if asked && in.Now-conn.LastSent <= e.patience(conn) {
		return
	}
	if conn.State != stateAnnounced {
		conn.Asked = 0
	}
	conn.State, conn.Hint, conn.HintGen = stateQuiet, 0, 0
	e.reshape(conn)
	if in.Waiting == 0 {
		return
	}
	conn.State = stateAllowed // what fits into the allowance goes out at once: its packets announce it as well
	if in.Waiting > e.allowance {
		conn.State, out.Announce = stateAnnounced, true
		conn.Asked = min(conn.Asked+1, askedMax)
	}
	conn.LastSent = in.Now
	conn.Demand = out.Announce
}

// Reminder is when an announcement that was not answered is made again: Asleep holds from then on.
func (e *Engine) Reminder(conn *event.CcConn) (at uint32, waits bool) {
	return conn.LastSent + e.patience(conn) + 1, conn.State == stateAnnounced
}

// Unanswered tells whether a connection has announced itself as often as is counted, and nobody answered.
func Unanswered(conn *event.CcConn) bool {
	return conn.State == stateAnnounced && conn.Asked == askedMax
}

// patience is how long a connection without a hint waits before it asks for one again: not so long as a hint holds, or
// a lost answer would make the next sender's hint lapse, too; and longer each time, since behind a queue answers are late.
func (e *Engine) patience(conn *event.CcConn) uint32 {
	rtts := e.tuning.LapseRtts
	if conn.State == stateAnnounced {
		rtts = min(rtts, e.tuning.AnswerRtts<<(conn.Asked-1))
	}
	return rtts * conn.BaseRtt
}

// lapse is how long a hint holds after the last packet.
func (e *Engine) lapse(conn *event.CcConn) uint32 {
	l := e.tuning.LapseRtts * conn.BaseRtt
	if conn.Demand {
		l = max(l, e.tuning.LapsePackets*min(conn.Gap, 1<<24))
	}
	return l
}

// phased tells whether gaps are so long that senders with equal ones must not begin together.
func (e *Engine) phased(conn *event.CcConn) bool {
	return conn.Gap >= conn.BaseRtt>>e.tuning.PhaseShift
}

// phase lets the next packet wait for a seeded part of the gap.
func (e *Engine) phase(conn *event.CcConn, in *event.CcIn) {
	conn.PaceAt, conn.PaceFrac = in.Now, 0
	if e.phased(conn) {
		conn.PaceAt += uint32(uint64(conn.Gap) * uint64(in.Phase) >> phaseBits)
	}
}

// pace moves the time of the next packet by what this one takes at the hint.
func (e *Engine) pace(conn *event.CcConn, in *event.CcIn) {
	slack := max(conn.Gap, conn.BaseRtt>>e.tuning.PaceSlackShift)
	if late := int32(in.Now - conn.PaceAt); late > int32(slack) {
		conn.PaceAt, conn.PaceFrac = in.Now-slack, 0
	}
	sum := uint64(conn.PaceFrac) + uint64(in.Bytes)*conn.Interval
	conn.PaceAt += uint32(sum >> paceBits)
	conn.PaceFrac = uint32(sum & paceMask)
}

// hint takes a share of the same generation as the one held or a later one. What the next packet still waits is
// stretched with the gap, not cut: senders that wait for different parts of a long gap stay apart when it gets short.
func (e *Engine) hint(conn *event.CcConn, in *event.CcIn) {
	if in.HintGen == 0 || conn.Rate == 0 {
		return // no share yet, or a row that was never opened
	}
	was := conn.Hint
	switch {
	case conn.State != stateHinted:
		conn.State = stateHinted
		conn.Window, conn.Credit = 1<<connBits, 0
		conn.Hint, conn.HintGen = max(in.Hint, 1), in.HintGen
		e.reshape(conn)
		e.phase(conn, in)
		conn.LastSent = in.Now
		return
	case int8(in.HintGen-conn.HintGen) < 0:
		return // overtaken by a later one
	}
	conn.HintGen = in.HintGen
	if in.Hint == was || in.Hint == 0 {
		return
	}
	conn.Hint = in.Hint
	e.reshape(conn)
	if wait := int32(conn.PaceAt - in.Now); wait > 0 {
		conn.PaceAt = in.Now + uint32(min(uint64(wait)*uint64(was)/uint64(in.Hint), uint64(conn.Gap)))
	}
}

// reshape computes what follows from hint and active paths. The divisions are by values that change once an
// allocation epoch, not by packet; RTL takes them from a table of reciprocals.
func (e *Engine) reshape(conn *event.CcConn) {
	conn.Spread = conn.Active
	if conn.State != stateHinted {
		conn.Interval, conn.Gap, conn.Ceiling, conn.Share, conn.PerRtt = 0, 0, 0, 0, 0
		conn.ConnStep, conn.PathStep = 0, 0
		e.feed(conn, e.allowance)
		return
	}
	hint, rate, rtt := uint64(conn.Hint), uint64(conn.Rate), uint64(conn.BaseRtt)
	conn.Interval = ((byteTick<<(hintBits+paceBits))-1)/(hint*rate) + 1 // rounded up: the pace is never above the hint
	conn.Gap = uint32(min(uint64(e.packet)*conn.Interval>>paceBits, 1<<30))
	perRTT := hint * rate >> 10 * rtt / byteTick >> (hintBits - 10)
	conn.PerRtt = uint32(min(perRTT, maxWindow))
	fills := min(rate, e.port) * rtt / byteTick
	conn.Ceiling = uint32(max(min(perRTT, fills)*uint64(e.tuning.WindowEighths)/8, uint64(e.floor)))
	conn.Share = conn.Ceiling / uint32(conn.Active)
	conn.ConnStep = uint32(max(min(uint64(e.packet)<<connBits/uint64(conn.Ceiling), 1<<connBits), 1))
	conn.PathStep = uint16(max(min(uint64(e.packet)<<pathBits/uint64(max(conn.Share, 1)), 1<<16-1), 1))
	e.feed(conn, conn.Ceiling)
}

// feed limits the paths to those that a window feeds with enough packets to find a loss without a timeout.
func (e *Engine) feed(conn *event.CcConn, window uint32) {
	if least := e.tuning.SpreadPackets * e.packet; least > 0 {
		conn.Spread = uint8(max(min(window/least, uint32(conn.Active)), 1))
	}
}
