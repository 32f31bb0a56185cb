package nic

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// bench is a device with a peer that makes packets for it.
type bench struct {
	d        *Device
	peer     *endpoint.NIC
	conn     uint16                     // at the peer
	first    endpoint.Packet            // of the peer: a Write of one part
	planes   int                        // 0: one
	released []sim.Picos                // of messages
	seen     map[event.Kind][]sim.Picos // records of the device: when
	xids     map[event.Kind][]uint32    // and of which packet
}

func newBench(t require.TestingT, c Config, payload uint16) *bench {
	b := &bench{}
	b.open(t, c, payload, b.trace)
	return b
}

// trace keeps the times of records.
func (b *bench) trace(r endpoint.Record) {
	if b.seen == nil {
		b.seen, b.xids = map[event.Kind][]sim.Picos{}, map[event.Kind][]uint32{}
	}
	var x [event.MaxRecord]byte
	r.Encode(&x)
	kind := event.Kind(x[1])
	b.seen[kind] = append(b.seen[kind], b.d.nic.Now())
	b.xids[kind] = append(b.xids[kind], binary.LittleEndian.Uint32(x[16:]))
}

func (b *bench) open(t require.TestingT, c Config, payload uint16, trace func(endpoint.Record)) {
	e := endpoint.Default()
	e.Mtu, e.Planes = payload, max(1, b.planes)
	var err error
	b.peer, err = endpoint.New(e)
	require.NoError(t, err)
	e.Host = 1
	e.Trace = trace
	b.d, err = New(e, c)
	require.NoError(t, err)
	var own uint16
	b.conn, own, err = endpoint.ConnectNow(0, b.peer, b.d.NIC(), 8, 1)
	require.NoError(t, err)
	require.NoError(t, b.peer.Register(1<<8, b.conn, key.PermWrite, 0, 1<<40))
	require.NoError(t, b.d.NIC().Register(1<<8, own, key.PermWrite|key.PermRead|key.PermAtomic, 0, 1<<40))
	_, err = b.peer.Post(0, b.conn, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: uint32(payload), Rkey: 1 << 8})
	require.NoError(t, err)
	require.True(t, b.peer.Pull(0, 0, &b.first))
}

// part is the only part of the i-th message, which the peer might have sent.
func (b *bench) part(i int) *endpoint.Packet {
	p := b.first
	p.Psn += uint32(i)
	p.Tsn += uint32(i)
	p.Msn += uint32(i)
	return &p
}

// rest runs the device until nothing is due of what stands in it.
func (b *bench) rest() {
	for {
		at, ok := b.d.next()
		if !ok {
			return
		}
		b.d.OnTime(at)
		b.drain()
	}
}

// drain takes completions; what was built stays at the ports.
func (b *bench) drain() {
	for {
		c, ok := b.d.NIC().Completion()
		if !ok {
			return
		}
		if c.Responder {
			b.released = append(b.released, b.d.now)
		}
	}
}

// line is the way of a part of a Write through the device.
var line = dataIn[:]

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

// atPorts is how many packets are built and wait for an uplink.
func (b *bench) atPorts() (n int) {
	for i := range b.d.planes {
		n += b.d.planes[i].ready[0].Len() + b.d.planes[i].ready[1].Len()
	}
	return n
}

// flood brings messages all at one time and returns the cycles between the first and the last effect of an engine.
func (b *bench) flood(n int, kind event.Kind, packet func(i int) *endpoint.Packet) uint64 {
	for i := range n {
		b.d.OnPacket(0, 0, packet(i))
	}
	b.rest()
	at := b.seen[kind]
	return uint64(at[len(at)-1]-at[0]) / uint64(b.d.cycle)
}

// TestSlowestStage: packets come out no faster than the stage with the longest interval lets them, and no slower; what
// stands before it is blocked, and nothing is lost.
func TestSlowestStage(t *testing.T) {
	const slow = 13
	for _, id := range line {
		c := Default(1)
		c.Stages[Write].Spread = 0
		c.Stages[Parse].Depth = messages
		for _, other := range line {
			c.Stages[other].InFlight = 0
		}
		c.Stages[id].Interval = slow
		b := newBench(t, c, 256)
		took := b.flood(messages, event.KindComplete, b.part)
		require.EqualValues(t, (messages-1)*slow, took, "%v", id)
		require.Len(t, b.released, messages)
		b.rest()
		l := b.d.stage(id).load
		require.EqualValues(t, messages, l.Packets)
		require.EqualValues(t, messages*slow, l.Busy)
		if id == Message {
			require.NotZero(t, b.d.stage(Recv).load.Blocked, "what stands before the narrow stage waits for room")
		}
	}
}

// TestMemory: width bounds the bytes, latency and writes in flight bound the packets.
func TestMemory(t *testing.T) {
	for name, x := range map[string]struct {
		timing Timing
		want   uint64 // cycles a packet of 1024 bytes
	}{
		"narrow":                {Timing{Latency: 100, Width: 8, Depth: 8}, 128},
		"far, few in flight":    {Timing{Latency: 800, Width: 64, Depth: 8, InFlight: 4}, 200},
		"far, enough in flight": {Timing{Latency: 800, Width: 32, Depth: 8, InFlight: 100}, 32},
	} {
		c := Default(1)
		c.Stages[Parse].Depth = messages
		c.Stages[Write] = x.timing
		c.Stages[Place].Depth = 100
		b := newBench(t, c, 1024)
		took := b.flood(messages, event.KindComplete, b.part)
		require.InEpsilon(t, x.want*(messages-1), took, 0.1, name)
	}
}

// TestSides: the stages beside the line are bounded in the same way.
func TestSides(t *testing.T) {
	c := Default(1)
	c.Stages[Parse].Depth = 100
	c.Stages[Slot].Interval, c.Stages[Reply].Interval = 17, 19

	b := newBench(t, c, 256)
	request := func(i int) *endpoint.Packet {
		p := b.part(i)
		p.Opcode, p.Slot, p.Length, p.Addr = wire.OpcodeReadRequest, uint8(i), 64, 0
		return p
	}
	require.EqualValues(t, (messages-1)*17, b.flood(messages, event.KindComplete, request))

	b = newBench(t, c, 256)
	_, err := b.d.NIC().Post(0, 0, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: 10, Rkey: 1 << 8})
	require.NoError(t, err)
	var sent endpoint.Packet
	require.False(t, b.d.Pull(0, 0, &sent))
	b.rest()
	require.True(t, b.d.Pull(b.d.now, 0, &sent))
	b.peer.OnPacket(0, 0, &sent)
	var ack endpoint.Packet
	require.True(t, b.peer.Pull(0, 0, &ack))
	require.Equal(t, wire.OpcodeAck, ack.Opcode)
	require.EqualValues(t, (messages-1)*19, b.flood(messages, event.KindAckRecv, func(int) *endpoint.Packet { return &ack })-b.walked())
}

// walked is the cycles that reply took for records.
func (b *bench) walked() uint64 { return b.d.NIC().Count().Walked * uint64(b.d.cfg.Stages[Reply].Each) }

// TestPlanesTakeTurns: what came by two planes at one time is admitted in turn, and answered in turn.
func TestPlanesTakeTurns(t *testing.T) {
	const each = 20
	c := Default(2)
	c.Stages[Admit].Interval, c.Stages[Pick].Interval = 40, 100
	b := &bench{planes: 2}
	b.open(t, c, 256, b.trace)
	for plane := range 2 {
		for i := range each {
			p := b.part(i)
			p.Opcode, p.Query = wire.OpcodeProbe, false
			b.d.OnPacket(0, plane, p)
		}
	}
	b.rest()
	for _, kind := range []event.Kind{event.KindAdmit, event.KindAck} {
		require.Len(t, b.xids[kind], 2*each)
		for i, xid := range b.xids[kind][:2*each-1] {
			require.NotEqual(t, xid <= each, b.xids[kind][i+1] <= each, "%v: packet %d behind %d", kind, b.xids[kind][i+1], xid)
		}
	}
}

// TestReplyAndPickShareAUnit: one of both starts at a time.
func TestReplyAndPickShareAUnit(t *testing.T) {
	const each, interval = 10, 70
	c := Default(1)
	c.Stages[Reply].Interval, c.Stages[Pick].Interval = interval, interval
	c.Stages[Reply].Latency, c.Stages[Pick].Latency = 0, 0
	b := newBench(t, c, 256)
	_, err := b.d.NIC().Post(0, 0, 0, endpoint.Work{Op: wire.OpcodeWrite, Length: 10, Rkey: 1 << 8})
	require.NoError(t, err)
	for i := range each {
		probe, ack := b.part(i), b.part(i)
		probe.Opcode, probe.Query, ack.Opcode = wire.OpcodeProbe, false, wire.OpcodeAck
		b.d.OnPacket(0, 0, probe)
		b.d.OnPacket(0, 0, ack)
	}
	b.rest()
	require.Len(t, b.seen[event.KindAckRecv], each)
	times := append(b.seen[event.KindAckRecv], b.seen[event.KindAck]...)
	slices.Sort(times)
	require.GreaterOrEqual(t, len(times), 2*each)
	for i := range times[1:] {
		require.GreaterOrEqual(t, times[i+1]-times[i], sim.Picos(interval*1000))
	}
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
