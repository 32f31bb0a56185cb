package rocev2

import (
	"metaroce/tandem/model/sim"
)

// part is what one queue pair carries of a message: all of it, or a share where messages are spread.
type part struct {
	first   int64  // number of its first packet
	packets int64  // at least 1
	bytes   uint64 // payload
	message uint32 // of Transport.messages
}

// wait is where a queue pair is between two packets. It stands in at most one list.
type wait uint8

const (
	waitNone  wait = iota // nothing to send, or the window is full: an acknowledgement or a message wakes it
	waitReady             // in the ready list of its uplink
	waitPace              // in the timers of its host until its pacing lets it
)

// qp is a queue pair with both of its ends, since one simulation holds both. A method touches the fields of one end
// only; what goes between the ends goes in packets. The one thing they share is the list of parts: the receiver reads
// how long the part is that it is in, which on the wire is the length in the first packet.
type qp struct {
	id       uint32
	src, dst uint16
	sport    uint16
	plane    uint8

	// Sender. Packets are numbered from 0 in 64 bits; una <= nxt <= end and nxt <= sent.
	una    int64 // first one not acknowledged
	nxt    int64 // next one to leave
	sent   int64 // one beyond the highest that ever left
	end    int64 // one beyond the last of all parts
	window int64 // packets in flight at most
	parts  sim.Ring[part]
	cur    uint64 // number in parts of the one that holds nxt
	wait   wait
	timing bool      // the timers of the host hold an entry for dueAt
	dueAt  sim.Picos // retransmission timeout; valid while una < nxt
	nextAt sim.Picos // pacing: not before
	pace   pacer

	// Receiver.
	expect  int64
	unasked uint32 // packets since the last acknowledgement
	owed    uint8  // of owedCnp, owedNak, owedAck; in the control list of its uplink when not 0
	nakOpen bool   // a NAK for expect was sent
	nakBy   int64  // the packet that showed the gap
	cnpSent bool
	nakAt   sim.Picos
	cnpAt   sim.Picos
	inPart  uint64 // number in parts of the one that holds expect
	partGot uint64 // bytes of it that arrived
}

const (
	owedCnp = 1 << iota // most urgent first
	owedNak
	owedAck
)

// sendable says whether there is a packet and room in the window.
func (q *qp) sendable() bool { return q.nxt < q.end && q.nxt-q.una < q.window }

// post appends a part. bytes may be 0: a message without payload is one packet.
func (q *qp) post(message uint32, packets int64, bytes uint64) {
	*q.parts.Push() = part{first: q.end, packets: packets, bytes: bytes, message: message}
	q.end += packets
}

// take makes the next packet: its number, payload, and place in its part.
func (q *qp) take(mtu uint32) (n int64, payload uint32, first, last bool) {
	w := q.parts.At(q.cur)
	for q.nxt >= w.first+w.packets {
		q.cur++
		w = q.parts.At(q.cur)
	}
	n = q.nxt
	at := n - w.first
	payload = mtu
	if at == w.packets-1 {
		payload, last = uint32(w.bytes-uint64(at)*uint64(mtu)), true
	}
	q.nxt++
	q.sent = max(q.sent, q.nxt)
	return n, payload, at == 0, last
}

// acked takes everything below n for arrived and says whether that is news.
func (q *qp) acked(n int64) bool {
	if n <= q.una || n > q.sent {
		return false
	}
	q.una = n
	q.nxt = max(q.nxt, n)
	for q.parts.Len() > 0 && q.parts.Head().first+q.parts.Head().packets <= n {
		q.parts.Drop()
	}
	q.cur = max(q.cur, q.parts.First())
	return true
}

// rewind goes back to the first packet that is not acknowledged.
func (q *qp) rewind() {
	q.nxt = q.una
	q.cur = q.parts.First()
}
