package share_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/cc"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/share"
	"metaroce/tandem/model/sim"
)

// stride is the ticks between two looks at everybody: packets are late by so much, and the pace makes up for it.
const stride = 5

// flow is a sender under congestion control, half a round trip away.
type flow struct {
	conn    event.CcConn
	path    event.CcPath
	start   uint32
	waiting uint32
	random  sim.Random
}

// onWire is a packet, an announcement or an acknowledgement on its way.
type onWire struct {
	flow     int
	announce bool
	demand   bool
	hint     uint32
	gen      uint8
}

// incast is senders and a receiver with nothing between them but time: what arrives faster than the port is seen, not
// queued.
type incast struct {
	p     *port
	e     *cc.Engine
	flows []flow
	there map[uint32][]onWire // by the tick at which they arrive
	back  map[uint32][]onWire
	bytes []uint32 // that arrived, by round trip
}

func newIncast(t *testing.T, n, bytes int, spread uint32) *incast {
	e, err := cc.New(cc.Config{Tuning: preset.DefaultTuning(), PortMbps: 400000, PacketBytes: packet})
	require.NoError(t, err)
	x := &incast{p: newPort(t, config(), n, 0), e: e, flows: make([]flow, n), there: map[uint32][]onWire{}, back: map[uint32][]onWire{}}
	starts := sim.NewRandom(1, "starts")
	for i := range x.flows {
		f := &x.flows[i]
		f.random, f.waiting = sim.NewRandom(uint64(i), "phase"), uint32(bytes)
		f.start = uint32(starts.Below(uint64(spread)+1)) / stride * stride
		e.Step(nil, &f.conn, event.CcOpen, &event.CcIn{Rate: 400000, BaseRtt: rtt, Active: 1}, &event.CcOut{})
		e.Step(&f.path, &f.conn, event.CcStart, &event.CcIn{}, &event.CcOut{})
	}
	return x
}

// tick is one tick of everybody.
func (x *incast) tick(now uint32) {
	x.p.run(now)
	for _, w := range x.there[now] {
		x.arrive(now, w)
	}
	delete(x.there, now)
	for _, a := range x.p.sent { // hint-only acknowledgements
		x.back[now+rtt/2] = append(x.back[now+rtt/2], onWire{flow: a.conn, hint: a.hint, gen: a.gen, announce: true})
	}
	x.p.sent = x.p.sent[:0]
	for _, w := range x.back[now] {
		f := &x.flows[w.flow]
		in := event.CcIn{Now: now, Hint: w.hint, HintGen: w.gen, Phase: uint16(f.random.Uint64())}
		x.e.Step(&f.path, &f.conn, event.CcHint, &in, &event.CcOut{})
		if !w.announce {
			x.e.Step(&f.path, &f.conn, event.CcAck, &event.CcIn{Now: now, Acked: packet, Packets: 1, Fresh: true}, &event.CcOut{})
		}
	}
	delete(x.back, now)
	for i := range x.flows {
		if f := &x.flows[i]; f.waiting > 0 && now >= f.start {
			x.send(now, i, f)
		}
	}
}

func (x *incast) arrive(now uint32, w onWire) {
	op := event.SharePacket
	if w.announce {
		op = event.ShareAnnounce
	} else {
		for int(now/rtt) >= len(x.bytes) {
			x.bytes = append(x.bytes, 0)
		}
		x.bytes[now/rtt] += packet
	}
	x.p.step(op, w.flow, event.ShareIn{Demand: w.demand, Bytes: packet})
	if !w.announce {
		hint, gen := x.p.tell(w.flow)
		x.back[now+rtt/2] = append(x.back[now+rtt/2], onWire{flow: w.flow, hint: hint, gen: gen})
	}
}

func (x *incast) send(now uint32, i int, f *flow) {
	var out event.CcOut
	if x.e.Asleep(&f.conn, now) {
		x.e.Step(&f.path, &f.conn, event.CcResume, &event.CcIn{Now: now, Waiting: f.waiting, Phase: uint16(f.random.Uint64())}, &out)
		if out.Announce {
			x.there[now+rtt/2] = append(x.there[now+rtt/2], onWire{flow: i, announce: true, demand: true})
		}
	}
	for f.waiting > 0 && x.e.ConnRoom(&f.conn) && cc.Paced(&f.conn, now) {
		f.waiting -= min(f.waiting, packet)
		x.e.Step(&f.path, &f.conn, event.CcSend, &event.CcIn{Now: now, Bytes: packet, Fresh: true, Waiting: f.waiting}, &out)
		x.there[now+rtt/2] = append(x.there[now+rtt/2], onWire{flow: i, demand: out.Demand})
	}
}

// TestIncastSettles: senders that start together are all at their fair rate two round trips later, and from then on
// what arrives in a round trip is the port, less its headroom, and never more; spread starts take ten (`ann:incast`).
func TestIncastSettles(t *testing.T) {
	for _, c := range []struct {
		n      int
		spread uint32
		within uint32 // round trips
	}{{1, 0, 2}, {2, 0, 2}, {30, 0, 2}, {127, 0, 2}, {127, rtt, 10}} {
		x := newIncast(t, c.n, 500000*30/c.n, c.spread) // all of it takes 30 round trips
		for now := uint32(0); now < 25*rtt; now += stride {
			x.tick(now)
			if now < c.within*rtt || now%500 != 0 {
				continue
			}
			for i := range x.flows {
				require.True(t, cc.Hinted(&x.flows[i].conn))
				require.InEpsilon(t, whole/c.n, x.flows[i].conn.Hint, 0.1, "%d senders, tick %d", c.n, now)
			}
		}
		// A long gap may begin anywhere: the first round trips with all of them are 2 (start and answer) and a gap later.
		full := int(3 + c.within + uint32(c.n)*21/rtt)
		require.Less(t, full, 22)
		sum := 0
		for _, bytes := range x.bytes[full:24] {
			if c.spread == 0 { // else the gaps of early and late ones began in different ways
				require.InEpsilon(t, 500000, bytes, 0.15, "%d senders", c.n)
			}
			sum += int(bytes)
		}
		mean := sum / (24 - full)
		require.LessOrEqual(t, mean, 500000+2*packet/(24-full))
		require.Greater(t, mean, 485000, "less than the port without its headroom")
	}
}

// TestShareOfThoseWhoEnd: what senders leave that have sent all of it, others take: no round trip is half empty until
// the last one ends.
func TestShareOfThoseWhoEnd(t *testing.T) {
	x := newIncast(t, 20, 0, 0)
	for i := range x.flows {
		x.flows[i].waiting = uint32(100_000 * (i + 1)) // one after the other ends; 42 round trips of the port
	}
	for now := uint32(0); now < 60*rtt; now += stride {
		x.tick(now)
	}
	for i := range x.flows {
		require.Zero(t, x.flows[i].waiting)
	}
	last := len(x.bytes)
	require.Less(t, last, 56)
	for rt, bytes := range x.bytes[4 : last-1] {
		require.Greater(t, bytes, uint32(250000), "round trip %d", rt+4)
	}
	_, armed := share.Next(&x.p.row)
	require.False(t, armed, "all have lapsed")
}
