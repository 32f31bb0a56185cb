package cc_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
)

// A port of 400 Gb/s, base round trip 10 us: 500,000 bytes, 200 a tick.
const (
	rate   = 400000
	rtt    = 2500
	bdp    = 500000
	packet = 4196
	whole  = 1 << 20
)

func config() cc.Config {
	return cc.Config{Tuning: preset.DefaultTuning(), PortMbps: rate, PacketBytes: packet}
}

// sender is one connection and its paths, with what is in flight written down once more.
type sender struct {
	t       require.TestingT
	e       *cc.Engine
	now     uint32
	conn    event.CcConn
	paths   []event.CcPath
	tsn     []uint32
	flying  []uint32
	ce      []uint16
	largest uint16 // of the packets sent
}

func newSender(t require.TestingT, c cc.Config, paths int, start uint32) *sender {
	e, err := cc.New(c)
	require.NoError(t, err)
	require.NoError(t, e.CheckOpen(rate, rtt, uint8(paths)))
	s := &sender{t: t, e: e, now: start, paths: make([]event.CcPath, paths), tsn: make([]uint32, paths),
		flying: make([]uint32, paths), ce: make([]uint16, paths)}
	s.step(event.CcOpen, 0, event.CcIn{Rate: rate, BaseRtt: rtt, Active: uint8(paths)})
	for i := range s.paths {
		s.tsn[i] = start
		s.step(event.CcStart, i, event.CcIn{})
	}
	return s
}

func (s *sender) step(op uint8, path int, in event.CcIn) event.CcOut {
	out := event.CcOut{Cut: true, Demand: true, Announce: true, PathRoom: true, ConnRoom: true, Under: true} // left from another step
	in.Now, in.NextTsn = s.now, s.tsn[path]
	s.e.Step(&s.paths[path], &s.conn, op, &in, &out)
	s.check()
	return out
}

func (s *sender) hint(hint uint32, gen uint8, phase uint16) {
	s.step(event.CcHint, 0, event.CcIn{Hint: hint, HintGen: gen, Phase: phase})
}

func (s *sender) send(path int, bytes uint16, waiting uint32) event.CcOut {
	s.flying[path] += uint32(bytes)
	s.largest = max(s.largest, bytes)
	out := s.step(event.CcSend, path, event.CcIn{Bytes: bytes, Fresh: true, Waiting: waiting})
	s.tsn[path]++
	return out
}

// ack acknowledges bytes of a path, up to its newest transmission; marks is what is added to the count of marks.
func (s *sender) ack(path int, bytes uint32, marks, lost uint16) event.CcOut {
	s.flying[path] -= bytes
	s.ce[path] += marks
	return s.step(event.CcAck, path, event.CcIn{Acked: bytes, Packets: uint16(bytes / packet), Lost: lost, Ce: s.ce[path],
		Limit: s.tsn[path] - 1, LimitValid: true, Fresh: true})
}

// wc and wp are the windows in bytes, by the page: what is in flight is raised until there is no room.
func (s *sender) wc() uint32 {
	conn := s.conn
	return least(func(n uint32) bool { conn.Inflight = n; return !s.e.ConnRoom(&conn) })
}

func (s *sender) wp(path int) uint32 {
	p := s.paths[path]
	return least(func(n uint32) bool { p.Inflight = n; return !s.e.PathRoom(&p, &s.conn) })
}

// least is the least number for which a monotone condition holds.
func least(holds func(uint32) bool) uint32 {
	lo, hi := uint32(0), uint32(1<<31)
	for lo < hi {
		if mid := lo + (hi-lo)/2; holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// check holds what must be so after every step.
func (s *sender) check() {
	sum := uint32(0)
	for i := range s.paths {
		sum += s.flying[i]
		s.must(s.flying[i] == s.paths[i].Inflight, "path %d has other bytes in flight", i)
	}
	s.must(sum == s.conn.Inflight, "the connection has other bytes in flight")
	s.must(s.conn.Active > 0 && s.conn.Spread > 0 && s.conn.Spread <= s.conn.Active, "paths")
	wc := s.wc()
	if !cc.Hinted(&s.conn) {
		allowed := uint32(4 * packet)
		if _, announced := s.e.Reminder(&s.conn); announced {
			allowed = 0
		}
		s.must(wc == allowed, "Wc is not the allowance")
		s.must(s.conn.Ceiling == 0 && s.conn.Interval == 0 && int(s.conn.Spread) == min(2, int(s.conn.Active)), "left from a hint")
		return
	}
	allowed := uint32(max(uint64(s.conn.Hint)*bdp*3/2/whole, 4*packet))
	s.must(wc >= 4*packet && wc <= allowed, "Wc")
	for i := range s.paths {
		wp := s.wp(i)
		s.must(wp >= 4*packet && wp <= max(2*allowed/uint32(s.conn.Active), 4*packet), "Wp of path %d", i)
	}
}

func (s *sender) must(holds bool, format string, a ...any) {
	if !holds {
		require.FailNow(s.t, fmt.Sprintf(format, a...), "%+v %+v", s.conn, s.paths)
	}
}
