package fabric

import "metaroce/tandem/model/sim"

// Kind is the shape of a plane.
type Kind uint8

// Kinds. docs/fabric.md has a picture of each.
const (
	SingleSwitch Kind = iota // every host on one switch
	LeafSpine                // every leaf on every spine
	FatTree                  // pods of leaves and spines, joined by cores
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{SingleSwitch, LeafSpine, FatTree} }

// String is the name of a kind in tables and on the command line.
func (k Kind) String() string {
	switch k {
	case SingleSwitch:
		return "single-switch"
	case LeafSpine:
		return "leaf-spine"
	case FatTree:
		return "fat-tree"
	}
	return "unknown"
}

// Where says on which links something befalls a packet.
type Where uint8

const (
	LastLink  Where = iota // the one into the receiving host: a rate is then that of the whole way
	EveryLink              // each link on the way draws for itself
	whereCount
)

// Million is the whole of a rate in parts per million.
const Million = 1_000_000

// Loss is random loss, one draw a packet and link.
type Loss struct {
	Data, Control uint32 // per million, of packets without and with FlagControl
	Where         Where
}

// Reorder holds up some packets at the end of a link, so that later ones of the same link overtake them.
type Reorder struct {
	Ppm   uint32    // per million of packets
	Delay sim.Picos // each of them is held up by 1..Delay
	Where Where
}

// Pfc is priority flow control, for a lossless baseline. A switch counts what each ingress link has waiting in it.
type Pfc struct {
	Xoff     uint32 // bytes of an ingress beyond which its link is paused; 0: no flow control at all
	Xon      uint32 // bytes below which it goes on
	Headroom uint32 // bytes above Xoff for what is still on the wire; beyond, packets drop
}

// Config is all that a network depends on besides its hosts. Nothing has a default here: Default has one for each.
type Config struct {
	Seed uint64
	Kind Kind

	Hosts         int
	HostsPerLeaf  int // not for a single switch
	Spines        int // leaf-spine: of a plane; fat tree: of a pod
	LeavesPerPod  int // fat tree
	CoresPerSpine int // fat tree: cores that a spine of a pod is linked to
	Planes        int // copies of all this; a host has one uplink in each

	LinkMbps    uint32      // of every link
	LinkDelay   sim.Picos   // of every link, last bit out to last bit in
	SwitchDelay sim.Picos   // whole packet in to the queue of its way out
	HostDelay   sim.Picos   // whole packet in to Host.Deliver
	SpineDelay  []sim.Picos // leaf-spine: more delay on each link of spine i; empty, or one for each spine

	Buffer       uint32 // bytes that may wait at a port
	EcnLo, EcnHi uint32 // bytes waiting: below Lo no mark, from Hi on always, between them linear; both 0: no marks
	Trim         uint16 // bytes that are left of a packet that finds no room; 0: it is dropped

	Loss    Loss
	Reorder Reorder
	Pfc     Pfc
	Script  []Change
}

// Default profile: figures of a network of 400 Gb/s whose base round trip over two tiers is 10 us for a packet of
// 4 KB (4196 B on the wire) and its acknowledgement (128 B).
const (
	DefaultMbps        = 400_000
	DefaultLinkDelay   = 1_000_000 // ps: 200 m of fibre
	DefaultSwitchDelay = 200_000   // ps
	DefaultHostDelay   = 227_040   // ps: what is missing to 10 us
	DefaultRTT         = 10_000_000
	DefaultBdp         = 500_000 // bytes: DefaultRTT at DefaultMbps

	dataSize, ackSize = 4196, 128 // bytes on the wire that DefaultRTT holds for
)

// Default is a network of that shape with nothing wrong in it: no loss, no script, buffers of 1 BDP, marks from 0.2 to
// 0.8 of it, as many uplinks as hosts on every leaf.
func Default(kind Kind, hosts int) Config {
	c := Config{
		Kind: kind, Hosts: hosts, Planes: 1,
		LinkMbps: DefaultMbps, LinkDelay: DefaultLinkDelay, SwitchDelay: DefaultSwitchDelay, HostDelay: DefaultHostDelay,
		Buffer: DefaultBdp, EcnLo: DefaultBdp / 5, EcnHi: DefaultBdp / 5 * 4,
	}
	switch kind {
	case LeafSpine:
		c.HostsPerLeaf = powerNear(hosts)
		c.Spines = c.HostsPerLeaf
	case FatTree:
		k := 1
		for k*k*k*2 < hosts {
			k *= 2
		}
		c.HostsPerLeaf, c.Spines, c.LeavesPerPod, c.CoresPerSpine = k, k, k, k
	}
	return c
}

// powerNear is the least power of two whose square is not below n.
func powerNear(n int) int {
	k := 1
	for k*k < n {
		k *= 2
	}
	return k
}
