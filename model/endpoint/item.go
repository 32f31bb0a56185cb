package endpoint

import (
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/wire"
)

// Item is a packet that came and stands between two stations, for an owner who decides when it goes on: model/pipe/nic.
//
//	it.Body = packet that came
//	nic.Begin(now, plane, it)
//	for it.More {                  it stands before it.Next
//		nic.Handle(now, it)    ... as much later as the owner likes
//	}
//
// At one time all of it is the same as OnPacket. An item may be used again when More is false.
type Item struct {
	Body Packet
	Next Station
	More bool // false: it has passed its last station
	at   item
}

// Begin brings a packet that came by a plane before its first station.
func (n *NIC) Begin(now sim.Picos, plane int, it *Item) {
	n.at(now)
	it.at = item{held: it}
	it.Next, it.More = n.enter(&it.at, plane, &it.Body)
}

// Handle has an item handled by the station that it stands before. What of it was true when the station before looked may
// not be true any more: of a connection that was closed since nothing is left to do, and a message that was completed since
// is old.
func (n *NIC) Handle(now sim.Picos, it *Item) {
	n.at(now)
	a := &it.at
	n.xid = a.d.Xid
	it.More = false
	if c := a.c; c != nil && (!c.row.Valid || c.row.Generation != uint8(a.d.DstConn>>16)) {
		return
	}
	if a.s != nil && wire.Less(a.d.Msn, a.s.order.Completed) {
		a.d.Old = true
	}
	n.handle(it.Next, a)
}

// Stored is the number of bytes that the packet writes to the host.
func (it *Item) Stored() uint32 {
	if it.at.d.Opcode == wire.OpcodeAtomicResponse {
		return 8
	}
	return uint32(it.at.d.PayloadLen)
}

// Now is the time of the newest call.
func (n *NIC) Now() sim.Picos { return n.now }

// Planes is the number of its uplinks.
func (n *NIC) Planes() int { return len(n.planes) }
