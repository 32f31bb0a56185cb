package fabric

import "metaroce/tandem/model/sim"

// ChangeKind is what happens to a part of the network.
type ChangeKind uint8

// Kinds of changes. What is down takes packets at its rate and loses them: nothing tells a NIC or a switch of it.
const (
	LinkDown   ChangeKind = iota
	LinkUp                // at the rate it had
	LinkRate              // to Mbps, with Ppm of random loss on top; a link that is down stays down
	SwitchDown            // with all its links
	SwitchUp
	PlaneDown // all its switches
	PlaneUp
	changeCount
)

// Tier is a level of a plane: its links below and its switches.
type Tier uint8

// Tiers. A single switch has the first one only.
const (
	TierLeaf  Tier = iota // leaves, and their links to hosts
	TierSpine             // spines, and their links to leaves
	TierCore              // cores of a fat tree, and their links to spines
	TierCount
)

// Way is a direction of a link.
type Way uint8

// Ways.
const (
	BothWays Way = iota
	Upwards      // from the hosts
	Downwards
	wayCount
)

// Change is one line of a script. Which fields count:
//
//	LinkDown, LinkUp, LinkRate   Plane, Tier, Low, Port, Way
//	SwitchDown, SwitchUp         Plane, Tier, Low = the switch, counted from 0 in its tier of the plane
//	PlaneDown, PlaneUp           Plane
type Change struct {
	At    sim.Picos
	Kind  ChangeKind
	Plane int
	Tier  Tier
	Low   int // lower end of a link: host (TierLeaf), leaf (TierSpine) or spine (TierCore), counted in the plane
	Port  int // which of its uplinks; 0 for a host
	Way   Way
	Mbps  uint32 // LinkRate
	Ppm   uint32 // LinkRate
}
