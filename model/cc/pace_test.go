package cc_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
)

// TestMeanRateIsTheHint: packets of any size, sent as soon as the pace allows, leave at the rate of the hint over any
// stretch, whether a gap is a whole number of ticks or not (R-PACE). The twin adds up exact fractions.
func TestMeanRateIsTheHint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hint := uint32(rapid.IntRange(1, whole-1).Draw(t, "hint"))
		s := newSender(t, config(), 1, uint32(rapid.Uint32().Draw(t, "start")))
		s.hint(hint, 1, 0)
		start := s.now
		perByte := big.NewRat(2000*whole, int64(hint)*rate) // ticks
		ahead := new(big.Rat)
		var total uint64
		for range rapid.IntRange(1, 400).Draw(t, "packets") {
			s.now = s.conn.PaceAt
			require.True(t, cc.Paced(&s.conn, s.now))
			bytes := uint16(rapid.IntRange(64, packet).Draw(t, "bytes"))
			var out event.CcOut
			s.e.Step(&s.paths[0], &s.conn, event.CcSend, &event.CcIn{Now: s.now, Bytes: bytes, Fresh: true}, &out)
			total += uint64(bytes)
			ahead.Mul(perByte, new(big.Rat).SetUint64(total))
			got := new(big.Rat).SetFrac(big.NewInt(int64(s.conn.PaceAt-start)<<28+int64(s.conn.PaceFrac)), big.NewInt(1<<28))
			if ahead.Cmp(big.NewRat(1<<31, 1)) >= 0 {
				return // serial numbers of ticks end here
			}
			require.GreaterOrEqual(t, got.Cmp(ahead), 0, "faster than the hint")
			late := new(big.Rat).Sub(got, ahead)
			require.Negative(t, late.Cmp(new(big.Rat).Mul(ahead, big.NewRat(1, 100000))), "%s of %s ticks late", late.FloatString(3), ahead.FloatString(3))
		}
	})
}

// TestLateCatchesUp: who is served a little late keeps its mean rate; who is later than a gap and base RTT / 16 does
// not get to send in a burst what it did not send.
func TestLateCatchesUp(t *testing.T) {
	s := newSender(t, config(), 1, 0)
	s.hint(whole/4, 1, 0) // 83.9 ticks a packet
	for k := range 1000 {
		s.now = s.conn.PaceAt + uint32(k*37%150) // up to base RTT / 16 late
		s.send(0, packet, 0)
		s.ack(0, packet, 0, 0)
	}
	require.InDelta(t, 1000*83.92, s.conn.PaceAt, 2)
	s.now += 2000
	burst := 0
	for ; cc.Paced(&s.conn, s.now); burst++ {
		s.send(0, packet, 0)
	}
	require.Equal(t, 156/84+1, burst)
}

// TestPhase: a first hint and a rest of more than a gap let the sender wait for a seeded part of the gap; gaps below a
// quarter of the round trip do not.
func TestPhase(t *testing.T) {
	const phase = 1 << 15 // half
	s := newSender(t, config(), 8, 0xfffffff0)
	s.hint(whole/127, 1, phase)
	gap := s.conn.Gap
	require.InDelta(t, 127*20.98, gap, 2)
	require.Equal(t, s.now+gap/2, s.conn.PaceAt)
	require.False(t, cc.Paced(&s.conn, s.now+gap/2-1))
	require.True(t, cc.Paced(&s.conn, s.now+gap/2))

	s.now = s.conn.PaceAt
	s.send(0, packet, 100*packet)
	s.now = s.conn.PaceAt + gap
	require.False(t, s.e.Asleep(&s.conn, s.now), "late by a gap at most: it catches up")
	s.now++
	require.True(t, s.e.Asleep(&s.conn, s.now))
	out := s.step(event.CcResume, 0, event.CcIn{Phase: phase, Waiting: packet})
	require.False(t, out.Announce)
	require.Equal(t, s.now+gap/2, s.conn.PaceAt)
	require.False(t, s.e.Asleep(&s.conn, s.conn.PaceAt), "once")

	s = newSender(t, config(), 8, 0)
	s.hint(whole/20, 1, phase)
	require.Equal(t, s.now, s.conn.PaceAt)
	s.send(0, packet, 0)
	s.now += 2 * rtt
	require.False(t, s.e.Asleep(&s.conn, s.now))
}

// TestNewHintStretchesTheWait: senders that wait for different parts of a long gap stay as far apart, in gaps, when it
// gets shorter or longer.
func TestNewHintStretchesTheWait(t *testing.T) {
	for _, now := range []uint32{whole / 500, whole / 4000} {
		for phase := 0; phase < 1<<16; phase += 4096 {
			s := newSender(t, config(), 8, 100)
			s.hint(whole/1000, 1, uint16(phase))
			s.hint(now, 2, 0)
			require.InDelta(t, uint64(s.conn.Gap)*uint64(phase)>>16, s.conn.PaceAt-s.now, 8, "ticks of rounding, stretched by 8")
		}
	}
}

// TestHintOrder: a hint that a later one overtook is not used; generations wrap and are never 0.
func TestHintOrder(t *testing.T) {
	s := newSender(t, config(), 8, 0)
	s.hint(100, 0, 0)
	require.False(t, cc.Hinted(&s.conn), "generation 0: no share yet")
	s.hint(5000, 254, 0)
	for _, c := range []struct {
		hint uint32
		gen  uint8
		want uint32
	}{
		{6000, 255, 6000}, {5000, 254, 6000}, {7000, 1, 7000}, {6000, 255, 7000}, {8000, 0, 7000}, {9000, 100, 9000}, {7000, 1, 9000},
	} {
		s.hint(c.hint, c.gen, 0)
		require.Equal(t, c.want, s.conn.Hint, "generation %d", c.gen)
	}
}
