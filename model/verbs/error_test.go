package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
)

// TestEveryRefusal: each syndrome that a peer may answer with becomes the status that ibverbs has for it; the request at
// fault is told so, those behind it are flushed, and both queue pairs end.
func TestEveryRefusal(t *testing.T) {
	type change func(x *verbs.SendWR, a, b *side)
	for _, c := range []struct {
		name   string
		change change
		vendor endpoint.Status
		want   verbs.WCStatus
		recv   verbs.WCStatus // of the first receive that is left at b
	}{
		{"no such key", func(x *verbs.SendWR, _, _ *side) { x.Rkey += 1 << 8 },
			endpoint.Status(wire.SyndromeKey), verbs.WCRemAccessErr, verbs.WCWrFlushErr},
		{"beyond the region", func(x *verbs.SendWR, _, b *side) { x.RemoteAddr = b.mr.Addr + b.mr.Length - 99 },
			endpoint.Status(wire.SyndromeBounds), verbs.WCRemAccessErr, verbs.WCWrFlushErr},
		{"not to be written", func(x *verbs.SendWR, _, b *side) {
			m := b.reg(b.buf, verbs.AccessLocalWrite|verbs.AccessRemoteRead)
			x.RemoteAddr, x.Rkey = m.Addr, m.Rkey
		}, endpoint.Status(wire.SyndromePermission), verbs.WCRemAccessErr, verbs.WCWrFlushErr},
		{"not to be read", func(x *verbs.SendWR, _, b *side) {
			m := b.reg(b.buf, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
			x.Opcode, x.RemoteAddr, x.Rkey = verbs.WRRdmaRead, m.Addr, m.Rkey
		}, endpoint.Status(wire.SyndromePermission), verbs.WCRemAccessErr, verbs.WCWrFlushErr},
		{"no atomics", func(x *verbs.SendWR, _, b *side) {
			m := b.reg(b.buf, verbs.AccessLocalWrite|verbs.AccessRemoteWrite|verbs.AccessRemoteRead)
			x.Opcode, x.RemoteAddr, x.Rkey, x.Sge.Length = verbs.WRAtomicFetchAndAdd, m.Addr, m.Rkey, 8
		}, endpoint.Status(wire.SyndromePermission), verbs.WCRemAccessErr, verbs.WCWrFlushErr},
		{"longer than its receive", func(x *verbs.SendWR, _, _ *side) { x.Opcode = verbs.WRSend },
			endpoint.Status(wire.SyndromeLength), verbs.WCRemInvReqErr, verbs.WCLocLenErr},
		{"a receive that may not be written", func(x *verbs.SendWR, _, _ *side) { x.Opcode, x.Sge.Length = verbs.WRSendWithImm, 20 },
			endpoint.Status(wire.SyndromeRemoteOp), verbs.WCRemOpErr, verbs.WCLocProtErr},
		{"queue pair of the peer is in error", func(_ *verbs.SendWR, a, b *side) {
			require.NoError(a.w.t, b.qp.ModifyToErr(a.w.Now()))
		}, endpoint.Status(wire.SyndromeRemoteOp), verbs.WCRemOpErr, verbs.WCWrFlushErr},
	} {
		t.Run(c.name, func(t *testing.T) {
			onChannels(t, func(t *testing.T, trouble lab.Trouble) {
				w := newWorld(t, 2, 21, nil)
				w.Trouble = trouble
				a, b := w.pair(4000)
				good := verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 1000), RemoteAddr: b.mr.Addr + 3000, Rkey: b.mr.Rkey}
				a.post(good)
				w.wait(a.scq, 1)
				short := b.mr.SGE(0, 50)
				if c.recv == verbs.WCLocProtErr {
					short = b.reg(b.buf, verbs.AccessRemoteRead).SGE(0, 50)
				}
				b.recv(80, short)
				b.recv(81, b.mr.SGE(0, 50))
				x := good
				x.WrID, x.Sge, x.RemoteAddr = 2, a.mr.SGE(0, 100), b.mr.Addr
				before := append([]byte(nil), b.buf...)
				c.change(&x, a, b)
				a.post(x)
				for good.WrID = 3; good.WrID < 6; good.WrID++ {
					a.post(good)
				}
				got := w.wait(a.scq, 4)
				ids, how := statuses(got)
				require.Equal(t, []uint64{2, 3, 4, 5}, ids)
				require.Equal(t, []verbs.WCStatus{c.want, verbs.WCWrFlushErr, verbs.WCWrFlushErr, verbs.WCWrFlushErr}, how)
				require.Equal(t, c.vendor, got[0].VendorErr)
				require.Equal(t, endpoint.StatusFlushed, got[1].VendorErr)
				require.Equal(t, verbs.QPSErr, a.qp.State())
				left := w.wait(b.rcq, 2)
				ids, how = statuses(left)
				require.Equal(t, []uint64{80, 81}, ids)
				require.Equal(t, []verbs.WCStatus{c.recv, verbs.WCWrFlushErr}, how)
				require.Equal(t, verbs.QPSErr, b.qp.State())
				require.Equal(t, before[:3000], b.buf[:3000], "what was refused wrote nothing")
				w.Trouble = lab.Trouble{}
				a.flushes(90)
				b.flushes(91)
			})
		})
	}
}

// flushes holds that whatever is posted now comes back flushed, without the network.
func (s *side) flushes(id uint64) {
	t, now := s.w.t, s.w.Now()
	s.post(verbs.SendWR{WrID: id, Opcode: verbs.WRSend})
	s.recv(id, verbs.SGE{})
	for _, cq := range []*verbs.CQ{s.scq, s.rcq} {
		got := s.w.wait(cq, 1)[0]
		require.Equal(t, id, got.WrID)
		require.Equal(t, verbs.WCWrFlushErr, got.Status)
	}
	require.Equal(t, now, s.w.Now())
}

// TestNoReceive: a Send that finds no receive goes through once there is one, and is given up after its attempts.
func TestNoReceive(t *testing.T) {
	onChannels(t, func(t *testing.T, trouble lab.Trouble) {
		w := newWorld(t, 2, 22, func(c *endpoint.Config) { c.RnrPause = 25_000 })
		w.Trouble = trouble
		a, b := w.pair(4000)
		x := verbs.SendWR{WrID: 1, Opcode: verbs.WRSend, Sge: a.mr.SGE(0, 3000)}
		a.post(x)
		w.none(a.scq, ms/4)
		b.recv(50, b.mr.SGE(1000, 3000))
		require.Equal(t, verbs.WCSuccess, w.wait(a.scq, 1)[0].Status)
		require.Equal(t, verbs.WCSuccess, w.wait(b.rcq, 1)[0].Status)
		require.Equal(t, a.buf[:3000], b.buf[1000:])
		require.Positive(t, w.devs[0].Counters().Refused)
		for x.WrID = 2; x.WrID < 4; x.WrID++ {
			a.post(x)
		}
		_, how := statuses(w.wait(a.scq, 2))
		require.ElementsMatch(t, []verbs.WCStatus{verbs.WCRnrRetryExcErr, verbs.WCWrFlushErr}, how, "whichever was given up first")
		a.flushes(9)
	})
}

// TestErrorOvertakes: messages are refused as they come. One before it that was on its way is flushed with those behind it.
func TestErrorOvertakes(t *testing.T) {
	w := newWorld(t, 2, 29, nil)
	a, b := w.pair(4000)
	b.recv(50, b.mr.SGE(0, 1000))
	b.recv(51, b.mr.SGE(0, 10))
	b.recv(52, b.mr.SGE(0, 1000))
	w.Trouble.Drop = func(_, _, _ int, p *pkt) bool { return p.Opcode == wire.OpcodeSend && p.Msn == 0 }
	for id := range uint64(3) {
		a.post(verbs.SendWR{WrID: id, Opcode: verbs.WRSend, Sge: a.mr.SGE(0, 1000)})
	}
	ids, how := statuses(w.wait(b.rcq, 3))
	require.Equal(t, []uint64{50, 51, 52}, ids)
	require.Equal(t, []verbs.WCStatus{verbs.WCWrFlushErr, verbs.WCLocLenErr, verbs.WCWrFlushErr}, how)
	w.Trouble.Drop = nil
	ids, how = statuses(w.wait(a.scq, 3))
	require.Equal(t, []uint64{0, 1, 2}, ids)
	require.Equal(t, []verbs.WCStatus{verbs.WCWrFlushErr, verbs.WCRemInvReqErr, verbs.WCWrFlushErr}, how)
}

// TestOwnMemory: a request that names memory which it may not use ends its queue pair when its turn comes, behind all that
// was posted before it.
func TestOwnMemory(t *testing.T) {
	w := newWorld(t, 2, 23, nil)
	a, b := w.pair(4000)
	_, other, err := verbs.ConnectNow(0, w.devs[1], w.devs[0], verbs.ConnAttr{Paths: 4, QPs: 1})
	require.NoError(t, err)
	foreign, err := other.RegMR(a.buf, all)
	require.NoError(t, err)
	fixed := a.reg(a.buf, verbs.AccessRemoteRead)
	gone := a.reg(a.buf, all)
	require.NoError(t, gone.Dereg(0))
	good := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 4000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for i, c := range []struct {
		name string
		op   verbs.WROpcode
		sge  verbs.SGE
		ok   bool
	}{
		{"one byte too many", verbs.WRRdmaWrite, a.mr.SGE(1, 4000), false},
		{"up to the last byte", verbs.WRRdmaWrite, a.mr.SGE(1, 3999), true},
		{"before the region", verbs.WRRdmaWrite, verbs.SGE{Addr: a.mr.Addr - 1, Length: 5, Lkey: a.mr.Lkey}, false},
		{"far behind the region", verbs.WRRdmaWrite, a.mr.SGE(1<<32, 1), false},
		{"sum that wraps", verbs.WRRdmaWrite, a.mr.SGE(-a.mr.Addr-1, 4000), false},
		{"another key", verbs.WRSend, verbs.SGE{Addr: a.mr.Addr, Length: 5, Lkey: a.mr.Lkey + 1}, false},
		{"key beyond all", verbs.WRSend, verbs.SGE{Addr: a.mr.Addr, Length: 5, Lkey: 1 << 31}, false},
		{"of another connection", verbs.WRRdmaWrite, foreign.SGE(0, 5), false},
		{"deregistered", verbs.WRRdmaWrite, gone.SGE(0, 5), false},
		{"read into what may not be written", verbs.WRRdmaRead, fixed.SGE(0, 5), false},
		{"atomic into what may not be written", verbs.WRAtomicFetchAndAdd, fixed.SGE(0, 8), false},
		{"written from it", verbs.WRRdmaWrite, fixed.SGE(0, 8), true},
		{"no bytes of nothing", verbs.WRRdmaWrite, verbs.SGE{Addr: 1, Lkey: 99}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.qp = a.create(uint16(i + 1))
			good.WrID = 1
			a.post(good)
			a.post(verbs.SendWR{WrID: 2, Opcode: c.op, Sge: c.sge, RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
			good.WrID = 3
			a.post(good)
			ids, how := statuses(w.wait(a.scq, 3))
			require.Equal(t, []uint64{1, 2, 3}, ids)
			want := []verbs.WCStatus{verbs.WCSuccess, verbs.WCSuccess, verbs.WCSuccess}
			if !c.ok {
				want[1], want[2] = verbs.WCLocProtErr, verbs.WCWrFlushErr
				a.flushes(9)
			}
			require.Equal(t, want, how)
		})
	}
}

// TestOwnErrorReachesThePeer: a queue pair that ended by itself refuses what its peer sends.
func TestOwnErrorReachesThePeer(t *testing.T) {
	w := newWorld(t, 2, 24, nil)
	a, b := w.pair(100)
	a.recv(5, a.mr.SGE(0, 10))
	a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRSend, Sge: verbs.SGE{Addr: 5, Length: 5}})
	require.Equal(t, verbs.WCLocProtErr, w.wait(a.scq, 1)[0].Status)
	require.Equal(t, verbs.WCWrFlushErr, w.wait(a.rcq, 1)[0].Status)
	require.Equal(t, verbs.QPSRts, b.qp.State(), "it was not told yet")
	b.post(verbs.SendWR{WrID: 2, Opcode: verbs.WRSend, Sge: b.mr.SGE(0, 10)})
	require.Equal(t, verbs.WCRemOpErr, w.wait(b.scq, 1)[0].Status)
	require.Equal(t, pattern(100, 1), a.buf)
}

// TestFlushOrder: what the NIC has, what waits for a fence behind it, and what is posted afterwards come back in the order in
// which they were posted; a success that was on its way is none after the flush.
func TestFlushOrder(t *testing.T) {
	w := newWorld(t, 2, 25, nil)
	a, b := w.pair(100_000)
	x := verbs.SendWR{Opcode: verbs.WRRdmaRead, Sge: a.mr.SGE(0, 50_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for x.WrID = range 10 {
		if x.WrID == 4 {
			x.Flags = verbs.SendFence
		}
		a.post(x)
		a.recv(x.WrID, a.mr.SGE(0, 10))
	}
	w.Run(6 * us)
	require.NoError(t, a.qp.ModifyToErr(w.Now()))
	x.Flags = 0
	for x.WrID = 10; x.WrID < 12; x.WrID++ {
		a.post(x)
		a.recv(x.WrID, a.mr.SGE(0, 10))
	}
	for _, cq := range []*verbs.CQ{a.scq, a.rcq} {
		require.Equal(t, 12, cq.Len(), "at once")
		for i, c := range w.wait(cq, 12) {
			require.Equal(t, uint64(i), c.WrID)
			require.Equal(t, verbs.WCWrFlushErr, c.Status)
		}
		w.none(cq, 10*ms)
	}
	after := append([]byte(nil), a.buf...)
	w.Run(10 * ms)
	require.Equal(t, after, a.buf)
}

// TestDestroy: no completion of a queue pair is seen after its end, and others of its completion queue stay.
func TestDestroy(t *testing.T) {
	w := newWorld(t, 2, 26, nil)
	a, b := w.pair(100)
	other := a.create(1)
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for x.WrID = range 6 {
		require.NoError(t, []*verbs.QP{a.qp, other}[x.WrID%2].PostSend(w.Now(), x))
	}
	w.Run(ms)
	a.post(x)
	require.NoError(t, a.qp.Destroy(w.Now()))
	ids, _ := statuses(w.wait(a.scq, 3))
	require.Equal(t, []uint64{1, 3, 5}, ids)
	w.none(a.scq, 10*ms)
	require.ErrorIs(t, a.qp.PostSend(w.Now(), x), verbs.ErrDestroyed)
	require.ErrorIs(t, a.qp.PostRecv(verbs.RecvWR{}), verbs.ErrDestroyed)
	require.ErrorIs(t, a.qp.Destroy(w.Now()), verbs.ErrDestroyed)
	_, err := a.conn.CreateQP(0, verbs.QPInitAttr{SendCQ: a.scq, RecvCQ: a.rcq, MaxSendWR: 1, MaxRecvWR: 1})
	require.ErrorContains(t, err, "num is 0")
	require.NoError(t, other.PostSend(w.Now(), x))
	require.Equal(t, verbs.WCSuccess, w.wait(a.scq, 1)[0].Status)
}

// TestFatalEvent: a peer without receives is told of the error of its queue pair by an event.
func TestFatalEvent(t *testing.T) {
	w := newWorld(t, 2, 27, nil)
	a, b := w.pair(100)
	b.post(verbs.SendWR{WrID: 5, Opcode: verbs.WRSend, Sge: b.mr.SGE(0, 10)}) // waits for a receive
	a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), Rkey: 77})
	require.Equal(t, verbs.WCRemAccessErr, w.wait(a.scq, 1)[0].Status)
	e, ok := b.dev.Event()
	require.True(t, ok)
	require.Equal(t, verbs.Event{Type: verbs.EventQPFatal, Conn: b.conn, QP: b.qp, Reason: endpoint.Status(wire.SyndromeKey)}, e)
	require.Equal(t, verbs.WCWrFlushErr, w.wait(b.scq, 1)[0].Status)
	_, ok = b.dev.Event()
	require.False(t, ok, "told once")
}

// TestOverrun: a completion that finds its queue full is lost, the queue is in error, and so are the queue pairs that use it.
func TestOverrun(t *testing.T) {
	w := newWorld(t, 2, 28, nil)
	a, b := w.pair(100)
	kept := a.qp
	big := a.scq
	a.scq = w.cq(a.dev, 3)
	first, second := a.create(1), a.create(2)
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for x.WrID = range 3 {
		require.NoError(t, first.PostSend(w.Now(), x))
	}
	w.Run(ms)
	require.Equal(t, verbs.QPSRts, first.State(), "full is not overrun")
	require.NoError(t, second.PostRecv(verbs.RecvWR{WrID: 8}))
	require.NoError(t, first.PostSend(w.Now(), x))
	w.Run(ms)
	e, ok := a.dev.Event()
	require.True(t, ok)
	require.Equal(t, verbs.Event{Type: verbs.EventCQErr, CQ: a.scq}, e)
	require.Equal(t, verbs.QPSErr, first.State())
	require.Equal(t, verbs.QPSErr, second.State())
	require.Equal(t, verbs.QPSRts, kept.State())
	require.Equal(t, verbs.WCWrFlushErr, w.wait(a.rcq, 1)[0].Status, "its other queue still works")
	ids, how := statuses(w.wait(a.scq, 3))
	require.Equal(t, []uint64{0, 1, 2}, ids)
	require.Equal(t, []verbs.WCStatus{verbs.WCSuccess, verbs.WCSuccess, verbs.WCSuccess}, how)
	require.NoError(t, first.PostSend(w.Now(), x))
	_, err := a.scq.Poll(make([]verbs.WC, 1))
	require.ErrorIs(t, err, verbs.ErrOverrun, "what is posted now is told of nowhere")
	require.Equal(t, verbs.QPSErr, a.create(3).State(), "nor can it be used any more")
	require.NoError(t, kept.PostSend(w.Now(), x))
	require.Equal(t, verbs.WCSuccess, w.wait(big, 1)[0].Status)
	_, ok = a.dev.Event()
	require.False(t, ok, "told once")
}
