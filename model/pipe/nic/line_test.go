package nic

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// predict is the twin of the machinery of stages for packets that all go the same way: the times at which each of them
// starts and takes effect at each stage, from the times before. Times are in cycles.
func predict(c *Config, arrivals []uint64, frame, payload uint32) (effects []uint64) {
	n := len(arrivals)
	starts := make([][]uint64, len(line)+1)
	arrives := append([]uint64{}, arrivals...)
	effect := make([][]uint64, len(line))
	for s := range line {
		starts[s], effect[s] = make([]uint64, n), make([]uint64, n)
	}
	starts[len(line)] = nil
	at := func(s, i int) uint64 { // when packet i stands before stage s
		if s == 0 {
			return arrives[i]
		}
		return effect[s-1][i]
	}
	for i := range n {
		for s, id := range line {
			t := &c.Stages[id]
			bytes := map[Stage]uint32{Parse: frame, Write: payload}[id]
			start := at(s, i)
			if i > 0 {
				start = max(start, starts[s][i-1]+max(uint64(t.Interval), t.beats(bytes)))
			}
			if k := int(t.InFlight); k > 0 && i >= k {
				start = max(start, effect[s][i-k])
			}
			if s+1 < len(line) {
				if k := int(c.Stages[line[s+1]].Depth); i >= k {
					start = max(start, starts[s+1][i-k])
				}
			}
			starts[s][i] = start
			effect[s][i] = start + uint64(t.Latency)
			if t.Whole {
				effect[s][i] += t.beats(bytes)
			}
			if i > 0 {
				effect[s][i] = max(effect[s][i], effect[s][i-1])
			}
		}
	}
	return effect[len(line)-1]
}

func anyTiming(t *rapid.T, id Stage) Timing {
	name := id.String()
	x := Timing{
		Latency:  uint32(rapid.IntRange(0, 20).Draw(t, name+" latency")),
		Interval: uint32(rapid.SampledFrom([]int{0, 1, 1, 2, 7, 30}).Draw(t, name+" interval")),
		Depth:    uint32(rapid.IntRange(1, 4).Draw(t, name+" depth")),
		InFlight: uint32(rapid.IntRange(0, 3).Draw(t, name+" in flight")),
	}
	if carriesBytes[id] {
		x.Width = uint32(rapid.SampledFrom([]int{0, 16, 64, 1000}).Draw(t, name+" width"))
		x.Whole = x.Width > 0 && rapid.Bool().Draw(t, name+" whole")
	}
	return x
}

// messages is as many as a stream may have open.
const messages = 60

// TestLine: whatever the stages take, each message is released in the very cycle in which the twin has it; nothing is
// lost, and no queue is longer than it may be.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Immediate()
		c.CyclePs = 1000
		for _, id := range line {
			c.Stages[id] = anyTiming(t, id)
		}
		c.Stages[Parse].Depth = messages // or the twin would have to know what is dropped
		b := newBench(t, c, 200)
		gaps := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 0, 1, 5, 50}), messages, messages).Draw(t, "gaps")
		arrivals := make([]uint64, messages)
		now := uint64(0)
		for i, gap := range gaps {
			now += gap
			arrivals[i] = now
			at := sim.Picos(now) * 1000
			for {
				due, ok := b.d.next()
				if !ok || due >= at {
					break
				}
				b.d.OnTime(due)
				b.drain()
			}
			b.d.OnPacket(at, 0, b.part(i))
			b.drain()
		}
		b.rest()
		p := b.part(0)
		want := predict(&c, arrivals, uint32(p.UDPBytes())+frameHeaders, 200)
		require.Len(t, b.released, messages)
		for i := range want {
			require.Equal(t, sim.Picos(want[i])*1000, b.released[i], "message %d", i)
		}
		require.Zero(t, b.d.Inside()-b.atPorts())
		for _, l := range b.d.Loads() {
			require.LessOrEqual(t, l.Queued, max(1, int(c.Stages[l.Stage].Depth)), "%v", l.Stage)
		}
	})
}

// TestNothingToWrite: what has no payload does not wait for the memory.
func TestNothingToWrite(t *testing.T) {
	b := newBench(t, Default(1), 256)
	p := b.part(0)
	p.PayloadLen, p.Length = 0, 0
	b.d.OnPacket(0, 0, p)
	b.rest()
	require.Len(t, b.released, 1)
	require.Less(t, b.released[0], sim.Picos(100_000))
}

// TestKicks: an uplink that asks and gets a packet is not kicked for it, one that asked in vain is.
func TestKicks(t *testing.T) {
	for _, c := range []Config{Immediate(), Default(1)} {
		b := newBench(t, c, 256)
		p := b.part(0)
		p.FlagA = true
		var out endpoint.Packet
		require.False(t, b.d.Pull(0, 0, &out))
		b.d.OnPacket(0, 0, p)
		b.rest()
		require.EqualValues(t, 1, b.d.Kicks())
		require.Zero(t, b.d.Kicks())
		require.True(t, b.d.Pull(b.d.now, 0, &out))
		require.Zero(t, b.d.Kicks())
	}
}

// TestStragglerOfACompletedMessage: a packet that was admitted for an open message, and comes to message when that and the
// next are complete, is old by then.
func TestStragglerOfACompletedMessage(t *testing.T) {
	c := Default(1)
	c.Stages[Window].Interval = 2000
	b := newBench(t, c, 256)
	again := b.part(0)
	again.Psn += 2
	again.Tsn += 2
	again.Attempt = 15
	b.d.OnPacket(0, 0, b.part(0))
	b.d.OnPacket(0, 0, b.part(1))
	b.d.OnPacket(0, 0, again)
	b.rest()
	require.Len(t, b.released, 2)
	require.Less(t, b.seen[event.KindAdmit][2], b.released[0], "admitted before")
	require.EqualValues(t, 1, b.d.NIC().Count().Verdicts[event.VerdictOldMessage])
}

// TestOverrun: what finds the queue before parse full is dropped and counted, all else goes through.
func TestOverrun(t *testing.T) {
	c := Default(1)
	c.Stages[Parse].Depth, c.Stages[Parse].Interval = 10, 50
	b := newBench(t, c, 256)
	b.flood(messages, event.KindComplete, b.part)
	require.EqualValues(t, messages-11, b.d.Overruns(), "one is in the stage")
	require.Len(t, b.released, 11)
	require.EqualValues(t, messages, uint64(len(b.seen[event.KindAdmit]))+b.d.Overruns())
}

// TestLatencyAddsUp: the times of single packets are those that the configuration says.
func TestLatencyAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Default(1)
		for id := range stages {
			c.Stages[id].Latency += uint32(rapid.IntRange(0, 50).Draw(t, id.String()))
			c.Stages[id].Spread = 0
		}
		payload := rapid.SampledFrom([]uint16{256, 1024, 4096}).Draw(t, "payload")
		b := newBench(t, c, payload)
		out, in := c.Way(int(payload))

		_, err := b.d.NIC().Post(0, 0, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: uint32(payload), Rkey: 1 << 8})
		require.NoError(t, err)
		b.d.Kicks()
		var sent endpoint.Packet
		require.False(t, b.d.Pull(out-1, 0, &sent))
		require.True(t, b.d.Pull(out, 0, &sent), "at its uplink")

		start := sim.Picos(10_000_000)
		b.d.OnPacket(start, 0, b.part(0))
		b.rest()
		require.Equal(t, []sim.Picos{start + in}, b.released)

		b.peer.OnPacket(start, 0, &sent)
		var ack, own endpoint.Packet
		require.True(t, b.peer.Pull(start, 0, &ack))
		for b.d.Pull(b.d.now, 0, &own) { // its own acknowledgement, and the flush behind what it sent
		}
		built := b.seen[event.KindAck][0]
		window := b.seen[event.KindWindow][0]
		second := start + 100_000_000
		b.d.OnPacket(second, 0, &ack)
		b.rest()
		heard := b.seen[event.KindAckRecv][0]
		require.Equal(t, c.RoundTrip(int(payload)), out+window-start+(built-window)+ackBuilt(&c)+heard-second)
		require.Equal(t, window, built, "chosen at once")
	})
}

// ackBuilt is the time from the choice of an acknowledgement to its uplink.
func ackBuilt(c *Config) sim.Picos {
	return sim.Picos(c.Stages[Pick].Latency+c.Stages[Build].Latency) * sim.Picos(c.CyclePs)
}

// TestEdges: a stage that takes time begins at an edge of the clock, one that takes none at once.
func TestEdges(t *testing.T) {
	c := Immediate()
	b := newBench(t, c, 256)
	b.d.OnPacket(1234, 0, b.part(0))
	b.drain()
	require.Equal(t, []sim.Picos{1234}, b.released)
	c.Stages[Recv].Latency = 1
	b = newBench(t, c, 256)
	b.d.OnPacket(1234, 0, b.part(0))
	b.rest()
	require.Equal(t, []sim.Picos{2 * preset.TickPs}, b.released)
}
