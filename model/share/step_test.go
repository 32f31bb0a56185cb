package share_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/share"
)

// TestIncastJoinsTogether: all announcements within a quarter of a round trip get one answer at one time, the share
// for all of them, and until then nobody is told anything: one by one, the k-th would be told 1/k (R-JOIN, `ann:incast`).
func TestIncastJoinsTogether(t *testing.T) {
	for _, n := range []int{2, 127, 1000} {
		p := newPort(t, config(), n, 0xffffff00)
		start := p.now
		for i := range n {
			p.run(start + uint32(i*rtt/5/n))
			p.announce(i)
			p.packet(i, true)
			_, gen := p.tell(i)
			require.Zero(t, gen)
		}
		p.run(start + rtt/4)
		require.Len(t, p.sent, n)
		want := uint32((whole - whole*8/1024) / n)
		for _, a := range p.sent {
			require.Equal(t, start+rtt/4, a.at)
			require.Equal(t, want, a.hint)
			require.Equal(t, p.sent[0].gen, a.gen)
		}
		hint, gen := p.tell(0)
		require.Equal(t, want, hint)
		require.Equal(t, p.row.LevelGen, gen)
	}
}

// TestLateJoiner: who comes behind the answer waits for its own, and the others are told at once when their share
// moves by more than an eighth.
func TestLateJoiner(t *testing.T) {
	p := newPort(t, config(), 3, 7)
	p.announce(0)
	p.pass(rtt / 4)
	require.Equal(t, []told{{p.now, 0, whole - 1, p.row.LevelGen}}, p.sent, "alone: the whole port, no headroom")
	p.sent = nil
	p.pass(10)
	p.announce(1)
	p.pass(rtt / 4)
	half := uint32((whole - whole*8/1024) / 2)
	require.Equal(t, []told{{7 + rtt/2, 0, half, p.row.LevelGen}, {p.now, 1, half, p.row.LevelGen}}, p.sent, "0 with the epoch, 1 with its answer")
}

// TestAnnouncesAgain: a sender that was told and announces itself, since its answer was lost or its hint lapsed, is
// answered again, and counts once.
func TestAnnouncesAgain(t *testing.T) {
	p := newPort(t, config(), 1, 0)
	p.announce(0)
	p.announce(0)
	p.pass(rtt / 4)
	require.Len(t, p.sent, 1)
	p.pass(rtt)
	p.announce(0)
	_, gen := p.tell(0)
	require.Zero(t, gen)
	p.pass(rtt / 4)
	require.Len(t, p.sent, 2)
	require.Equal(t, uint32(1), p.row.Senders)
}

// TestLapse: a sender counts until 4 base round trips after its last packet (and the margin), or 4 packet times at
// its share where more waits; then within an epoch it is let go.
func TestLapse(t *testing.T) {
	for _, c := range []struct {
		name    string
		senders int
		demand  bool
		lapse   uint32
	}{
		{"few, nothing waits", 2, false, 5 * rtt},
		{"few, more waits", 2, true, 5 * rtt},
		{"a thousand, more waits", 1000, true, 4*21_100 + rtt}, // 84.4 us for a packet at 1/1000 of 400 Gb/s
		{"a thousand, nothing waits", 1000, false, 5 * rtt},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPort(t, config(), c.senders, 0)
			for i := range c.senders {
				p.packet(i, true)
			}
			p.pass(rtt)
			last := p.now
			p.packet(0, c.demand)
			for p.senders[0].State != 0 {
				before := p.now
				p.pass(100)
				for i := 1; i < c.senders; i++ {
					p.packet(i, true) // the others go on, or the share grows and the lapse with it shrinks
				}
				require.Less(t, before-last, 2*c.lapse, "let go for ever")
			}
			require.GreaterOrEqual(t, p.now-last, c.lapse*99/100)
			require.LessOrEqual(t, p.now-last, c.lapse+uint32(max(rtt/2, 4*c.senders))+200)
		})
	}
}

// TestLastOneStopsTheClock: with nobody to count nothing is due any more.
func TestLastOneStopsTheClock(t *testing.T) {
	p := newPort(t, config(), 1, 0)
	p.packet(0, true)
	p.pass(20 * rtt)
	_, armed := share.Next(&p.row)
	require.False(t, armed)
	p.packet(0, false)
	at, armed := share.Next(&p.row)
	require.True(t, armed)
	require.Equal(t, p.now+rtt/4, at)
}

// TestSmallMessageTakesLittle: a sender of one packet is no sender without limit: the share of another moves by about
// what the packet takes.
func TestSmallMessageTakesLittle(t *testing.T) {
	p := newPort(t, config(), 2, 0)
	for range 20 {
		p.packet(0, true)
		p.pass(rtt / 4)
	}
	p.packet(1, false)
	p.pass(rtt / 2)
	require.Greater(t, p.row.Level, uint32(whole*95/100), "4 KB in half a round trip are 1.7 % of the port")
}

// TestDemandIsMeasured: a sender without flag B counts with 9/8 of what it sends, and the other gets the rest.
func TestDemandIsMeasured(t *testing.T) {
	p := newPort(t, config(), 2, 0)
	for range 400 { // 8.4 packets of 21 ticks in 210: sender 1 takes a tenth
		for range 9 {
			p.packet(0, true)
		}
		p.packet(1, false)
		p.pass(210)
	}
	require.InDelta(t, whole*112/1000, p.senders[1].Rate, whole/100)
	require.InDelta(t, whole*88/100, p.row.Level, whole/50)
	hint, _ := p.tell(1)
	require.Equal(t, p.row.Level, hint, "all get the fair level: it could go up to it at once")
}

// TestPlanes: a plane that brings nothing while the others bring much is taken off the rate, and counts again with the
// first thing that comes by it; a port with little to receive knows nothing about its planes (R-PORT-RATE).
func TestPlanes(t *testing.T) {
	c := config()
	c.Planes = 4
	full := uint32((whole - whole*8/1024) / 2)
	spray := func(p *port, planes, packets int) {
		for i := range packets {
			for conn := range 2 {
				p.step(event.SharePacket, conn, event.ShareIn{Demand: true, Bytes: packet, Plane: uint8(i % planes)})
			}
			p.pass(20)
		}
	}
	p := newPort(t, c, 2, 0)
	spray(p, 4, 1500)
	require.Equal(t, full, p.row.Level)
	spray(p, 3, 1500) // the fourth died
	require.Equal(t, uint32((whole*3/4-whole*3/4*8/1024)/2), p.row.Level)
	p.step(event.ShareProbe, 0, event.ShareIn{Plane: 3})
	p.pass(rtt / 2)
	require.Equal(t, full, p.row.Level)

	p = newPort(t, c, 2, 0)
	for range 40 {
		p.step(event.SharePacket, 0, event.ShareIn{Demand: true, Bytes: packet, Plane: 2})
		p.pass(rtt)
	}
	require.Equal(t, uint32(whole-1), p.row.Level, "too few packets to tell")
	spray(p, 2, 1500)
	require.Equal(t, full/2, p.row.Level, "two of four")
}

// TestSilenceTakesTime: a plane is not given up for being silent while the others had a burst.
func TestSilenceTakesTime(t *testing.T) {
	c := config()
	c.Planes = 2
	p := newPort(t, c, 2, 0)
	burst := func() {
		for range 100 {
			p.packet(0, true)
			p.packet(1, true)
		}
	}
	burst()
	p.pass(4*rtt - rtt/4)
	burst()
	require.Equal(t, uint32((whole-whole*8/1024)/2), p.row.Level)
	p.pass(rtt)
	require.Equal(t, uint32((whole/2-whole/2*8/1024)/2), p.row.Level)
}

// TestPortIsAllPlanes: demand and lapse are counted in the rate of all planes.
func TestPortIsAllPlanes(t *testing.T) {
	c := config()
	c.Planes = 4
	p := newPort(t, c, 1, 0)
	for range 40 {
		for plane := range uint8(4) {
			p.step(event.SharePacket, 0, event.ShareIn{Bytes: packet, Plane: plane})
		}
		p.pass(210) // 4 packets of 5.25 ticks: a tenth of the port
	}
	require.InDelta(t, whole*112/1000, p.senders[0].Rate, whole/100)
	require.InDelta(t, 21, p.row.Lapse-rtt, 1, "4 packet times at the whole port")
}

// TestSweptTwiceIsMeasuredOnce: a sweep that follows a moved level at once finds no new rate.
func TestSweptTwiceIsMeasuredOnce(t *testing.T) {
	p := newPort(t, config(), 1, 0)
	for range 20 {
		p.packet(0, false)
	}
	p.run(p.row.Due)
	rate := p.senders[0].Rate
	p.pass(rtt/4 - 1)
	p.round()
	require.Equal(t, rate, p.senders[0].Rate)
}

// TestConfigRanges: both ends of every range are allowed, one beyond is not.
func TestConfigRanges(t *testing.T) {
	for _, set := range []func(c *share.Config, v int){
		func(c *share.Config, v int) { c.BaseRTT = uint32([]int{15, 16, 1 << 24, 1<<24 + 1}[v]) },
		func(c *share.Config, v int) { c.PlaneMbps = uint32([]int{9999, 10000, 1600000, 1600001}[v]) },
		func(c *share.Config, v int) { c.Planes = []int{0, 1, 8, 9}[v] },
		func(c *share.Config, v int) { c.PacketBytes = uint32([]int{63, 64, 9240, 9241}[v]) },
	} {
		for v := range 4 {
			c := config()
			set(&c, v)
			require.Equal(t, v == 1 || v == 2, c.Validate() == nil, "%+v", c)
		}
	}
}

func TestConfigReportsAll(t *testing.T) {
	c := config()
	c.BaseRTT, c.PlaneMbps, c.Planes, c.PacketBytes = 0, 1, 9, 10
	c.Tuning.Headroom = 65
	_, err := share.New(c)
	for _, want := range []string{"headroom is 65", "BaseRTT is 0", "PlaneMbps is 1:", "Planes is 9", "PacketBytes is 10"} {
		require.ErrorContains(t, err, want)
	}
}

func TestNoAllocation(t *testing.T) {
	p := newPort(t, config(), 1, 0)
	var out event.ShareOut
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for op := event.SharePacket; op <= event.ShareTell; op++ {
			p.e.Step(&p.senders[0], &p.row, &p.all, op, &event.ShareIn{Bytes: packet}, &out)
		}
	}))
}

// BenchmarkPacket is the cost of a packet and its acknowledgement, at 1000:1.
func BenchmarkPacket(b *testing.B) {
	p := newPort(b, config(), 1000, 0)
	for i := range 1000 {
		p.announce(i)
	}
	p.pass(rtt)
	var out event.ShareOut
	in := event.ShareIn{Demand: true, Bytes: packet}
	for i := 0; b.Loop(); i++ {
		s := &p.senders[i%1000]
		in.Now = p.now + uint32(i)
		p.e.Step(s, &p.row, &p.all, event.SharePacket, &in, &out)
		p.e.Step(s, &p.row, &p.all, event.ShareTell, &in, &out)
	}
}

// BenchmarkSweep is the cost of a visit of one sender; BenchmarkLevel that of the level, whatever the senders.
func BenchmarkSweep(b *testing.B) {
	p := newPort(b, config(), 1000, 0)
	for i := range 1000 {
		p.packet(i, i%2 == 0)
	}
	p.pass(rtt)
	var out event.ShareOut
	in := event.ShareIn{}
	for i := 0; b.Loop(); i++ {
		in.Now = p.now + uint32(i%1000)
		p.e.Step(&p.senders[i%1000], &p.row, &p.all, event.ShareSweep, &in, &out)
	}
}

func BenchmarkLevel(b *testing.B) {
	p := newPort(b, config(), 1000, 0)
	for i := range 1000 {
		p.packet(i, i%2 == 0)
	}
	p.pass(rtt)
	var out event.ShareOut
	in := event.ShareIn{Now: p.now}
	for b.Loop() {
		p.e.Step(nil, &p.row, &p.all, event.ShareLevel, &in, &out)
	}
}
