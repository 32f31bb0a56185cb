package verbs

import (
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// WC is a work completion. After an error only WrID, Status, Opcode, VendorErr and QP hold.
type WC struct {
	WrID      uint64
	Status    WCStatus
	Opcode    WCOpcode
	VendorErr endpoint.Status // what the NIC said: a syndrome of the wire, or its own reason
	ByteLen   uint32
	Imm       uint32
	WithImm   bool // Imm holds
	QP        *QP

	slot uint32 // what may be posted again when this is polled: all up to here
}

// WCOpcode says what completed.
type WCOpcode uint8

// Opcodes of completions.
const (
	WCSend WCOpcode = iota
	WCRdmaWrite
	WCRdmaRead
	WCCompSwap
	WCFetchAdd
	WCRecv            // a Send came
	WCRecvRdmaWithImm // a Write with immediate came; the buffer of the receive was not written
)

// String is the name of the opcode.
func (o WCOpcode) String() string {
	return [...]string{"send", "RDMA write", "RDMA read", "compare-swap", "fetch-add", "receive", "receive of RDMA write with immediate"}[o]
}

// CQ is a completion queue. A completion that finds it full is lost, and so are all after it; the queue is in error for
// good (EventCQErr), and every queue pair that uses it is put into error. What it held before can still be polled.
type CQ struct {
	dev     *Device
	size    int
	q       sim.Ring[WC]
	overrun bool
	qps     []*QP
}

// maxCQ is the largest completion queue.
const maxCQ = 1 << 22

// CreateCQ makes a completion queue with room for so many completions.
func (d *Device) CreateCQ(size int) (*CQ, error) {
	if size < 1 || size > maxCQ {
		return nil, &Problem{"size", fmt.Sprint(size), fmt.Sprintf("want 1..%d completions", maxCQ)}
	}
	return &CQ{dev: d, size: size}, nil
}

// Poll moves the oldest completions to wc, as many as there are and fit. Once an overrun queue is empty it returns ErrOverrun.
func (c *CQ) Poll(wc []WC) (int, error) {
	n := 0
	for n < len(wc) && c.q.Len() > 0 {
		wc[n] = *c.q.Head()
		c.q.Drop()
		wc[n].QP.polled(&wc[n])
		n++
	}
	if n == 0 && c.overrun && c.q.Len() == 0 {
		return 0, ErrOverrun
	}
	return n, nil
}

// Len is the number of completions that wait to be polled.
func (c *CQ) Len() int { return c.q.Len() }

func (c *CQ) push(w WC) {
	switch {
	case c.overrun:
	case c.q.Len() < c.size:
		*c.q.Push() = w
	default:
		c.overrun = true
		*c.dev.events.Push() = Event{Type: EventCQErr, CQ: c}
		for _, q := range c.qps {
			q.fail()
		}
	}
}

// purge forgets the completions of a queue pair.
func (c *CQ) purge(q *QP) {
	for left := c.q.Len(); left > 0; left-- {
		w := *c.q.Head()
		c.q.Drop()
		if w.QP != q {
			*c.q.Push() = w
		}
	}
}
