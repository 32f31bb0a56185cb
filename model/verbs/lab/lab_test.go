package lab

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// fake is a NIC that sends what it is given and notes what comes.
type fake struct {
	send  []endpoint.Packet
	kick  uint32
	at    sim.Picos // next deadline, 0: none
	ticks []sim.Picos
	got   []arrived
}

type arrived struct {
	at    sim.Picos
	plane int
	p     endpoint.Packet
}

func (f *fake) Pull(_ sim.Picos, _ int, p *endpoint.Packet) bool {
	if len(f.send) == 0 {
		return false
	}
	*p = f.send[0]
	f.send = f.send[1:]
	return true
}

func (f *fake) OnPacket(now sim.Picos, plane int, p *endpoint.Packet) {
	f.got = append(f.got, arrived{now, plane, *p})
}

func (f *fake) OnTime(now sim.Picos) {
	f.ticks = append(f.ticks, now)
	if now >= f.at {
		f.at = 0
	}
}

func (f *fake) Deadline() (sim.Picos, bool) { return f.at, f.at != 0 }

func (f *fake) Kicks() uint32 {
	k := f.kick
	f.kick = 0
	return k
}

func (f *fake) queue(n int, op wire.Opcode, to uint16) {
	for i := range n {
		p := endpoint.Packet{Front: endpoint.Front{Dst: to, Sport: 77, Msn: uint32(i), Length: 100, PayloadLen: 100}, Data: make([]byte, 100)}
		p.Opcode, p.Psn = op, uint32(i)
		if op == wire.OpcodeAck {
			p.PayloadLen, p.Data = 0, nil
		}
		f.send = append(f.send, p)
	}
	f.kick = 1
}

func build(t *testing.T, change func(c *Config)) (*Lab, *fake, *fake) {
	a, b := &fake{}, &fake{}
	c := Default()
	if change != nil {
		change(&c)
	}
	l, err := New(c, a, b)
	require.NoError(t, err)
	return l, a, b
}

func (f *fake) order() (psns []uint32) {
	for _, g := range f.got {
		psns = append(psns, g.p.Psn)
	}
	return psns
}

func TestTimesAndBytes(t *testing.T) {
	l, a, b := build(t, func(c *Config) { c.Mbps = 1000 })
	a.queue(3, wire.OpcodeWrite, 1)
	each := sim.Picos(a.send[0].UDPBytes()+endpoint.FramingV4) * 8000
	require.True(t, l.Until(1e9, func() bool { return len(b.got) == 3 }))
	for i, g := range b.got {
		require.Equal(t, sim.Picos(i+1)*each+2_000_000, g.at)
		require.Equal(t, uint32(i), g.p.Psn)
		require.Equal(t, []uint16{0, 1, 77}, []uint16{g.p.Src, g.p.Dst, g.p.Sport})
		require.Len(t, g.p.Data, 100)
	}
	require.False(t, l.Step(), "nothing is left")
	require.False(t, l.Until(2e9, func() bool { return false }))
}

func TestTicks(t *testing.T) {
	l, a, _ := build(t, nil)
	a.at = 5000
	l.Run(1000)
	require.Equal(t, sim.Picos(1000), l.Now())
	a.at = 3000
	l.Run(9000)
	require.Equal(t, []sim.Picos{3000, 5000}, a.ticks)
	require.Equal(t, sim.Picos(10_000), l.Now())
	a.at = 500
	require.True(t, l.Step(), "what is overdue is due now")
	require.Equal(t, sim.Picos(10_000), a.ticks[2])
}

func TestTrouble(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		name    string
		trouble Trouble
		op      wire.Opcode
		lo, hi  int // arrivals
		marks   bool
		mixed   bool // the order is another
	}{
		{"none", Trouble{}, wire.OpcodeWrite, n, n, false, false},
		{"lose data", Trouble{Lose: 300}, wire.OpcodeWrite, 600, 800, false, false},
		{"not control", Trouble{Lose: 300, Mark: 500}, wire.OpcodeAck, n, n, false, false},
		{"lose control", Trouble{LoseControl: 300}, wire.OpcodeAck, 600, 800, false, false},
		{"not data", Trouble{LoseControl: 300}, wire.OpcodeWrite, n, n, false, false},
		{"double", Trouble{Double: 500}, wire.OpcodeWrite, 1400, 1600, false, false},
		{"late", Trouble{Late: 300, LateBy: 1e6}, wire.OpcodeWrite, n, n, false, true},
		{"mark", Trouble{Mark: 300}, wire.OpcodeWrite, n, n, true, false},
		{"dead", Trouble{Dead: 1}, wire.OpcodeWrite, 0, 0, false, false},
		{"another plane is dead", Trouble{Dead: 2}, wire.OpcodeWrite, n, n, false, false},
		{"drop", Trouble{Drop: func(_, _, _ int, p *endpoint.Packet) bool { return p.Psn%2 == 0 }}, wire.OpcodeWrite, n / 2, n / 2, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, a, b := build(t, nil)
			l.Trouble = c.trouble
			a.queue(n, c.op, 1)
			l.Run(1e9)
			require.True(t, len(b.got) >= c.lo && len(b.got) <= c.hi, "%d", len(b.got))
			marks, sorted := 0, true
			for i, g := range b.got {
				if g.p.Ce {
					marks++
				}
				sorted = sorted && (i == 0 || b.got[i-1].p.Psn <= g.p.Psn)
			}
			require.Equal(t, c.marks, marks > 200)
			require.True(t, c.marks || marks == 0)
			require.Equal(t, !c.mixed, sorted)
		})
	}
}

func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) []uint32 {
		l, a, b := build(t, func(c *Config) { c.Seed = seed })
		l.Trouble = Trouble{Lose: 200, Double: 200, Late: 200, LateBy: 1e6}
		a.queue(200, wire.OpcodeWrite, 1)
		l.Run(1e9)
		return b.order()
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
}

func TestNobodyThere(t *testing.T) {
	l, a, b := build(t, nil)
	a.queue(1, wire.OpcodeWrite, 9)
	l.Run(1e9)
	require.Empty(t, b.got)
}

func TestConfig(t *testing.T) {
	_, err := New(Config{Planes: 9, Mbps: 99})
	for _, part := range []string{"Planes is 9", "Mbps is 99", "Way is 0"} {
		require.ErrorContains(t, err, part)
	}
}
