package rocev2

import (
	"fmt"

	"metaroce/tandem/model/sim"
)

// verdict is what a data packet is to its receiver.
type verdict uint8

const (
	inOrder verdict = iota
	again           // below what is expected: its acknowledgement was lost, or a rewind went too far back
	early           // beyond it: something before is missing, so go-back-N throws it away
)

// arrive is the receiver's step for a data packet: what it is, and what is owed for it. done is the part that the
// packet completes, nil otherwise; it stays valid until the next post.
func (q *qp) arrive(c *Config, b body, now sim.Picos) (v verdict, done *part) {
	n := widen(q.expect, b.psn)
	switch {
	case n > q.expect:
		q.early(c, n, now)
		return early, nil
	case n < q.expect:
		v = again
	default:
		v, done = inOrder, q.place(b)
	}
	q.unasked++
	if b.last || q.unasked >= c.AckEvery {
		q.owed |= owedAck
		q.unasked = 0
	}
	return v, done
}

// early asks for what is missing, once a gap: what is behind the gap arrives early too, and each would ask again.
// A packet that is not beyond the one that showed the gap comes from a sender that has gone back already.
func (q *qp) early(c *Config, n int64, now sim.Picos) {
	back := c.NakBack && n <= q.nakBy
	late := c.NakAgain > 0 && now-q.nakAt >= c.NakAgain
	if q.nakOpen && !back && !late {
		return
	}
	q.nakOpen, q.nakBy, q.nakAt = true, n, now
	q.owed = q.owed&^owedAck | owedNak // a NAK acknowledges all before it
	q.unasked = 0
}

// place counts the payload of the packet that was expected.
func (q *qp) place(b body) *part {
	q.expect++
	q.nakOpen = false
	w := q.parts.At(q.inPart)
	q.partGot += uint64(b.payload)
	if !b.last {
		return nil
	}
	if q.partGot != w.bytes || q.expect != w.first+w.packets {
		panic(fmt.Sprintf("BUG: rocev2: queue pair %d ends a message at %d bytes and packet %d; it has %d bytes and ends at %d",
			q.id, q.partGot, q.expect, w.bytes, w.first+w.packets))
	}
	q.inPart++
	q.partGot = 0
	return w
}

// congested notes a CE mark and says whether a CNP is owed for it.
func (q *qp) congested(p *Dcqcn, now sim.Picos) {
	if q.cnpSent && now-q.cnpAt < p.CnpGap {
		return
	}
	q.cnpSent, q.cnpAt = true, now
	q.owed |= owedCnp
}

// answer takes the most urgent thing that is owed and makes the packet of it.
func (q *qp) answer() (b body, size uint32) {
	b.qp = q.id
	switch {
	case q.owed&owedCnp != 0:
		q.owed &^= owedCnp
		b.kind, size = kindCnp, cnpBytes
	case q.owed&owedNak != 0:
		q.owed &^= owedNak
		b.kind, b.psn, size = kindNak, uint32(q.expect)&psnMask, ackBytes
	default:
		q.owed &^= owedAck
		b.kind, b.psn, size = kindAck, uint32(q.expect-1)&psnMask, ackBytes
	}
	return b, size
}
