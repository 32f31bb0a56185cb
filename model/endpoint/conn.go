package endpoint

import (
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/window"
)

// connState is where a connection is in its life.
type connState uint8

const (
	connFree    connState = iota // the index may be given
	connOpening                  // open was sent, accept did not come yet
	connOpen
	connDraining // no new work; it closes when nothing is in flight
	connClosing  // close was sent, closed did not come yet
	connResting  // nothing of it may be believed until its rest is over
)

// conn is what both directions of a connection share. The halves are made when they are first used: a connection that
// only sends has no receive windows. What every packet needs is in the first cache line.
type conn struct {
	row   event.AdmitConn // what admit asks; zero while closed
	tx    *sender
	rx    []rxPath
	zero  *stream // number 0, which most connections use alone; nil: not made yet
	peer  uint32  // its connection: index and generation
	host  uint16  // where the peer is
	index uint16
	state connState
	paths uint8
	heard uint8 // path of the peer that was heard last
	rows  uint8 // log2 of its stream rows

	first     uint32 // first psn of every path that it sends
	peerFirst uint32 // and that it receives
	rate      uint32 // Mb/s of the peer's port, all planes: unit of its hints
	announced uint16 // UDP source port of the peer's last announcement
	why       Status
	asks      *requests // requests of both sides; nil until there is one
	life      life
	_         [2*64 - 104]byte // each begins with a cache line
}

// rxPath is what the receive side holds of a path.
type rxPath struct {
	window   event.WindowPath
	coalesce event.CoalescePath
	ack      event.AckPath
	pending  bool             // waits in a queue of ack
	plane    uint8            // on which the newest packet came: what answers it leaves there (R-REPLY-PORT)
	_        [2*64 - 104]byte // each begins with a cache line
}

// rxPath is the receive side of a path, made when the first packet comes.
func (n *NIC) rxPath(c *conn, path uint8) *rxPath {
	if c.rx == nil {
		c.rx = make([]rxPath, c.paths)
		in := event.WindowIn{Now: n.tick, Psn: c.peerFirst, Tsn: c.peerFirst, TxTime: c.peer}
		for i := range c.rx {
			var out event.WindowOut
			window.Step(&c.rx[i].window, event.WindowSet, &in, &out)
		}
	}
	return &c.rx[path]
}
