package pathtimer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/preset"
)

const (
	base  = 2500  // 10 us
	srtt  = 3000  // ticks
	rto   = 7000  // 3000 + 4*1000
	first = 12500 // first interval of proposals: 50 us, and 4 base round trips are 40
)

// in is a path that carries data, at some time near the wrap of the clock.
func in(now uint32) event.PathTimerIn {
	return event.PathTimerIn{Now: now, Oldest: now - rto, Srtt: srtt, Rttvar: 1000, Base: base, Port: 777, Plane: 3}
}

func step(row *event.PathTimerPath, op uint8, in event.PathTimerIn) event.PathTimerOut {
	cfg := preset.DefaultTuning()
	out := event.PathTimerOut{Refused: true}
	pathtimer.Step(&cfg, row, op, &in, &out)
	return out
}

func started() event.PathTimerPath {
	var row event.PathTimerPath
	step(&row, event.PathTimerStart, event.PathTimerIn{Port: 500, Plane: 1})
	return row
}

func TestTimeout(t *testing.T) {
	cfg := preset.DefaultTuning()
	for _, c := range []struct {
		name string
		in   event.PathTimerIn
		want uint32
	}{
		{"before a first sample", event.PathTimerIn{Base: 2500}, 4 * 2500},
		{"of samples", event.PathTimerIn{Base: 2500, Srtt: 3000, Rttvar: 1000}, 7000},
		{"least", event.PathTimerIn{Base: 2500, Srtt: 2600, Rttvar: 10}, 6250},
		{"small share: three gaps", event.PathTimerIn{Base: 2500, Srtt: 2600, Rttvar: 10, Gap: 21000}, 2500 + 63000},
		{"far away: half a round trip", event.PathTimerIn{Base: 500_000, Srtt: 500_100, Rttvar: 10, Gap: 60}, 750_000},
		{"longest", event.PathTimerIn{Base: 2500, Srtt: 1 << 31, Rttvar: 1 << 31}, 1 << 28},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, pathtimer.Timeout(&cfg, &c.in)) })
	}
}

// TestLazy: a deadline is moved to the oldest transmission's only when it has passed, and goes when nothing is in flight.
func TestLazy(t *testing.T) {
	row := started()
	x := in(0xffffff00)
	require.Zero(t, step(&row, event.PathTimerArm, x))
	require.Equal(t, event.PathTimerPath{Sport: 500, Plane: 1, Known: true, Armed: true, Deadline: x.Now + rto}, row)
	later := x
	later.Now += 100
	step(&row, event.PathTimerArm, later)
	require.Equal(t, x.Now+rto, row.Deadline, "armed already")

	y := in(row.Deadline) // behind the wrap
	y.Oldest = y.Now - 10
	require.Zero(t, step(&row, event.PathTimerDue, y))
	require.Equal(t, y.Now-10+rto, row.Deadline)
	y.Now, y.Idle = row.Deadline, true
	require.Zero(t, step(&row, event.PathTimerDue, y))
	require.False(t, row.Armed)
}

// TestLifeOfAPath walks the states in their order, with every deadline.
func TestLifeOfAPath(t *testing.T) {
	row := started()
	x := in(0xffffe000)
	step(&row, event.PathTimerArm, x)
	x.Now = row.Deadline
	require.Equal(t, event.PathTimerOut{Timeout: true, Resend: true}, step(&row, event.PathTimerDue, x))
	require.Equal(t, x.Now+rto, row.Deadline)
	require.Equal(t, pathtimer.Active, row.State)

	x.Now = row.Deadline
	require.Equal(t, event.PathTimerOut{Timeout: true, Suspect: true, SendProbe: true}, step(&row, event.PathTimerDue, x))
	require.Equal(t, pathtimer.Suspect, row.State)
	require.Equal(t, row.Sport, row.Proposed, "a suspect path is asked by the port it has")
	require.Equal(t, uint8(1), row.ToPlane)
	require.Equal(t, x.Now+rto, row.Deadline)

	x.Now = row.Deadline
	require.Equal(t, event.PathTimerOut{SendProbe: true}, step(&row, event.PathTimerDue, x), "asked again")
	x.Now = row.Deadline
	require.Equal(t, event.PathTimerOut{Failed: true, SendProbe: true, NewEpoch: 1}, step(&row, event.PathTimerDue, x))
	require.Equal(t, pathtimer.Failed, row.State)
	require.Equal(t, uint16(777), row.Proposed)
	require.Equal(t, uint8(3), row.ToPlane)
	for _, interval := range []uint32{first, 25000, 25000, 25000} { // ceiling: 10 base round trips, 100 us
		require.Equal(t, x.Now+interval, row.Deadline)
		x.Now, x.Port = row.Deadline, x.Port+1
		require.Equal(t, event.PathTimerOut{SendProbe: true, NewEpoch: 1}, step(&row, event.PathTimerDue, x), "another port, the same epoch")
		require.Equal(t, x.Port, row.Proposed)
	}
	require.Equal(t, uint16(500), row.Sport)

	// The answer to a probe before the newest: its port is taken, and the plane that it came by.
	a := in(x.Now + 50)
	a.Txn, a.NewEpoch, a.Port, a.Plane = row.Txn-2, 1, 779, 2
	require.Equal(t, event.PathTimerOut{Active: true, Changed: true}, step(&row, event.PathTimerAnswer, a))
	require.Equal(t, event.PathTimerPath{Sport: 779, Plane: 2, Epoch: 1, Txn: row.Txn, Proposed: row.Proposed, ToPlane: 3, Armed: true, Deadline: a.Now}, row)
	require.Equal(t, event.PathTimerOut{Refused: true}, step(&row, event.PathTimerAnswer, a), "answered once")
}

// TestAlive: any sign of life ends a series of timeouts, at once.
func TestAlive(t *testing.T) {
	for _, c := range []struct {
		name string
		dues int
		out  event.PathTimerOut
	}{
		{"nothing to end", 0, event.PathTimerOut{}},
		{"a timeout", 1, event.PathTimerOut{}},
		{"suspect", 2, event.PathTimerOut{Active: true}},
		{"suspect, asked twice", 3, event.PathTimerOut{Active: true}},
		{"failed", 4, event.PathTimerOut{Active: true}},
		{"failed, asked often", 40, event.PathTimerOut{Active: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := started()
			x := in(5000)
			step(&row, event.PathTimerArm, x)
			for range c.dues {
				x.Now = row.Deadline
				step(&row, event.PathTimerDue, x)
			}
			before := row
			x.Now += 3
			require.Equal(t, c.out, step(&row, event.PathTimerAlive, x))
			require.Equal(t, pathtimer.Active, row.State)
			require.Zero(t, row.Expired)
			if c.dues == 0 {
				require.Equal(t, before, row)
				return
			}
			require.Equal(t, x.Now, row.Deadline, "the oldest transmission is looked at again now")
			require.Equal(t, before.Sport, row.Sport)
			require.Equal(t, before.Epoch, row.Epoch)
		})
	}
}

// TestAnswerBySamePort: a suspect or failed path that answers by the port it has goes on with it.
func TestAnswerBySamePort(t *testing.T) {
	for _, dues := range []int{2, 3, 4} {
		row := started()
		x := in(5000)
		step(&row, event.PathTimerArm, x)
		for range dues {
			x.Now = row.Deadline
			step(&row, event.PathTimerDue, x)
		}
		a := x
		a.Txn, a.NewEpoch, a.Port = 1, 0, 500 // the first probe
		require.Equal(t, event.PathTimerOut{Active: true}, step(&row, event.PathTimerAnswer, a), dues)
		require.Equal(t, uint8(0), row.Epoch)
		require.True(t, row.Known)
	}
}

// TestStrangeAnswers change nothing.
func TestStrangeAnswers(t *testing.T) {
	row := started()
	x := in(5000)
	step(&row, event.PathTimerArm, x)
	for range 5 {
		x.Now = row.Deadline
		step(&row, event.PathTimerDue, x)
	}
	for name, change := range map[string]func(a *event.PathTimerIn){
		"of an older series":        func(a *event.PathTimerIn) { a.Txn -= 4 },
		"of no probe yet":           func(a *event.PathTimerIn) { a.Txn++ },
		"of the epoch after next":   func(a *event.PathTimerIn) { a.NewEpoch = 2 },
		"of an epoch before":        func(a *event.PathTimerIn) { a.NewEpoch = 15 },
		"of this epoch, other port": func(a *event.PathTimerIn) { a.NewEpoch = 0 },
		"while old is not settled":  func(a *event.PathTimerIn) { a.Old = true },
	} {
		a := x
		a.Txn, a.NewEpoch = row.Txn, 1
		change(&a)
		before := row
		require.Equal(t, event.PathTimerOut{Refused: true}, step(&row, event.PathTimerAnswer, a), name)
		require.Equal(t, before, row, name)
	}
}

// TestUnknownEpochGoesOn: a path that fails before the peer showed that it knows its epoch changes its port only.
func TestUnknownEpochGoesOn(t *testing.T) {
	row := started()
	row.Epoch, row.Known = 15, false
	x := in(5000)
	step(&row, event.PathTimerArm, x)
	var out event.PathTimerOut
	for range 4 {
		x.Now = row.Deadline
		out = step(&row, event.PathTimerDue, x)
	}
	require.Equal(t, event.PathTimerOut{Failed: true, SendProbe: true, NewEpoch: 15}, out)
	a := x
	a.Txn, a.NewEpoch = row.Txn, 15
	require.Equal(t, event.PathTimerOut{Active: true, Changed: true}, step(&row, event.PathTimerAnswer, a))
	require.Equal(t, uint16(777), row.Sport)
	require.False(t, row.Known)
	step(&row, event.PathTimerAlive, x)
	require.True(t, row.Known)
	for range 4 {
		x.Now = row.Deadline
		out = step(&row, event.PathTimerDue, x)
	}
	require.Equal(t, uint8(0), out.NewEpoch, "known now: the next one, over the wrap")
}

// TestLastActive is never suspect; its timeouts double, up to the longest.
func TestLastActive(t *testing.T) {
	row := started()
	x := in(0)
	x.LastActive = true
	step(&row, event.PathTimerArm, x)
	for _, times := range []uint32{1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 8192} {
		x.Now = row.Deadline
		require.Equal(t, event.PathTimerOut{Timeout: true, Resend: true}, step(&row, event.PathTimerDue, x))
		require.Equal(t, x.Now+rto*times, row.Deadline)
	}
	require.Equal(t, pathtimer.Active, row.State)
	x.LastActive, x.Now = false, row.Deadline
	require.True(t, step(&row, event.PathTimerDue, x).Suspect, "it is not the last any more")
}

// TestMove: an active path proposes another plane, goes on meanwhile, and gives up in the end.
func TestMove(t *testing.T) {
	row := started()
	x := in(5000)
	require.Equal(t, event.PathTimerOut{SendProbe: true, NewEpoch: 1}, step(&row, event.PathTimerMove, x))
	require.Equal(t, x.Now+rto, row.Deadline)
	require.Equal(t, event.PathTimerOut{Refused: true}, step(&row, event.PathTimerMove, x), "one at a time")
	for range 3 {
		x.Now, x.Oldest = row.Deadline, row.Deadline-5
		require.Equal(t, event.PathTimerOut{SendProbe: true, NewEpoch: 1}, step(&row, event.PathTimerDue, x))
		require.Equal(t, x.Now-5+rto, row.Deadline)
	}
	moved := row
	a := x
	a.Txn, a.NewEpoch = row.Txn, 1
	require.Equal(t, event.PathTimerOut{Changed: true}, step(&moved, event.PathTimerAnswer, a))
	require.Equal(t, uint8(3), moved.Plane)
	require.Equal(t, event.PathTimerOut{Refused: true}, step(&moved, event.PathTimerMove, a), "the peer may not know this epoch yet")

	x.Now, x.Idle = row.Deadline, true
	require.Zero(t, step(&row, event.PathTimerDue, x))
	require.Zero(t, row.Probes, "given up")
	require.False(t, row.Armed)

	row = started()
	x.Old = true
	require.Equal(t, event.PathTimerOut{Refused: true}, step(&row, event.PathTimerMove, x), "something of the epoch before is not settled")
}

// TestMoveKeepsTheEarlierDeadline: neither a timeout that is near nor the repeat of a proposal is put off by the other.
func TestMoveKeepsTheEarlierDeadline(t *testing.T) {
	for _, c := range []struct{ armed, want uint32 }{{rto - 50, rto - 50}, {rto + 50, rto}} {
		row := started()
		row.Armed, row.Deadline = true, 5000+c.armed
		step(&row, event.PathTimerMove, in(5000))
		require.Equal(t, 5000+c.want, row.Deadline)
	}
	row := started()
	x := in(5000)
	step(&row, event.PathTimerMove, x)
	x.Now, x.Oldest = row.Deadline, row.Deadline-rto+70
	step(&row, event.PathTimerDue, x)
	require.Equal(t, x.Now+70, row.Deadline)
	x.Now, x.Oldest = row.Deadline, row.Deadline+100 // in the time to come: a deadline behind that of the proposal
	step(&row, event.PathTimerDue, x)
	require.Equal(t, x.Now+rto, row.Deadline)
}

// TestPathThatFailsDuringAMove is asked by its own port as often as any other.
func TestPathThatFailsDuringAMove(t *testing.T) {
	row := started()
	x := in(5000)
	step(&row, event.PathTimerMove, x)
	for row.State == pathtimer.Active {
		x.Now = row.Deadline
		x.Oldest = x.Now - rto
		step(&row, event.PathTimerDue, x)
	}
	require.Equal(t, uint8(1), row.Probes)
	require.Equal(t, uint16(500), row.Proposed)
	require.Equal(t, uint8(1), row.ToPlane)
}

// TestMoveOfAnIdlePath is repeated, too.
func TestMoveOfAnIdlePath(t *testing.T) {
	row := started()
	x := in(5000)
	x.Idle = true
	step(&row, event.PathTimerMove, x)
	for range 3 {
		x.Now = row.Deadline
		require.True(t, step(&row, event.PathTimerDue, x).SendProbe)
		require.True(t, row.Armed)
		require.Equal(t, x.Now+rto, row.Deadline)
	}
}

// TestSlowNetwork: proposals are never closer than round trips of the network.
func TestSlowNetwork(t *testing.T) {
	row := started()
	row.State, row.Probes = pathtimer.Failed, 2
	x := in(0)
	x.Base = 250_000 // 1 ms
	for _, interval := range []uint32{1_000_000, 2_000_000, 2_500_000, 2_500_000} {
		step(&row, event.PathTimerDue, x)
		require.Equal(t, x.Now+interval, row.Deadline)
		x.Now = row.Deadline
	}
}

func BenchmarkDue(b *testing.B) {
	cfg := preset.DefaultTuning()
	row := started()
	var out event.PathTimerOut
	b.ReportAllocs()
	for i := range b.N {
		x := in(uint32(i))
		x.Oldest = x.Now - 10
		pathtimer.Step(&cfg, &row, event.PathTimerDue, &x, &out)
	}
}
