package metaroce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/fabric"
)

// TestConfigOnNetwork: NICs are checked with the round trip of the network that they will be on, before there is one, and
// by New just so.
func TestConfigOnNetwork(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f *fabric.Config, c *metaroce.Config)
		want   []string
	}{
		{"default", func(*fabric.Config, *metaroce.Config) {}, nil},
		{"a network of 80 ms at 1.6 Tb/s", func(f *fabric.Config, _ *metaroce.Config) {
			f.LinkMbps, f.LinkDelay = 1_600_000, 10_000_000_000
		}, []string{"cc: window is "}},
		{"the same, and other problems", func(f *fabric.Config, c *metaroce.Config) {
			f.LinkMbps, f.LinkDelay, c.Streams, c.Paths = 1_600_000, 10_000_000_000, 99, 0
		}, []string{"cc: window is ", "Streams is 99", "Paths is 0"}},
		{"its round trip is set", func(f *fabric.Config, c *metaroce.Config) {
			f.LinkMbps, f.LinkDelay, c.BaseRtt = 1_600_000, 10_000_000_000, 10_000_000
		}, nil},
		{"a longer round trip than timers have", func(f *fabric.Config, _ *metaroce.Config) {
			f.LinkMbps, f.LinkDelay = 10_000, 20_000_000_000
		}, []string{"metaroce: BaseRtt is 160"}},
		{"slow links", func(f *fabric.Config, _ *metaroce.Config) { f.LinkMbps = 9999 }, []string{"endpoint: Mbps is 9999"}},
		{"no time at all", func(f *fabric.Config, c *metaroce.Config) {
			f.LinkMbps, f.LinkDelay, f.SwitchDelay, f.HostDelay, c.Mtu = 1_600_000, 0, 0, 0, 64
		}, []string{"endpoint: BaseRtt is "}},
		{"a network that is not sound", func(f *fabric.Config, c *metaroce.Config) { f.LinkMbps, c.Paths = 0, 65 }, []string{"LinkMbps", "Paths is 65"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, m := fabric.Default(fabric.LeafSpine, 16), metaroce.Default()
			c.change(&f, &m)
			err := m.Validate(&f)
			net, broken := fabric.New(f)
			if broken == nil {
				_, made := metaroce.New(net, &f, nil, m)
				require.Equal(t, err, made)
				require.Equal(t, net.Diameter(4196, 128), f.Diameter(4196, 128))
			}
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			for _, w := range c.want {
				require.ErrorContains(t, err, w)
			}
		})
	}
}
