package verbs

import (
	"fmt"
	"math/bits"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

type connState uint8

const (
	connOpening connState = iota
	connEstablished
	connClosing // Close or Abort was called
	connGone
)

// Conn is a connection between two devices: paths, congestion state, and the protection domain of its memory regions.
type Conn struct {
	Host uint16 // the peer

	dev   *Device
	index uint16 // at the NIC
	state connState
	asked bool  // the NIC was told to close it
	limit int   // queue pairs that there may be
	qps   []*QP // by number
	mrs   []*MR
}

// ConnAttr is what the ends of a connection agree on. The end that connects says it.
type ConnAttr struct {
	Paths int // at least one a plane
	QPs   int // queue pairs that it has room for: a power of two up to 65536
}

// check returns the arguments of the NIC, or everything that is wrong here; how many paths there may be the NIC knows.
func (a *ConnAttr) check() (paths, streams uint8, err error) {
	if a.Paths < 1 || a.Paths > endpoint.MaxPaths {
		return 0, 0, &Problem{"Paths", fmt.Sprint(a.Paths), fmt.Sprintf("want 1..%d", endpoint.MaxPaths)}
	}
	if a.QPs < 1 || a.QPs > 1<<16 || a.QPs&(a.QPs-1) != 0 {
		return 0, 0, &Problem{"QPs", fmt.Sprint(a.QPs), "want a power of two, 1..65536"}
	}
	return uint8(a.Paths), uint8(bits.TrailingZeros(uint(a.QPs))), nil
}

// Connect asks a host for a connection. It can be used once EventEstablished has come for it.
func (d *Device) Connect(now sim.Picos, host uint16, attr ConnAttr) (*Conn, error) {
	paths, streams, err := attr.check()
	if err != nil {
		return nil, err
	}
	index, err := d.nic.Open(now, host, paths, streams)
	if err != nil {
		return nil, err
	}
	c := newConn(d, index)
	c.Host = host
	d.keep(c)
	d.collect(now)
	return c, nil
}

// ConnectNow joins two devices at once, as a handshake on a perfect network would, without events.
func ConnectNow(now sim.Picos, a, b *Device, attr ConnAttr) (atA, atB *Conn, err error) {
	paths, streams, err := attr.check()
	if err != nil {
		return nil, nil, err
	}
	ia, ib, err := endpoint.ConnectNow(now, a.nic, b.nic, paths, streams)
	if err != nil {
		return nil, nil, err
	}
	a.now, b.now = now, now
	atA, atB = newConn(a, ia), newConn(b, ib)
	a.keep(atA)
	b.keep(atB)
	atA.established()
	atB.established()
	return atA, atB, nil
}

func newConn(d *Device, index uint16) *Conn { return &Conn{dev: d, index: index} }

// keep makes a connection the one of its index: the one before is gone.
func (d *Device) keep(c *Conn) {
	for len(d.conns) <= int(c.index) {
		d.conns = append(d.conns, nil)
	}
	d.conns[c.index] = c
}

func (c *Conn) established() {
	shape, err := c.dev.nic.Shape(c.index)
	if err != nil {
		panic("verbs BUG: a connection that was just opened: " + err.Error())
	}
	c.Host, c.limit, c.state = shape.Host, 1<<shape.Streams, connEstablished
}

// gone puts the queue pairs of a connection into error and takes the peer's rights on its regions: another connection may
// get its index.
func (c *Conn) gone() {
	c.state = connGone
	for _, q := range c.qps {
		if q != nil {
			q.fail()
		}
	}
	for _, m := range c.mrs {
		m.revoke()
	}
}

// Close ends the connection when everything that was posted to send is complete. Nothing can be posted from now on;
// EventDisconnected says when it is gone, and receives that are left come back flushed.
func (c *Conn) Close(now sim.Picos) error {
	if c.state != connEstablished {
		return ErrNotConnected
	}
	c.state = connClosing
	c.dev.now = now
	c.drained()
	c.dev.collect(now)
	return nil
}

// drained lets the NIC close when all that was posted was handed to it.
func (c *Conn) drained() {
	if c.state != connClosing || c.asked {
		return
	}
	for _, q := range c.qps {
		if q != nil && q.sq.handed != q.sq.posted {
			return
		}
	}
	c.asked = true
	if err := c.dev.nic.Close(c.dev.now, c.index); err != nil {
		panic("verbs BUG: a connection that was open: " + err.Error())
	}
}

// Abort ends the connection now. What is posted comes back flushed.
func (c *Conn) Abort(now sim.Picos) error {
	if c.state != connEstablished && c.state != connClosing {
		return ErrNotConnected
	}
	c.dev.now = now
	c.state, c.asked = connClosing, true
	for _, q := range c.qps {
		if q != nil {
			q.fail()
		}
	}
	// refused where it has begun to close: then it ends without more ado
	_ = c.dev.nic.Abort(now, c.index)
	c.dev.collect(now)
	return nil
}

// qp is the queue pair of a number, or nil.
func (c *Conn) qp(number uint16) *QP {
	if int(number) >= len(c.qps) {
		return nil
	}
	return c.qps[number]
}
