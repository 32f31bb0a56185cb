package rocev2

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
)

const line = 400_000_000 // kb/s

// eager is the reaction point with timers that run: time goes on to the next of them, one at a time.
type eager struct {
	p        Dcqcn
	rate     uint64
	target   uint64
	alpha    uint64
	ever     bool
	nextFall sim.Picos
	nextRise sim.Picos
	last     sim.Picos // cut
	stageT   uint32
	stageB   uint32
	bytes    uint64
}

func (e *eager) to(now sim.Picos) {
	for e.ever && min(e.nextFall, e.nextRise) <= now {
		if e.nextFall <= e.nextRise {
			e.nextFall += e.p.AlphaTime
			if step := e.alpha >> e.p.GainShift; step > 0 {
				e.alpha -= step
			} else {
				e.alpha = 0
			}
			continue
		}
		e.nextRise += e.p.RiseTime
		if e.rate < line {
			e.rise()
			e.stageT++
		}
	}
}

func (e *eager) rise() {
	one, other := e.stageT, e.stageB
	if e.p.RiseBytes == 0 {
		other = e.stageT
	}
	if one >= e.p.Recovery || e.stageB >= e.p.Recovery {
		if one > e.p.Recovery && other > e.p.Recovery {
			e.target += e.p.Hyper
		} else {
			e.target += e.p.Add
		}
	}
	if e.target > line {
		e.target = line
	}
	e.rate = (e.rate + e.target + 1) / 2
}

func (e *eager) sent(bytes uint64) {
	if e.p.RiseBytes == 0 || !e.ever || e.rate == line {
		return
	}
	if e.bytes += bytes; e.bytes >= e.p.RiseBytes {
		e.bytes -= e.p.RiseBytes
		e.rise()
		e.stageB++
	}
}

func (e *eager) cnp(now sim.Picos) {
	if !e.ever {
		e.rate, e.alpha = line, alphaOne
	}
	if !e.ever || now-e.last >= e.p.CutGap {
		e.target = e.rate
		e.rate = max(e.p.Floor, e.rate-e.rate*e.alpha/(2*alphaOne))
		e.last, e.nextRise = now, now+e.p.RiseTime
		e.stageT, e.stageB, e.bytes = 0, 0, 0
	}
	e.ever = true
	e.alpha += (alphaOne - e.alpha) >> e.p.GainShift
	e.nextFall = now + e.p.AlphaTime
}

// TestPacerTwin: catching up late gives what timers that run would have given, whatever the moments of looking.
func TestPacerTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]Dcqcn{PaperDcqcn(line / 1000), VendorDcqcn(line / 1000)}).Draw(t, "parameters")
		p.RiseBytes = rapid.SampledFrom([]uint64{p.RiseBytes, 100_000}).Draw(t, "byte counter")
		p.Recovery = rapid.Uint32Range(0, 6).Draw(t, "recovery")
		slow := &eager{p: p, rate: line}
		var r pacer
		now := sim.Picos(0)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += sim.Picos(rapid.Uint64Range(0, 100_000).Draw(t, "ns")) * 1000
			r.advance(&p, line, now)
			slow.to(now)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				r.cnp(&p, line, now)
				slow.cnp(now)
			case 1:
				r.sent(&p, line, 4178)
				slow.sent(4178)
			case 2:
				for range 50 {
					r.sent(&p, line, 4178)
					slow.sent(4178)
				}
			}
			require.Equal(t, slow.rate, r.rate(line))
			if slow.ever {
				require.Equal(t, slow.alpha, uint64(r.alpha))
			}
			require.GreaterOrEqual(t, r.rate(line), p.Floor)
			require.LessOrEqual(t, r.rate(line), uint64(line))
		}
	})
}

// TestPacerFollowsThePaper holds a first cut, its recovery and the decay of alpha against the formulas in floating point.
func TestPacerFollowsThePaper(t *testing.T) {
	p := PaperDcqcn(line / 1000)
	var r pacer
	r.cnp(&p, line, 0)
	require.Equal(t, uint64(line/2), r.rate(line), "alpha is 1 at the first CNP")

	for i := 1; i <= 5; i++ {
		now := sim.Picos(i) * p.RiseTime
		r.advance(&p, line, now)
		require.InDelta(t, line*(1-math.Pow(0.5, float64(i+1))), float64(r.rate(line)), 8, "half of the way back, %d times", i)
		require.InDelta(t, math.Pow(1-1.0/256, float64(i)), float64(r.alpha)/alphaOne, 1e-6)
	}
	r.cnp(&p, line, 5*p.RiseTime+1)
	alpha := math.Pow(1-1.0/256, 5)
	rate := line * (1 - math.Pow(0.5, 6)) * (1 - alpha/2)
	require.InDelta(t, rate, float64(r.rate(line)), rate*1e-6)
	require.InDelta(t, (1-1.0/256)*alpha+1.0/256, float64(r.alpha)/alphaOne, 1e-6)
}

// TestPacerIncreases: through recovery the target stands still; then it rises by Add, and by Hyper once every clock is beyond.
func TestPacerIncreases(t *testing.T) {
	for _, c := range []struct {
		name           string
		timers, counts uint32
		want           uint64
	}{
		{"recovery", 4, 4, 0},
		{"one clock through", 5, 0, 1000},
		{"the other", 0, 5, 1000},
		{"both at the edge", 5, 5, 1000},
		{"one beyond", 9, 5, 1000},
		{"both beyond", 6, 6, 10_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := PaperDcqcn(1000)
			r := pacer{limited: true, marked: true, kbps: 100_000, target: 300_000, timers: c.timers, counters: c.counts}
			r.rise(&p, line)
			require.Equal(t, 300_000+c.want, r.target)
			require.Equal(t, (400_000+c.want)/2, r.kbps)
		})
	}
}

// TestPacerCatchesUpAfterLongIdle: a queue pair that slept for a minute wakes up at line rate and without a long loop.
func TestPacerCatchesUpAfterLongIdle(t *testing.T) {
	for _, p := range []Dcqcn{PaperDcqcn(line / 1000), VendorDcqcn(line / 1000)} {
		var r pacer
		for i := range sim.Picos(50) {
			now := i * 60 * micros
			r.advance(&p, line, now)
			r.cnp(&p, line, now)
		}
		require.Less(t, r.rate(line), uint64(line/10))
		r.advance(&p, line, 60_000*millis)
		require.Equal(t, uint64(line), r.rate(line))
		require.Zero(t, r.alpha)
	}
}

// TestLossCutsNotMoreOftenThanCnps, and only where it is asked for.
func TestLossCutsNotMoreOftenThanCnps(t *testing.T) {
	p := PaperDcqcn(line / 1000)
	var r pacer
	r.lost(&p, line, 0)
	require.Equal(t, uint64(line), r.rate(line))
	p.LossCuts = true
	r.lost(&p, line, 0)
	require.Equal(t, uint64(line/2), r.rate(line))
	r.lost(&p, line, p.CnpGap-1)
	require.Equal(t, uint64(line/2), r.rate(line))
	r.lost(&p, line, p.CnpGap)
	require.Less(t, r.rate(line), uint64(line/3))
}
