package share

import "metaroce/tandem/model/event"

// States of a sender.
const (
	stateAbsent = 0 // does not count
	stateJoined = 1 // counts, was told nothing yet
	stateTold   = 2
)

const (
	hintBits = 20
	hintMax  = 1<<hintBits - 1
	bytesMax = 1<<30 - 1 // so that bytes * rateScale fits 64 bits
	noLimit  = 63        // class of senders with flag B
)

// Classes are the sums over the senders of a port, one a class of demand.
type Classes [64]event.ShareClass

// Step executes one transaction. sender is the row of in.Conn (unused by level and probe), port and all are those of
// the port.
func (e *Engine) Step(sender *event.ShareSender, port *event.SharePort, all *Classes, op uint8, in *event.ShareIn, out *event.ShareOut) {
	*out = event.ShareOut{}
	switch op {
	case event.SharePacket, event.ShareAnnounce:
		e.hear(port, in)
		e.arrive(sender, port, all, op, in, out)
	case event.ShareProbe:
		e.hear(port, in)
	case event.ShareSweep:
		e.visit(sender, port, all, in, out)
	case event.ShareLevel:
		e.level(port, all, in, out)
	case event.ShareAnswer:
		if sender.State == stateJoined {
			sender.State = stateTold
			out.SendNow = true
		}
		tell(sender, port, out)
	case event.ShareTell:
		tell(sender, port, out)
	}
}

// Next is the cycle of the next sweep and level. Not armed: nobody counts, and nothing has to be done.
func Next(port *event.SharePort) (at uint32, armed bool) {
	if port.Senders == 0 {
		return 0, false
	}
	if port.Joining && int32(port.JoinAt-port.Due) < 0 {
		return port.JoinAt, true
	}
	return port.Due, true
}

// arrive counts a packet or an announcement.
func (e *Engine) arrive(s *event.ShareSender, port *event.SharePort, all *Classes, op uint8, in *event.ShareIn, out *event.ShareOut) {
	switch {
	case s.State == stateAbsent:
		*s = event.ShareSender{State: stateJoined, Since: in.Now, Class: noLimit}
		if port.Senders == 0 {
			port.Due = in.Now + e.epoch
			port.Since, port.Seen, port.Silent, port.Heard = in.Now, 1<<in.Plane, 0, 0
		}
		port.Senders++
		enter(port, all, noLimit, 0)
		out.Keep = true
		e.joins(port, in, out)
	case s.State == stateTold && op == event.ShareAnnounce:
		s.State = stateJoined // it has no share any more, or never got its answer
		e.joins(port, in, out)
	}
	s.LastSeen = in.Now
	s.Demand = in.Demand
	if op == event.SharePacket {
		s.Bytes = min(s.Bytes+uint32(in.Bytes), bytesMax)
	}
	switch {
	case in.Demand:
		move(s, port, all, noLimit, s.Rate)
	case s.State == stateJoined: // not measured yet: what it sent so far, as if in one epoch
		rate := e.demand(s.Bytes, e.epoch)
		move(s, port, all, classOf(rate), rate)
	}
}

// joins puts the sender among those that are answered together.
func (e *Engine) joins(port *event.SharePort, in *event.ShareIn, out *event.ShareOut) {
	out.Join = true
	if !port.Joining {
		port.Joining = true
		port.JoinAt = in.Now + e.join
	}
}

// visit is a sweep step: let go, or measured and put into its class, and told if its share moved.
func (e *Engine) visit(s *event.ShareSender, port *event.SharePort, all *Classes, in *event.ShareIn, out *event.ShareOut) {
	if s.State == stateAbsent {
		return
	}
	lapse := e.lapse
	if s.Demand {
		lapse = max(lapse, port.Lapse)
	}
	if in.Now-s.LastSeen > lapse {
		leave(port, all, s.Class, s.Rate)
		port.Senders--
		*s = event.ShareSender{}
		return
	}
	out.Keep = true
	if took := in.Now - s.Since; took >= e.measureMin {
		bytes := s.Bytes
		s.Since, s.Bytes = in.Now, 0
		if s.Demand {
			move(s, port, all, noLimit, 0)
		} else {
			rate := max(e.demand(bytes, took), s.Rate/2) // falls by half an epoch: a sender may have less than a packet in each
			move(s, port, all, classOf(rate), rate)
		}
	}
	if s.State == stateTold && e.moved(s.Told, port.Level) {
		out.SendNow = true
		tell(s, port, out)
	}
}

// tell gives the hint that an acknowledgement carries.
func tell(s *event.ShareSender, port *event.SharePort, out *event.ShareOut) {
	if s.State != stateTold {
		return // the level was computed without it
	}
	s.Told = port.Level
	out.Hint, out.HintGen = port.Level, port.LevelGen
}

// demand is what a sender without flag B asks for after bytes in that many ticks.
func (e *Engine) demand(bytes, ticks uint32) uint32 {
	return uint32(min(uint64(bytes)*e.rateScale/(uint64(ticks)*e.portMbps), hintMax))
}

// moved tells whether a share differs from what was told by more than hint_move.
func (e *Engine) moved(was, is uint32) bool {
	far := is - was
	if is < was {
		far = was - is
	}
	return far<<e.moveShift > was
}

// hear notes that a plane carries something.
func (e *Engine) hear(port *event.SharePort, in *event.ShareIn) {
	bit := uint8(1) << in.Plane
	port.Seen |= bit
	port.Silent &^= bit
	if port.Heard != 1<<16-1 {
		port.Heard++
	}
}
