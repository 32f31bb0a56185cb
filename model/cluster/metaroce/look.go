package metaroce

import "metaroce/tandem/model/endpoint"

// Packet is the body of a packet that is with the network, by its Ref: for those who stand between network and NIC and
// lose a chosen packet. It is not theirs to change.
func (t *Transport) Packet(ref uint32) *endpoint.Packet { return t.pool.at(ref) }
