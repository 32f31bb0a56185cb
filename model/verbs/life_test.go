package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
)

// event waits for the next event of a device.
func (w *world) event(d *verbs.Device) (e verbs.Event) {
	require.True(w.t, w.Until(w.Now()+soon, func() (ok bool) {
		e, ok = d.Event()
		return ok
	}))
	return e
}

// TestConnect: a connection by handshake on a bad channel, used, closed, and its index used again.
func TestConnect(t *testing.T) {
	w := newWorld(t, 2, 31, func(c *endpoint.Config) { c.Conns = 1 })
	w.Trouble = bad
	var stale verbs.SGE
	var before *verbs.Conn
	for life := range 3 {
		ca, err := w.devs[0].Connect(w.Now(), 1, verbs.ConnAttr{Paths: 4, QPs: 4})
		require.NoError(t, err)
		_, err = ca.CreateQP(0, verbs.QPInitAttr{})
		require.ErrorIs(t, err, verbs.ErrNotConnected)
		_, err = ca.RegMR(make([]byte, 1), all)
		require.ErrorIs(t, err, verbs.ErrNotConnected)
		_, err = ca.Paths()
		require.ErrorIs(t, err, verbs.ErrNotConnected)
		require.Equal(t, verbs.Event{Type: verbs.EventEstablished, Conn: ca}, w.event(w.devs[0]))
		accepted := w.event(w.devs[1])
		require.Equal(t, verbs.EventAccepted, accepted.Type)
		require.Equal(t, uint16(0), accepted.Conn.Host)
		a, b := w.side(w.devs[0], ca, 5000, 1), w.side(w.devs[1], accepted.Conn, 5000, 2)
		if before != nil {
			x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 1), RemoteAddr: stale.Addr, Rkey: stale.Lkey}
			q := a.create(3)
			b.create(3)
			require.NoError(t, q.PostSend(w.Now(), x))
			require.Equal(t, verbs.WCRemAccessErr, w.wait(a.scq, 1)[0].Status, "a region of the connection before")
			require.Equal(t, verbs.Event{Type: verbs.EventQPFatal, Conn: b.conn, Reason: endpoint.Status(wire.SyndromeKey)}, fatal(w, b))
		}
		for id := range uint64(20) {
			op := []verbs.WROpcode{verbs.WRRdmaRead, verbs.WRRdmaWrite}[id%2]
			a.post(verbs.SendWR{WrID: id, Opcode: op, Sge: a.mr.SGE(0, 5000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey, Flags: verbs.SendFence})
		}
		b.recv(9, b.mr.SGE(0, 10))
		closes := []*side{a, b}[life%2]
		require.NoError(t, closes.conn.Close(w.Now()))
		require.ErrorIs(t, closes.qp.PostSend(w.Now(), verbs.SendWR{}), verbs.ErrNotConnected)
		require.ErrorIs(t, closes.conn.Close(w.Now()), verbs.ErrNotConnected)
		for i, s := range []*side{a, b} {
			require.Equal(t, verbs.Event{Type: verbs.EventDisconnected, Conn: s.conn}, w.event(w.devs[i]))
			require.Equal(t, verbs.QPSErr, s.qp.State())
			require.ErrorIs(t, s.conn.Abort(w.Now()), verbs.ErrNotConnected)
		}
		got := w.wait(a.scq, 20)
		if life%2 == 0 {
			require.Equal(t, verbs.WCSuccess, got[19].Status, "the end that closes waits for its own work")
		}
		require.Equal(t, verbs.WCWrFlushErr, w.wait(b.rcq, 1)[0].Status)
		stale, before = b.mr.SGE(0, 1), b.conn
		if life == 1 {
			require.NoError(t, b.mr.Dereg(w.Now()))
		}
		w.Run(10 * ms)
	}
}

// fatal is the event of a queue pair that is in error, without the queue pair.
func fatal(w *world, s *side) verbs.Event {
	e := w.event(s.dev)
	e.QP = nil
	return e
}

// TestRejected: a host that accepts nothing.
func TestRejected(t *testing.T) {
	w := newWorld(t, 2, 32, func(c *endpoint.Config) { c.Accept = c.Host == 0 })
	ca, err := w.devs[0].Connect(w.Now(), 1, verbs.ConnAttr{Paths: 4, QPs: 4})
	require.NoError(t, err)
	require.Equal(t, verbs.Event{Type: verbs.EventRejected, Conn: ca}, w.event(w.devs[0]))
	require.ErrorIs(t, ca.Close(w.Now()), verbs.ErrNotConnected)
}

// TestAbort: what is under way comes back flushed at both ends, also what waits for a fence, and behind a Close that waits.
func TestAbort(t *testing.T) {
	for _, closed := range []bool{false, true} {
		w := newWorld(t, 2, 33, nil)
		a, b := w.pair(100_000)
		for id := range uint64(8) {
			a.post(verbs.SendWR{WrID: id, Opcode: verbs.WRRdmaRead, Sge: a.mr.SGE(0, 90_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey, Flags: verbs.SendFence})
			b.post(verbs.SendWR{WrID: id, Opcode: verbs.WRSend, Sge: b.mr.SGE(0, 90_000)})
			a.recv(id, a.mr.SGE(0, 10_000))
		}
		w.Run(2 * us)
		if closed {
			require.NoError(t, a.conn.Close(w.Now()))
			w.Run(2 * us)
		}
		require.NoError(t, a.conn.Abort(w.Now()))
		require.Equal(t, verbs.EventDisconnected, w.event(a.dev).Type)
		require.Equal(t, verbs.EventDisconnected, w.event(b.dev).Type)
		for _, cq := range []*verbs.CQ{a.scq, b.scq, a.rcq} {
			for i, c := range w.wait(cq, 8) {
				require.Equal(t, uint64(i), c.WrID)
				require.Equal(t, verbs.WCWrFlushErr, c.Status)
			}
		}
		a.flushes(3)
		require.NoError(t, a.mr.Dereg(w.Now()))
		require.NoError(t, b.mr.Dereg(w.Now()))
	}
}

// TestPeerIsGone: the connection is given up when no path is proven alive; the oldest request of a queue pair says why.
func TestPeerIsGone(t *testing.T) {
	w := newWorld(t, 2, 34, func(c *endpoint.Config) { c.ConnTimeout = 2_500_000 })
	a, b := w.pair(1000)
	w.Trouble = lab.Trouble{Dead: 1}
	for id := range uint64(3) {
		a.post(verbs.SendWR{WrID: id, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 100), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
	}
	_, how := statuses(w.wait(a.scq, 3))
	require.Equal(t, []verbs.WCStatus{verbs.WCRetryExcErr, verbs.WCWrFlushErr, verbs.WCWrFlushErr}, how)
	require.Equal(t, verbs.Event{Type: verbs.EventDisconnected, Conn: a.conn, Reason: endpoint.StatusTimeout}, w.event(a.dev))
	a.flushes(5)
}

// TestLateQP: what is sent before the peer has its queue pair waits for it; Writes do not.
func TestLateQP(t *testing.T) {
	w := newWorld(t, 2, 35, func(c *endpoint.Config) { c.RnrPause = 100_000 })
	a, b := w.pair(100)
	a.qp = a.create(5)
	a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
	a.post(verbs.SendWR{WrID: 2, Opcode: verbs.WRSend, Sge: a.mr.SGE(0, 10)})
	require.Equal(t, uint64(1), w.wait(a.scq, 1)[0].WrID)
	w.none(a.scq, ms)
	b.qp = b.create(5)
	b.recv(1, b.mr.SGE(50, 10))
	require.Equal(t, verbs.WCSuccess, w.wait(a.scq, 1)[0].Status)
	require.Equal(t, verbs.WCSuccess, w.wait(b.rcq, 1)[0].Status)
	require.Equal(t, a.buf[:10], b.buf[50:60])

	a.qp = a.create(6)
	a.post(verbs.SendWR{WrID: 3, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), Rkey: 99})
	require.Equal(t, verbs.WCRemAccessErr, w.wait(a.scq, 1)[0].Status)
	b.qp = b.create(6)
	require.Equal(t, verbs.QPSErr, b.qp.State(), "its stream failed before it was made")
	b.flushes(8)
}

// TestWhatIsWrong: every mistake of a call is named, all at once.
func TestWhatIsWrong(t *testing.T) {
	_, err := verbs.Open(endpoint.Config{Memory: nowhere{}, Planes: 99})
	require.ErrorContains(t, err, "Memory is set")
	require.ErrorContains(t, err, "Planes is 99")
	_, err = verbs.Open(endpoint.Config{})
	require.ErrorContains(t, err, "Planes is 0")
	w := newWorld(t, 2, 36, func(c *endpoint.Config) { c.Keys = 2 })
	a, _ := w.pair(10)
	for _, attr := range []verbs.ConnAttr{{Paths: 0, QPs: 1}, {Paths: 65, QPs: 1}, {Paths: 4, QPs: 3}, {Paths: 4}, {Paths: 4, QPs: 1 << 17}, {Paths: 64, QPs: 1}} {
		_, err = a.dev.Connect(0, 1, attr)
		require.Error(t, err)
		_, _, err = verbs.ConnectNow(0, w.devs[0], w.devs[1], attr)
		require.Error(t, err)
	}
	foreign := w.cq(w.devs[1], 1)
	_, err = a.conn.CreateQP(32, verbs.QPInitAttr{SendCQ: foreign, MaxRecvWR: 257})
	for _, part := range []string{"num is 32", "SendCQ", "RecvCQ", "MaxSendWR is 0", "MaxRecvWR is 257"} {
		require.ErrorContains(t, err, part)
	}
	for _, size := range []int{0, -1, 1<<22 + 1} {
		_, err = a.dev.CreateCQ(size)
		require.ErrorContains(t, err, "size is")
	}
	_, err = a.conn.RegMR(nil, all)
	require.ErrorContains(t, err, "buf is 0")
	_, err = a.conn.RegMR(a.buf, 64)
	require.ErrorContains(t, err, "access")
	_, err = a.conn.RegMR(a.buf, verbs.AccessRemoteWrite)
	require.ErrorContains(t, err, "AccessLocalWrite")
	a.reg(a.buf, 0)
	_, err = a.conn.RegMR(a.buf, 0)
	require.ErrorIs(t, err, verbs.ErrNoRoom)
	err = a.qp.PostSend(0, verbs.SendWR{Opcode: verbs.WRAtomicCmpAndSwp, RemoteAddr: 4, Flags: 128})
	for _, part := range []string{"Sge.Length is 0", "RemoteAddr is 0x4", "Flags is 0x80"} {
		require.ErrorContains(t, err, part)
	}
	require.ErrorContains(t, a.qp.PostSend(0, verbs.SendWR{Opcode: 99}), "opcode 99")
	require.ErrorContains(t, a.qp.PostSend(0, verbs.SendWR{Sge: verbs.SGE{Length: 1<<31 + 1}}), "Sge.Length")
	for id := range uint64(64) {
		a.recv(id, verbs.SGE{})
	}
	require.ErrorIs(t, a.qp.PostRecv(verbs.RecvWR{}), verbs.ErrFull)
	require.Zero(t, a.scq.Len())
}

type nowhere struct{}

func (nowhere) Write(uint64, []byte) bool { return false }
func (nowhere) Read(uint64, []byte) bool  { return false }
