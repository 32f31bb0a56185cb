package catalog

import (
	"fmt"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// The hole is in stream 0, in the third packet of the message in the middle of its messages.
const (
	holeStream = 0
	holePacket = 2
)

// streams: one stream with a hole does not hold up the others.
func streams() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "streams", Short: "one packet of one stream lost 1, 3 and 20 times: what the other streams feel",
		Claim:  "Many independent ordered streams on one connection: a loss in one does not hold up the others.",
		Source: "ann:streams, ann:ooo",
		About: "Two hosts, one connection, several streams that each post a message at a fixed interval. One packet of one stream is taken away, and again each time it is sent again, so many times. The run is compared, message by message, with one in which nothing is taken away. " +
			"Moved is the largest delay of any message of the other streams, in packet times: the time of a full packet on the link. RoCEv2 has a queue pair a stream; it sends again all that followed the packet, and that is what its other streams feel.",
		Headline: []string{"moved", "own"},
		Params: withNetwork(experiment.Params{
			{Name: "times", Kind: experiment.Numbers, Min: 1, Max: 1000, Default: "1,3,20", Why: "times that the packet is taken away"},
			{Name: "load", Kind: experiment.Numbers, Unit: experiment.Milli, Min: 10, Max: 2000, Default: "500,900,1100", Why: "offered load in thousandths of what the link carries: half, nearly full, overload"},
			{Name: "streams", Min: 2, Max: 16, Default: "8", Why: "on the connection"},
			{Name: "bytes", Unit: experiment.Bytes, Min: 3 * 4096, Max: 1 << 24, Default: "64k", Why: "of a message"},
			{Name: "messages", Min: 4, Max: 10_000, Default: "50", Why: "of a stream: the hole is in the middle"},
		}),
		Plan: planStreams,
	}
}

func planStreams(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, load := range v.Numbers("load") {
		for _, lost := range v.Numbers("times") {
			net := shape(fabric.SingleSwitch, 2, 1)
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			b.addStreams(v, net, load, lost)
		}
	}
	return b.plan(streamsPlan())
}

func (b *builder) addStreams(v experiment.Values, net fabric.Config, load, lost uint64) {
	t := trial{
		name: keyed("load", load) + "/" + keyed("times", lost), net: net,
		work: func(uint64) (*workload.Graph, error) { return streamWork(v, &net, load) },
	}
	t.again = func(c *experiment.Context, whole *outcome, build Build) (experiment.Output, error) {
		return whole.hole(c, v, build, load, lost)
	}
	b.add(t)
}

// streamWork posts the messages of each stream at equal intervals, the streams one behind the other.
func streamWork(v experiment.Values, net *fabric.Config, load uint64) (*workload.Graph, error) {
	n, bytes := v.Number("streams"), v.Number("bytes")
	wire := sim.MulDiv(bytes, dataSize, payloadSize)
	gap := sim.Picos(sim.MulDiv(wire*n*1000, 8_000_000, uint64(net.LinkMbps)*load))
	var flows []workload.Flow
	for k := range v.Number("messages") {
		for s := range n {
			flows = append(flows, workload.Flow{Src: 0, Dst: 1, Stream: int(s), Bytes: bytes, At: sim.Picos(k)*gap + sim.Picos(s)*gap/sim.Picos(n)})
		}
	}
	return workload.Flows(2, flows)
}

// hole runs the same once more, with the packet taken away, and compares.
func (o *outcome) hole(c *experiment.Context, v experiment.Values, build Build, load, lost uint64) (experiment.Output, error) {
	again := *o.trial
	again.again = nil
	var h *holed
	again.row = func(x *outcome) experiment.Output {
		r := o.start().Num("load", experiment.Whole(load)).Num("times", experiment.Whole(lost))
		return experiment.Output{Rows: []experiment.Row{x.common(o.compareStreams(r, x, lost))}}
	}
	out, err := again.run(c, func(net *fabric.Network, cfg *fabric.Config, events cluster.Events, seed uint64) (cluster.Transport, error) {
		t, err := build(net, cfg, events, seed)
		if err != nil {
			return nil, err
		}
		h = &holed{Transport: t, match: holeMatch(t, v), times: lost}
		return h, nil
	})
	if err == nil && h.taken != lost {
		err = fmt.Errorf("the packet came %d times, and was to be taken away %d times", h.taken, lost)
	}
	return out, err
}

// compareStreams finds the message of the other streams, and of the one with the hole, that is delayed most.
func (o *outcome) compareStreams(r experiment.Row, x *outcome, lost uint64) experiment.Row {
	var own, others sim.Picos
	for i := range o.Flows {
		a, b := o.Flows[i].Done, x.Flows[i].Done
		if b <= a {
			continue
		}
		if o.Flows[i].Stream == holeStream {
			own = max(own, b-a)
		} else {
			others = max(others, b-a)
		}
	}
	packet := sim.MulDiv(transportOf(o.trial.who).size, 8_000_000, uint64(o.net.LinkMbps))
	return r.Share("moved", uint64(others), packet).Share("each", uint64(others), packet*lost).Num("own", experiment.Micros(uint64(own)))
}

// holed is a transport at whose second host a chosen packet vanishes, the first so many times that it comes.
type holed struct {
	cluster.Transport
	match        func(p *fabric.Packet) bool
	times, taken uint64
}

// Hosts puts the one that loses in front of host 1.
func (h *holed) Hosts() []fabric.Host {
	hosts := h.Transport.Hosts()
	hosts[1] = &holedHost{hosts[1], hosts[0], h}
	return hosts
}

type holedHost struct {
	fabric.Host
	sender fabric.Host // owns the bodies of what it sent
	h      *holed
}

// Deliver loses the packet, or hands it on.
func (x *holedHost) Deliver(now sim.Picos, plane int, p *fabric.Packet) {
	if x.h.taken < x.h.times && x.h.match(p) {
		x.h.taken++
		x.sender.Lost(p)
		return
	}
	x.Host.Deliver(now, plane, p)
}
