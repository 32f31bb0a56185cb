package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// TestPeerDiesUnasked: a peer that dies while nothing is in flight but a question is given up as one that dies under data:
// not before the timeout, and then the work at hand comes back with the reason. Where it lives, it is asked for as long.
func TestPeerDiesUnasked(t *testing.T) {
	const timeout = 2_500_000 // ticks: 10 ms
	for _, c := range []struct {
		name string
		work Work
		lost func(p *Packet) bool // of what the peer says before it dies; nil: it is dead from the beginning
	}{
		{"an announcement waits for its answer", Work{ID: 1, Op: wire.OpcodeWrite, Length: 1 << 20, Rkey: testKey}, nil},
		{"a status query waits for its answer", Work{ID: 1, Op: wire.OpcodeWrite, Length: 1000, Rkey: testKey}, func(p *Packet) bool {
			return p.Opcode == wire.OpcodeAck && p.Ack.NoticeValid || p.Opcode == wire.OpcodeAnswer
		}},
		{"a Read waits for its answer", Work{ID: 1, Op: wire.OpcodeReadRequest, Length: 4096, Rkey: testKey}, func(p *Packet) bool {
			return p.Opcode == wire.OpcodeReadResponse || p.Opcode == wire.OpcodeAck && p.Ack.NoticeValid || p.Opcode == wire.OpcodeAnswer
		}},
	} {
		for _, rest := range []sim.Picos{0, 3 * timeout * 4000} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t, 11, func(x *Config) { x.ConnTimeout = timeout })
				a, _ := w.connect(4, 0)
				w.settle(rest)
				w.veto = c.lost
				if c.lost == nil {
					w.dead = 1
				}
				w.post(0, a, 0, c.work)
				if c.lost != nil {
					w.runUntil(w.now+1e9, func() bool { return w.nics[0].count.Data > 0 && w.nics[0].conns[a].tx.cc.Inflight == 0 })
					w.dead = 1
				}
				start := w.now
				w.settle(timeout * 4000 * 9 / 10)
				require.Empty(t, w.ended[0], "not before its time")
				w.runUntil(w.now+10*timeout*4000, func() bool { return len(w.ended[0]) > 0 })
				require.Len(t, w.ended[0], 1, w.describe())
				require.Equal(t, StatusTimeout, w.ended[0][0].Status)
				require.Greater(t, w.now-start, sim.Picos(timeout*4000*9/10))
				require.Less(t, w.now-start, sim.Picos(3*timeout*4000))
			})
		}
	}
}
