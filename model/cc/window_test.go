package cc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
)

// near allows for the parts that windows are kept in.
func near(t *testing.T, want, got uint32, why string) {
	t.Helper()
	require.InDelta(t, want, got, max(float64(want)/1000, 64), why)
}

// TestWindowsFollowTheHint: Wc is 1.5 hint x base RTT, Wp begins at its share of it, and neither is below 4 packets.
func TestWindowsFollowTheHint(t *testing.T) {
	for _, c := range []struct {
		name   string
		hint   uint32
		paths  int
		wc, wp uint32
		spread uint8
	}{
		{"whole port, 8 paths", whole - 1, 8, bdp * 3 / 2, bdp * 3 / 16, 8},
		{"whole port, 1 path", whole - 1, 1, bdp * 3 / 2, bdp * 3 / 2, 1},
		{"a tenth, 8 paths", whole / 10, 8, bdp * 3 / 20, 4 * packet, 8},
		{"a fortieth, 8 paths", whole / 40, 8, bdp * 3 / 80, 4 * packet, 2},
		{"1/127", whole / 127, 8, 4 * packet, 4 * packet, 2},
		{"least", 1, 8, 4 * packet, 4 * packet, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSender(t, config(), c.paths, 0)
			s.hint(c.hint, 1, 0)
			near(t, c.wc, s.wc(), "Wc")
			near(t, c.wp, s.wp(0), "Wp")
			require.Equal(t, c.spread, s.conn.Spread)
		})
	}
}

// TestMarkCutsOnceARoundTrip: a mark takes a quarter of the path's window and that over the active paths of the
// connection's, and the next cut waits until what was sent before it is acknowledged (R-CC, `ann:cc-sender`).
func TestMarkCutsOnceARoundTrip(t *testing.T) {
	s := newSender(t, config(), 8, 0xfffffffe)
	s.hint(whole-1, 1, 0)
	wc, wp := s.wc(), s.wp(3)
	for range 10 {
		s.send(3, packet, 0)
	}
	require.True(t, s.ack(3, packet, 1, 0).Cut)
	near(t, wp*3/4, s.wp(3), "Wp")
	near(t, wc-wc/32, s.wc(), "Wc")
	near(t, wp, s.wp(2), "another path")
	cut := s.wp(3)
	for i := range uint32(5) { // nothing that was sent after the cut came back yet
		s.flying[3] -= packet
		s.ce[3]++
		out := s.step(event.CcAck, 3, event.CcIn{Acked: packet, Packets: 1, Ce: s.ce[3], Limit: s.tsn[3] - 1 - i%2, LimitValid: true, Fresh: true})
		require.False(t, out.Cut)
	}
	near(t, cut, s.wp(3), "the same round trip")
	s.send(3, packet, 0)
	require.True(t, s.ack(3, packet, 1, 0).Cut, "a packet sent after the cut came back")
}

func TestStaleMarksCutNothing(t *testing.T) {
	s := newSender(t, config(), 2, 0)
	s.hint(whole-1, 1, 0)
	s.send(0, packet, 0)
	s.ce[0] = 0xfffe
	s.paths[0].Ce = 0xfffe
	require.True(t, s.ack(0, 0, 3, 0).Cut, "the count of marks wraps")
	s.send(0, packet, 0)
	require.False(t, s.ack(0, 0, 0xffff, 0).Cut, "an older count")
	in := event.CcIn{Ce: s.ce[0] + 2, Limit: s.tsn[0] - 1, LimitValid: true}
	require.False(t, s.step(event.CcAck, 0, in).Cut, "an acknowledgement that is not fresh")
}

// TestWindowsGrow: a packet for each window acknowledged, up to twice the share of a path and to what the hint allows.
func TestWindowsGrow(t *testing.T) {
	s := newSender(t, config(), 2, 0)
	s.hint(whole-1, 1, 0)
	for range 3 { // three cuts, a round trip apart
		s.send(0, packet, 0)
		require.True(t, s.ack(0, packet, 1, 0).Cut)
	}
	for k := range 40 {
		wp, wc := s.wp(0), s.wc()
		for acked := uint32(0); acked < wp; acked += packet {
			s.send(0, packet, 0)
			s.ack(0, packet, 0, 0)
		}
		require.InDelta(t, wp+packet, s.wp(0), packet/4, "window %d", k)
		require.LessOrEqual(t, s.wc()-wc, uint32(packet*5/4))
	}
	for range 2000 {
		s.send(0, packet, 0)
		s.ack(0, packet, 0, 0)
	}
	for range 200000 {
		s.flying[0] += packet
		s.e.Step(&s.paths[0], &s.conn, event.CcSend, &event.CcIn{Bytes: packet, Fresh: true}, &event.CcOut{})
		s.flying[0] -= packet
		s.e.Step(&s.paths[0], &s.conn, event.CcAck, &event.CcIn{Acked: packet, Packets: 1, Ce: s.ce[0], Fresh: true}, &event.CcOut{})
	}
	near(t, bdp*3/2, s.wp(0), "twice its share")
	s.paths[0].Inflight += 1000
	require.Equal(t, s.wp(0)-1000, s.e.Free(&s.paths[0], &s.conn))
	s.paths[0].Inflight = 2 * bdp
	require.Zero(t, s.e.Free(&s.paths[0], &s.conn))
	near(t, bdp*3/2, s.wc(), "the ceiling")
}

// TestPathTakesNoMoreThanItsShare, where the tuning says so.
func TestPathTakesNoMoreThanItsShare(t *testing.T) {
	c := config()
	c.Tuning.PathEighths = 8
	s := newSender(t, c, 2, 0)
	s.hint(whole-1, 1, 0)
	for range 400 {
		s.send(0, packet, 0)
		s.ack(0, packet, 0, 0)
	}
	near(t, bdp*3/4, s.wp(0), "its share")
}

// TestLossAloneShrinksNothing: up to a quarter of 32 packets and more; beyond, an eighth of the path's window.
func TestLossAloneShrinksNothing(t *testing.T) {
	for _, c := range []struct {
		name        string
		acked, lost int
		cut         bool
	}{
		{"10 %", 29, 3, false},
		{"a quarter", 24, 8, false},
		{"more than a quarter", 23, 9, true},
		{"too few to tell", 10, 21, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSender(t, config(), 1, 0)
			s.hint(whole-1, 1, 0)
			wp := s.wp(0)
			cut := false
			for range c.acked {
				s.send(0, packet, 0)
			}
			for range c.lost {
				cut = s.ack(0, 0, 0, 1).Cut || cut
			}
			for range c.acked {
				cut = s.ack(0, packet, 0, 0).Cut || cut
			}
			require.Equal(t, c.cut, cut)
			if c.cut {
				near(t, wp-wp/8, s.wp(0), "an eighth")
			} else {
				require.GreaterOrEqual(t, s.wp(0), wp)
			}
		})
	}
}

func TestTimeoutHalves(t *testing.T) {
	s := newSender(t, config(), 1, 0)
	require.False(t, s.step(event.CcTimeout, 0, event.CcIn{}).Cut, "without a hint there is no window to cut")
	s.hint(whole-1, 1, 0)
	s.send(0, packet, 0)
	wp := s.wp(0)
	require.True(t, s.step(event.CcTimeout, 0, event.CcIn{}).Cut)
	near(t, wp/2, s.wp(0), "half")
	require.False(t, s.step(event.CcTimeout, 0, event.CcIn{}).Cut, "once")
	s.step(event.CcStart, 0, event.CcIn{})
	near(t, wp, s.wp(0), "a new epoch begins at its share")
	require.Equal(t, uint32(packet), s.paths[0].Inflight, "what is in flight stays")
}

// TestNeverBelowTheFloor: whatever is cut.
func TestNeverBelowTheFloor(t *testing.T) {
	s := newSender(t, config(), 4, 0)
	s.hint(whole-1, 1, 0)
	for range 100 {
		for i := range s.paths {
			s.send(i, packet, 0)
			s.ack(i, packet, 1, 0)
		}
	}
	require.Equal(t, uint32(4*packet), s.wp(0))
	near(t, 4*packet, s.wc(), "floor")
}

// TestHintMovesAllWindowsInProportion: a cut stays what it was under another hint, and other paths take over.
func TestHintMovesAllWindowsInProportion(t *testing.T) {
	s := newSender(t, config(), 4, 0)
	s.hint(whole-1, 1, 0)
	s.send(1, packet, 0)
	s.ack(1, packet, 1, 0)
	wc, wp0, wp1 := s.wc(), s.wp(0), s.wp(1)
	s.hint(whole/2, 2, 0)
	near(t, wc/2, s.wc(), "Wc")
	near(t, wp0/2, s.wp(0), "Wp")
	near(t, wp1/2, s.wp(1), "Wp that was cut")
	s.hint(whole-1, 3, 0)
	near(t, wc, s.wc(), "Wc")
	near(t, wp1, s.wp(1), "Wp that was cut")
	s.step(event.CcPaths, 0, event.CcIn{Active: 2})
	near(t, 2*wp0, s.wp(0), "half the paths")
	near(t, wc, s.wc(), "Wc")
}

// TestUnder: settling more than is in flight is told, and does not wrap.
func TestUnder(t *testing.T) {
	s := newSender(t, config(), 1, 0)
	var out event.CcOut
	s.e.Step(&s.paths[0], &s.conn, event.CcAck, &event.CcIn{Acked: 1}, &out)
	require.True(t, out.Under)
	require.Zero(t, s.conn.Inflight)
}

// TestOwnPortLimits: no window beyond what the own port fills, however fast the peer's.
func TestOwnPortLimits(t *testing.T) {
	c := config()
	c.PortMbps = rate / 4
	e, err := cc.New(c)
	require.NoError(t, err)
	var conn event.CcConn
	var path event.CcPath
	var out event.CcOut
	e.Step(&path, &conn, event.CcOpen, &event.CcIn{Rate: rate, BaseRtt: rtt, Active: 1}, &out)
	e.Step(&path, &conn, event.CcHint, &event.CcIn{Hint: whole - 1, HintGen: 1}, &out)
	near(t, bdp*3/8, conn.Ceiling, "a quarter")
}

// TestConfigRanges: both ends of every range are allowed, one beyond is not.
func TestConfigRanges(t *testing.T) {
	e, err := cc.New(config())
	require.NoError(t, err)
	for v := range 4 {
		inside := v == 1 || v == 2
		c := config()
		c.PortMbps = []uint32{9999, 10000, 8 * 1600000, 8*1600000 + 1}[v]
		require.Equal(t, inside, c.Validate() == nil, "%+v", c)
		c = config()
		c.PacketBytes = []uint32{63, 64, 9240, 9241}[v]
		require.Equal(t, inside, c.Validate() == nil, "%+v", c)
		require.Equal(t, inside, e.CheckOpen([]uint32{9999, 10000, 8 * 1600000, 8*1600000 + 1}[v], rtt, 1) == nil, v)
		require.Equal(t, inside, e.CheckOpen(10000, []uint32{15, 16, 1 << 24, 1<<24 + 1}[v], 1) == nil, v)
		require.Equal(t, inside, e.CheckOpen(rate, rtt, []uint8{0, 1, 64, 65}[v]) == nil, v)
	}
	// 400 Gb/s: 300 bytes of window a tick of round trip, 2^30 bytes at most
	require.NoError(t, e.CheckOpen(rate, 1<<30/300, 1))
	require.Error(t, e.CheckOpen(rate, 1<<30/300+1, 1))
	require.NoError(t, e.CheckOpen(4*rate, 1<<30/300, 1), "the own port is the narrower one")
}

func TestConfigReportsAll(t *testing.T) {
	c := config()
	c.PortMbps, c.PacketBytes, c.Tuning.CutShift = 1, 10, 9
	_, err := cc.New(c)
	for _, want := range []string{"cut_shift is 9", "PortMbps is 1:", "PacketBytes is 10"} {
		require.ErrorContains(t, err, want)
	}
	e, err := cc.New(config())
	require.NoError(t, err)
	err = e.CheckOpen(1, 1, 65)
	for _, want := range []string{"rate is 1:", "base_rtt is 1:", "active is 65"} {
		require.ErrorContains(t, err, want)
	}
	c = config()
	c.PortMbps = 8 * 1600000
	e, err = cc.New(c)
	require.NoError(t, err)
	require.ErrorContains(t, e.CheckOpen(c.PortMbps, 1<<24, 1), "window is ")
}
