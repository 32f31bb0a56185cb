// Package fabric is the network around NICs: switches, links and what goes wrong on them, in one or several planes. It
// knows no transport: a Packet is a size, two hosts and an entropy; its body stays with its owner.
//
//	host --uplink--> leaf --> spine --> leaf --> host       LeafSpine, one plane; each arrow is a link
//
// Time is in picoseconds, sizes are bytes on the wire with all of Ethernet's framing, rates are Mb/s. Equal configuration
// and hosts give equal runs: random draws come from streams of the seed, and events of equal time go in an order that is
// drawn, too. docs/fabric.md says what each parameter does and what is not modelled.
package fabric
