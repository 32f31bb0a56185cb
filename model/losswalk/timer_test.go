package losswalk_test

import (
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathchoice"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// sweep is how late a timer entry may be looked at, in ticks: 8 us.
const sweep = 2000

func (s *sender) inputs(i int) event.PathTimerIn {
	p := &s.paths[i]
	in := event.PathTimerIn{Now: s.net.tick(), Idle: p.xmit.Live == 0, Old: p.xmit.Old > 0, Srtt: p.ack.Srtt, Rttvar: p.ack.Rttvar, Base: base}
	if psn, ok := xmit.Head(&p.xmit, xmit.Live); ok {
		in.Oldest = s.store.At(&p.ring, psn).Sent
	}
	in.LastActive = true
	for k := range s.paths {
		in.LastActive = in.LastActive && (k == i || s.paths[k].timer.State != pathtimer.Active)
	}
	return in
}

func (s *sender) timeout(p *path) uint32 {
	return pathtimer.Timeout(&s.tuning, &event.PathTimerIn{Srtt: p.ack.Srtt, Rttvar: p.ack.Rttvar, Base: base})
}

func (s *sender) count() pathtimer.Planes {
	return pathtimer.Count(s.planes, len(s.paths), func(i int) *event.PathTimerPath { return &s.paths[i].timer })
}

// timer executes a step of path_timer and does what follows from it.
func (s *sender) timer(i int, op uint8, given event.PathTimerIn) {
	p := &s.paths[i]
	in := s.inputs(i)
	switch op {
	case event.PathTimerStart:
		in.Port, in.Plane = given.Port, given.Plane
	case event.PathTimerAnswer:
		in.Port, in.Plane, in.Txn, in.NewEpoch = given.Port, given.Plane, given.Txn, given.NewEpoch
	default:
		planes := s.count()
		in.Port, in.Plane = uint16(s.net.random.Between(2000, 60000)), planes.Propose(i)
	}
	var out event.PathTimerOut
	pathtimer.Step(&s.tuning, &p.timer, op, &in, &out)
	if out.Timeout {
		s.timeouts++
		pathchoice.Step(&s.choice, event.PathChoiceMark, &event.PathChoiceIn{Path: uint8(i), Add: 15}, &event.PathChoiceOut{})
	}
	if out.Resend {
		psn, _ := xmit.Head(&p.xmit, xmit.Live)
		s.lose(i, xmit.Live, psn)
	}
	if out.Suspect {
		s.suspects++
		s.suspect(i)
	}
	if out.Failed {
		s.failures++
	}
	if out.SendProbe {
		s.probe(i, out.NewEpoch)
	}
	if out.Changed {
		s.changes++
		s.change(i)
	}
	if out.Active || out.Changed {
		s.comeHome()
	}
	s.plan(i)
}

// suspect: all that this path carried goes again by others.
func (s *sender) suspect(i int) {
	for s.paths[i].xmit.Live > 0 {
		psn, _ := xmit.Head(&s.paths[i].xmit, xmit.Live)
		s.lose(i, xmit.Live, psn)
	}
	for k := range s.paths {
		s.sweepAway(k)
	}
}

// sweepAway walks away by what is known without an acknowledgement at hand.
func (s *sender) sweepAway(i int) {
	p := &s.paths[i]
	s.round(i, xmit.Away, p.xmit.Away, &event.AckRecvIn{Cum: p.ack.Cum}, &event.AckRecvOut{})
}

// change: what the old port carries gives no evidence any more.
func (s *sender) change(i int) {
	p := &s.paths[i]
	for p.xmit.Live > 0 {
		psn, _ := xmit.Head(&p.xmit, xmit.Live)
		p.newest[psn].away = true
		s.step(i, event.XmitRetire, event.XmitIn{})
	}
	ackrecv.Step(&p.ack, event.AckRecvEpoch, &event.AckRecvIn{}, &event.AckRecvOut{})
}

func (s *sender) comeHome() {
	for k := range s.paths {
		p := &s.paths[k]
		planes := s.count()
		if !planes.Strayed(k, &p.timer) || p.timer.Probes > 0 || p.xmit.Old > 0 || !p.timer.Known {
			continue
		}
		in := s.inputs(k)
		in.Port, in.Plane = uint16(s.net.random.Between(2000, 60000)), pathtimer.Home(k, s.planes)
		var out event.PathTimerOut
		pathtimer.Step(&s.tuning, &p.timer, event.PathTimerMove, &in, &out)
		require.True(s.t, out.SendProbe)
		s.probe(k, out.NewEpoch)
		s.plan(k)
	}
}

// probe asks, and the answer comes back by the same way.
func (s *sender) probe(i int, epoch uint8) {
	row := s.paths[i].timer
	s.net.send(row.ToPlane, row.Proposed, func() {
		s.net.send(row.ToPlane, row.Proposed, func() {
			s.timer(i, event.PathTimerAnswer, event.PathTimerIn{Port: row.Proposed, Plane: row.ToPlane, Txn: row.Txn, NewEpoch: epoch})
			s.pump()
		})
	})
}

func (s *sender) arm(i int) {
	if !s.paths[i].timer.Armed {
		s.timer(i, event.PathTimerArm, event.PathTimerIn{})
	}
	s.plan(i)
}

// plan keeps one timer entry for the path; it looks again when it goes off.
func (s *sender) plan(i int) {
	p := &s.paths[i]
	if p.timed || !p.timer.Armed && p.xmit.Away == 0 {
		return
	}
	wait := s.timeout(p)
	if left := p.timer.Deadline - s.net.tick(); p.timer.Armed && left < 1<<31 && (left < wait || p.xmit.Away == 0) {
		wait = left
	}
	if p.timer.Armed && !wire.Less(s.net.tick(), p.timer.Deadline) {
		wait = 0
	}
	p.timed = true
	s.net.after(min(uint64(wait), sweep)+s.net.random.Below(sweep/2), func() {
		p.timed = false
		s.sweepAway(i)
		if p.timer.Armed && !wire.Less(s.net.tick(), p.timer.Deadline) {
			s.timer(i, event.PathTimerDue, event.PathTimerIn{})
		}
		s.plan(i)
		s.pump()
	})
}
