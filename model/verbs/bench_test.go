package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/verbs"
)

// flushed is a queue pair in error: posting and polling without a network.
func flushed(t require.TestingT) (cycle func()) {
	w := newWorld(t, 2, 61, nil)
	a, _ := w.pair(100)
	require.NoError(t, a.qp.ModifyToErr(0))
	wc := make([]verbs.WC, 2)
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 100)}
	return func() {
		for range 2 {
			if a.qp.PostSend(0, x) != nil || a.qp.PostRecv(verbs.RecvWR{}) != nil {
				panic("not posted")
			}
		}
		for _, cq := range []*verbs.CQ{a.scq, a.rcq} {
			if n, err := cq.Poll(wc); n != 2 || err != nil {
				panic("not flushed")
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	cycle := flushed(t)
	for range 100 {
		cycle()
	}
	require.Zero(t, testing.AllocsPerRun(100, cycle))
}

// BenchmarkQueues is two requests and two receives posted and polled.
func BenchmarkQueues(b *testing.B) {
	cycle := flushed(b)
	for b.Loop() {
		cycle()
	}
}

// TestSameSeedSameRun: the same calls on the same seed give the same completions at the same times.
func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) (ends []uint64) {
		w := newWorld(t, 2, seed, nil)
		w.Trouble = bad
		a, b := w.pair(50_000)
		x := verbs.SendWR{Opcode: verbs.WRRdmaRead, Sge: a.mr.SGE(0, 50_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
		for x.WrID = range 5 {
			a.post(x)
		}
		for range 5 {
			ends = append(ends, w.wait(a.scq, 1)[0].WrID, uint64(w.Now()))
		}
		return ends
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
}
