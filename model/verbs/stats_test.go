package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
)

// TestPaths: what the statistics say is what the NIC counted and what the channel is.
func TestPaths(t *testing.T) {
	w := newWorld(t, 2, 51, func(c *endpoint.Config) { c.Planes = 2 })
	a, b := w.pair(200_000)
	fresh, err := b.conn.Paths()
	require.NoError(t, err)
	for i, p := range fresh {
		require.Equal(t, verbs.PathStats{Path: i, Plane: i % 2, Home: i % 2, RTO: p.RTO}, p, "nothing was sent yet")
		require.Positive(t, p.RTO)
	}
	w.Trouble = lab.Trouble{Lose: 50}
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 200_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	for x.WrID = range 5 {
		a.post(x)
	}
	w.Run(9 * us)
	paths, _ := look(t, a)
	flight := uint32(0)
	for _, p := range paths {
		flight += p.InFlight
		require.LessOrEqual(t, p.InFlight, p.Window+2048)
	}
	require.Positive(t, flight)
	w.wait(a.scq, 5)
	w.Run(ms)
	paths, planes := look(t, a)
	ports := map[uint16]bool{}
	again, late := uint32(0), uint32(0)
	for i, p := range paths {
		require.Equal(t, i, p.Path)
		require.Equal(t, verbs.PathActive, p.State)
		require.True(t, p.RTT >= 4*us && p.RTT < 15*us, "%v", p.RTT)
		require.GreaterOrEqual(t, p.RTO, 25*us)
		require.Positive(t, p.Window)
		require.Zero(t, p.InFlight)
		require.False(t, ports[p.Sport])
		ports[p.Sport] = true
		again, late = again+p.Retransmitted, late+p.Timeouts
	}
	c := a.dev.Counters()
	require.Equal(t, c.Retransmitted, uint64(again))
	require.Equal(t, c.Timeouts, uint64(late))
	require.Equal(t, c.Data-c.Retransmitted, planes[0].Sent+planes[1].Sent)
	require.Positive(t, again)
	require.Len(t, planes, 2)
}

// TestPlaneFails: its paths stop to be active, one of them stays there, and they come back.
func TestPlaneFails(t *testing.T) {
	w := newWorld(t, 2, 52, func(c *endpoint.Config) { c.Planes = 2 })
	a, b := w.pair(200_000)
	x := verbs.SendWR{Opcode: verbs.WRRdmaWrite, Sge: a.mr.SGE(0, 200_000), RemoteAddr: b.mr.Addr, Rkey: b.mr.Rkey}
	run := func() {
		for x.WrID = range 20 {
			a.post(x)
		}
		for _, c := range w.wait(a.scq, 20) {
			require.Equal(t, verbs.WCSuccess, c.Status)
		}
	}
	run()
	w.Trouble = lab.Trouble{Dead: 2}
	run()
	w.Run(5 * ms)
	paths, planes := look(t, a)
	require.Equal(t, verbs.PathFailed, paths[1].State)
	require.Equal(t, 1, paths[1].Plane)
	require.Equal(t, []int{1, 0}, []int{paths[3].Home, paths[3].Plane})
	require.Equal(t, []int{3, 1, 0}, []int{planes[0].Paths, planes[1].Paths, planes[1].Active})
	require.Equal(t, 3, planes[0].Active)
	require.Zero(t, planes[1].RTT)
	w.Trouble = lab.Trouble{}
	run()
	w.Run(5 * ms)
	_, planes = look(t, a)
	require.Equal(t, []int{2, 2, 2, 2}, []int{planes[0].Paths, planes[0].Active, planes[1].Paths, planes[1].Active})
	require.Positive(t, planes[1].RTT)
}

// look holds that the planes are the sums of their paths.
func look(t *testing.T, s *side) ([]verbs.PathStats, []verbs.PlaneStats) {
	paths, err := s.conn.Paths()
	require.NoError(t, err)
	planes, err := s.conn.Planes()
	require.NoError(t, err)
	sums := make([]verbs.PlaneStats, len(planes))
	for _, p := range paths {
		q := &sums[p.Plane]
		q.Paths++
		q.Window += uint64(p.Window)
		q.InFlight += uint64(p.InFlight)
		q.Sent += uint64(p.Sent)
		q.Retransmitted += uint64(p.Retransmitted)
		q.Timeouts += uint64(p.Timeouts)
	}
	for i := range sums {
		sums[i].Plane, sums[i].Active, sums[i].RTT = i, planes[i].Active, planes[i].RTT
	}
	require.Equal(t, sums, planes)
	return paths, planes
}

// TestNames: every value of every kind has a name of its own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	unique := func(s string) {
		require.NotEmpty(t, s)
		require.False(t, seen[s], s)
		seen[s] = true
	}
	for s := range verbs.WCGeneralErr + 1 {
		unique("status " + s.String())
	}
	for o := range verbs.WCRecvRdmaWithImm + 1 {
		unique("completion of " + o.String())
	}
	for o := range verbs.WRAtomicFetchAndAdd + 2 {
		unique(o.String())
	}
	for e := range verbs.EventCQErr + 1 {
		unique("event " + e.String())
	}
	for s := range verbs.QPSDestroyed + 1 {
		unique("state " + s.String())
	}
	for s := range verbs.PathFailed + 1 {
		unique("path " + s.String())
	}
}
