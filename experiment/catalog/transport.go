package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/rocev2"
	"metaroce/tandem/model/sim"
)

// Build makes the NICs of a network that was made with cfg.
type Build func(net *fabric.Network, cfg *fabric.Config, events cluster.Events, seed uint64) (cluster.Transport, error)

// transport is a kind of NIC that cells may use.
type transport struct {
	name string
	// fit changes the network to what these NICs ask of it; nil: nothing.
	fit func(c *fabric.Config)
	// build makes NICs for a workload with so many streams between two hosts.
	build func(v experiment.Values, streams int) Build
	// check finds what is wrong with such NICs on a network.
	check func(v experiment.Values, streams int, c *fabric.Config) error
	// size is that of a full data packet on the wire, all of Ethernet included.
	size uint64
}

// Names of the transports in tables.
const (
	metaName  = "metaroce"
	roceName  = "rocev2"
	roceLossy = roceName
	rocePfc   = "rocev2-pfc"
)

// roceSize is 4096 bytes of payload in a packet that is not the first of its message: Ethernet with FCS, preamble and gap
// 38, IPv4 20, UDP 8, BTH 12, ICRC 4.
const roceSize = payloadSize + 82

var transports = []transport{
	{name: metaName, build: buildMeta, check: checkMeta, size: dataSize},
	{name: roceLossy, build: buildRoce(false), check: checkRoce(false), size: roceSize},
	{name: rocePfc, fit: lossless, build: buildRoce(true), check: checkRoce(true), size: roceSize},
}

func transportNames() []string {
	var names []string
	for _, t := range transports {
		names = append(names, t.name)
	}
	return names
}

func transportOf(name string) *transport {
	for i := range transports {
		if transports[i].name == name {
			return &transports[i]
		}
	}
	panic("catalog BUG: transport " + name)
}

func buildRoce(lossless bool) func(experiment.Values, int) Build {
	return func(v experiment.Values, _ int) Build {
		return func(net *fabric.Network, cfg *fabric.Config, events cluster.Events, seed uint64) (cluster.Transport, error) {
			c := roceConfig(v, cfg, lossless)
			c.Seed = seed
			return rocev2.New(net, cfg, events, c)
		}
	}
}

func roceConfig(v experiment.Values, cfg *fabric.Config, lossless bool) rocev2.Config {
	c := rocev2.Default(cfg, lossless)
	c.Spread = int(v.Number(pQueues))
	return c
}

func checkRoce(lossless bool) func(experiment.Values, int, *fabric.Config) error {
	return func(v experiment.Values, _ int, cfg *fabric.Config) error {
		c := roceConfig(v, cfg, lossless)
		return c.Validate(cfg)
	}
}

// lossless turns priority flow control on: an ingress may fill a fifth of rate x round trip before it is paused, and has
// room for all that is on its wire by then.
func lossless(c *fabric.Config) {
	wire := uint32(uint64(c.LinkMbps) * uint64(c.LinkDelay+c.SwitchDelay) / 8_000_000)
	c.Pfc = fabric.Pfc{Xoff: wire + 8*dataSize, Xon: wire/2 + 4*dataSize, Headroom: 2*wire + 4*dataSize}
	c.Trim = 0
}

// rater is a transport that shows its pacing rates.
type rater interface {
	// Rates calls each with the pacing rate in kb/s of every flow that has something in flight or to send.
	Rates(now sim.Picos, each func(src, dst, stream uint16, kbps uint64))
}
