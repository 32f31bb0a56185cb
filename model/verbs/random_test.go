package verbs_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/verbs"
)

// TestRandomPosts: any requests on any queue pairs of three hosts over any channel give, queue pair by queue pair, one completion each
// in order, and memory that a model which does one after the other has as well.
func TestRandomPosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, 3, rapid.Uint64().Draw(t, "seed"), func(c *endpoint.Config) { c.RnrPause, c.Mtu = 200_000, 256 })
		if rapid.Bool().Draw(t, "bad channel") {
			w.Trouble = bad
		}
		var links []*link
		for _, h := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			ca, cb, err := verbs.ConnectNow(0, w.devs[h[0]], w.devs[h[1]], verbs.ConnAttr{Paths: 2, QPs: 1})
			require.NoError(t, err)
			links = append(links, newLink(w.side(w.devs[h[0]], ca, 2*half, uint64(len(links))), w.side(w.devs[h[1]], cb, most*part, 9)))
		}
		for range rapid.IntRange(1, most).Draw(t, "requests") {
			links[rapid.IntRange(0, 2).Draw(t, "link")].post(t)
			w.Run(us * 2)
		}
		for _, l := range links {
			l.finish(t)
		}
	})
}

const (
	half = 1024 // of the memory of end a: sources below, answers above
	most = 20   // requests
	part = 800  // bytes of the memory of end b that a request writes
)

// link is a queue pair whose end a posts, and the memory of both ends as it has to become.
type link struct {
	a, b   *side
	wantA  []byte
	wantB  []byte
	posted []verbs.SendWR
	recvs  []uint32 // lengths of what receives
}

func newLink(a, b *side) *link {
	return &link{a: a, b: b, wantA: bytes.Clone(a.buf), wantB: bytes.Clone(b.buf)}
}

// post posts a request. Reads and atomics go anywhere: they see all that was posted before, and what is posted later is
// behind a fence. Writes and Sends that are under way together may be placed in any order, so each has a part of its own.
func (l *link) post(t *rapid.T) {
	x := verbs.SendWR{WrID: uint64(len(l.posted)), Opcode: verbs.WROpcode(rapid.IntRange(0, 6).Draw(t, "op")), Flags: verbs.SendFence, Rkey: l.b.mr.Rkey}
	n := uint32(rapid.IntRange(0, 700).Draw(t, "bytes"))
	from, to := uint64(rapid.IntRange(0, half-700).Draw(t, "from")), uint64(rapid.IntRange(0, (most-1)*part).Draw(t, "to"))&^7
	x.Sge = l.a.mr.SGE(from, n)
	switch x.Opcode {
	case verbs.WRRdmaWrite, verbs.WRRdmaWriteWithImm, verbs.WRSend, verbs.WRSendWithImm:
		to = x.WrID * part
		copy(l.wantB[to:], l.wantA[from:from+uint64(n)])
		if x.Opcode != verbs.WRRdmaWrite {
			x.Imm = uint32(x.WrID)*3 + 1
			l.b.recv(x.WrID, l.b.mr.SGE(to, n))
			l.recvs = append(l.recvs, n)
		}
	default:
		if x.Opcode != verbs.WRRdmaRead {
			n = 8
		}
		x.Sge = l.a.mr.SGE(half+from, n)
		l.answered(t, &x, half+from, to, n)
	}
	x.RemoteAddr = l.b.mr.Addr + to
	l.posted = append(l.posted, x)
	l.a.post(x)
}

// answered does what a Read or an atomic has to do.
func (l *link) answered(t *rapid.T, x *verbs.SendWR, local, remote uint64, n uint32) {
	copy(l.wantA[local:], l.wantB[remote:remote+uint64(n)])
	if x.Opcode == verbs.WRRdmaRead {
		return
	}
	v := word(l.wantB[remote:])
	x.CompareAdd, x.Swap = v-rapid.Uint64Range(0, 1).Draw(t, "off"), rapid.Uint64().Draw(t, "swap")
	switch {
	case x.Opcode == verbs.WRAtomicFetchAndAdd:
		setWord(l.wantB[remote:], v+x.CompareAdd)
	case x.CompareAdd == v:
		setWord(l.wantB[remote:], x.Swap)
	}
}

func (l *link) finish(t *rapid.T) {
	w := l.a.w
	for i, c := range w.wait(l.a.scq, len(l.posted)) {
		require.Equal(t, uint64(i), c.WrID)
		require.Equal(t, verbs.WCSuccess, c.Status)
	}
	for i, c := range w.wait(l.b.rcq, len(l.recvs)) {
		x := &l.posted[c.WrID]
		require.Equal(t, l.recvs[i], c.ByteLen)
		require.Equal(t, x.Opcode != verbs.WRSend, c.WithImm)
		if c.WithImm {
			require.Equal(t, x.Imm, c.Imm)
		}
	}
	require.True(t, bytes.Equal(l.wantA, l.a.buf))
	require.True(t, bytes.Equal(l.wantB, l.b.buf))
}
