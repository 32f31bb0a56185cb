package verbs

import "metaroce/tandem/model/endpoint"

// EventType says what happened.
type EventType uint8

// Types of Event.
const (
	EventEstablished  EventType = iota // an own Connect was accepted
	EventAccepted                      // a peer connected
	EventRejected                      // an own Connect was refused, or never answered
	EventDisconnected                  // a connection is gone; all its work has its completions
	EventQPFatal                       // what a peer sent to a queue pair was refused for good; it is in error
	EventCQErr                         // a completion queue was overrun; its queue pairs are in error
)

// String is the name of the type.
func (t EventType) String() string {
	return [...]string{"established", "accepted", "rejected", "disconnected", "QP fatal", "CQ error"}[t]
}

// Event is something that no completion tells of.
type Event struct {
	Type   EventType
	Conn   *Conn
	QP     *QP             // EventQPFatal
	CQ     *CQ             // EventCQErr; Conn is nil
	Reason endpoint.Status // EventDisconnected, EventQPFatal: why, if it was not asked for
}

// Event takes the oldest event that was not taken.
func (d *Device) Event() (Event, bool) {
	e := d.events.Head()
	if e == nil {
		return Event{}, false
	}
	d.events.Drop()
	return *e, true
}

// happened does what an event of the NIC means, and tells of it.
func (d *Device) happened(e *endpoint.Event) {
	if e.Kind == endpoint.LifeAccepted {
		d.keep(newConn(d, e.Conn))
	}
	c := d.conns[e.Conn]
	out := Event{Conn: c, Reason: e.Status}
	switch e.Kind {
	case endpoint.LifeOpened:
		c.established()
		out.Type = EventEstablished
	case endpoint.LifeAccepted:
		c.established()
		out.Type = EventAccepted
	case endpoint.LifeRefused:
		c.state = connGone
		out.Type = EventRejected
	case endpoint.LifeClosed:
		c.gone()
		out.Type = EventDisconnected
	default:
		q := c.qp(e.Stream)
		if q == nil || q.state == QPSDestroyed {
			return
		}
		q.fail()
		out.Type, out.QP = EventQPFatal, q
	}
	*d.events.Push() = out
}
