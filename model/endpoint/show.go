package endpoint

import (
	"fmt"

	"metaroce/tandem/model/cc"
)

// Pace is the share of the receiver's port, in 1/2^20, that a connection sends at; 0: it has no hint. False: it never
// sent anything.
func (n *NIC) Pace(conn uint16) (hint uint32, sends bool) {
	c := n.conns[conn]
	if c.tx == nil {
		return 0, false
	}
	if !cc.Hinted(&c.tx.cc) {
		return 0, true
	}
	return c.tx.cc.Hint, true
}

// Describe is a line about a connection for a person who wants to know why it does not go on; empty where nothing waits.
func (n *NIC) Describe(conn uint16) string {
	c := n.conns[conn]
	t := c.tx
	if t == nil || t.turn.Queued == 0 && t.cc.Inflight == 0 {
		return ""
	}
	live, lost, away := 0, 0, 0
	for i := range t.paths {
		x := &t.paths[i].xmit
		live, lost, away = live+int(x.Live), lost+int(x.Lost), away+int(x.Away)
	}
	return fmt.Sprintf("%d bytes to cut, %d in flight, hint %d; records: %d live, %d lost, %d away; paths active %#x, with room %#x; paced until tick %d of %d; ready %#x, repeating %#x",
		t.turn.Waiting, t.cc.Inflight, t.cc.Hint, live, lost, away, t.active, t.room, t.cc.PaceAt, n.tick, t.inReady, t.inLost)
}
