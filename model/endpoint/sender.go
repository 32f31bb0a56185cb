package endpoint

import (
	"math/bits"

	"metaroce/tandem/model/ackrecv"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pathtimer"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/model/xmit"
)

// sender is the send side of a connection. Masks have a bit for each path. In a simulation of many connections each packet
// finds its sender cold, so what every packet needs stands in the first five cache lines.
type sender struct {
	active   uint64 // may take new data
	feed     uint64 // of those, the ones that new data keeps to
	room     uint64 // of those: window, span of psn and records have room
	lost     uint64 // something has to be sent again
	paths    []txPath
	credit   int32 // bytes that it may still send in its turn
	inReady  uint8 // planes whose ready list it stands in, a bit each
	inLost   uint8 // likewise of lists of lost packets
	connRoom bool
	inPace   bool // waits for a time: wait

	cc        event.CcConn
	dirty     uint64 // the newest transmission was data: nothing behind it shows that it is lost
	flush     uint64 // a flush is queued
	turn      event.StreamSchedTurn
	lastAlive uint32 // tick at which a path was proven alive last
	wait      uint32 // tick: its pacing time, or that of another announcement
	conn      uint16
	headRow   uint16 // row of head
	stand     uint8  // to the turns of the NIC
	spin      uint8  // planes that control went by, in turn
	since     uint32 // tick: begin of its turn
	had       uint32 // packets that it cut in it

	head    *stream      // the one whose turn it was last
	out     []outMessage // messages that have been cut, by the number that records keep
	replies *replyQueue  // responses that wait to be cut; nil: there was none yet
	away    uint64       // something left by another port
	choice  event.PathChoiceChoice
	next    [MaxPlanes]uint16 // connection behind it in the ready list of a plane

	probed  uint64            // paths with a probe queued
	on      [MaxPlanes]uint64 // paths by the plane that they use; see onPlane
	outFree []uint16
	tally   []pathTally // by path; nil: there was nothing to count yet
	slot    uint32      // of the wheel
	_       [7*64 - 432]byte
}

// txPath is what the send side holds of a path.
type txPath struct {
	xmit  event.XmitPath
	ring  xmit.Ring
	cc    event.CcPath
	timer event.PathTimerPath
	heard event.AckRecvPath
	slot  uint32 // of the wheel
}

// outMessage is a message, or the answer to a request, that has packets in flight. It stays until all of them are settled,
// and has what they need to be made again.
type outMessage struct {
	remote    uint64 // address at the peer, of a Write
	local     uint64 // source
	msn       uint32 // response: its place among the replies
	length    uint32
	open      uint32 // packets that are not settled
	rkey      uint32
	recvIndex uint32
	imm       uint32
	row       uint16 // stream
	stream    uint16 // its number in the connection
	attempt   uint8
	op        wire.Opcode
	whole     bool // all of it was cut
	used      bool
}

// sender returns the send side of a connection, made when it first sends.
func (n *NIC) sender(c *conn) *sender {
	if c.tx == nil {
		c.tx = n.newSender(c)
	}
	return c.tx
}

// senderOf allocates a sender and what it needs first in one piece: a packet then touches one page of it and not four.
func senderOf(paths int) *sender {
	if paths > fewPaths {
		return &sender{paths: make([]txPath, paths)}
	}
	b := &struct {
		sender
		out   [2]outMessage
		paths [fewPaths]txPath
	}{}
	b.sender.paths, b.sender.out = b.paths[:paths:paths], b.out[:0]
	return &b.sender
}

const fewPaths = 8

func (n *NIC) newSender(c *conn) *sender {
	t := senderOf(int(c.paths))
	t.conn, t.lastAlive, t.slot, t.connRoom = c.index, n.tick, notInWheel, true
	t.active = ^uint64(0) >> (64 - c.paths)
	var ccOut event.CcOut
	in := event.CcIn{Now: n.tick, Conn: c.index, Rate: c.rate, BaseRtt: n.cfg.BaseRtt, Active: c.paths}
	n.cfg.rules.cc.Step(&event.CcPath{}, &t.cc, event.CcOpen, &in, &ccOut)
	for i := range t.paths {
		p := &t.paths[i]
		p.slot = notInWheel
		p.ring = n.records.Open()
		plane := pathtimer.Home(i, n.cfg.Planes)
		var xo event.XmitOut
		n.records.Step(&p.ring, &p.xmit, event.XmitStart, &event.XmitIn{Part: c.first}, &xo)
		var ao event.AckRecvOut
		ackrecv.Step(&p.heard, event.AckRecvStart, &event.AckRecvIn{Cum: c.first}, &ao)
		var po event.PathTimerOut
		pathtimer.Step(&n.cfg.Tuning, &p.timer, event.PathTimerStart, &event.PathTimerIn{Port: n.port(), Plane: plane}, &po)
		var out event.CcOut
		n.cfg.rules.cc.Step(&p.cc, &t.cc, event.CcStart, &in, &out)
		t.on[plane] |= 1 << i
		t.room |= 1 << i
	}
	n.refeed(t)
	return t
}

// replying tells whether responses wait to be cut.
func (t *sender) replying() bool { return t.replies != nil && t.replies.q.Len() > 0 }

// countActive is the number of active paths.
func (t *sender) countActive() uint8 { return uint8(bits.OnesCount64(t.active)) }

// port draws a UDP source port from the range of dynamic ports.
func (n *NIC) port() uint16 { return 0xc000 | uint16(n.random.Uint64())&0x3fff }

// refeed chooses the paths that new data keeps to: as many as the window feeds, planes in turn so that each has one.
func (n *NIC) refeed(t *sender) {
	was := t.feed
	n.choosePaths(t)
	if t.feed&^was != 0 {
		n.reroom(t)
	}
}

func (n *NIC) choosePaths(t *sender) {
	want := max(int(t.cc.Spread), n.livePlanes(t))
	if bits.OnesCount64(t.active) <= want {
		t.feed = t.active
		return
	}
	t.feed = 0
	var left [MaxPlanes]uint64
	for p := range n.planes {
		left[p] = t.on[p] & t.active
	}
	for want > 0 {
		for p := range n.planes {
			if left[p] == 0 || want == 0 {
				continue
			}
			t.feed |= left[p] & -left[p]
			left[p] &= left[p] - 1
			want--
		}
	}
}

// onPlane is the paths that use a plane. Where there is one, all do, and the cache line of the table is left alone.
func (n *NIC) onPlane(t *sender, plane uint8) uint64 {
	if len(n.planes) == 1 {
		return ^uint64(0)
	}
	return t.on[plane]
}

// livePlanes is the number of planes with an active path.
func (n *NIC) livePlanes(t *sender) int {
	live := 0
	for p := range n.planes {
		if t.on[p]&t.active != 0 {
			live++
		}
	}
	return live
}

// oldest is when the oldest transmission of live left.
func (n *NIC) oldest(p *txPath) uint32 {
	psn, ok := xmit.Head(&p.xmit, xmit.Live)
	if !ok {
		return n.tick
	}
	return n.records.At(&p.ring, psn).Sent
}

// timerIn is what path_timer is asked with.
func (n *NIC) timerIn(c *conn, path uint8) event.PathTimerIn {
	t := c.tx
	p := &t.paths[path]
	return event.PathTimerIn{
		Now: n.tick, PathRow: n.pathRow(c.index, path), Oldest: n.oldest(p), Idle: p.xmit.Live == 0, Old: p.xmit.Old > 0,
		Srtt: p.heard.Srtt, Rttvar: p.heard.Rttvar, Gap: t.cc.Gap, Base: n.cfg.BaseRtt,
		LastActive: t.active == 1<<path,
	}
}

// rto is the timeout of a path.
func (n *NIC) rto(t *sender, path uint8) uint32 {
	p := &t.paths[path]
	in := event.PathTimerIn{Srtt: p.heard.Srtt, Rttvar: p.heard.Rttvar, Gap: t.cc.Gap, Base: n.cfg.BaseRtt}
	return pathtimer.Timeout(&n.cfg.Tuning, &in)
}

// xmit executes a transaction of the transmission list of a path.
func (n *NIC) xmit(c *conn, path uint8, op uint8, in *event.XmitIn) event.XmitOut {
	p := &c.tx.paths[path]
	in.Now, in.Home, in.PathRow = n.tick, path, n.pathRow(c.index, path)
	var out event.XmitOut
	n.records.Step(&p.ring, &p.xmit, op, in, &out)
	if n.trace != nil {
		n.record(&event.Xmit{Head: n.txHead(op, c, path), Out: out, In: *in, Path: p.xmit, Packet: *n.records.At(&p.ring, out.Psn)})
	}
	return out
}

func (n *NIC) txHead(op uint8, c *conn, path uint8) event.Head {
	return event.Head{Op: op, Cycle: n.cycle(), Xid: n.xid, Conn: c.index, Path: path}
}

// reroom asks for the room again, when the windows moved with the hint or with the number of paths: of those paths that new
// data keeps to. One that is fed from now on is asked by refeed.
func (n *NIC) reroom(t *sender) {
	t.connRoom = n.cfg.rules.cc.ConnRoom(&t.cc)
	for left := t.feed; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		n.roomOf(t, uint8(i), n.cfg.rules.cc.PathRoom(&t.paths[i].cc, &t.cc))
	}
}

// roomOf keeps what R-ROOM asks of a path: its window, the span of psn, and a record for the next one, which is free or will
// be in a larger ring. The ring grows when the packet leaves and not before: most paths never need it.
func (n *NIC) roomOf(t *sender, path uint8, window bool) {
	pt := &t.paths[path]
	span := pt.xmit.NextPsn-pt.heard.Cum < preset.WindowBits
	if window && span && n.records.Fits(&pt.ring, &pt.xmit) {
		t.room |= 1 << path
	} else {
		t.room &^= 1 << path
	}
}
