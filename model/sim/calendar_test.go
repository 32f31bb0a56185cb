package sim_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/sim"
)

// twinEvent is an event of the slow twin: a slice, searched from end to end.
type twinEvent struct {
	at   sim.Picos
	key  uint32
	what uint32
}

type twin struct {
	keys   sim.Random
	events []twinEvent
}

func (c *twin) push(at sim.Picos, what uint32) {
	c.events = append(c.events, twinEvent{at, uint32(c.keys.Uint64() >> 32), what})
}

func (c *twin) least() int {
	best := 0
	for i, e := range c.events {
		b := c.events[best]
		if e.at < b.at || e.at == b.at && e.key < b.key {
			best = i
		}
	}
	return best
}

// TestCalendarTwin: pushes near, far and beyond, in the past and at one time, cancels, and pops up to a bound, in any
// mixture, for gaps that fit and that do not.
func TestCalendarTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		gap := rapid.SampledFrom([]sim.Picos{0, 1, 12, 1000, 1 << 30}).Draw(t, "gap")
		c, slow := sim.NewCalendar(seed, "k", gap), twin{keys: sim.NewRandom(seed, "k")}
		var handles []sim.Handle // by what, 0: gone
		now := sim.Picos(0)
		span := rapid.SampledFrom([]uint64{0, 3, 1000, 1 << 20, 1 << 27, 1 << 36, 1 << 50}).Draw(t, "span")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0, 1, 2, 3:
				at := now + sim.Picos(rapid.Uint64Range(0, span).Draw(t, "at"))
				if rapid.IntRange(0, 20).Draw(t, "past") == 0 {
					at = now / 2
				}
				what := uint32(len(handles))
				handles = append(handles, c.Push(at, what))
				slow.push(at, what)
			case 4:
				if len(slow.events) > 0 {
					k := rapid.IntRange(0, len(slow.events)-1).Draw(t, "cancel")
					c.Cancel(handles[slow.events[k].what])
					slow.events = slices.Delete(slow.events, k, k+1)
				}
			default:
				until := now + sim.Picos(rapid.Uint64Range(0, 2*span).Draw(t, "until"))
				now = max(now, popBoth(t, c, &slow, until))
			}
			require.Equal(t, len(slow.events), c.Len())
			at, ok := c.Next()
			require.Equal(t, len(slow.events) > 0, ok)
			if ok {
				require.Equal(t, slow.events[slow.least()].at, at)
			}
		}
		for len(slow.events) > 0 {
			popBoth(t, c, &slow, ^sim.Picos(0))
		}
		require.Zero(t, c.Len())
		require.LessOrEqual(t, c.Most(), len(handles))
	})
}

// popBoth pops one event up to until from both and returns the time that it is then.
func popBoth(t *rapid.T, c *sim.Calendar, slow *twin, until sim.Picos) sim.Picos {
	at, what, ok := c.Pop(until)
	if len(slow.events) == 0 || slow.events[slow.least()].at > until {
		require.False(t, ok)
		return until
	}
	k := slow.least()
	require.True(t, ok)
	require.Equal(t, slow.events[k], twinEvent{at, slow.events[k].key, what})
	slow.events = slices.Delete(slow.events, k, k+1)
	return at
}

// TestCalendarManyOfOneTime: a bucket that a thousand hosts share pops in the drawn order, which is not that of pushing,
// and differs by seed.
func TestCalendarManyOfOneTime(t *testing.T) {
	order := func(seed uint64, at sim.Picos) (list []uint32) {
		c := sim.NewCalendar(seed, "k", 16)
		for i := range uint32(1000) {
			c.Push(at, i)
		}
		for {
			_, what, ok := c.Pop(at)
			if !ok {
				return list
			}
			list = append(list, what)
		}
	}
	for _, at := range []sim.Picos{0, 32 << 14, 1 << 50} { // in active, in the first bucket of an epoch, beyond
		a := order(1, at)
		require.Len(t, a, 1000)
		require.False(t, slices.IsSorted(a))
		require.Equal(t, a, order(1, at))
		require.NotEqual(t, a, order(2, at))
	}
}

// TestCalendarForgetsWhatIsCancelled: the only event of its list leaves no trace, wherever that list is.
func TestCalendarForgetsWhatIsCancelled(t *testing.T) {
	times := []sim.Picos{0, 40, 32 << 15, 1 << 50, 1 << 51}
	for i := range times {
		c := sim.NewCalendar(1, "k", 16)
		var handles []sim.Handle
		for j, at := range times {
			handles = append(handles, c.Push(at, uint32(j)))
		}
		for j, h := range handles[:i] {
			c.Cancel(h)
			at, ok := c.Next()
			require.True(t, ok)
			require.Equal(t, times[j+1], at)
		}
		for j := i; j < len(times); j++ {
			at, what, ok := c.Pop(^sim.Picos(0))
			require.True(t, ok)
			require.Equal(t, times[j], at)
			require.Equal(t, uint32(j), what)
		}
		require.Zero(t, c.Len())
	}
}

func TestCalendarDoesNotAllocateOnceGrown(t *testing.T) {
	c := sim.NewCalendar(1, "k", 10)
	draw := sim.NewRandom(1, "delay")
	for i := range uint32(1000) {
		c.Push(sim.Picos(draw.Below(100_000)), i)
	}
	step := func() {
		at, what, _ := c.Pop(^sim.Picos(0))
		h := c.Push(at+sim.Picos(draw.Below(1_000_000)), what)
		c.Cancel(h)
		c.Push(at+sim.Picos(draw.Below(100_000)), what)
	}
	for range 100_000 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(1000, step))
	require.Equal(t, 1000, c.Most())
}

// TestBareLoopsAgree: heap and calendar pop the same times, since neither loop looks at what it pops.
func TestBareLoopsAgree(t *testing.T) {
	for _, pending := range []int{1, 2, 100} {
		require.Equal(t, sim.BareLoop(3, 5000, pending, 84_000, 1_300_000), sim.CalendarLoop(3, 5000, pending, 84_000, 1_300_000))
	}
	require.NotEqual(t, sim.BareLoop(3, 5000, 10, 84_000, 1_300_000), sim.BareLoop(4, 5000, 10, 84_000, 1_300_000))
}

// BenchmarkBareLoop: events a second of the yardstick and of the calendar, by how many are pending.
func BenchmarkBareLoop(b *testing.B) {
	for _, pending := range []int{8, 500, 7000, 50_000} {
		for name, loop := range map[string]func(uint64, int, int, sim.Picos, sim.Picos) sim.Picos{"heap": sim.BareLoop, "calendar": sim.CalendarLoop} {
			b.Run(fmt.Sprintf("%s-%d", name, pending), func(b *testing.B) {
				start := cpu(b)
				loop(1, b.N, pending, 84_000, 1_300_000)
				b.ReportMetric(float64(b.N)/(cpu(b)-start).Seconds()/1e6, "Mevents/cpu-s")
			})
		}
	}
}

// cpu is the processor time of the process so far: other work on the machine does not count.
func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
