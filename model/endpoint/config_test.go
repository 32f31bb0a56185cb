package endpoint

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// TestConfigProblems: what no NIC can do is refused before there is one, all of it at once, and nothing twice.
func TestConfigProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *Config)
		want   []string // of each problem: what it speaks of
	}{
		{"default", func(*Config) {}, nil},
		{"slowest", func(c *Config) { c.Mbps = minMbps }, nil},
		{"too slow for windows and shares", func(c *Config) { c.Mbps = minMbps - 1 }, []string{"endpoint: Mbps is 9999: want 10000..1600000"}},
		{"fastest", func(c *Config) { c.Mbps, c.Planes = maxMbps, MaxPlanes }, nil},
		{"too fast", func(c *Config) { c.Mbps = maxMbps + 1 }, []string{"endpoint: Mbps is 1600001"}},
		{"window beyond 2^30 bytes", func(c *Config) { c.Mbps, c.BaseRtt = maxMbps, 12_500_000 }, []string{"cc: window is 15000000000: want 0..1073741824"}},
		{"just as much as fits", func(c *Config) { c.Mbps, c.BaseRtt = 400_000, 3_579_139 }, nil},
		{"a tick more", func(c *Config) { c.Mbps, c.BaseRtt = 400_000, 3_579_142 }, []string{"cc: window is"}},
		{"planes count in the window", func(c *Config) { c.Mbps, c.BaseRtt, c.Planes = 200_000, 3_579_142, 2 }, []string{"cc: window is"}},
		{"everything", func(c *Config) {
			*c = Config{Mtu: 63, Planes: 9, Mbps: 100, BaseRtt: 1<<24 + 1, Paths: 65, Keys: -1, Tuning: preset.DefaultTuning()}
			c.Tuning.RtoMax = 1 << 29
			c.Tuning.WindowEighths = 1
			c.Tuning.PathPolicy = 3
		}, []string{"rto_max", "window_eighths", "path_policy", "Planes is 9", "Mbps is 100", "BaseRtt is 16777217", "Mtu is 63", "Paths is 65", "Conns is 0",
			"Streams is 0", "Recvs is 0", "Keys is -1", "RnrPause is 0", "ConnTimeout is 0", "Rest is 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			c.change(&cfg)
			err := cfg.Validate()
			_, made := New(cfg)
			require.Equal(t, err == nil, made == nil)
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, made, err.Error())
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, lines, len(c.want), err)
			for _, w := range c.want {
				require.Contains(t, err.Error(), w)
			}
		})
	}
}

// TestPeerThatFitsNot: a peer whose port rate gives no window, at any of the three ways into a connection.
func TestPeerThatFitsNot(t *testing.T) {
	far := func(c *Config) { c.BaseRtt, c.Mbps = 3_000_000, 400_000 }
	w := newWorld(t, 3, far)
	a, b := w.nics[0], w.nics[1]
	b.cfg.Mbps = 1 // as no NIC of ours would
	_, _, err := ConnectNow(0, a, b, 0, 17)
	var p *cc.Problem
	require.True(t, errors.As(err, &p))
	require.Equal(t, "rate", p.Field)
	require.ErrorContains(t, err, "paths is 0")
	require.ErrorContains(t, err, "2^17")
	require.Empty(t, a.conns)

	index, err := b.Open(0, 0, 4, 0)
	require.NoError(t, err)
	w.after(1)
	w.runUntil(1e12, func() bool { return len(w.life[1]) > 0 })
	require.Equal(t, []Event{{Kind: LifeRefused, Conn: index}}, w.life[1])
	require.Empty(t, w.life[0])

	w.trouble.lose2 = 300
	index, err = a.Open(w.now, 1, 4, 0)
	require.NoError(t, err)
	w.after(0)
	w.runUntil(w.now+1e13, func() bool { return len(w.life[0]) > 0 })
	require.Equal(t, []Event{{Kind: LifeRefused, Conn: index, Host: 1}}, w.life[0], "once, and not as closed")
	require.Equal(t, []LifeKind{LifeRefused, LifeAccepted, LifeClosed}, []LifeKind{w.life[1][0].Kind, w.life[1][1].Kind, w.life[1][2].Kind}, "and the peer does not keep it")
	w.settle(1e12)
	require.Len(t, w.life[0], 1)
	require.Len(t, w.life[1], 3)
}

// TestLongestWaits: with the longest round trip that a configuration may have and the longest timeouts, tries and queries
// wait longer each time, up to the longest timeout, and never come in a storm or not at all.
func TestLongestWaits(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		w := newWorld(t, 3, func(c *Config) { c.BaseRtt, c.Mbps = 1<<24, minMbps })
		w.dead = 1
		_, err := w.nics[0].Open(0, 1, 4, 0)
		require.NoError(t, err)
		w.after(0)
		var at []sim.Picos
		seen := uint8(0)
		c := w.nics[0].conns[0]
		w.each = func() {
			if c.life.tries != seen {
				seen = c.life.tries
				at = append(at, w.now)
			}
		}
		w.runUntil(100e12, func() bool { return len(w.life[0]) > 0 })
		require.Len(t, at, maxTries)
		for i := 1; i < len(at); i++ {
			want := min(sim.Picos(4<<24)<<(i-1), 1<<28) * preset.TickPs
			require.InDelta(t, float64(want), float64(at[i]-at[i-1]), 4*slotTicks*preset.TickPs, "try %d", i)
		}
	})
	t.Run("query", func(t *testing.T) {
		w := newWorld(t, 3, func(c *Config) { c.BaseRtt, c.Mbps, c.ConnTimeout = 1<<24, minMbps, 1<<30 })
		a, b := w.connect(1, 0)
		w.post(0, a, 0, Work{Op: wire.OpcodeReadRequest, Length: 8, Rkey: testKey})
		w.runUntil(1e12, func() bool { return w.nics[1].conns[b].asks != nil })
		w.runUntil(1e12, func() bool { return w.nics[0].conns[a].tx.cc.Inflight == 0 || len(w.ended[0]) > 0 })
		n := w.nics[0]
		s := n.streams[0]
		w.dead = 1
		s.send.asking, s.send.askAt, s.send.queried = true, n.tick, false
		var gaps []uint32
		for range 6 { // then it is given up
			n.now += sim.Picos(s.send.askAt-n.tick) * preset.TickPs
			n.at(n.now)
			s.send.slot, s.send.queried = 5, false
			n.streamExpired(s, 5)
			gaps = append(gaps, s.send.askAt-n.tick)
		}
		require.IsNonDecreasing(t, gaps)
		require.Equal(t, uint32(1<<28), gaps[len(gaps)-1])
	})
	n, err := New(Default())
	require.NoError(t, err)
	for times := range uint8(64) {
		require.Equal(t, uint32(min(uint64(1)<<times, 1<<28)), n.doubled(1, times))
	}
	require.Equal(t, uint32(1<<28), n.doubled(1<<28, maxDoublings))
}
