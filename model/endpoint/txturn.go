package endpoint

import (
	"slices"

	"metaroce/tandem/model/sim"
)

// turns is who begins to send more new data than an allowance (R-TURN).
type turns struct {
	served []uint16         // those whose turn it is, the oldest first
	queue  sim.Ring[uint16] // those that wait; some may have gone since
}

// How a connection stands to it.
const (
	turnNone = iota
	turnWaiting
	turnServed
	turnPast // until it has nothing to send
)

// served tells whether a connection may send new data now. One with little to send needs no turn. One with more takes a
// turn, or waits until one of those before it has had its packets or its time.
func (n *NIC) served(t *sender) bool {
	switch {
	case t.stand == turnServed || t.stand == turnPast:
		return true
	case t.stand == turnWaiting:
	case n.modest(t):
		return true
	case len(n.turns.served) < n.places():
		n.serve(t)
		return true
	default:
		t.stand = turnWaiting
		*n.turns.queue.Push() = t.conn
	}
	n.endTurns()
	return t.stand == turnServed
}

// places is how many may begin at once: a plane more carries as many more.
func (n *NIC) places() int { return int(n.cfg.Tuning.ConnsAtOnce) * n.cfg.Planes }

// modest tells whether all that waits fits the allowance, for which nobody has to be asked.
func (n *NIC) modest(t *sender) bool {
	return n.waiting(t) <= n.cfg.Tuning.Allowance*uint32(n.cfg.Mtu)
}

func (n *NIC) serve(t *sender) {
	t.stand, t.since, t.had = turnServed, n.tick, 0
	n.turns.served = append(n.turns.served, t.conn)
}

// endTurns ends the turns that have lasted their time while others wait, and reminds the first of these of the next end.
func (n *NIC) endTurns() {
	for {
		first := n.firstWaiting()
		if first == nil {
			return
		}
		oldest := n.conns[n.turns.served[0]].tx
		end := oldest.since + n.cfg.Tuning.TurnRtts*n.cfg.BaseRtt
		if int32(n.tick-end) < 0 {
			n.await(first, end)
			return
		}
		n.endTurn(oldest, turnPast)
	}
}

// firstWaiting is the first of the queue, nil where nobody waits.
func (n *NIC) firstWaiting() *sender {
	for n.turns.queue.Len() > 0 {
		if t := n.conns[*n.turns.queue.Head()].tx; t != nil && t.stand == turnWaiting {
			return t
		}
		n.turns.queue.Drop()
	}
	return nil
}

// took counts what a connection sent in its turn. It ends with its packets, or with the last but few: they need none, and
// the next one asks for its share meanwhile.
func (n *NIC) took(t *sender) {
	if t.stand != turnServed {
		return
	}
	switch t.had++; {
	case n.modest(t):
		n.endTurn(t, turnNone)
	case t.had >= n.cfg.Tuning.TurnPackets:
		n.endTurn(t, turnPast)
	}
}

// endTurn takes its turn from a connection, if it has one, and gives it to the first that waits.
func (n *NIC) endTurn(t *sender, stand uint8) {
	had := t.stand == turnServed
	t.stand = stand
	if !had {
		return
	}
	at := slices.Index(n.turns.served, t.conn)
	n.turns.served = slices.Delete(n.turns.served, at, at+1)
	if next := n.firstWaiting(); next != nil {
		n.turns.queue.Drop()
		n.serve(next)
		n.wakeConn(n.conns[next.conn])
		n.endTurns()
	}
}
