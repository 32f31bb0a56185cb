package share_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/share"
)

// A port of 400 Gb/s, base round trip 10 us.
const (
	rtt    = 2500 // ticks
	packet = 4196 // bytes on the wire
	whole  = 1 << 20
)

func config() share.Config {
	return share.Config{Tuning: preset.DefaultTuning(), BaseRTT: rtt, PlaneMbps: 400000, Planes: 1, PacketBytes: packet}
}

// told is one hint-only acknowledgement.
type told struct {
	at   uint32
	conn int
	hint uint32
	gen  uint8
}

// port does what the caller of the engine has to do.
type port struct {
	t       require.TestingT
	e       *share.Engine
	now     uint32
	senders []event.ShareSender
	row     event.SharePort
	all     share.Classes
	sweep   []int
	join    []int
	sent    []told
	levels  int
}

func newPort(t require.TestingT, c share.Config, senders int, start uint32) *port {
	e, err := share.New(c)
	require.NoError(t, err)
	return &port{t: t, e: e, now: start, senders: make([]event.ShareSender, senders)}
}

func (p *port) step(op uint8, conn int, in event.ShareIn) event.ShareOut {
	out := event.ShareOut{Keep: true, Join: true, Moved: true, Joined: true, SendNow: true, Hint: 1, HintGen: 1} // left from another step
	in.Now, in.Conn = p.now, uint16(conn)
	p.e.Step(&p.senders[conn], &p.row, &p.all, op, &in, &out)
	if out.Keep {
		p.sweep = append(p.sweep, conn)
	}
	if out.Join {
		p.join = append(p.join, conn)
	}
	if out.SendNow {
		p.sent = append(p.sent, told{p.now, conn, out.Hint, out.HintGen})
	}
	return out
}

func (p *port) packet(conn int, demand bool) {
	p.step(event.SharePacket, conn, event.ShareIn{Demand: demand, Bytes: packet})
}

func (p *port) announce(conn int) {
	p.step(event.ShareAnnounce, conn, event.ShareIn{Demand: true, Bytes: 100})
}

func (p *port) tell(conn int) (uint32, uint8) {
	out := p.step(event.ShareTell, conn, event.ShareIn{})
	return out.Hint, out.HintGen
}

// round sweeps every sender once.
func (p *port) round() {
	for range len(p.sweep) {
		conn := p.sweep[0]
		p.sweep = p.sweep[1:]
		p.step(event.ShareSweep, conn, event.ShareIn{})
	}
}

// tick does what is due now.
func (p *port) tick() {
	if int32(p.now-p.row.Due) >= 0 {
		p.round()
	}
	out := p.step(event.ShareLevel, 0, event.ShareIn{})
	p.levels++
	p.check()
	if out.Moved {
		p.round()
	}
	if out.Joined {
		for _, conn := range p.join {
			p.step(event.ShareAnswer, conn, event.ShareIn{})
		}
		p.join = p.join[:0]
	}
}

// run lets time pass up to an instant.
func (p *port) run(until uint32) {
	for {
		at, armed := share.Next(&p.row)
		if !armed || int32(at-until) > 0 {
			p.now = until
			return
		}
		if int32(at-p.now) > 0 {
			p.now = at
		}
		p.tick()
	}
}

func (p *port) pass(ticks uint32) { p.run(p.now + ticks) }

// check holds the sums of the classes against the rows, and the queue against who counts.
func (p *port) check() {
	var all share.Classes
	count := 0
	for i, s := range p.senders {
		if s.State == 0 {
			require.NotContains(p.t, p.sweep, i)
			require.Equal(p.t, event.ShareSender{}, s)
			continue
		}
		count++
		all[s.Class].Count++
		if s.Class != 63 {
			all[s.Class].Sum += uint64(s.Rate)
		}
	}
	require.Equal(p.t, all, p.all)
	require.Len(p.t, p.sweep, count)
	require.Equal(p.t, uint32(count), p.row.Senders)
	for c := range all {
		require.Equal(p.t, all[c].Count != 0, p.row.Filled>>c&1 == 1)
	}
	require.NotZero(p.t, p.row.LevelGen)
	require.Positive(p.t, p.row.Level)
	require.Less(p.t, p.row.Level, uint32(whole))
}

// demands are what the senders that count ask for now; whole: without limit.
func (p *port) demands() []uint64 {
	var d []uint64
	for _, s := range p.senders {
		switch {
		case s.State == 0:
		case s.Class == 63:
			d = append(d, whole)
		default:
			d = append(d, uint64(s.Rate))
		}
	}
	return d
}

// exact is max-min fair water-filling: the level at which all that is asked for and not above it, and the level for
// each of the others, come to the capacity. satisfied: everybody gets what it asks for.
func exact(demands []uint64, capacity uint64) (level uint64, satisfied bool) {
	slices.Sort(demands)
	left := capacity
	for i, d := range demands {
		rest := uint64(len(demands) - i)
		if d*rest > left {
			return left / rest, false
		}
		left -= d
	}
	return 0, true
}

func given(demands []uint64, level uint64) (sum uint64) {
	for _, d := range demands {
		sum += min(d, level)
	}
	return sum
}

func TestExactTwin(t *testing.T) {
	for _, c := range []struct {
		demands  []uint64
		capacity uint64
		level    uint64
		fits     bool
	}{
		{[]uint64{100, 100, 100}, 90, 30, false},
		{[]uint64{100, 10, 100}, 90, 40, false},
		{[]uint64{10, 20, 30}, 60, 0, true},
		{[]uint64{10, 20, 31}, 60, 30, false},
	} {
		level, fits := exact(slices.Clone(c.demands), c.capacity)
		require.Equal(t, c.level, level)
		require.Equal(t, c.fits, fits)
	}
}
