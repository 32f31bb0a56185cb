package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// control is something that the sender has to say beside data, waiting for the uplink of a plane.
type control struct {
	kind   controlKind
	path   uint8
	epoch  uint8 // probe
	conn   uint16
	row    uint16 // query: stream
	answer bool   // life: an accept
}

type controlKind uint8

const (
	controlFlush    controlKind = iota // asks for the state of a path (R-FLUSH)
	controlProbe                       // is the path alive; may it have another port (R-PROBE)
	controlAnnounce                    // a sender without a hint is about to send (R-JOIN)
	controlQuery                       // what became of a message (R-QUERY)
	controlLife                        // opens or closes a connection, or accepts it
	controlStray                       // answers a close of what is not there
)

// control queues it on a plane.
func (n *NIC) control(plane uint8, q control) {
	*n.planes[plane].control.Push() = q
	n.wait(plane, hasControl)
}

// pullControl sends the oldest of the queue that still holds.
func (n *NIC) pullControl(pl *plane, plane uint8, p *Packet) bool {
	for pl.control.Len() > 0 {
		q := *pl.control.Head()
		pl.control.Drop()
		if q.kind >= controlLife {
			if n.sendLife(q, p) {
				return true
			}
			continue
		}
		c := n.conns[q.conn]
		if c.tx == nil {
			continue // closed since
		}
		switch q.kind {
		case controlFlush:
			if n.sendFlush(c, q.path, plane, p) {
				return true
			}
		case controlProbe:
			n.sendProbe(c, q, p)
			return true
		case controlAnnounce:
			n.sendAnnounce(c, plane, p)
			return true
		default:
			if n.sendQuery(c, n.streams[q.row], plane, p) {
				return true
			}
		}
	}
	n.filled[plane] &^= hasControl
	return false
}

// sendFlush asks for the state behind the newest transmission of a path, unless data or a state of the path came between.
func (n *NIC) sendFlush(c *conn, path, plane uint8, p *Packet) bool {
	t := c.tx
	pt := &t.paths[path]
	if at := pt.timer.Plane; at != plane {
		n.control(at, control{kind: controlFlush, conn: c.index, path: path})
		return false
	}
	t.flush &^= 1 << path
	if t.dirty>>path&1 == 0 || pt.xmit.Live == 0 || t.active>>path&1 == 0 {
		return false
	}
	t.dirty &^= 1 << path
	out := n.xmit(c, path, event.XmitFlush, &event.XmitIn{})
	n.transmit(c, wire.OpcodeFlush, path, path, p)
	p.Tsn, p.FlagA = out.Tsn, true
	return true
}

// sendProbe asks by the port that is proposed, which is the current one where nothing is.
func (n *NIC) sendProbe(c *conn, q control, p *Packet) {
	r := &c.tx.paths[q.path].timer
	n.transmit(c, wire.OpcodeProbe, q.path, q.path, p)
	p.Sport = r.Proposed
	p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn = r.Proposed, q.epoch, false, r.Txn, 0, 0
	n.count.Probes++
}

func (n *NIC) sendAnnounce(c *conn, plane uint8, p *Packet) {
	path := n.anyPath(c.tx, plane)
	n.transmit(c, wire.OpcodeAnnounce, path, path, p)
	p.FlagB = true
}

// anyPath is a path to send control by: an active one of the plane, else any.
func (n *NIC) anyPath(t *sender, plane uint8) uint8 {
	if here := t.active & t.on[plane]; here != 0 {
		return uint8(bits.TrailingZeros64(here))
	}
	if t.active != 0 {
		return uint8(bits.TrailingZeros64(t.active))
	}
	return 0
}

// planeOf is the plane by which control of a connection leaves: that of an active path, another one each time.
func (n *NIC) planeOf(t *sender) uint8 {
	t.spin++
	for i := range n.planes {
		plane := (i + int(t.spin)) % len(n.planes)
		if t.active&t.on[plane] != 0 {
			return uint8(plane)
		}
	}
	return 0
}

// sendQuery asks for the oldest message of a stream without a completion.
func (n *NIC) sendQuery(c *conn, s *stream, plane uint8, p *Packet) bool {
	q := &s.send
	q.queried = false
	if !q.asking {
		return false
	}
	path := n.anyPath(c.tx, plane)
	n.transmit(c, wire.OpcodeProbe, path, path, p)
	p.Port, p.NewEpoch, p.Query, p.Txn, p.Stream, p.Msn = 0, 0, true, q.txn, s.number, q.sched.Completed
	n.count.Queries++
	return true
}
