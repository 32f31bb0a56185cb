package losswalk_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/sim"
)

// These tests put the blocks of reliability together as docs/sender.md says, over ways that keep order and lose packets,
// and hold them against the truth that only the network knows.

func newNetwork(seed uint64) *network {
	return &network{now: 1<<32 - 100_000, random: sim.NewRandom(seed, "network")} // the clock wraps on the way
}

// run goes on until everything is settled; it may take so many ticks.
func (s *sender) run(limit uint64) {
	end := s.net.now + limit
	s.pump()
	for len(s.settled) < int(s.parts) {
		s.must(s.net.step(), "nothing more happens, and %d of %d parts are settled", len(s.settled), s.parts)
		s.must(s.net.now < end, "%d of %d parts are settled", len(s.settled), s.parts)
	}
}

// check: every part was placed once and settled once, and nothing is left.
func (s *sender) check() {
	for part := range s.parts {
		s.must(s.rx.parts[part] == 1 && s.settled[part] == 1, "part %d was placed %d times, settled %d times", part, s.rx.parts[part], s.settled[part])
	}
	for i := range s.paths {
		p := &s.paths[i]
		require.Zero(s.t, p.xmit.Live+p.xmit.Lost+p.xmit.Away+p.xmit.Old)
		require.Empty(s.t, p.newest)
	}
}

// TestEverythingArrivesOnce: random loss both ways, doubled packets, planes that go down and return, ports that change.
func TestEverythingArrivesOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := newNetwork(rapid.Uint64().Draw(t, "seed"))
		net.loss = rapid.SampledFrom([]uint16{0, 10, 100, 300}).Draw(t, "loss")
		net.dup = rapid.SampledFrom([]uint16{0, 0, 50}).Draw(t, "dup")
		planes := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "planes")
		paths := planes * rapid.IntRange(1, 4).Draw(t, "paths a plane")
		first := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(1<<32-200, 1<<32-1)).Draw(t, "first")
		s := newSender(t, net, planes, paths, first, uint32(rapid.IntRange(1, 800).Draw(t, "parts")))
		s.window = uint16(rapid.SampledFrom([]int{1, 4, 60, 256}).Draw(t, "window"))
		for range rapid.IntRange(0, 3).Draw(t, "outages") {
			plane := rapid.IntRange(0, planes-1).Draw(t, "plane")
			from := uint64(rapid.IntRange(0, 40_000).Draw(t, "from"))
			net.after(from, func() { net.down[plane] = true })
			net.after(from+uint64(rapid.IntRange(1, 200_000).Draw(t, "for")), func() { net.down[plane] = false })
		}
		s.run(1 << 28) // 1 s
		s.check()
	})
}

// TestLostRetransmission: a packet that is lost three times is found lost three times, each in one round trip and what an
// acknowledgement may wait, and no timer has to help, as long as others follow it on the path.
func TestLostRetransmission(t *testing.T) {
	net := newNetwork(1)
	const unlucky = 500
	times := 0
	net.drop = func(p *packet) bool {
		if !p.flush && p.part == unlucky && times < 3 {
			times++
			return true
		}
		return false
	}
	s := newSender(t, net, 1, 1, 7, 1500)
	s.window = 200
	s.run(1 << 22)
	s.check()
	require.Equal(t, 3, s.lost)
	require.Zero(t, s.timeouts)
	for _, after := range s.found {
		require.LessOrEqual(t, after, uint64(base+2*600+gap+ackWait), "longer than a round trip of its way, the packet behind it and its acknowledgement")
	}
}

// TestTailIsFoundByTheFlush: the last packet of all is lost, and nothing follows it but the flush.
func TestTailIsFoundByTheFlush(t *testing.T) {
	net := newNetwork(1)
	dropped := false
	net.drop = func(p *packet) bool {
		hit := !p.flush && p.part == 99 && !dropped
		dropped = dropped || hit
		return hit
	}
	s := newSender(t, net, 1, 1, 7, 100)
	s.run(1 << 22)
	s.check()
	require.Equal(t, 1, s.lost)
	require.Zero(t, s.timeouts)
}

// TestDeadPlane: what was on a plane that dies leaves by the others after two timeouts; one path goes on asking; the plane
// returns and all paths go home.
func TestDeadPlane(t *testing.T) {
	net := newNetwork(3)
	s := newSender(t, net, 4, 16, 1<<32-50, 14_000)
	net.after(40_000, func() { net.down[1] = true })
	s.pump()
	until := func(at uint64) {
		for net.now < 1<<32-100_000+at {
			require.True(t, net.step())
		}
	}
	until(40_000 + 2*6250 + 3*sweep + base)
	require.Equal(t, 4, s.suspects)
	require.Positive(t, s.detours)
	for _, i := range []int{1, 5, 9, 13} {
		require.NotEqual(t, pathtimer.Active, s.paths[i].timer.State, i)
		require.Zero(t, s.paths[i].xmit.Live+s.paths[i].xmit.Lost, i)
	}
	until(140_000)
	require.Equal(t, pathtimer.Failed, s.paths[1].timer.State)
	for _, i := range []int{5, 9, 13} {
		require.Equal(t, pathtimer.Active, s.paths[i].timer.State, "path %d moved to a plane that lives", i)
		require.NotEqual(t, uint8(1), s.paths[i].timer.Plane)
	}
	net.down[1] = false
	until(140_000 + 20*base)
	for i := range s.paths {
		require.Equal(t, pathtimer.Active, s.paths[i].timer.State, i)
		require.Equal(t, pathtimer.Home(i, 4), s.paths[i].timer.Plane, i)
	}
	s.run(1 << 24)
	s.check()
	require.Equal(t, 4, s.suspects, "no path that lives was taken for dead")
	require.Equal(t, 3+1+3, s.changes, "three away, one new port, three home")
}

// TestNoFalseAlarm: without loss nothing is sent twice and no timer goes off, at any window.
func TestNoFalseAlarm(t *testing.T) {
	for _, window := range []uint16{1, 5, 60, 256} {
		s := newSender(t, newNetwork(9), 2, 8, 1<<32-100, 1500)
		s.window = window
		s.run(1 << 26)
		s.check()
		require.Zero(t, s.lost+s.timeouts+s.suspects+s.detours, s.String())
	}
}

// TestTwoPathsFailInTurn: the carrier of the detours dies, too, while what it carries for the other is under way.
func TestTwoPathsFailInTurn(t *testing.T) {
	net := newNetwork(5)
	s := newSender(t, net, 3, 3, 0, 5_000)
	net.after(30_000, func() { net.down[0] = true })
	net.after(45_000, func() { net.down[1] = true })
	net.after(200_000, func() { net.down[1] = false })
	s.run(1 << 25)
	s.check()
	require.GreaterOrEqual(t, s.suspects, 2)
}

// TestEpochThatThePeerNeverSaw: a path fails, its new port answers and then loses all data, it fails again. The peer is
// still an epoch behind; it must not become two.
func TestEpochThatThePeerNeverSaw(t *testing.T) {
	net := newNetwork(8)
	net.dead = map[uint16]bool{1000: true} // the port that path 0 begins with
	s := newSender(t, net, 2, 2, 0, 8000)
	s.pump()
	for s.changes < 3 {
		before := s.changes
		require.True(t, net.step())
		if s.changes > before && s.changes < 3 {
			net.dead[s.paths[0].timer.Sport] = true // it answered, and that was all
		}
	}
	require.Equal(t, uint8(1), s.paths[0].timer.Epoch)
	require.Equal(t, uint8(0), s.rx.rows[0].Epoch)
	s.run(1 << 25)
	s.check()
	require.True(t, s.paths[0].timer.Known)
	require.Equal(t, s.paths[0].timer.Epoch, s.rx.rows[0].Epoch)
	require.Equal(t, pathtimer.Active, s.paths[0].timer.State)
}
