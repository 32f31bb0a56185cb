package verbs

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// QPState is the state of a queue pair. It can send from the start: its connection is established.
type QPState uint8

// States.
const (
	QPSRts       QPState = iota // ready
	QPSErr                      // for good: whatever is or will be posted comes back flushed
	QPSDestroyed                // not to be used any more
)

// String is the name of the state.
func (s QPState) String() string { return [...]string{"RTS", "ERR", "destroyed"}[s] }

// QPInitAttr says what a queue pair is made of.
type QPInitAttr struct {
	SendCQ    *CQ
	RecvCQ    *CQ
	MaxSendWR int  // requests posted and not polled
	MaxRecvWR int  // receives likewise, up to Recvs of the device's configuration
	SqSigAll  bool // every request is signalled, whatever its flags say
}

// maxSendWR is the longest send queue.
const maxSendWR = 1 << 16

func (a *QPInitAttr) check(d *Device) error {
	var all []error
	within := func(field string, v, hi int) {
		if v < 1 || v > hi {
			all = append(all, &Problem{field, fmt.Sprint(v), fmt.Sprintf("want 1..%d requests", hi)})
		}
	}
	if a.SendCQ == nil || a.SendCQ.dev != d {
		all = append(all, &Problem{"SendCQ", "nil or of another device", "want a CQ of this device"})
	}
	if a.RecvCQ == nil || a.RecvCQ.dev != d {
		all = append(all, &Problem{"RecvCQ", "nil or of another device", "want a CQ of this device"})
	}
	within("MaxSendWR", a.MaxSendWR, maxSendWR)
	within("MaxRecvWR", a.MaxRecvWR, d.recvs)
	return errors.Join(all...)
}

// QP is a queue pair: a stream of a connection.
type QP struct {
	Num  uint16 // that of its peer as well
	Conn *Conn

	attr  QPInitAttr
	state QPState
	sq    sendQueue
	rq    recvQueue
}

// CreateQP makes the queue pair of a number, which is spent then for as long as the connection lives. Its peer is the one
// of the same number at the other end. What a peer sends before the queue pair is there and has a receive posted is
// refused for want of one and sent again; Writes, Reads and atomics need no queue pair at the end that they reach.
func (c *Conn) CreateQP(num uint16, attr QPInitAttr) (*QP, error) {
	if c.state != connEstablished {
		return nil, ErrNotConnected
	}
	var all []error
	if int(num) >= c.limit {
		all = append(all, &Problem{"num", fmt.Sprint(num), fmt.Sprintf("want a number below %d", c.limit)})
	}
	if c.qp(num) != nil {
		all = append(all, &Problem{"num", fmt.Sprint(num), "want one that was not used on this connection"})
	}
	if err := errors.Join(append(all, attr.check(c.dev))...); err != nil {
		return nil, err
	}
	q := &QP{Num: num, Conn: c, attr: attr}
	q.sq.ring, q.rq.ring = make([]sendEntry, ringFor(attr.MaxSendWR)), make([]recvEntry, ringFor(attr.MaxRecvWR))
	for len(c.qps) <= int(num) {
		c.qps = append(c.qps, nil)
	}
	c.qps[num] = q
	attr.SendCQ.qps = append(attr.SendCQ.qps, q)
	if attr.RecvCQ != attr.SendCQ {
		attr.RecvCQ.qps = append(attr.RecvCQ.qps, q)
	}
	if attr.SendCQ.overrun || attr.RecvCQ.overrun || c.dev.nic.Failed(c.index, num) {
		q.fail()
	}
	return q, nil
}

// ringFor is the least power of two that is not below n.
func ringFor(n int) int { return 1 << bits.Len(uint(n-1)) }

// State is the state of the queue pair.
func (q *QP) State() QPState { return q.state }

// ModifyToErr puts the queue pair into error: what is posted comes back flushed, and what the peer sends fails there with
// WCRemOpErr.
func (q *QP) ModifyToErr(now sim.Picos) error {
	if q.state == QPSDestroyed {
		return ErrDestroyed
	}
	q.Conn.dev.now = now
	q.fail()
	q.Conn.dev.collect(now)
	return nil
}

// Destroy ends the queue pair. Its completions that were not polled are forgotten.
func (q *QP) Destroy(now sim.Picos) error {
	if err := q.ModifyToErr(now); err != nil {
		return err
	}
	q.state = QPSDestroyed
	for _, cq := range []*CQ{q.attr.SendCQ, q.attr.RecvCQ} {
		cq.purge(q)
		cq.qps = slices.DeleteFunc(cq.qps, func(x *QP) bool { return x == q })
	}
	return nil
}

// fail puts the queue pair into error. The NIC gives back what it has; collect takes that, and what it had not follows.
func (q *QP) fail() {
	if q.state != QPSRts {
		return
	}
	q.state = QPSErr
	d := q.Conn.dev
	if err := d.nic.Fail(d.now, q.Conn.index, q.Num); err != nil && !errors.Is(err, endpoint.ErrNotOpen) {
		panic("verbs BUG: a queue pair without a stream: " + err.Error())
	}
	q.advance()
}
