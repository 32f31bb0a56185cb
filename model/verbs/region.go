package verbs

import (
	"fmt"
	"slices"

	"metaroce/tandem/model/key"
	"metaroce/tandem/model/sim"
)

// Access is what may be done with a memory region; reading it for own Writes and Sends always may.
type Access uint8

// Bits of Access. A peer that may write or change memory atomically needs AccessLocalWrite beside its own bit.
const (
	AccessLocalWrite   Access = 1 << iota // receives, and answers to own Reads and atomics
	AccessRemoteWrite                     // Writes of the peer
	AccessRemoteRead                      // Reads of the peer
	AccessRemoteAtomic                    // atomics of the peer
	accessAll          = AccessLocalWrite | AccessRemoteWrite | AccessRemoteRead | AccessRemoteAtomic
)

// MR is a memory region: a Go slice that has addresses, and keys for both sides.
type MR struct {
	Addr   uint64 // of its first byte
	Length uint64
	Lkey   uint32 // for own work requests on this connection
	Rkey   uint32 // for those of the peer

	conn    *Conn
	access  Access
	revoked bool // nobody may begin to use it
	removed bool
}

// maxRegion is what the addresses of one region have room for.
const maxRegion = 1 << 32

// RegMR makes memory usable by the queue pairs of the connection at both ends, as far as access says.
func (c *Conn) RegMR(buf []byte, access Access) (*MR, error) {
	if c.state != connEstablished {
		return nil, ErrNotConnected
	}
	if len(buf) == 0 || uint64(len(buf)) > maxRegion {
		return nil, &Problem{"buf", fmt.Sprint(len(buf)), fmt.Sprintf("want 1..%d bytes", uint64(maxRegion))}
	}
	if access&^accessAll != 0 {
		return nil, &Problem{"access", fmt.Sprintf("%#x", uint8(access)), "want a sum of the bits of Access"}
	}
	if access&(AccessRemoteWrite|AccessRemoteAtomic) != 0 && access&AccessLocalWrite == 0 {
		return nil, &Problem{"access", fmt.Sprintf("%#x", uint8(access)), "want AccessLocalWrite where a peer may change memory"}
	}
	m := &MR{Length: uint64(len(buf)), conn: c, access: access}
	k, ok := c.dev.mem.add(buf, m, c.dev.keys)
	if !ok {
		return nil, ErrNoRoom
	}
	m.Lkey, m.Rkey, m.Addr = k, k, uint64(k)<<32
	if err := c.dev.nic.Register(m.Rkey, c.index, access.perm(), m.Addr, m.Length); err != nil {
		panic("verbs BUG: a key below the limit of the NIC: " + err.Error())
	}
	c.mrs = append(c.mrs, m)
	return m, nil
}

// perm is what the NIC grants the peer.
func (a Access) perm() (p uint8) {
	if a&AccessRemoteWrite != 0 {
		p |= key.PermWrite
	}
	if a&AccessRemoteRead != 0 {
		p |= key.PermRead
	}
	if a&AccessRemoteAtomic != 0 {
		p |= key.PermAtomic
	}
	return p
}

// SGE is length bytes of the region from offset on, for a work request.
func (m *MR) SGE(offset uint64, length uint32) SGE { return SGE{m.Addr + offset, length, m.Lkey} }

// Dereg takes the region back. From this call on nobody can begin to use it: the peer's accesses are refused, and so are
// own work requests that the device has not begun. ErrBusy: what it has begun still needs the memory, and that is posted
// receives, requests with packets in flight, and Reads of the peer that came before. Then call again later; after nil the
// device touches the memory no more.
func (m *MR) Dereg(now sim.Picos) error {
	d := m.conn.dev
	d.now = now
	m.revoke()
	if m.removed {
		return nil
	}
	if m.conn.state != connGone && d.nic.Uses(m.conn.index, m.Addr, m.Length) {
		return ErrBusy
	}
	m.removed = true
	d.mem.remove(m.Lkey)
	m.conn.mrs = slices.DeleteFunc(m.conn.mrs, func(x *MR) bool { return x == m })
	return nil
}

func (m *MR) revoke() {
	if !m.revoked {
		m.revoked = true
		m.conn.dev.nic.Deregister(m.Rkey)
	}
}

// usable tells whether a work request of a connection may use memory, and for writing where write is set. No bytes may
// always be used.
func (d *Device) usable(c *Conn, s SGE, write bool) bool {
	if s.Length == 0 {
		return true
	}
	m := d.mem.region(s.Lkey)
	if m == nil || m.revoked || m.conn != c || write && m.access&AccessLocalWrite == 0 {
		return false
	}
	return s.Addr >= m.Addr && s.Addr-m.Addr <= m.Length && uint64(s.Length) <= m.Length-(s.Addr-m.Addr)
}
