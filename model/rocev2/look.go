package rocev2

// Data is the number of a data packet that is with the network, by its Ref; false for any other. It is for those who
// stand between network and NIC and lose a chosen packet.
func (t *Transport) Data(ref uint32) (psn uint32, ok bool) {
	b := &t.pool.bodies[ref]
	return b.psn, b.kind == kindData
}
