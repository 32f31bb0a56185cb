package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
)

// TestDeregUnderTraffic: a region that a peer writes to is taken away. From then on no byte of it changes, the Write under way is
// refused, and the memory can be freed at once.
func TestDeregUnderTraffic(t *testing.T) {
	onChannels(t, func(t *testing.T, trouble lab.Trouble) {
		w := newWorld(t, 2, 41, nil)
		w.Trouble = trouble
		a, b := w.pair(200_000)
		x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 150_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
		for x.WrID = range 4 {
			a.post(x)
		}
		old := pattern(200_000, 2)
		require.True(t, w.Until(soon, func() bool { return b.buf[100_000] != old[100_000] }))
		require.NoError(t, b.mr.Dereg(w.Now()))
		require.NoError(t, b.mr.Dereg(w.Now()), "again does nothing")
		then := append([]byte(nil), b.buf...)
		got := w.wait(a.scq, 4)
		_, how := statuses(got)
		for i := range got {
			require.NotEqual(t, verbs.WCSuccess, how[i])
		}
		require.Contains(t, how, verbs.WCRemAccessErr)
		w.Run(10 * ms)
		require.Equal(t, then, b.buf)
	})
}

// TestDeregInUse: memory that the device still reads or writes of its own accord is not given back: answers to a Read,
// a receive, a request whose packets may have to go again.
func TestDeregInUse(t *testing.T) {
	read := func(a, b *side) {
		a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaRead, Sge: a.mr.SGE(0, 50_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
	}
	for _, c := range []struct {
		name  string
		start func(a, b *side)
		lost  wire.Opcode // is lost until the region was asked for
		until func(a, b *side) bool
		owner func(a, b *side) *side // of the region; nil: a, which does not use it yet
		want  verbs.WCStatus
	}{
		{"peer reads", read, wire.OpcodeReadResponse, func(_, b *side) bool { return sent(b) > 10 },
			func(_, b *side) *side { return b }, verbs.WCSuccess},
		{"own Read", read, wire.OpcodeReadRequest, func(a, _ *side) bool { return sent(a) > 0 },
			func(a, _ *side) *side { return a }, verbs.WCSuccess},
		{"own Write", func(a, b *side) {
			a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 50_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
		}, wire.OpcodeWrite, func(a, _ *side) bool { return sent(a) > 3 },
			func(a, _ *side) *side { return a }, verbs.WCSuccess},
		{"receive", func(a, b *side) {
			b.recv(5, b.mr.SGE(0, 10))
			m := a.reg(pattern(10, 7), 0)
			a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRSend, Sge: m.SGE(0, 10)})
		}, wire.OpcodeSend, func(_, _ *side) bool { return true },
			func(_, b *side) *side { return b }, verbs.WCSuccess},
		{"request behind a fence", func(a, b *side) {
			other := a.reg(make([]byte, 100), all)
			a.post(verbs.SendWR{WrID: 0, Opcode: verbs.WRRdmaRead, Sge: other.SGE(0, 100), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey})
			a.post(verbs.SendWR{WrID: 1, Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 10), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey, Flags: verbs.SendFence})
		}, wire.OpcodeReadResponse, func(_, b *side) bool { return sent(b) > 0 }, nil, verbs.WCLocProtErr},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 2, 42, nil)
			a, b := w.pair(60_000)
			w.Trouble.Drop = func(_, _, _ int, p *pkt) bool { return p.Opcode == c.lost }
			c.start(a, b)
			require.True(t, w.Until(soon, func() bool { return c.until(a, b) }))
			w.Run(20 * us)
			m := a.mr
			if c.owner != nil {
				m = c.owner(a, b).mr
				require.ErrorIs(t, m.Dereg(w.Now()), verbs.ErrBusy)
				c.owner(a, b).cannotUse(m)
			} else {
				require.NoError(t, m.Dereg(w.Now()), "the device has not begun it")
			}
			w.Trouble.Drop = nil
			for got := (verbs.WC{WrID: 99}); got.WrID != 1; {
				got = w.wait(a.scq, 1)[0]
				if got.WrID == 1 {
					require.Equal(t, c.want, got.Status)
				}
			}
			require.True(t, w.Until(w.Now()+100*ms, func() bool { return m.Dereg(w.Now()) == nil }))
			if c.want == verbs.WCSuccess && c.lost == wire.OpcodeReadResponse {
				require.Equal(t, pattern(60_000, 2)[:50_000], a.buf[:50_000])
			}
		})
	}
}

// cannotUse holds that nothing new can be done with a region that was asked for.
func (s *side) cannotUse(m *verbs.MR) {
	kept := s.scq
	s.scq = s.w.cq(s.dev, 1)
	require.NoError(s.w.t, s.create(9).PostSend(s.w.Now(), verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: m.SGE(0, 8)}))
	require.Equal(s.w.t, verbs.WCLocProtErr, s.w.wait(s.scq, 1)[0].Status)
	s.scq = kept
}

// sent is how many packets the paths of a side sent.
func sent(s *side) (n uint32) {
	paths, err := s.conn.Paths()
	require.NoError(s.w.t, err)
	for i := range paths {
		n += paths[i].Sent
	}
	return n
}

// TestKeysAreNotGivenAgain: a key of a region that is gone opens none of those that take its place.
func TestKeysAreNotGivenAgain(t *testing.T) {
	w := newWorld(t, 2, 43, func(c *endpoint.Config) { c.Keys = 3 })
	a, _ := w.pair(10)
	keys := map[uint32]bool{a.mr.Rkey: true}
	for range 300 {
		m := a.reg(a.buf, all)
		require.False(t, keys[m.Rkey])
		require.Zero(t, m.Addr&0xffffffff)
		keys[m.Rkey] = true
		require.NoError(t, m.Dereg(0))
	}
}
