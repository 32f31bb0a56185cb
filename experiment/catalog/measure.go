package catalog

import (
	"context"
	"errors"
	"fmt"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// trial is one simulation, before it has run.
type trial struct {
	name string // of the cell, without the transport
	who  string
	net  fabric.Config
	// work makes the workload from the cell's seed.
	work func(seed uint64) (*workload.Graph, error)
	opt  cluster.Options
	// streams of a workload are folded into so many: stream j becomes j modulo this; 0: as they are.
	streams int
	// watch is called as Options.Probe, with a place for what it notes. Every in opt.
	watch func(o *outcome, now sim.Picos, t cluster.Transport)
	// row makes the output of the cell.
	row func(o *outcome) experiment.Output
	// again goes on from the outcome with a run of its own, in place of row. May be nil.
	again func(c *experiment.Context, o *outcome, build Build) (experiment.Output, error)
}

// outcome is a simulation that has run.
type outcome struct {
	trial *trial
	cluster.Result
	net   fabric.Config // as it was for this transport
	graph *workload.Graph
	rtt   sim.Picos // base, over the longest way
	// way is the least delay of any message, without the time that its packets take on links: no limit is too high for it.
	way sim.Picos
	// notes of watch
	notes []note
}

// note is something that was seen at a time.
type note struct {
	at     sim.Picos
	values []uint64
}

// builder collects the cells of a plan and all that is wrong with them.
type builder struct {
	v     experiment.Values
	cells []experiment.Cell
	bad   problems
}

// add makes a cell of a trial for each transport that the user wants.
func (b *builder) add(t trial) { b.addBut(t, func(string) bool { return false }) }

// addBut is add, with some transports left out. All of a trial that can be checked without running it is checked.
func (b *builder) addBut(t trial, out func(who string) bool) {
	g, err := t.work(0)
	b.bad.add(err)
	need := load{streams: 1}
	if err == nil {
		need = load{streamsOf(g), weight(g, t.net.Kind)}
		if t.streams > 0 {
			need.streams = min(need.streams, t.streams)
		}
	}
	for _, who := range b.v.Words(pTransports) {
		if !out(who) {
			x := t
			x.who = who
			b.one(&x, need)
		}
	}
}

// load is what a workload asks for: streams between two hosts, and about so many hops.
type load struct {
	streams int
	hops    uint64
}

// one makes the cell of a trial with its transport.
func (b *builder) one(t *trial, need load) {
	kind := transportOf(t.who)
	if kind.fit != nil {
		kind.fit(&t.net)
	}
	if err := t.net.Validate(); err != nil {
		b.bad.add(err)
		return
	}
	b.bad.add(kind.check(b.v, need.streams, &t.net))
	build := kind.build(b.v, need.streams)
	b.cells = append(b.cells, experiment.Cell{Name: t.name + "/" + t.who, Seed: t.name, Weight: need.hops, Run: func(c *experiment.Context) (experiment.Output, error) {
		return t.run(c, build)
	}})
}

// streamsOf is one more than the highest stream.
func streamsOf(g *workload.Graph) int {
	n := 0
	for tag := range g.Messages() {
		n = max(n, int(g.Message(uint32(tag)).Stream)+1)
	}
	return n
}

// plan is the plan of the cells that were added, or all that is wrong with them.
func (b *builder) plan(p experiment.Plan) (*experiment.Plan, error) {
	p.Cells, p.Actors = b.cells, transportNames()
	return &p, b.bad.err()
}

// weight is about the hops of a workload: data one way, acknowledgements the other.
func weight(g *workload.Graph, kind fabric.Kind) uint64 {
	packets := uint64(0)
	for tag := range g.Messages() {
		packets += (g.Message(uint32(tag)).Bytes + payloadSize - 1) / payloadSize
	}
	return packets * uint64(links(kind)) / 2 * 5 / 4
}

// run simulates.
func (t *trial) run(c *experiment.Context, build Build) (experiment.Output, error) {
	g, err := t.work(c.Seed)
	if err != nil {
		return experiment.Output{}, err
	}
	o := &outcome{trial: t, net: t.net, graph: g}
	var work workload.Workload = g
	if t.streams > 0 {
		work = folded{g, uint16(t.streams)}
	}
	o.net.Seed = c.Seed
	net, err := fabric.New(o.net)
	if err != nil {
		return experiment.Output{}, err
	}
	o.rtt, o.way = net.Diameter(dataSize, ackSize), leastWay(net, g)
	opt := t.opt
	if t.watch != nil {
		opt.Probe = func(now sim.Picos, tr cluster.Transport) { t.watch(o, now, tr) }
	}
	opt.Interrupted = interrupted(c, weight(g, t.net.Kind))
	make := func(net *fabric.Network, events cluster.Events) (cluster.Transport, error) {
		return build(net, &o.net, events, c.Seed)
	}
	o.Result, err = cluster.Run(net, make, work, opt)
	if errors.Is(err, cluster.ErrInterrupted) {
		return experiment.Output{}, context.Canceled
	}
	if err != nil {
		return experiment.Output{}, err
	}
	if t.again != nil {
		return t.again(c, o, build)
	}
	return t.row(o), nil
}

// leastWay is the least delay between two hosts that exchange something.
func leastWay(net *fabric.Network, g *workload.Graph) sim.Picos {
	least := ^sim.Picos(0)
	for tag := range g.Messages() {
		m := g.Message(uint32(tag))
		least = min(least, net.BaseRTT(int(m.Src), int(m.Dst), 0, 0)/2)
	}
	return least
}

// glance is the number of events between two questions of cluster.Run whether to go on.
const glance = 1 << 18

// interrupted tells cluster.Run when to stop, and on the way how far it is.
func interrupted(c *experiment.Context, hops uint64) func() bool {
	steps := uint64(0)
	return func() bool {
		steps += glance
		c.Part(min(steps, hops), hops)
		return c.Err() != nil
	}
}

// row begins the row of an outcome with the keys all have.
func (o *outcome) start() experiment.Row { return experiment.Row{}.Word("transport", o.trial.who) }

// line is the rate of a host over all planes, in Mb/s.
func (o *outcome) line() uint64 { return uint64(o.net.LinkMbps) * uint64(o.net.Planes) }

// common puts the figures that every row has: packets sent again, lost and marked.
func (o *outcome) common(r experiment.Row) experiment.Row {
	c, f := &o.Counters, &o.Fabric
	return r.Share("again", c.Retransmitted, c.Data-c.Retransmitted).Num("timeouts", experiment.Whole(c.Timeouts)).
		Share("lost", f.Lost.Data+f.Trims-f.Gone, f.Injected.Data).Share("marked", f.Marks, f.Injected.Data)
}

// commonColumns are the columns of common.
func commonColumns() []experiment.Column {
	return []experiment.Column{
		{Name: "again", Unit: "of data", What: "data packets sent again, out of those sent for the first time"},
		{Name: "timeouts", What: "retransmission timers that expired, all NICs"},
		{Name: "lost", Unit: "of data", What: "data packets that the fabric lost, for whatever reason, or cut, out of all sent"},
		{Name: "marked", Unit: "of data", What: "packets that the fabric marked, out of all data packets sent"},
	}
}

// transportColumn is a key of every table.
func transportColumn() experiment.Column {
	return experiment.Column{Name: "transport", Key: true, What: "kind of NIC"}
}

// link is that of a host, for limits, with the headers of the transport.
func (o *outcome) link() workload.Link {
	return workload.Link{Mbps: o.line(), Latency: o.way, Payload: payloadSize, Wire: uint32(transportOf(o.trial.who).size)}
}

// steadyRate is the goodput in the bins that lie in the middle half of the run, in Mb/s.
func (o *outcome) steadyRate() uint64 {
	from, to := len(o.Bins)/4, len(o.Bins)-(len(o.Bins)+3)/4
	sum := uint64(0)
	for _, b := range o.Bins[from:to] {
		sum += b
	}
	return cluster.Rate(sum, sim.Picos(to-from)*o.Bin)
}

// gbps writes Mb/s as Gb/s with two places.
func gbps(mbps uint64) experiment.Fixed {
	f, _ := experiment.Quotient(mbps, 1000, 2)
	return f
}

// keyed names a cell by a parameter and its value.
func keyed(name string, value any) string { return fmt.Sprintf("%s=%v", name, value) }
