package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/verbs"
	"metaroce/tandem/model/verbs/lab"
	"metaroce/tandem/model/wire"
)

// world is some devices on a channel, and what they completed.
type world struct {
	*lab.Lab
	t    require.TestingT
	devs []*verbs.Device
}

const (
	us = sim.Picos(1_000_000)
	ms = 1000 * us
	// soon is later than anything that makes progress takes here.
	soon = 20_000 * ms
)

func newWorld(t require.TestingT, hosts int, seed uint64, change func(c *endpoint.Config)) *world {
	w := &world{t: t}
	var nics []lab.NIC
	planes := 1
	for i := range hosts {
		c := endpoint.Default()
		c.Host, c.Seed, c.BaseRtt, c.Mtu, c.Keys = uint16(i), seed, 1100, 1024, 16
		if change != nil {
			change(&c)
		}
		planes = c.Planes
		d, err := verbs.Open(c)
		require.NoError(t, err)
		w.devs = append(w.devs, d)
		nics = append(nics, d)
	}
	cfg := lab.Default()
	cfg.Seed, cfg.Planes = seed, planes
	l, err := lab.New(cfg, nics...)
	require.NoError(t, err)
	w.Lab = l
	return w
}

// side is one end of a connection with a queue pair, its completion queues, and a region over a buffer.
type side struct {
	w        *world
	dev      *verbs.Device
	conn     *verbs.Conn
	qp       *verbs.QP
	scq, rcq *verbs.CQ
	buf      []byte
	mr       *verbs.MR
}

const all = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic

// pair joins hosts 0 and 1 and makes queue pair 0 at both ends, with regions that allow everything.
func (w *world) pair(bytes int) (a, b *side) {
	ca, cb, err := verbs.ConnectNow(w.Now(), w.devs[0], w.devs[1], verbs.ConnAttr{Paths: 4, QPs: 32})
	require.NoError(w.t, err)
	return w.side(w.devs[0], ca, bytes, 1), w.side(w.devs[1], cb, bytes, 2)
}

func (w *world) side(d *verbs.Device, c *verbs.Conn, bytes int, salt uint64) *side {
	s := &side{w: w, dev: d, conn: c, buf: pattern(bytes, salt)}
	s.scq, s.rcq = w.cq(d, 256), w.cq(d, 256)
	s.qp = s.create(0)
	s.mr = s.reg(s.buf, all)
	return s
}

func (w *world) cq(d *verbs.Device, size int) *verbs.CQ {
	q, err := d.CreateCQ(size)
	require.NoError(w.t, err)
	return q
}

func (s *side) create(num uint16) *verbs.QP {
	q, err := s.conn.CreateQP(num, verbs.QPInitAttr{SendCQ: s.scq, RecvCQ: s.rcq, MaxSendWR: 64, MaxRecvWR: 64, SqSigAll: true})
	require.NoError(s.w.t, err)
	return q
}

func (s *side) reg(buf []byte, access verbs.Access) *verbs.MR {
	m, err := s.conn.RegMR(buf, access)
	require.NoError(s.w.t, err)
	return m
}

func (s *side) post(x verbs.SendWR) {
	require.NoError(s.w.t, s.qp.PostSend(s.w.Now(), x))
}

func (s *side) recv(id uint64, sge verbs.SGE) {
	require.NoError(s.w.t, s.qp.PostRecv(verbs.RecvWR{WrID: id, Sge: sge}))
}

// pattern is bytes that differ from their neighbours and from those of another salt.
func pattern(n int, salt uint64) []byte {
	r := sim.NewRandom(salt, "pattern")
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64())
	}
	return b
}

// wait polls n completions of a queue, whatever time they take.
func (w *world) wait(cq *verbs.CQ, n int) []verbs.WC {
	var all []verbs.WC
	one := make([]verbs.WC, 1)
	done := w.Until(w.Now()+soon, func() bool {
		for len(all) < n {
			k, err := cq.Poll(one)
			require.NoError(w.t, err)
			if k == 0 {
				return false
			}
			all = append(all, one[0])
		}
		return true
	})
	require.True(w.t, done, "%d of %d completions: %v", len(all), n, all)
	return all
}

// none holds that a queue stays empty for a while.
func (w *world) none(cq *verbs.CQ, d sim.Picos) {
	w.Run(d)
	require.Zero(w.t, cq.Len())
}

// statuses are the ids and statuses of completions.
func statuses(all []verbs.WC) (ids []uint64, how []verbs.WCStatus) {
	for i := range all {
		ids, how = append(ids, all[i].WrID), append(how, all[i].Status)
	}
	return ids, how
}

// bad is a channel that does everything to packets.
var bad = lab.Trouble{Lose: 100, LoseControl: 100, Double: 200, Late: 100, LateBy: 100 * us, Mark: 50}

// channels are the tests' channels by name.
var channels = []struct {
	name    string
	trouble lab.Trouble
}{{"clean", lab.Trouble{}}, {"bad", bad}}

func onChannels(t *testing.T, test func(t *testing.T, trouble lab.Trouble)) {
	for _, c := range channels {
		t.Run(c.name, func(t *testing.T) { test(t, c.trouble) })
	}
}

type pkt = endpoint.Packet

const (
	opWrite        = wire.OpcodeWrite
	opReadResponse = wire.OpcodeReadResponse
)
