package endpoint

import (
	"fmt"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/key"
)

// Register makes memory reachable for the peer of a connection under a key: index in bits 31:8, tag in bits 7:0. Perm is
// made of key.PermWrite, PermRead and PermAtomic. A region that was there under the index is replaced.
func (n *NIC) Register(rkey uint32, conn uint16, perm uint8, base, length uint64) error {
	index := int(rkey >> 8)
	if index >= n.cfg.Keys {
		return &Problem{"rkey", fmt.Sprintf("%#x", rkey), fmt.Sprintf("want an index below %d", n.cfg.Keys)}
	}
	for len(n.keys) <= index {
		n.keys = append(n.keys, event.KeyKey{})
	}
	in := event.KeyIn{Rkey: rkey, Addr: base, Length: uint32(length), LengthHi: uint32(length >> 32), Conn: conn, Perm: perm}
	n.setKey(event.KeySet, &in)
	return nil
}

// Deregister removes the region of a key: what comes for it is refused.
func (n *NIC) Deregister(rkey uint32) {
	if rkey>>8 < uint32(len(n.keys)) {
		n.setKey(event.KeyClear, &event.KeyIn{Rkey: rkey})
	}
}

func (n *NIC) setKey(op uint8, in *event.KeyIn) {
	row := &n.keys[in.Rkey>>8]
	var out event.KeyOut
	key.Step(row, op, in, &out)
	if n.trace != nil {
		n.record(&event.Key{Head: event.Head{Op: op, Cycle: n.cycle(), Conn: in.Conn}, Out: out, In: *in, Key: *row})
	}
}
