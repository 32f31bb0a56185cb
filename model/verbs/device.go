package verbs

import (
	"errors"
	"fmt"

	"metaroce/tandem/model/endpoint"
	"metaroce/tandem/model/sim"
)

// Device is a NIC with its memory regions, connections and queues.
type Device struct {
	nic    *endpoint.NIC
	mem    memory
	keys   int // memory regions that the NIC has room for
	recvs  int // posted receives of a stream likewise
	planes int
	now    sim.Picos
	conns  []*Conn // by index of the NIC; nil or an earlier one where none is open
	events sim.Ring[Event]
}

// Problem is one thing that is wrong with a request: where, what, and what would be right.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error is one line.
func (p *Problem) Error() string {
	return fmt.Sprintf("verbs: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// What a call may be refused for beside Problems.
var (
	ErrNotConnected = errors.New("verbs: the connection is not established")
	ErrDestroyed    = errors.New("verbs: the queue pair was destroyed")
	ErrFull         = errors.New("verbs: the queue is full: poll completions, and signal requests now and then")
	ErrBusy         = errors.New("verbs: the device still uses the memory: call again when what was posted is complete")
	ErrNoRoom       = errors.New("verbs: the device has no room for another memory region")
	ErrOverrun      = errors.New("verbs: the completion queue was overrun: completions are lost")
)

// Open makes a device. Its memory are the regions that will be registered, so cfg.Memory must be nil. The error has
// everything that is wrong.
func Open(cfg endpoint.Config) (*Device, error) {
	if cfg.Memory != nil {
		return nil, errors.Join(&Problem{"Memory", "set", "want nil: registered regions are the memory"}, cfg.Validate())
	}
	d := &Device{keys: cfg.Keys, recvs: cfg.Recvs, planes: cfg.Planes}
	cfg.Memory = &d.mem
	nic, err := endpoint.New(cfg)
	if err != nil {
		return nil, err
	}
	d.nic = nic
	return d, nil
}

// Pull asks for the next packet of a plane whose uplink is free. See endpoint.NIC, as for the methods below.
func (d *Device) Pull(now sim.Picos, plane int, p *endpoint.Packet) bool {
	sent := d.nic.Pull(now, plane, p)
	d.collect(now)
	return sent
}

// OnPacket takes a packet that came by a plane.
func (d *Device) OnPacket(now sim.Picos, plane int, p *endpoint.Packet) {
	d.nic.OnPacket(now, plane, p)
	d.collect(now)
}

// OnTime does what is due.
func (d *Device) OnTime(now sim.Picos) {
	d.nic.OnTime(now)
	d.collect(now)
}

// Deadline is when OnTime has something to do.
func (d *Device) Deadline() (at sim.Picos, armed bool) { return d.nic.Deadline() }

// Kicks are the planes, a bit each, whose uplink has something to send since the last call.
func (d *Device) Kicks() uint32 { return d.nic.Kicks() }

// Counters is what the NIC counted so far, over all connections.
func (d *Device) Counters() *endpoint.Counters { return d.nic.Count() }

// collect takes what the NIC has to tell. Completions go first: a connection that ended has given all of its own.
func (d *Device) collect(now sim.Picos) {
	d.now = now
	for {
		if c, ok := d.nic.Completion(); ok {
			d.complete(&c)
			continue
		}
		e, ok := d.nic.Event()
		if !ok {
			return
		}
		d.happened(&e)
	}
}

// complete hands a completion of the NIC to its queue pair. A peer may write to a stream that has none here.
func (d *Device) complete(c *endpoint.Completion) {
	q := d.qp(c.Conn, c.Stream)
	switch {
	case q == nil:
	case !c.Responder:
		q.sent(c)
	case c.Receive:
		q.received(c)
	}
}

// qp is the queue pair of a stream, or nil.
func (d *Device) qp(conn, number uint16) *QP {
	if int(conn) >= len(d.conns) || d.conns[conn] == nil {
		return nil
	}
	return d.conns[conn].qp(number)
}
