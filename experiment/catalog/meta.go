package catalog

import (
	"math/bits"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/cluster/metaroce"
	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/pipe/nic"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Sizes on the wire of a full part of a Write, which is most of what is sent, and of an acknowledgement: all of Ethernet
// included. Base round trips and limits are reckoned with them.
const (
	payloadSize = 4096
	dataSize    = payloadSize + wire.BaseSize + wire.MessageSize + wire.TargetSize + preset.IcrcBytes + endpoint.FramingV4
	ackSize     = wire.BaseSize + wire.AckSize + preset.IcrcBytes + endpoint.FramingV4
)

// buildMeta makes the NICs of our own transport.
func buildMeta(v experiment.Values, streams int) Build {
	return func(net *fabric.Network, cfg *fabric.Config, events cluster.Events, seed uint64) (cluster.Transport, error) {
		c := metaConfig(v, streams, cfg)
		c.Seed = seed
		t, err := metaroce.New(net, cfg, events, c)
		if err != nil {
			return nil, err
		}
		return &meta{t, uint64(cfg.LinkMbps) * 1000 * uint64(cfg.Planes)}, nil
	}
}

// metaConfig is how the NICs are set. Streams of a connection are a power of two.
func metaConfig(v experiment.Values, streams int, cfg *fabric.Config) metaroce.Config {
	c := metaroce.Default()
	c.Paths = pathsOf(v, cfg)
	for _, k := range preset.Knobs() {
		if err := c.Tuning.Set(k.Name, uint32(v.Number(knobPrefix+k.Name))); err != nil {
			panic("catalog BUG: " + err.Error())
		}
	}
	if v.Word(pNic) == "cycles" {
		cycles := nic.Default(cfg.Planes)
		c.Cycles = &cycles
	}
	c.Streams = uint8(bits.Len(uint(streams - 1)))
	return c
}

// pathsOf is the number of paths of a connection. By default: 8 on one switch or plane, 32 where a plane has many ways,
// and in either case at least one in each plane (docs/sender.md).
func pathsOf(v experiment.Values, cfg *fabric.Config) int {
	if n := int(v.Number(pPaths)); n > 0 {
		return n
	}
	if cfg.Kind == fabric.SingleSwitch {
		return max(8, cfg.Planes)
	}
	return 32
}

// checkMeta finds what is wrong with NICs on a network.
func checkMeta(v experiment.Values, streams int, cfg *fabric.Config) error {
	c := metaConfig(v, streams, cfg)
	return c.Validate(cfg)
}

// meta shows pacing rates in the unit that all transports have here.
type meta struct {
	*metaroce.Transport
	port uint64 // kb/s of a host, all planes
}

var _ rater = (*meta)(nil)

// hintWhole is the whole port in a rate hint (R-HINT).
const hintWhole = 1 << 20

// Rates calls each with the pacing rate of every connection that sends and has a hint.
func (m *meta) Rates(_ sim.Picos, each func(src, dst, stream uint16, kbps uint64)) {
	m.Transport.Rates(func(src, dst uint16, hint uint32) {
		if hint > 0 {
			each(src, dst, 0, sim.MulDiv(uint64(hint), m.port, hintWhole))
		}
	})
}
