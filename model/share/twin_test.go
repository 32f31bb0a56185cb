package share_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/event"
)

// capacity is what the port gives out, planes all alive.
func (p *port) capacity() uint64 {
	if p.row.Senders > 1 {
		return whole - whole*8/1024
	}
	return whole
}

// width is the width of the class of a rate: below 32 there is one, then four an octave.
func width(rate uint64) uint64 {
	if rate < 32 {
		return 32
	}
	return 1 << (bits.Len64(rate) - 3)
}

// held compares a level with exact water-filling over the same demands.
func (p *port) held(t require.TestingT) {
	demands := p.demands()
	if len(demands) == 0 {
		return
	}
	level := uint64(p.row.Level)
	want, satisfied := exact(demands, p.capacity())
	if level > 1 {
		require.LessOrEqual(t, given(demands, level), p.capacity(), "more than the port is given out")
	}
	if satisfied {
		top := demands[len(demands)-1]
		require.Greater(t, level+width(top), top, "somebody is held below a demand that could be met")
		return
	}
	want = max(want, 1)
	require.LessOrEqual(t, level, want)
	require.GreaterOrEqual(t, level+width(want), want, "further below the exact level than a class is wide")
	inClass := false
	for _, d := range demands {
		inClass = inClass || d < whole && d <= want+width(want) && d+width(want) >= want
	}
	if !inClass {
		require.Equal(t, min(want, whole-1), level, "no demand is near the level: it is exact")
	}
}

// TestTwin: whatever senders do, at every level the port is not given out twice, the level is that of exact max-min
// fairness or less by the width of a class, and no one is told a share that was computed without it.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "senders")
		p := newPort(t, config(), n, rapid.SampledFrom([]uint32{0, 0xfffff000, 0x7ffff000}).Draw(t, "start"))
		known := make([]int, n) // levels computed when the sender began to count
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			conn := rapid.IntRange(0, n-1).Draw(t, "conn")
			absent := p.senders[conn].State == 0
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				p.announce(conn)
			case 1:
				p.pass(uint32(rapid.IntRange(1, 2*rtt).Draw(t, "ticks")))
			case 2:
				hint, gen := p.tell(conn)
				require.Equal(t, gen == 0, hint == 0)
				if gen != 0 {
					require.Greater(t, p.levels, known[conn])
				}
				continue
			default:
				demand := rapid.Bool().Draw(t, "demand")
				for range rapid.IntRange(1, 30).Draw(t, "packets") {
					p.packet(conn, demand)
				}
			}
			if absent && p.senders[conn].State != 0 {
				known[conn] = p.levels
			}
		}
		p.pass(rtt)
		p.held(t)
	})
}

// TestConverges: when all demands are others than before, the level is right one epoch later (`ann:incast`).
func TestConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "senders")
		p := newPort(t, config(), n, 0)
		for i := range n {
			p.announce(i)
		}
		p.pass(rtt)
		for range 2 { // demands of the second round have nothing to do with those of the first
			p.run(p.row.Due)
			for i := range n {
				kind := rapid.IntRange(0, 3).Draw(t, "kind")
				bytes := rapid.IntRange(0, 4*rtt*100/n).Draw(t, "bytes") // up to four times its part of an epoch
				for sent := 0; sent <= bytes; sent += packet {
					p.step(event.SharePacket, i, event.ShareIn{Demand: kind == 0, Bytes: uint16(min(packet, bytes-sent+1))})
				}
			}
			p.run(p.row.Due)
			p.held(t)
		}
	})
}

// TestDemandFallsByHalf: an epoch without a packet is no reason to forget a sender's demand at once, since a sender may
// have less than a packet in each.
func TestDemandFallsByHalf(t *testing.T) {
	p := newPort(t, config(), 1, 0)
	for range 20 {
		p.packet(0, false)
	}
	p.run(p.row.Due)
	rate := p.senders[0].Rate
	require.NotZero(t, rate)
	for range 3 {
		p.run(p.row.Due)
		rate /= 2
		require.Equal(t, rate, p.senders[0].Rate)
	}
}
