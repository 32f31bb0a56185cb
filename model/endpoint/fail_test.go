package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/slot"
	"metaroce/tandem/model/wire"
)

// TestFail: a stream that its owner ends gives back all that is posted, refuses what its peer sends, and its neighbour goes on.
func TestFail(t *testing.T) {
	w := newWorld(t, 1, nil)
	a, b := w.connect(4, 1)
	for id := range uint32(2) {
		_, err := w.nics[0].PostRecv(a, 0, id, 0, 100)
		require.NoError(t, err)
		w.post(0, a, 0, Work{ID: uint64(id), Op: wire.OpcodeReadRequest, Length: 50_000, Rkey: testKey})
	}
	w.post(0, a, 1, Work{ID: 9, Op: wire.OpcodeWrite, Length: 50_000, Rkey: testKey})
	require.False(t, w.nics[0].Failed(a, 0))
	require.NoError(t, w.nics[0].Fail(w.now, a, 0))
	w.after(0)
	require.True(t, w.nics[0].Failed(a, 0))
	require.Len(t, w.ended[0], 4)
	for _, c := range w.ended[0] {
		require.Equal(t, StatusFlushed, c.Status)
	}
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 5 })
	require.Equal(t, StatusOK, w.ended[0][4].Status)
	w.post(1, b, 0, Work{ID: 5, Op: wire.OpcodeWrite, Length: 5, Rkey: testKey})
	w.post(1, b, 0, Work{ID: 6, Op: wire.OpcodeSend, Length: 5})
	n := len(w.ended[1])
	w.runUntil(1e12, func() bool { return len(w.ended[1]) == n+2 })
	require.Equal(t, Status(wire.SyndromeRemoteOp), w.ended[1][n].Status)
	require.Equal(t, StatusFlushed, w.ended[1][n+1].Status)
	require.Empty(t, w.life[0], "it was asked for")
	require.ErrorIs(t, w.nics[0].Fail(w.now, a, 2), ErrNoStream)
	require.ErrorIs(t, w.nics[0].Fail(w.now, 7, 0), ErrNotOpen)
	require.False(t, w.nics[0].Failed(7, 0))
}

// TestStreamFailed: the owner of the responder is told once, also when it has no receive to be told by.
func TestStreamFailed(t *testing.T) {
	for _, c := range []struct {
		name string
		bad  Work
		want wire.Syndrome
	}{
		{"Write", Work{Op: wire.OpcodeWrite, Length: 9000}, wire.SyndromeKey},
		{"Read", Work{Op: wire.OpcodeReadRequest, Length: 9000}, wire.SyndromeKey},
		{"atomic whose memory fails", Work{Op: wire.OpcodeAtomicRequest, Length: 8, Rkey: testKey}, wire.SyndromeRemoteOp},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 2, nil)
			a, b := w.connect(4, 1)
			w.mem[1].fail = func(uint64, int) bool { return true }
			w.post(0, a, 1, c.bad)
			w.post(0, a, 1, c.bad)
			w.runUntil(1e12, func() bool { return len(w.ended[0]) == 2 })
			require.Equal(t, []Event{{Kind: StreamFailed, Conn: b, Stream: 1, Status: Status(c.want)}}, w.life[1])
		})
	}
}

// TestParkedAreForgotten: a request that waits behind a message which is refused leaves its slot to others.
func TestParkedAreForgotten(t *testing.T) {
	w := newWorld(t, 3, func(c *Config) { c.Rest = 1000 })
	a, b := w.connect(4, 1)
	w.post(0, a, 0, Work{ID: 1, Op: wire.OpcodeSend, Length: 10}) // waits for a receive
	w.post(0, a, 0, Work{ID: 2, Op: wire.OpcodeReadRequest, Length: 100, Rkey: testKey, Local: 5000})
	w.post(0, a, 0, Work{ID: 3, Op: wire.OpcodeWrite, Length: 100})
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 3 })
	w.settle(1e9)
	require.Zero(t, w.nics[1].conns[b].asks.parked)
	require.Equal(t, [slot.Slots]event.SlotServe{}, w.nics[1].conns[b].asks.serve)
	w.post(0, a, 1, Work{ID: 4, Op: wire.OpcodeReadRequest, Length: 100, Rkey: testKey, Local: 5000})
	w.runUntil(w.now+1e12, func() bool { return len(w.ended[0]) == 4 })
	require.Equal(t, StatusOK, w.ended[0][3].Status)
}

// TestParkedAreForgottenOnFail: likewise when the stream is ended by its owner.
func TestParkedAreForgottenOnFail(t *testing.T) {
	w := newWorld(t, 3, nil)
	a, b := w.connect(4, 1)
	w.post(0, a, 0, Work{ID: 1, Op: wire.OpcodeSend, Length: 10})
	w.post(0, a, 0, Work{ID: 2, Op: wire.OpcodeReadRequest, Length: 100, Rkey: testKey})
	w.runUntil(1e12, func() bool { return w.nics[1].conns[b].asks != nil && w.nics[1].conns[b].asks.parked != 0 })
	require.NoError(t, w.nics[1].Fail(w.now, b, 0))
	require.Zero(t, w.nics[1].conns[b].asks.parked)
	require.Equal(t, [slot.Slots]event.SlotServe{}, w.nics[1].conns[b].asks.serve)
}

// TestUses: memory is in use from posting to the last acknowledgement, and where answers come from until they are settled.
func TestUses(t *testing.T) {
	w := newWorld(t, 4, nil)
	a, b := w.connect(4, 0)
	n, m := w.nics[0], w.nics[1]
	require.False(t, n.Uses(a, 0, 1<<60))
	_, err := n.PostRecv(a, 0, 1, 90_000, 100)
	require.NoError(t, err)
	w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 10_000, Local: 20_000, Remote: 500_000, Rkey: testKey})
	w.post(0, a, 0, Work{Op: wire.OpcodeReadRequest, Length: 10_000, Local: 40_000, Remote: 700_000, Rkey: testKey})
	for _, c := range []struct {
		addr, length uint64
		want         bool
	}{
		{19_990, 10, false}, {19_990, 11, true}, {25_000, 1, true}, {29_999, 1, true}, {30_000, 10_000, false}, {30_000, 10_001, true},
		{0, 1 << 62, true}, {25_000, 0, false}, {89_000, 1000, false}, {89_000, 1001, true}, {90_100, 1 << 40, false},
	} {
		require.Equal(t, c.want, n.Uses(a, c.addr, c.length), "%+v", c)
	}
	w.runUntil(1e12, func() bool { return m.Uses(b, 700_000, 10_000) })
	require.False(t, m.Uses(b, 710_000, 10_000))
	require.False(t, m.Uses(b, 500_000, 10_000), "a Write of the peer is done with when it came")
	w.runUntil(1e12, func() bool { return len(w.ended[0]) == 2 })
	w.settle(1e9)
	require.False(t, n.Uses(a, 0, 90_000))
	require.True(t, n.Uses(a, 0, 90_001))
	require.False(t, m.Uses(b, 0, 1<<62))
	require.NoError(t, n.Abort(w.now, a))
	w.after(0)
	w.settle(1e9)
	require.False(t, n.Uses(a, 0, 1<<62))
	require.False(t, n.Uses(77, 0, 1<<62))
}

// TestUsesAnswer: an answer that was not begun is one to come.
func TestUsesAnswer(t *testing.T) {
	w := newWorld(t, 7, nil)
	a, b := w.connect(4, 0)
	for i := range uint64(2) {
		w.post(0, a, 0, Work{Op: wire.OpcodeReadRequest, Length: 100_000, Remote: 1_000_000 * (i + 1), Rkey: testKey})
	}
	c := w.nics[1].conns[b]
	w.runUntil(1e12, func() bool { return c.tx != nil && c.tx.replies.q.Len() == 2 })
	require.True(t, w.nics[1].Uses(b, 2_000_000, 1))
}

// TestUsesAfterCompletion: packets whose acknowledgement was lost go again, though their message is complete.
func TestUsesAfterCompletion(t *testing.T) {
	seen := 0
	for seed := range uint64(20) {
		w := newWorld(t, seed, nil)
		w.trouble.lose2 = 600
		a, _ := w.connect(4, 0)
		w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 100_000, Rkey: testKey})
		w.runUntil(1e12, func() bool { return len(w.ended[0]) == 1 })
		open := w.nics[0].conns[a].tx.cc.Inflight > 0
		require.Equal(t, open, w.nics[0].Uses(a, 0, 1))
		w.settle(10e9)
		require.False(t, w.nics[0].Uses(a, 0, 1))
		if open {
			seen++
		}
	}
	require.Greater(t, seen, 3)
}

// TestUsesParked: the memory of a Read that waits for its turn is in use as well.
func TestUsesParked(t *testing.T) {
	w := newWorld(t, 5, nil)
	a, b := w.connect(4, 0)
	w.post(0, a, 0, Work{Op: wire.OpcodeSend, Length: 10})
	w.post(0, a, 0, Work{Op: wire.OpcodeReadRequest, Length: 100, Remote: 700_000, Rkey: testKey})
	w.runUntil(1e12, func() bool { return w.nics[1].Uses(b, 700_099, 1) })
	require.NotZero(t, w.nics[1].conns[b].asks.parked)
}

// TestPathViews: what is told of paths that nothing was sent by, and of what is not there.
func TestPathViews(t *testing.T) {
	w := newWorld(t, 6, func(c *Config) { c.Planes = 2 })
	a, b := w.connect(4, 3)
	shape, err := w.nics[1].Shape(b)
	require.NoError(t, err)
	require.Equal(t, Shape{Paths: 4, Streams: 3}, shape)
	v, err := w.nics[0].Path(a, 3)
	require.NoError(t, err)
	require.Equal(t, PathView{Plane: 1, Home: 1, Rto: v.Rto}, v)
	_, err = w.nics[0].Path(a, 4)
	require.ErrorIs(t, err, ErrNoPath)
	_, err = w.nics[0].Path(9, 0)
	require.ErrorIs(t, err, ErrNotOpen)
	w.trouble.lose = 100
	w.post(0, a, 0, Work{Op: wire.OpcodeWrite, Length: 300_000, Rkey: testKey})
	w.runUntil(1e12, func() bool { return len(w.ended[0]) > 0 })
	again, sent := uint32(0), uint32(0)
	for i := range uint8(4) {
		v, err = w.nics[0].Path(a, i)
		require.NoError(t, err)
		again, sent = again+v.Repeated, sent+v.Sent
		require.Positive(t, v.Srtt)
		require.Equal(t, w.nics[0].cfg.rules.cc.PathRoom(&event.CcPath{Window: w.nics[0].conns[a].tx.paths[i].cc.Window, Inflight: v.Window - 1}, &w.nics[0].conns[a].tx.cc), true)
		require.False(t, w.nics[0].cfg.rules.cc.PathRoom(&event.CcPath{Window: w.nics[0].conns[a].tx.paths[i].cc.Window, Inflight: v.Window}, &w.nics[0].conns[a].tx.cc))
	}
	require.Equal(t, w.nics[0].count.Data, uint64(again+sent))
	require.Equal(t, w.nics[0].count.Retransmitted, uint64(again))
}
