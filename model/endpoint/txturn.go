package endpoint

import (
	"slices"

	"metaroce/tandem/model/sim"
)

// turns is who may send more new data than an allowance (R-TURN).
type turns struct {
	served []uint16         // those whose turn it is, the oldest first
	queue  sim.Ring[uint16] // those that wait; some may have gone since
}

// How a connection stands to it.
const (
	turnNone = iota
	turnWaiting
	turnServed
)

// served tells whether a connection may send new data now. One with little to send needs no turn. One with more takes a
// turn, or waits until one of those before it has had its packets or its time.
func (n *NIC) served(t *sender) bool {
	switch {
	case t.stand == turnServed:
		return true
	case t.stand == turnWaiting:
	case n.modest(t):
		return true
	case len(n.turns.served) < int(n.cfg.Tuning.ConnsAtOnce):
		n.serve(t)
		return true
	default:
		n.queueUp(t)
	}
	n.endTurns()
	return t.stand == turnServed
}

// modest tells whether all that waits fits the allowance, for which nobody has to be asked.
func (n *NIC) modest(t *sender) bool {
	return n.waiting(t) <= n.cfg.Tuning.Allowance*uint32(n.cfg.Mtu)
}

func (n *NIC) serve(t *sender) {
	t.stand, t.since, t.had = turnServed, n.tick, 0
	n.turns.served = append(n.turns.served, t.conn)
}

func (n *NIC) queueUp(t *sender) {
	t.stand = turnWaiting
	*n.turns.queue.Push() = t.conn
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
		n.endTurn(oldest)
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

// took counts what a connection sent in its turn. It ends with its packets, where others wait, and with the last but few:
// they need none, and the next one asks for its share meanwhile.
func (n *NIC) took(t *sender) {
	if t.stand != turnServed {
		return
	}
	t.had++
	if n.modest(t) || t.had >= n.cfg.Tuning.TurnPackets && n.firstWaiting() != nil {
		n.endTurn(t)
		n.endTurns()
	}
}

// endTurn gives the turn of a connection to the next one. What it has in flight is repaired without a turn; with more to
// send it goes to the end of the queue.
func (n *NIC) endTurn(t *sender) {
	n.vacate(t)
	if !n.modest(t) {
		n.queueUp(t)
	}
	n.serveNext()
}

// idle is for a connection that has nothing more to send, or is closed.
func (n *NIC) idle(t *sender) {
	had := t.stand == turnServed
	n.vacate(t)
	if had {
		n.serveNext()
	}
}

func (n *NIC) vacate(t *sender) {
	if t.stand == turnServed {
		at := slices.Index(n.turns.served, t.conn)
		n.turns.served = slices.Delete(n.turns.served, at, at+1)
	}
	t.stand = turnNone
}

func (n *NIC) serveNext() {
	if t := n.firstWaiting(); t != nil {
		n.turns.queue.Drop()
		n.serve(t)
		n.wakeConn(n.conns[t.conn])
	}
}
