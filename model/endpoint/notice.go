package endpoint

import (
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
)

// noticeQueue is the queue of completion notices of R-NOTICE. Its entries are numbered from 0, modulo 2^32.
type noticeQueue struct{ q sim.Ring[notice] }

func (n *noticeQueue) push(e notice)  { *n.q.Push() = e }
func (n *noticeQueue) head() *notice  { return n.q.Head() }
func (n *noticeQueue) taken() uint32  { return uint32(n.q.First()) }
func (n *noticeQueue) queued() uint32 { return uint32(n.q.End()) }

// dropNotice takes the oldest notice out. The next one has its own time.
func (n *NIC) dropNotice() {
	n.notices.q.Drop()
	n.ripe = false
	if h := n.notices.head(); h != nil {
		n.soon(h.at + preset.AckTimer)
	}
}

// ripeNotice has the oldest notice go alone when no acknowledgement took it in time.
func (n *NIC) ripeNotice() {
	for h := n.notices.head(); h != nil && !n.ripe && n.tick-h.at >= preset.AckTimer; h = n.notices.head() {
		c := n.conns[h.conn]
		if c.rx == nil {
			n.dropNotice() // closed since
			continue
		}
		n.ripe = true
		n.kick(c.rx[h.path].plane)
	}
}
