package endpoint

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/slot"
	"metaroce/tandem/model/wire"
)

// keepAnswers keeps packets of host 1 to host 0 that are answers, lets all others go, and says how many it kept.
func (w *world) keepAnswers() int {
	rest := w.queue[:0:0]
	kept := 0
	for _, e := range w.queue {
		if e.kind == 0 && e.host == 0 && wire.Opcode(e.bytes[1]) == wire.OpcodeAtomicResponse {
			w.hold = append(w.hold, e)
			kept++
			continue
		}
		rest = append(rest, e)
	}
	if kept > 0 {
		w.queue = nil
		for _, e := range rest {
			w.push(e)
		}
	}
	return kept
}

func (w *world) add(stream uint16, a uint16, id, remote, operand uint64) {
	w.post(0, a, stream, Work{ID: id, Op: wire.OpcodeAtomicRequest, Length: 8, Local: 8 * id, Remote: remote, Rkey: testKey, Add: true, Operand: operand})
}

// TestVeryLateAnswer: the answer to an atomic of a stream that has failed comes long after the rest of an index, when
// another stream has asked for other atomics. None of them gets its value, and the slot is used again behind it.
func TestVeryLateAnswer(t *testing.T) {
	for _, lose := range []uint16{0, 200} {
		w := newWorld(t, 17, func(c *Config) { c.Rest = 1000 })
		w.trouble = trouble{lose: lose, lose2: lose, double: 100}
		a, b := w.connect(4, 2)
		binary.LittleEndian.PutUint64(w.mem[1].at(800, 8), 111)
		binary.LittleEndian.PutUint64(w.mem[1].at(1600, 8), 222)
		w.each = func() { w.keepAnswers() }
		w.add(0, a, 1, 800, 5)
		w.runUntil(1e12, func() bool { return w.nics[1].count.Released == 1 && len(w.hold) > 0 })
		require.NoError(t, w.nics[0].Fail(w.now, a, 0))
		w.after(0)
		require.Equal(t, StatusFlushed, w.ended[0][0].Status)
		c := w.nics[0].conns[a]
		require.Equal(t, uint64(1), c.asks.retired)
		w.settle(20e9) // many rests
		w.each = nil
		for id := range uint64(70) { // more than there are slots
			w.add(1, a, 10+id, 1600, 1)
		}
		require.Zero(t, c.asks.free)
		for _, e := range w.hold { // all copies of it, the repeated ones too
			e.at = w.now + 1
			w.push(e)
		}
		w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) == 71 })
		for i, e := range w.ended[0][1:] {
			require.Equal(t, StatusOK, e.Status)
			require.Equal(t, uint64(222+i), e.Value)
		}
		require.Equal(t, uint64(116), binary.LittleEndian.Uint64(w.mem[1].at(800, 8)))
		require.Zero(t, binary.LittleEndian.Uint64(w.mem[0].at(8, 8)), "nobody waits for it")
		w.settle(20e9)
		require.Zero(t, c.asks.retired)
		require.Equal(t, ^uint64(0), c.asks.free, "every slot is free again")
		require.Equal(t, [slot.Slots]event.SlotAsk{}, c.asks.ask)
		require.Zero(t, w.nics[1].conns[b].asks.parked)
		w.quiet()
	}
}

// TestSlotsOfRefused: the slots of a stream that the peer refused are free at once where it executed nothing.
func TestSlotsOfRefused(t *testing.T) {
	w := newWorld(t, 18, nil)
	w.trouble = trouble{lose: 100, lose2: 100}
	a, _ := w.connect(4, 2)
	for id := range uint64(80) {
		w.post(0, a, 0, Work{ID: id, Op: wire.OpcodeReadRequest, Length: 3000, Rkey: testKey + 1})
	}
	w.add(1, a, 100, 800, 5) // waits for a slot
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 81 })
	got := map[Status]int{}
	for _, e := range w.ended[0] {
		got[e.Status]++
	}
	require.Equal(t, map[Status]int{StatusOK: 1, Status(wire.SyndromeKey): 1, StatusFlushed: 79}, got)
	w.settle(10e9)
	require.Equal(t, ^uint64(0), w.nics[0].conns[a].asks.free)
	w.quiet()
}

// TestSlotsRunOut: requests that the peer may yet answer keep their slots; a connection that has none left says so at
// once, to those that wait and to those that come, and goes on with all else.
func TestSlotsRunOut(t *testing.T) {
	w := newWorld(t, 19, nil)
	a, _ := w.connect(4, 2)
	for s := range uint16(2) { // a Send without a receive holds up what is behind it
		w.post(0, a, s, Work{Op: wire.OpcodeSend, Length: 20})
		for range 40 {
			w.post(0, a, s, Work{Op: wire.OpcodeReadRequest, Length: 3000, Rkey: testKey})
		}
	}
	w.post(0, a, 2, Work{ID: 8, Op: wire.OpcodeReadRequest, Length: 3000, Rkey: testKey})
	w.settle(20e6)
	c := w.nics[0].conns[a]
	require.Zero(t, c.asks.free)
	for s := range uint16(2) {
		require.NotEqual(t, ^uint64(0), c.asks.retired)
		require.NoError(t, w.nics[0].Fail(w.now, a, s))
		w.after(0)
	}
	require.Equal(t, ^uint64(0), c.asks.retired)
	require.Len(t, w.ended[0], 83)
	require.Equal(t, Completion{ID: 8, Stream: 2, Op: wire.OpcodeReadRequest, Bytes: 3000, Status: StatusNoSlot}, w.ended[0][82])
	require.Equal(t, "no request slot left", StatusNoSlot.String())
	w.post(0, a, 3, Work{ID: 9, Op: wire.OpcodeWrite, Length: 3000, Rkey: testKey})
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 84 })
	require.Equal(t, StatusOK, w.ended[0][83].Status)
	w.post(0, a, 3, Work{ID: 10, Op: wire.OpcodeAtomicRequest, Length: 8, Rkey: testKey})
	require.Equal(t, StatusNoSlot, w.ended[0][84].Status)
	w.settle(10e9)
	require.Equal(t, ^uint64(0), c.asks.retired, "whatever time passes")
}
