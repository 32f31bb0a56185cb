package verbs_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
)

func word(b []byte) uint64       { return binary.LittleEndian.Uint64(b) }
func setWord(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }

// TestEveryVerb: each of them from one memory to the other, and what both ends are told.
func TestEveryVerb(t *testing.T) {
	const n = 10_000
	for op, c := range map[verbs.WROpcode]struct {
		wc, recv verbs.WCOpcode
		receives bool
		imm      bool
	}{
		verbs.WRRdmaWrite:        {wc: verbs.WCRdmaWrite},
		verbs.WRRdmaWriteWithImm: {wc: verbs.WCRdmaWrite, recv: verbs.WCRecvRdmaWithImm, receives: true, imm: true},
		verbs.WRSend:             {wc: verbs.WCSend, recv: verbs.WCRecv, receives: true},
		verbs.WRSendWithImm:      {wc: verbs.WCSend, recv: verbs.WCRecv, receives: true, imm: true},
		verbs.WRRdmaRead:         {wc: verbs.WCRdmaRead},
	} {
		t.Run(op.String(), func(t *testing.T) {
			onChannels(t, func(t *testing.T, trouble lab.Trouble) {
				w := newWorld(t, 2, 3, nil)
				w.Trouble = trouble
				a, b := w.pair(3 * n)
				before := pattern(3*n, 2)
				if c.receives {
					b.recv(70, b.mr.SGE(2*n, n))
				}
				a.post(verbs.SendWR{WrID: 7, Opcode: op, Sge: a.mr.SGE(5, n-1), Imm: 99, RemoteAddr: b.mr.Addr + n, Rkey: b.mr.Rkey})
				got := w.wait(a.scq, 1)[0]
				require.Equal(t, verbs.WC{WrID: 7, Opcode: c.wc, ByteLen: n - 1, QP: a.qp}, public(got))
				if c.receives {
					want := verbs.WC{WrID: 70, Opcode: c.recv, ByteLen: n - 1, WithImm: c.imm, QP: b.qp}
					if c.imm {
						want.Imm = 99
					}
					require.Equal(t, want, public(w.wait(b.rcq, 1)[0]))
				}
				switch op {
				case verbs.WRRdmaRead:
					require.Equal(t, before, b.buf)
					require.Equal(t, b.buf[n:2*n-1], a.buf[5:n+4])
				case verbs.WRRdmaWrite, verbs.WRRdmaWriteWithImm:
					copy(before[n:], a.buf[5:n+4])
					require.Equal(t, before, b.buf, "these bytes and no others")
				default:
					copy(before[2*n:], a.buf[5:n+4])
					require.Equal(t, before, b.buf)
				}
				require.Equal(t, pattern(5, 1), a.buf[:5])
				require.Equal(t, pattern(3*n, 1)[n+4:], a.buf[n+4:])
				w.none(a.scq, ms)
				w.none(b.rcq, ms)
			})
		})
	}
}

// public is a completion without what is of no concern to users.
func public(w verbs.WC) verbs.WC {
	return verbs.WC{WrID: w.WrID, Status: w.Status, Opcode: w.Opcode, VendorErr: w.VendorErr, ByteLen: w.ByteLen, Imm: w.Imm, WithImm: w.WithImm, QP: w.QP}
}

// TestAtomics: the value before comes back, and memory is what the operation makes of it.
func TestAtomics(t *testing.T) {
	onChannels(t, func(t *testing.T, trouble lab.Trouble) {
		w := newWorld(t, 2, 4, nil)
		w.Trouble = trouble
		a, b := w.pair(64)
		setWord(b.buf[16:], 1000)
		at := verbs.SendWR{Sge: a.mr.SGE(0, 8), RemoteAddr: b.mr.Addr + 16, Rkey: b.mr.Rkey}
		for i, c := range []struct {
			op            verbs.WROpcode
			compare, swap uint64
			before, after uint64
		}{
			{verbs.WRAtomicFetchAndAdd, 5, 0, 1000, 1005},
			{verbs.WRAtomicCmpAndSwp, 1005, 7, 1005, 7},
			{verbs.WRAtomicCmpAndSwp, 1005, 8, 7, 7},
			{verbs.WRAtomicFetchAndAdd, ^uint64(0), 0, 7, 6},
		} {
			x := at
			x.WrID, x.Opcode, x.CompareAdd, x.Swap = uint64(i), c.op, c.compare, c.swap
			a.post(x)
			got := w.wait(a.scq, 1)[0]
			require.Equal(t, verbs.WCSuccess, got.Status)
			require.Equal(t, uint32(8), got.ByteLen)
			require.Equal(t, c.before, word(a.buf))
			require.Equal(t, c.after, word(b.buf[16:]))
		}
	})
}

// TestExactlyOnce: fetch-adds of two hosts on one word add up, each value is seen by one of them, and every Read is answered once,
// on a channel that loses and doubles.
func TestExactlyOnce(t *testing.T) {
	const each = 60
	w := newWorld(t, 3, 5, nil)
	w.Trouble = bad
	target := make([]byte, 64)
	var from []*side
	for h := range 2 {
		ch, c2, err := verbs.ConnectNow(w.Now(), w.devs[h], w.devs[2], verbs.ConnAttr{Paths: 4, QPs: 2})
		require.NoError(t, err)
		s := w.side(w.devs[h], ch, 8*2*each, uint64(h)+1)
		m, err := c2.RegMR(target, all)
		require.NoError(t, err)
		for i := range uint64(each) {
			s.post(verbs.SendWR{WrID: i, Opcode: verbs.WRAtomicFetchAndAdd, Sge: s.mr.SGE(16*i, 8), RemoteAddr: m.Addr + 8, Rkey: m.Rkey, CompareAdd: 1})
		}
		from = append(from, s)
	}
	seen := map[uint64]bool{}
	for _, s := range from {
		for i, c := range w.wait(s.scq, each) {
			require.Equal(t, verbs.WCSuccess, c.Status)
			require.Equal(t, uint64(i), c.WrID, "in order")
			v := word(s.buf[16*i:])
			require.False(t, seen[v], "value %d was seen before", v)
			seen[v] = true
		}
		w.none(s.scq, ms)
	}
	require.Equal(t, uint64(2*each), word(target[8:]))
	require.Greater(t, w.devs[2].Counters().Duplicates, uint64(0), "the channel did double something")
}

// TestManyQPs: queue pairs that share a connection, and do not wait for each other.
func TestManyQPs(t *testing.T) {
	const qps, each, n = 8, 12, 3000
	w := newWorld(t, 2, 6, nil)
	w.Trouble = bad
	a, b := w.pair(qps * each * n)
	a.scq, b.rcq = w.cq(a.dev, qps*each), w.cq(b.dev, qps*each)
	stuck := a.create(7)
	b.create(7)
	for k := range uint64(qps - 2) {
		qa, qb := a.create(uint16(k+1)), b.create(uint16(k+1))
		for i := range uint64(each) {
			at := (k*each + i) * n
			require.NoError(t, qb.PostRecv(verbs.RecvWR{WrID: k<<8 | i, Sge: b.mr.SGE(at, n)}))
			require.NoError(t, qa.PostSend(0, verbs.SendWR{WrID: k<<8 | i, Opcode: verbs.WRSend, Sge: a.mr.SGE(at, n)}))
		}
	}
	require.NoError(t, stuck.PostSend(0, verbs.SendWR{WrID: 1 << 20, Opcode: verbs.WRSend, Sge: a.mr.SGE(0, n)}))
	for _, cq := range []*verbs.CQ{a.scq, b.rcq} {
		next := map[uint16]uint64{}
		for _, c := range w.wait(cq, (qps-2)*each) {
			require.Equal(t, verbs.WCSuccess, c.Status)
			num := c.QP.Num
			require.Equal(t, uint64(num-1)<<8|next[num], c.WrID, "in order within a queue pair")
			next[num]++
		}
	}
	require.Equal(t, a.buf[:(qps-2)*each*n], b.buf[:(qps-2)*each*n])
	paths, err := a.conn.Paths()
	require.NoError(t, err)
	require.Len(t, paths, 4, "however many queue pairs there are")
}

// TestUnsignalled: a request without the flag has no completion of its own, keeps its place until a later one is polled,
// and is told of when it fails.
func TestUnsignalled(t *testing.T) {
	w := newWorld(t, 2, 7, nil)
	a, b := w.pair(100)
	q, err := a.conn.CreateQP(1, verbs.QPInitAttr{SendCQ: a.scq, RecvCQ: a.rcq, MaxSendWR: 3, MaxRecvWR: 1})
	require.NoError(t, err)
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for x.WrID = range 3 {
		if x.WrID == 2 {
			x.Flags = verbs.SendSignaled
		}
		require.NoError(t, q.PostSend(w.Now(), x))
	}
	require.ErrorIs(t, q.PostSend(w.Now(), x), verbs.ErrFull)
	w.Run(ms)
	require.Equal(t, 1, a.scq.Len())
	require.ErrorIs(t, q.PostSend(w.Now(), x), verbs.ErrFull, "complete, and not polled")
	got := w.wait(a.scq, 1)[0]
	require.Equal(t, uint64(2), got.WrID)
	x.Flags, x.WrID, x.Rkey = 0, 3, x.Rkey+1
	for range 3 {
		require.NoError(t, q.PostSend(w.Now(), x), "all three places are free")
	}
	got = w.wait(a.scq, 1)[0]
	require.Equal(t, uint64(3), got.WrID)
	require.Equal(t, verbs.WCRemAccessErr, got.Status)
}

// TestFence: a Write behind a fence begins when the Read before it is complete, without one it does not wait.
func TestFence(t *testing.T) {
	for _, fence := range []bool{false, true} {
		w := newWorld(t, 2, 8, nil)
		a, b := w.pair(8000)
		old := append([]byte(nil), b.buf...)
		writes := 0
		w.Trouble.Drop = func(from, _, _ int, p *pkt) bool {
			if from == 0 && p.Opcode == opWrite {
				writes++
			}
			return from == 1 && p.Opcode == opReadResponse
		}
		a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaRead, Sge: a.mr.SGE(0, 4000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
		x := verbs.SendWR{WrID: 2, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 4000), RemoteAddr: b.mr.Addr + 4000, Rkey: b.mr.Rkey}
		if fence {
			x.Flags = verbs.SendFence
		}
		a.post(x)
		w.none(a.scq, ms)
		require.Equal(t, fence, writes == 0)
		w.Trouble.Drop = nil
		ids, how := statuses(w.wait(a.scq, 2))
		require.Equal(t, []uint64{1, 2}, ids)
		require.Equal(t, []verbs.WCStatus{verbs.WCSuccess, verbs.WCSuccess}, how)
		require.Equal(t, old[:4000], a.buf[:4000])
		if fence {
			require.Equal(t, old[:4000], b.buf[4000:], "what was read is what is written")
		} else {
			require.Equal(t, pattern(8000, 1)[:4000], b.buf[4000:])
		}
	}
}

// TestNothing: messages of no bytes need no memory.
func TestNothing(t *testing.T) {
	w := newWorld(t, 2, 9, nil)
	a, b := w.pair(10)
	for id := range uint64(3) {
		b.recv(id, verbs.SGE{})
	}
	for op := range verbs.WRAtomicCmpAndSwp {
		a.post(verbs.SendWR{WrID: uint64(op), Opcode: op})
	}
	for _, c := range w.wait(a.scq, int(verbs.WRAtomicCmpAndSwp)) {
		require.Equal(t, verbs.WCSuccess, c.Status)
	}
	for _, c := range w.wait(b.rcq, 3) {
		require.Equal(t, verbs.WCSuccess, c.Status)
		require.Zero(t, c.ByteLen)
	}
}
