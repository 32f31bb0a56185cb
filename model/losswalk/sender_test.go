package losswalk_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/losswalk"
	"metaroce/tandem/model/pathchoice"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// sent is one transmission as the twin remembers it.
type sent struct {
	tsn     uint32
	epoch   uint8
	away    bool // by another port, or its epoch has ended
	lost    bool // given up: it waits to be sent again
	dropped bool // what became of it, which no sender can know
}

// path is all that a sender has of one path, and what its twin has.
type path struct {
	xmit  event.XmitPath
	ring  xmit.Ring
	ack   event.AckRecvPath
	timer event.PathTimerPath
	timed bool // a timer entry is on its way

	newest map[uint32]*sent // psn that are not settled: their newest transmission
}

// sender composes the steps as docs/sender.md says, for one connection that has parts to send.
type sender struct {
	t       require.TestingT
	net     *network
	rx      *receiver
	tuning  preset.Tuning
	store   xmit.Store
	choice  event.PathChoiceChoice
	paths   []path
	planes  int
	window  uint16 // records in flight on a path
	parts   uint32 // to be sent in all
	next    uint32
	settled map[uint32]int
	free    [8]uint64 // when the uplink of a plane is free

	lost, timeouts, suspects, failures, changes, detours int
	found                                                []uint64 // ticks from transmission to the walk that found it lost
}

func newSender(t require.TestingT, net *network, planes, paths int, first, parts uint32) *sender {
	s := &sender{t: t, net: net, rx: newReceiver(net, paths, first), tuning: preset.DefaultTuning(), paths: make([]path, paths), planes: planes,
		window: 60, parts: parts, settled: map[uint32]int{}}
	for i := range s.paths {
		p := &s.paths[i]
		p.ring, p.newest = s.store.Open(), map[uint32]*sent{}
		s.step(i, event.XmitStart, event.XmitIn{Part: first})
		ackrecv.Step(&p.ack, event.AckRecvStart, &event.AckRecvIn{Cum: first}, &event.AckRecvOut{})
		s.timer(i, event.PathTimerStart, event.PathTimerIn{Port: uint16(1000 + i), Plane: pathtimer.Home(i, planes)})
	}
	s.rx.toPeer = s.acknowledged
	return s
}

// must ends the test unless ok. It stands in inner loops.
func (s *sender) must(ok bool, format string, args ...any) {
	if !ok {
		require.FailNow(s.t, fmt.Sprintf(format, args...), s.String())
	}
}

func (s *sender) step(i int, op uint8, in event.XmitIn) (out event.XmitOut) {
	p := &s.paths[i]
	in.Home, in.Now = uint8(i), s.net.tick()
	s.store.Step(&p.ring, &p.xmit, op, &in, &out)
	return out
}

// pump fills the uplinks: what was lost before what is new.
func (s *sender) pump() {
	for plane := range uint8(s.planes) {
		for s.free[plane] <= s.net.now && (s.sendLost(plane) || s.sendNew(plane)) {
			s.free[plane] = s.net.now + gap
			s.net.after(gap, s.pump)
		}
	}
}

func (s *sender) active(plane uint8) (mask uint64) {
	for i := range s.paths {
		if s.paths[i].timer.State == pathtimer.Active && s.paths[i].timer.Plane == plane {
			mask |= 1 << i
		}
	}
	return mask
}

func (s *sender) choose(active, room uint64) (int, bool) {
	var out event.PathChoiceOut
	pathchoice.Step(&s.choice, event.PathChoiceChoose, &event.PathChoiceIn{Active: active, Room: room}, &out)
	return int(out.Chosen), !out.None
}

func (s *sender) sendLost(plane uint8) bool {
	for i := range s.paths {
		p := &s.paths[i]
		switch {
		case p.xmit.Lost == 0:
		case p.timer.State == pathtimer.Active && p.timer.Plane == plane:
			s.transmit(i, i, s.step(i, event.XmitAgain, event.XmitIn{}), false)
			return true
		case p.timer.State != pathtimer.Active:
			if carrier, ok := s.choose(s.active(plane), ^uint64(0)); ok {
				s.detours++
				s.transmit(i, carrier, s.step(i, event.XmitDetour, event.XmitIn{Carrier: uint8(carrier)}), true)
				return true
			}
		}
	}
	return false
}

func (s *sender) sendNew(plane uint8) bool {
	if s.next == s.parts {
		return false
	}
	room := uint64(0)
	for i := range s.paths {
		p := &s.paths[i]
		inFlight := p.xmit.Live + p.xmit.Lost + p.xmit.Away
		if inFlight < s.window && p.xmit.NextPsn-p.ack.Cum < 256 && s.store.Room(&p.ring, &p.xmit) {
			room |= 1 << i
		}
	}
	i, ok := s.choose(s.active(plane), room)
	if ok {
		s.next++
		s.transmit(i, i, s.step(i, event.XmitFirst, event.XmitIn{Part: s.next - 1}), false)
		if s.next == s.parts {
			s.flush()
		}
	}
	return ok
}

// transmit puts the packet on the carrier's port and tells the twin.
func (s *sender) transmit(i, carrier int, out event.XmitOut, detour bool) {
	p, c := &s.paths[i], &s.paths[carrier]
	rec := s.store.At(&p.ring, out.Psn)
	pkt := &packet{path: i, psn: out.Psn, tsn: out.Tsn, txTime: s.net.tick(), epoch: p.timer.Epoch, flagD: detour, flagA: p.timer.Expired > 0,
		plane: c.timer.Plane, port: c.timer.Sport, part: rec.Part}
	tr := &sent{tsn: out.Tsn, epoch: p.timer.Epoch, away: detour}
	p.newest[out.Psn] = tr
	s.launch(pkt, tr)
	s.arm(i)
}

func (s *sender) launch(pkt *packet, tr *sent) {
	if s.net.drop != nil && s.net.drop(pkt) {
		tr.dropped = true
		return
	}
	arrived := false
	tr.dropped = s.net.send(pkt.plane, pkt.port, func() { arrived = true; s.rx.arrive(pkt) })
	// A plane that goes down meanwhile takes what is on it.
	s.net.after(base, func() { tr.dropped = tr.dropped || !arrived })
}

// flush asks for the state of every path that waits for something.
func (s *sender) flush() {
	for i := range s.paths {
		p := &s.paths[i]
		if p.xmit.Live > 0 && p.timer.State == pathtimer.Active {
			out := s.step(i, event.XmitFlush, event.XmitIn{})
			s.launch(&packet{path: i, tsn: out.Tsn, txTime: s.net.tick(), epoch: p.timer.Epoch, flush: true, plane: p.timer.Plane, port: p.timer.Sport}, &sent{})
		}
	}
}

// acknowledged takes an acknowledgement: step, walk, sign of life.
func (s *sender) acknowledged(i int, in event.AckRecvIn, echo uint32) {
	p := &s.paths[i]
	rec := s.store.At(&p.ring, echo)
	in.Now, in.OwnEpoch, in.NextPsn, in.NextTsn = s.net.tick(), p.timer.Epoch, p.xmit.NextPsn, p.xmit.NextTsn
	in.Sample = xmit.List(rec) == xmit.Live && rec.Sent == in.EchoTime
	var out event.AckRecvOut
	ackrecv.Step(&p.ack, event.AckRecvAck, &in, &out)
	s.must(!out.Bogus, "an honest acknowledgement is bogus: %+v", in)
	if out.Fresh {
		want := s.expect(i, &in, &out)
		s.walk(i, &in, &out)
		s.compare(i, want)
	}
	if out.Alive {
		s.timer(i, event.PathTimerAlive, event.PathTimerIn{})
	}
	s.pump()
}

// expect is the slow twin of the walk: of all packets that are not settled, which are lost now.
func (s *sender) expect(i int, in *event.AckRecvIn, out *event.AckRecvOut) map[uint32]bool {
	lost := map[uint32]bool{}
	for psn, tr := range s.paths[i].newest {
		if !covers(in, psn) && !tr.away && !tr.lost && out.LimitValid && !wire.Less(out.Limit, tr.tsn) {
			lost[psn] = true
		}
	}
	return lost
}

// compare: a packet is lost after the walk if it was before, or the twin says so.
func (s *sender) compare(i int, want map[uint32]bool) {
	p := &s.paths[i]
	for psn := range want {
		s.must(xmit.List(s.store.At(&p.ring, psn)) == xmit.Lost, "path %d psn %d is lost and was not found", i, psn)
	}
	s.must(len(p.newest) == int(p.xmit.Live+p.xmit.Lost+p.xmit.Away), "path %d has %d packets that are not settled, and %+v", i, len(p.newest), p.xmit)
}

func (s *sender) walk(i int, in *event.AckRecvIn, out *event.AckRecvOut) {
	p := &s.paths[i]
	s.round(i, xmit.Lost, p.xmit.Lost, in, out)
	s.round(i, xmit.Away, p.xmit.Away, in, out)
	s.round(i, xmit.Live, p.xmit.Live, in, out)
}

// round walks n records of a list.
func (s *sender) round(i int, list uint8, n uint16, in *event.AckRecvIn, ack *event.AckRecvOut) {
	p := &s.paths[i]
	for range n {
		psn, ok := xmit.Head(&p.xmit, list)
		rec := s.store.At(&p.ring, psn)
		s.must(ok && xmit.List(rec) == list, "path %d: the head of list %d stands in list %d", i, list, xmit.List(rec))
		carrier := &s.paths[xmit.Carrier(rec)]
		w := event.LossWalkIn{Now: s.net.tick(), List: list, Psn: psn, Tsn: rec.Tsn, Sent: rec.Sent, Acked: ackrecv.Covers(in.Cum, &in.Vector, psn),
			LimitValid: ack.LimitValid, Limit: ack.Limit, Rto: s.timeout(carrier), Down: carrier.timer.State != pathtimer.Active}
		var out event.LossWalkOut
		losswalk.Step(&w, &out)
		switch out.Fate {
		case losswalk.Acked:
			s.must(s.rx.came[i][psn], "path %d psn %d is settled and did not come", i, psn)
			s.settled[rec.Part]++
			delete(p.newest, psn)
			s.step(i, event.XmitFree, event.XmitIn{List: list})
		case losswalk.Lost:
			s.must(p.newest[psn].dropped, "path %d psn %d tsn %d is found lost and was not", i, psn, rec.Tsn)
			s.lost++
			s.found = append(s.found, uint64(s.net.tick()-rec.Sent))
			s.lose(i, list, psn)
		case losswalk.Due:
			s.lose(i, list, psn)
		case losswalk.Stays:
			if list == xmit.Live {
				return
			}
			s.step(i, event.XmitKeep, event.XmitIn{List: list})
		}
	}
}

func (s *sender) lose(i int, list uint8, psn uint32) {
	s.paths[i].newest[psn].lost = true
	s.step(i, event.XmitLose, event.XmitIn{List: list})
}

func (s *sender) String() string {
	return fmt.Sprintf("lost %d timeouts %d suspects %d failures %d changes %d detours %d", s.lost, s.timeouts, s.suspects, s.failures, s.changes, s.detours)
}
