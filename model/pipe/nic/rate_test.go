package nic

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

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
