package endpoint

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/sim"
)

// life is where the opening or closing of a connection stands. Requests go out again until they are answered, and request
// and answer are known by transaction number, so none of them does harm when it comes twice (R-OPEN, R-CLOSE).
type life struct {
	txn     uint16 // of the open transaction; responder: of the one answered last
	tries   uint8
	refused bool   // it closes, and was never open
	answers bool   // this side accepted, and says so again when it is asked again
	slot    uint32 // of the wheel
	at      uint32 // tick of the next try
}

// LifeKind is what happened to a connection.
type LifeKind uint8

// Kinds of Event.
const (
	LifeOpened   LifeKind = iota // an own open was accepted
	LifeAccepted                 // a peer opened it
	LifeRefused                  // an own open was refused, or never answered, or accepted with a rate that nothing can be sent by
	LifeClosed                   // it is gone; what was posted has its completions
	StreamFailed                 // what a peer sent on one of its streams was refused for good: that stream takes nothing any more
)

// Event says what happened to a connection, or to a stream of it.
type Event struct {
	Kind   LifeKind
	Conn   uint16
	Stream uint16 // that failed
	Host   uint16 // the peer
	Status Status // closed: why, if it was not asked for; failed: why
}

// Event takes the oldest event that was not taken.
func (n *NIC) Event() (Event, bool) {
	e := n.events.Head()
	if e == nil {
		return Event{}, false
	}
	n.events.Drop()
	return *e, true
}

// Mistakes of the owner.
var (
	ErrNotOpen  = errors.New("endpoint: no such connection, or it is not open")
	ErrNoStream = errors.New("endpoint: the connection has no such stream")
	ErrNoPath   = errors.New("endpoint: the connection has no such path")
)

// stray is an answer to a close of a connection that is not there.
type stray struct {
	host uint16
	dst  uint32
	txn  uint16
}

const (
	maxTries   = 20 // of an open or close: what is not answered by then never will be
	tryDoubles = 6  // doublings of the time between two tries
)

// connName is what a peer calls the connection: index and generation.
func (n *NIC) connName(c *conn) uint32 { return uint32(c.row.Generation)<<16 | uint32(c.index) }

// checkPeer returns what is wrong with a connection to a peer with that port rate. That of a peer like this NIC is fit, as
// Validate has seen.
func (n *NIC) checkPeer(rate uint32) error { return n.cfg.rules.cc.CheckOpen(rate, n.cfg.BaseRtt, 1) }

// ConnectNow opens a connection between two NICs at once, as a handshake without loss would, and returns its index at
// both. Streams is log2 of the number of its streams.
func ConnectNow(now sim.Picos, a, b *NIC, paths, streams uint8) (atA, atB uint16, err error) {
	a.at(now)
	b.at(now)
	err = errors.Join(a.checkPeer(b.cfg.portRate()), b.checkPeer(a.cfg.portRate()), a.checkOpen(paths, streams), b.checkOpen(paths, streams))
	if err != nil {
		return 0, 0, err
	}
	ca, err := a.take(b.host, paths, streams)
	if err != nil {
		return 0, 0, err
	}
	cb, err := b.take(a.host, paths, streams)
	if err != nil {
		a.leave(ca)
		return 0, 0, err
	}
	a.opened(ca, b.connName(cb), b.cfg.portRate(), cb.first)
	b.opened(cb, a.connName(ca), a.cfg.portRate(), ca.first)
	return ca.index, cb.index, nil
}

// Open asks a host for a connection. An Event says what came of it; until then nothing can be posted.
func (n *NIC) Open(now sim.Picos, host uint16, paths, streams uint8) (uint16, error) {
	n.at(now)
	c, err := n.take(host, paths, streams)
	if err != nil {
		return 0, err
	}
	n.txn++
	c.life.txn = n.txn
	n.try(c)
	return c.index, nil
}

// Close ends a connection when everything that was posted has its completion and nothing is in flight. An Event says when.
func (n *NIC) Close(now sim.Picos, index uint16) error {
	n.at(now)
	if int(index) >= len(n.conns) || n.conns[index].state != connOpen {
		return ErrNotOpen
	}
	c := n.conns[index]
	c.state = connDraining
	n.drained(c)
	return nil
}

// Abort ends a connection now: what has no completion gets one that says so.
func (n *NIC) Abort(now sim.Picos, index uint16) error {
	n.at(now)
	if int(index) >= len(n.conns) || n.conns[index].state != connOpen && n.conns[index].state != connDraining {
		return ErrNotOpen
	}
	n.abort(n.conns[index], StatusFlushed)
	return nil
}

// abort flushes a connection and tells the peer.
func (n *NIC) abort(c *conn, why Status) {
	c.why = why
	n.flushAll(c, why)
	n.askClose(c)
}

// drained goes on with a close when nothing of the connection is open any more.
func (n *NIC) drained(c *conn) {
	if c.state != connDraining {
		return
	}
	if t := c.tx; t != nil {
		if t.turn.Queued > 0 || t.replying() || t.cc.Inflight > 0 {
			return
		}
		for i := range 1 << c.row.StreamLog2 {
			if s := n.streams[int(c.row.StreamBase)+i]; s != nil && s.send.reported != s.send.next {
				return
			}
		}
	}
	n.askClose(c)
}

// askClose begins the transaction that closes a connection.
func (n *NIC) askClose(c *conn) {
	c.state = connClosing
	n.txn++
	c.life.txn, c.life.tries = n.txn, 0
	n.try(c)
}

// try sends the request of the open transaction, and arms the next try.
func (n *NIC) try(c *conn) {
	n.lifeSpin++
	n.control(uint8(int(n.lifeSpin)%len(n.planes)), control{kind: controlLife, conn: c.index})
	c.life.at = n.tick + n.doubled(4*uint64(n.cfg.BaseRtt), min(c.life.tries, tryDoubles))
	c.life.tries++
	if c.life.slot == notInWheel || n.timers.before(c.life.at, c.life.slot) {
		c.life.slot = n.addTimer(ownerConn|uint32(c.index), c.life.at)
	}
}

// doubled is a time of so many doublings, and at most the longest timeout: serial numbers of ticks have no longer ones.
func (n *NIC) doubled(ticks uint64, times uint8) uint32 {
	return uint32(min(ticks<<times, uint64(n.cfg.Tuning.RtoMax)))
}

// connExpired tries again, or gives up.
func (n *NIC) connExpired(c *conn, slot uint32) {
	if c.life.slot != slot {
		return
	}
	c.life.slot = notInWheel
	switch {
	case c.state != connOpening && c.state != connClosing:
	case int32(c.life.at-n.tick) > 0:
		c.life.slot = n.addTimer(ownerConn|uint32(c.index), c.life.at)
	case c.life.tries < maxTries:
		n.try(c)
	default:
		n.ended(c)
	}
}

// ended is the end of an own open or close, answered or not.
func (n *NIC) ended(c *conn) {
	kind := LifeClosed
	if c.state == connOpening || c.life.refused {
		kind = LifeRefused
	}
	n.tell(c, kind)
	n.rest(c)
}

func (n *NIC) tell(c *conn, kind LifeKind) {
	*n.events.Push() = Event{Kind: kind, Conn: c.index, Host: c.host, Status: c.why}
}

// streamOf finds a stream of an open connection.
func (n *NIC) streamOf(conn, number uint16) (*stream, *conn, error) {
	if int(conn) >= len(n.conns) || n.conns[conn].state != connOpen {
		return nil, nil, ErrNotOpen
	}
	c := n.conns[conn]
	if uint32(number)>>c.row.StreamLog2 != 0 {
		return nil, nil, ErrNoStream
	}
	return n.stream(c, number), c, nil
}

// checkOpen returns everything that is wrong with a connection to be opened.
func (n *NIC) checkOpen(paths, streams uint8) error {
	var all []error
	if int(paths) < len(n.planes) || int(paths) > n.cfg.Paths {
		all = append(all, &Problem{"paths", fmt.Sprint(paths), fmt.Sprintf("want %d..%d: one a plane at least", len(n.planes), n.cfg.Paths)})
	}
	if streams > 16 {
		all = append(all, &Problem{"streams", fmt.Sprintf("2^%d", streams), "want at most 2^16"})
	}
	return errors.Join(all...)
}
