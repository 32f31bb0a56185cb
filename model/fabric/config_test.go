package fabric_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
)

// fields are the fields that Validate complains of, in order.
func fields(t *testing.T, err error) (list []string) {
	if err == nil {
		return nil
	}
	var all interface{ Unwrap() []error }
	require.True(t, errors.As(err, &all))
	for _, e := range all.Unwrap() {
		var p *fabric.Problem
		require.ErrorAs(t, e, &p)
		require.NotEmpty(t, p.Rule)
		require.NotEmpty(t, p.Value)
		list = append(list, p.Field)
	}
	return list
}

func TestDefaultsAreValid(t *testing.T) {
	for _, kind := range fabric.Kinds() {
		for _, hosts := range []int{2, 3, 64, 127, 128, 1000, 1024} {
			c := fabric.Default(kind, hosts)
			require.NoError(t, c.Validate(), "%s %d", kind, hosts)
		}
	}
}

func TestEveryProblemIsNamed(t *testing.T) {
	tree := fabric.Default(fabric.FatTree, 128)
	spine := fabric.Default(fabric.LeafSpine, 128)
	for _, c := range []struct {
		name string
		from fabric.Config
		set  func(*fabric.Config)
		want []string
	}{
		{"nothing", spine, func(*fabric.Config) {}, nil},
		{"zero", fabric.Config{}, func(*fabric.Config) {}, []string{"Hosts", "Planes", "LinkMbps", "Buffer"}},
		{"kind", spine, func(c *fabric.Config) { c.Kind = 9 }, []string{"Kind"}},
		{"hosts", spine, func(c *fabric.Config) { c.Hosts = 1 << 16 }, []string{"Hosts"}},
		{"planes", spine, func(c *fabric.Config) { c.Planes = -1 }, []string{"Planes"}},
		{"leaf-spine of nothing", spine, func(c *fabric.Config) { c.HostsPerLeaf, c.Spines = 0, 0 }, []string{"HostsPerLeaf", "Spines"}},
		{"tree of nothing", tree, func(c *fabric.Config) { c.LeavesPerPod, c.CoresPerSpine = 0, -3 }, []string{"LeavesPerPod", "CoresPerSpine"}},
		{"pods without a tree", spine, func(c *fabric.Config) { c.LeavesPerPod, c.CoresPerSpine = 1, 1 }, []string{"LeavesPerPod", "CoresPerSpine"}},
		{"spines of one switch", spine, func(c *fabric.Config) { c.Kind = fabric.SingleSwitch }, []string{"HostsPerLeaf", "Spines"}},
		{"too large", spine, func(c *fabric.Config) { c.Hosts, c.HostsPerLeaf, c.Spines, c.Planes = 65535, 1, 4096, 1 }, []string{"links in all"}},
		{"rate", spine, func(c *fabric.Config) { c.LinkMbps = 8_000_001 }, []string{"LinkMbps"}},
		{"delays", spine, func(c *fabric.Config) { c.LinkDelay, c.SwitchDelay, c.HostDelay = 1<<60, 1<<60, 1<<60 }, []string{"LinkDelay", "SwitchDelay", "HostDelay"}},
		{"spine delays", spine, func(c *fabric.Config) { c.SpineDelay = []sim.Picos{1, 1 << 60} }, []string{"SpineDelay", "SpineDelay[1]"}},
		{"spine delays of a tree", tree, func(c *fabric.Config) { c.SpineDelay = make([]sim.Picos, c.Spines) }, []string{"SpineDelay"}},
		{"marks", spine, func(c *fabric.Config) { c.EcnLo, c.EcnHi = 5, 4 }, []string{"EcnLo"}},
		{"cut", spine, func(c *fabric.Config) { c.Trim = 63 }, []string{"Trim"}},
		{"loss", spine, func(c *fabric.Config) { c.Loss = fabric.Loss{Data: 1_000_001, Control: 1 << 31, Where: 2} }, []string{"Loss.Data", "Loss.Control", "Loss.Where"}},
		{"reorder", spine, func(c *fabric.Config) { c.Reorder = fabric.Reorder{Ppm: 1, Where: 7} }, []string{"Reorder.Where", "Reorder.Delay"}},
		{"pfc halves", spine, func(c *fabric.Config) { c.Pfc = fabric.Pfc{Xon: 1, Headroom: 1} }, []string{"Pfc.Xon", "Pfc.Headroom"}},
		{"pfc", spine, func(c *fabric.Config) { c.Pfc, c.Trim = fabric.Pfc{Xoff: 1, Xon: 2}, 64 }, []string{"Pfc.Xon", "Trim"}},
		{"pfc over an ocean", spine, func(c *fabric.Config) { c.Pfc.Xoff, c.LinkDelay = 1, 100_000_000_000 }, []string{"LinkDelay"}},
		{"many at once", spine, func(c *fabric.Config) { c.Hosts, c.LinkMbps, c.Trim, c.Loss.Data = 0, 0, 1, 1<<32-1 }, []string{"Hosts", "LinkMbps", "Trim", "Loss.Data"}},
		{"script", spine, func(c *fabric.Config) {
			c.Script = []fabric.Change{
				{Kind: fabric.LinkDown, Tier: fabric.TierSpine, Low: 7, Port: 15},
				{Kind: fabric.LinkDown, Tier: fabric.TierSpine, Low: 8, Port: 16},
				{Kind: fabric.LinkRate, Plane: 1, Ppm: 1_000_001},
				{Kind: fabric.SwitchUp, Tier: fabric.TierCore},
				{Kind: 99, Tier: 3, Way: 3},
				{Kind: fabric.PlaneUp, Low: -1}, // does not count
			}
		}, []string{"Script[1].Low", "Script[1].Port", "Script[2].Plane", "Script[2].Mbps", "Script[2].Ppm", "Script[3].Low", "Script[4].Kind", "Script[4].Tier", "Script[4].Way"}},
		{"long script", spine, func(c *fabric.Config) { c.Script = make([]fabric.Change, 10_001) }, []string{"Script"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := c.from
			c.set(&cfg)
			err := cfg.Validate()
			require.Equal(t, c.want, fields(t, err))
			_, built := fabric.New(cfg)
			require.Equal(t, err, built)
		})
	}
}

// TestHeadroom: what comes in two delays and a switch, and two packets; no bound that wraps.
func TestHeadroom(t *testing.T) {
	c := fabric.Default(fabric.LeafSpine, 64)
	require.Equal(t, uint32(2_200_000/20+2*4196+1), c.Headroom(4196))
	c.SpineDelay = make([]sim.Picos, c.Spines)
	c.SpineDelay[3] = 1_000_000
	require.Equal(t, uint32(4_200_000/20+2*4196+1), c.Headroom(4196))
	for _, delay := range []sim.Picos{100_000_000_000, 1 << 62} {
		c.LinkDelay = delay
		require.Equal(t, ^uint32(0), c.Headroom(4196))
	}
}

// TestWhatIsValidCanBeBuilt: no configuration that is not refused makes New fail or take for ever.
func TestWhatIsValidCanBeBuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.IntRange(-1, 20)
		c := fabric.Config{
			Kind: fabric.Kind(rapid.IntRange(0, 3).Draw(t, "kind")), Hosts: small.Draw(t, "hosts"),
			HostsPerLeaf: small.Draw(t, "perLeaf"), Spines: small.Draw(t, "spines"),
			LeavesPerPod: small.Draw(t, "leaves"), CoresPerSpine: small.Draw(t, "cores"), Planes: small.Draw(t, "planes"),
			LinkMbps: rapid.Uint32().Draw(t, "mbps"), Buffer: rapid.Uint32().Draw(t, "buffer"),
			EcnLo: rapid.Uint32().Draw(t, "lo"), EcnHi: rapid.Uint32().Draw(t, "hi"),
		}
		n, err := fabric.New(c)
		require.Equal(t, c.Validate() == nil, err == nil)
		if err == nil {
			n.Run(1_000_000)
			require.Equal(t, sim.Picos(1_000_000), n.Now())
		}
	})
}
