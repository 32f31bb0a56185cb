package endpoint

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// noticeQueue is the queue of completion notices of R-NOTICE. Its entries are numbered from 0, modulo 2^32.
type noticeQueue struct {
	q    sim.Ring[notice]
	ripe bool // the head has waited long enough, and its plane was kicked
}

func (n *noticeQueue) push(e notice)  { *n.q.Push() = e }
func (n *noticeQueue) head() *notice  { return n.q.Head() }
func (n *noticeQueue) drop()          { n.q.Drop(); n.ripe = false }
func (n *noticeQueue) taken() uint32  { return uint32(n.q.First()) }
func (n *noticeQueue) queued() uint32 { return uint32(n.q.End()) }

// ripeNotice has the oldest notice go alone when no acknowledgement took it in time.
func (n *NIC) ripeNotice() {
	h := n.notices.head()
	if h == nil || n.notices.ripe || n.tick-h.at < preset.AckTimer {
		return
	}
	n.notices.ripe = true
	if c := n.conns[h.conn]; c.rx != nil {
		n.kick(c.rx[h.path].plane)
	} else {
		n.notices.drop()
	}
}
