package metaroce

import "metaroce/tandem/model/endpoint"

// Packet is a packet that is with the network, by its Ref, as much of it as its kind has: for those who stand between network
// and NIC and lose a chosen one.
func (t *Transport) Packet(ref uint32) (p endpoint.Packet) {
	t.bodies.look(ref, &p)
	return p
}
