package cc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
)

// TestWithoutHint: an announcement, and nothing in flight until it is answered (R-JOIN).
func TestWithoutHint(t *testing.T) {
	c := config()
	c.Tuning.LapseRtts = 8
	s := newSender(t, c, 8, 12345)
	require.True(t, s.e.Asleep(&s.conn, s.now))
	require.True(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 100 * packet}).Announce)
	require.False(t, s.e.Asleep(&s.conn, s.now))
	require.False(t, s.e.ConnRoom(&s.conn))
	for k, rtts := range []uint32{2, 4, 8, 8, 8, 8, 8, 8, 8, 8} { // twice as long each time, as long as a hint holds at most
		at, waits := s.e.Reminder(&s.conn)
		require.True(t, waits)
		require.Equal(t, s.now+rtts*rtt+1, at, "announcement %d", k)
		s.now = at - 1
		require.False(t, s.e.Asleep(&s.conn, s.now))
		require.False(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 100 * packet}).Announce)
		s.now = at
		require.True(t, s.e.Asleep(&s.conn, s.now), "no answer: it announces itself again")
		require.True(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 100 * packet}).Announce)
	}
	s.hint(whole-1, 1, 0)
	require.True(t, s.e.ConnRoom(&s.conn))
	_, waits := s.e.Reminder(&s.conn)
	require.False(t, waits)
	s.now += 8*rtt + 1
	require.True(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 100 * packet}).Announce)
	at, _ := s.e.Reminder(&s.conn)
	require.Equal(t, s.now+2*rtt+1, at, "another rest begins anew")
}

// TestBehindAnAnnouncement: what the tuning lets go out while the answer is on its way.
func TestBehindAnAnnouncement(t *testing.T) {
	c := config()
	c.Tuning.Announced = 3
	e, err := cc.New(c)
	require.NoError(t, err)
	var conn event.CcConn
	var out event.CcOut
	e.Step(nil, &conn, event.CcOpen, &event.CcIn{Rate: rate, BaseRtt: rtt, Active: 1}, &out)
	e.Step(nil, &conn, event.CcResume, &event.CcIn{Waiting: bdp}, &out)
	require.True(t, out.Announce)
	conn.Inflight = 3*packet - 1
	require.True(t, e.ConnRoom(&conn))
	conn.Inflight++
	require.False(t, e.ConnRoom(&conn))
}

// TestSmallMessageNeedsNoAnnouncement: what fits the allowance goes out at once and announces itself.
func TestSmallMessageNeedsNoAnnouncement(t *testing.T) {
	s := newSender(t, config(), 8, 0)
	require.False(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 4 * packet}).Announce)
	_, waits := s.e.Reminder(&s.conn)
	require.False(t, waits)
	require.False(t, s.e.Asleep(&s.conn, s.now))
	sent := 0
	for ; s.e.ConnRoom(&s.conn) && cc.Paced(&s.conn, s.now); sent++ {
		s.send(0, packet, 0)
	}
	require.Equal(t, 4, sent)
	s = newSender(t, config(), 8, 0)
	require.False(t, s.step(event.CcResume, 0, event.CcIn{Waiting: 4 * packet}).Announce)
	require.True(t, s.send(0, packet, 4*packet).Demand, "one more than fits")
	require.False(t, s.send(0, packet, packet).Demand)
}

// TestDemand: flag B is set while more waits than the window takes, or than the pace lets out in a round trip.
func TestDemand(t *testing.T) {
	s := newSender(t, config(), 8, 0)
	s.hint(whole-1, 1, 0)
	require.False(t, s.send(0, packet, bdp-packet).Demand)
	require.True(t, s.send(0, packet, bdp*3/2).Demand)
	s = newSender(t, config(), 8, 0)
	s.hint(whole/1000, 1, 0)
	require.True(t, s.send(0, packet, 1000).Demand, "one more packet has to wait 84 us")
	require.False(t, s.send(0, packet, 0).Demand, "nothing waits")
}

// TestLapse: a hint holds 4 base round trips after the last packet, or 4 gaps where more waits.
func TestLapse(t *testing.T) {
	for _, c := range []struct {
		name    string
		hint    uint32
		waiting uint32
		lapse   uint32
	}{
		{"whole port, nothing waits", whole - 1, 0, 4 * rtt},
		{"whole port, more waits", whole - 1, 2 * bdp, 4 * rtt},
		{"1/1000, nothing waits", whole / 1000, 0, 4 * rtt},
		{"1/1000, more waits", whole / 1000, 2 * bdp, 4 * (packet * 1000 / 200 * whole / 1000 / (whole / 1000))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSender(t, config(), 8, 0xffffff00)
			s.hint(c.hint, 1, 0)
			s.send(0, packet, c.waiting)
			sent := s.now
			s.now = sent + c.lapse
			require.Equal(t, c.lapse > 4*rtt, s.e.Asleep(&s.conn, s.now), "only to begin at another phase")
			out := s.step(event.CcResume, 0, event.CcIn{Waiting: bdp})
			require.True(t, cc.Hinted(&s.conn))
			require.False(t, out.Announce)

			s = newSender(t, config(), 8, 0xffffff00)
			s.hint(c.hint, 1, 0)
			s.send(0, packet, c.waiting)
			s.now = sent + c.lapse + 1
			require.True(t, s.e.Asleep(&s.conn, s.now))
			require.True(t, s.step(event.CcResume, 0, event.CcIn{Waiting: bdp}).Announce)
			require.False(t, cc.Hinted(&s.conn))
			s.hint(whole/2, 200, 0)
			require.Equal(t, uint32(whole/2), s.conn.Hint, "any generation is news to a sender without a hint")
		})
	}
}

// TestLongFirstWaitKeepsTheHint: at 1000:1 the first packet may wait two lapses of a small message; the announcement
// said that more waits, so the hint holds.
func TestLongFirstWaitKeepsTheHint(t *testing.T) {
	s := newSender(t, config(), 8, 0)
	require.True(t, s.step(event.CcResume, 0, event.CcIn{Waiting: bdp}).Announce)
	s.now += rtt
	s.hint(whole/1000, 1, 0xffff)
	require.Greater(t, s.conn.PaceAt-s.now, uint32(8*rtt))
	require.False(t, s.e.Asleep(&s.conn, s.conn.PaceAt))
}

// TestLongWaitKeepsTheHint: the phase after a rest may end beyond the lapse that began with the last packet.
func TestLongWaitKeepsTheHint(t *testing.T) {
	for _, waiting := range []uint32{bdp, 100} {
		s := newSender(t, config(), 8, 0)
		s.hint(whole/1000, 1, 0)
		s.send(0, packet, bdp)
		s.now += 4 * s.conn.Gap // its lapse
		s.step(event.CcResume, 0, event.CcIn{Waiting: waiting, Phase: 0xffff})
		require.True(t, cc.Hinted(&s.conn))
		require.Greater(t, s.conn.PaceAt-s.now, s.conn.Gap-2)
		require.Equal(t, waiting < 500, s.e.Asleep(&s.conn, s.conn.PaceAt), "with less to send than the pace lets out in a round trip, the hint is not kept")
	}
}

// TestAskedAfterARest: a connection that rested long has the whole time for its answer.
func TestAskedAfterARest(t *testing.T) {
	for waiting, rtts := range map[uint32]uint32{packet: 4, bdp: 2} {
		s := newSender(t, config(), 8, 0)
		s.now += 100 * rtt
		s.step(event.CcResume, 0, event.CcIn{Waiting: waiting})
		s.now += rtts * rtt
		require.False(t, s.e.Asleep(&s.conn, s.now))
		s.now++
		require.True(t, s.e.Asleep(&s.conn, s.now))
	}
}

// TestRestedForgets: the 8 s look of the device makes a connection quiet before its times wrap.
func TestRestedForgets(t *testing.T) {
	s := newSender(t, config(), 8, 0)
	s.hint(whole/2, 1, 0)
	s.send(0, packet, 0)
	s.now += 2_000_000_000
	require.True(t, s.e.Asleep(&s.conn, s.now))
	s.step(event.CcResume, 0, event.CcIn{})
	require.False(t, cc.Hinted(&s.conn))
	s.now += 2_000_000_000
	require.True(t, s.e.Asleep(&s.conn, s.now))
}

// TestAnything: whatever comes, what is in flight is the sum of what was sent and not settled, windows stay within
// floor and ceiling, and the pace never lets more out than a gap or base RTT / 16 ahead (all in check).
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.IntRange(1, 8).Draw(t, "paths")
		s := newSender(t, config(), paths, rapid.SampledFrom([]uint32{0, 0xffffff00, 0x7fffff00}).Draw(t, "start"))
		gen := uint8(0)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			path := rapid.IntRange(0, paths-1).Draw(t, "path")
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0:
				gen++
				s.hint(uint32(rapid.IntRange(0, whole-1).Draw(t, "hint")), gen, uint16(rapid.Uint16().Draw(t, "phase")))
			case 1:
				s.now += uint32(rapid.IntRange(1, 6*rtt).Draw(t, "ticks"))
			case 2:
				s.step(event.CcTimeout, path, event.CcIn{})
			case 3:
				s.step(event.CcPaths, path, event.CcIn{Active: uint8(rapid.IntRange(0, paths).Draw(t, "active"))})
			case 4, 5:
				marks := uint16(rapid.IntRange(0, 3).Draw(t, "marks"))
				lost := uint16(rapid.IntRange(0, 40).Draw(t, "lost"))
				out := s.ack(path, uint32(rapid.IntRange(0, int(s.flying[path])).Draw(t, "acked")), marks, lost)
				require.False(t, out.Under)
			default:
				if !s.e.Asleep(&s.conn, s.now) { // whoever is awake may be asked to resume, and nothing happens
					before := s.conn
					out := s.step(event.CcResume, path, event.CcIn{Waiting: bdp, Phase: 77})
					require.Zero(t, out)
					require.Equal(t, before, s.conn)
				}
				if s.e.Asleep(&s.conn, s.now) {
					s.step(event.CcResume, path, event.CcIn{Waiting: rapid.Uint32().Draw(t, "waiting")})
				}
				for s.e.ConnRoom(&s.conn) && s.e.PathRoom(&s.paths[path], &s.conn) && cc.Paced(&s.conn, s.now) {
					s.send(path, uint16(rapid.IntRange(64, packet).Draw(t, "bytes")), rapid.Uint32().Draw(t, "waiting"))
				}
				if cc.Hinted(&s.conn) {
					require.LessOrEqual(t, int32(s.conn.PaceAt-s.now), int32(s.conn.Gap)+1, "one gap ahead at most")
				}
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	s := newSender(t, config(), 1, 0)
	s.hint(whole/3, 1, 0)
	var out event.CcOut
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for op := event.CcOpen; op <= event.CcPaths; op++ {
			s.e.Step(&s.paths[0], &s.conn, op, &event.CcIn{Bytes: packet, Hint: 7, HintGen: 1}, &out)
		}
	}))
}

// BenchmarkPacket is what congestion control costs a packet: asked for room, sent, acknowledged with three others.
func BenchmarkPacket(b *testing.B) {
	s := newSender(b, config(), 8, 0)
	s.hint(whole-1, 1, 0)
	var out event.CcOut
	send := event.CcIn{Bytes: packet, Fresh: true, Waiting: 1 << 20}
	ack := event.CcIn{Acked: 4 * packet, Packets: 4, Fresh: true, LimitValid: true}
	room := 0
	for i := 0; b.Loop(); i++ {
		p := &s.paths[i/4&7]
		send.Now = s.now + uint32(i)*21
		if !s.e.Asleep(&s.conn, send.Now) && cc.Paced(&s.conn, send.Now) && s.e.ConnRoom(&s.conn) && s.e.PathRoom(p, &s.conn) {
			room++
		}
		s.e.Step(p, &s.conn, event.CcSend, &send, &out)
		if i&3 == 3 {
			s.e.Step(p, &s.conn, event.CcAck, &ack, &out)
		}
	}
	require.Positive(b, room)
}

// BenchmarkHint is the cost of a new hint.
func BenchmarkHint(b *testing.B) {
	s := newSender(b, config(), 8, 0)
	var out event.CcOut
	for i := 0; b.Loop(); i++ {
		in := event.CcIn{Hint: uint32(1000 + i&1), HintGen: uint8(i%255 + 1)}
		s.e.Step(nil, &s.conn, event.CcHint, &in, &out)
	}
}
