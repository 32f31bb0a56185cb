package catalog

import (
	"fmt"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/cluster"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Gates of failover, in parts of what is there, and in base round trips and retransmission timeouts.
const (
	fullShare    = 950 // thousandths of P x line before, of (P-1)/P meanwhile, of before behind
	allShare     = 990 // thousandths of before that its mean has to be behind: 0.95 of 8 planes would be 0.6 of the one that returned
	downRtts     = 5
	downRtos     = 3
	backRtts     = 20
	failoverKill = "kill"
	failoverBack = "return"
)

// failover: a plane goes and comes back under full load.
func failover() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "failover", Short: "one plane of 4 or of 8 killed under full load, and returned",
		Claim:  "When a plane fails, traffic redistributes without the application or an operator.",
		Source: "ann:r-failover",
		About: "Every host sends at full rate to one other host over all planes. At one time a whole plane goes: it swallows what is sent into it and tells nobody. Later it is back. " +
			"Goodput of all hosts is counted in bins of one base round trip. Before is its mean over the bins before the kill. Recovery is the time from the kill to the first bin from which on all bins, up to the return, have the gate's share of (P-1)/P of before; return likewise, of all of before. " +
			"Every message completes once: a run in which one is lost or doubled fails as a whole. The row with senders is an incast meanwhile: it is reported. RoCEv2 divides each message among queue pairs on all planes, or it could not fill them: those on the dead plane hold up every message.",
		Headline: []string{"recovery", "back"},
		Params: withNetwork(experiment.Params{
			{Name: pPlanes, Kind: experiment.Numbers, Min: 2, Max: 16, Default: "4,8", Why: "as announced"},
			{Name: pHosts, Min: 2, Max: 1024, Default: "8", Why: "each with all planes full: hosts do not meet in a fabric that has no bottleneck"},
			{Name: "senders", Min: 0, Max: 1000, Default: "127", Why: "of the incast meanwhile; 0: none"},
			{Name: failoverKill, Unit: experiment.Nanos, Min: 1000, Max: 100_000_000, Default: "300us", Why: "by then every window is open and the load steady"},
			{Name: failoverBack, Unit: experiment.Nanos, Min: 1000, Max: 100_000_000, Default: "900us", Why: "long enough for probes to have backed off as far as they do"},
			{Name: "end", Unit: experiment.Nanos, Min: 1000, Max: 100_000_000, Default: "1500us", Why: "hosts have as much to send as fits until then"},
			{Name: pQueues, Min: 1, Max: 256, Default: "8", Why: "RoCEv2 queue pairs of a flow: at least one on every plane"},
		}),
		Plan: planFailover,
	}
}

func planFailover(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	kill, back, end := sim.Picos(v.Number(failoverKill))*1000, sim.Picos(v.Number(failoverBack))*1000, sim.Picos(v.Number("end"))*1000
	rtt := sim.Picos(v.Number(pRtt)) * 1000
	later := func(name string, at, before sim.Picos, why string) {
		if at < before {
			b.bad.add(&experiment.Problem{Field: name, Value: at.String(), Rule: fmt.Sprintf("want at least %s: %s", before, why)})
		}
	}
	later(failoverKill, kill, 15*rtt, "15 base round trips, in which the load becomes steady")
	later(failoverBack, back, kill+max(30*rtt, 2*downBound(v)), "30 base round trips behind the kill, and twice the time in which the rest has to be full")
	later("end", end, back+30*rtt, "30 base round trips behind the return")
	for _, p := range v.Numbers(pPlanes) {
		net := shape(fabric.SingleSwitch, int(v.Number(pHosts)), int(p))
		if err := fit(&net, v); err != nil {
			b.bad.add(err)
			continue
		}
		net.Script = []fabric.Change{{At: kill, Kind: fabric.PlaneDown, Plane: 0}, {At: back, Kind: fabric.PlaneUp, Plane: 0}}
		b.addFullLoad(v, net, end)
		if n := int(v.Number("senders")); n > 0 {
			net.Hosts = n + 1
			b.addFailoverIncast(net, n)
		}
	}
	return b.plan(failoverPlan(v))
}

// addFullLoad lets every host send all the time.
func (b *builder) addFullLoad(v experiment.Values, net fabric.Config, end sim.Picos) {
	const message = 1 << 20
	bdp := bdpOf(&net, v) * uint64(net.Planes)
	count := sim.MulDiv(uint64(end), uint64(net.LinkMbps)*uint64(net.Planes), 8_000_000*message)
	b.add(trial{
		name: keyed("planes", net.Planes), net: net, opt: cluster.Options{Bin: sim.Picos(v.Number(pRtt)) * 1000},
		work: func(seed uint64) (*workload.Graph, error) {
			return workload.Permutation{Hosts: net.Hosts, Bytes: message, Count: int(max(2, count)), Depth: int(4 + 2*bdp/message), Seed: seed}.Graph()
		},
		row: func(o *outcome) experiment.Output { return o.failover(v) },
	})
}

// addFailoverIncast lets many hosts send to one, and kills the plane on the way.
func (b *builder) addFailoverIncast(net fabric.Config, senders int) {
	const message = 2_000_000
	b.add(trial{
		name: keyed("planes", net.Planes) + "/" + keyed("senders", senders), net: net,
		work: func(uint64) (*workload.Graph, error) {
			return workload.Incast{Senders: senders, Bytes: message}.Graph()
		},
		row: func(o *outcome) experiment.Output {
			d := o.Durations(nil)
			r := o.start().Num("planes", experiment.Whole(o.net.Planes)).Num("senders", experiment.Whole(senders)).
				Share("fast-slow", uint64(d.Rank(0)), uint64(d.Rank(1000))).Share("last", uint64(o.Makespan()), uint64(o.graph.Limit(o.link())))
			return experiment.Output{Rows: []experiment.Row{o.paths(o.common(r))}}
		},
	})
}

// paths puts what the transport took for failed.
func (o *outcome) paths(r experiment.Row) experiment.Row {
	return r.Num("failed", experiment.Whole(o.Counters.PathFailures)).Num("returned", experiment.Whole(o.Counters.PathReturns))
}

// failover measures the two recoveries in the bins of goodput.
func (o *outcome) failover(v experiment.Values) experiment.Output {
	killed, back := int(o.net.Script[0].At/o.Bin), int(o.net.Script[1].At/o.Bin)
	full := o.fullBins()
	before := o.meanBytes(killed/3, killed)
	planes := uint64(o.net.Planes)
	line := sim.MulDiv(o.line()*uint64(o.net.Hosts), uint64(o.Bin), 8_000_000) // bytes of a bin
	r := o.start().Num("planes", experiment.Whole(planes)).Share("before", before, line)
	down, okDown := o.steadyFrom(killed, min(back, full), before*(planes-1)/planes)
	up, okUp := o.steadyFrom(back, full, before)
	r = r.Some("recovery", experiment.Micros(uint64(down)), okDown).Some("back", experiment.Micros(uint64(up)), okUp).
		Share("meanwhile", o.meanBytes(killed+int(downBound(v)/o.Bin), min(back, full)), before*(planes-1)/planes).
		Share("behind", o.meanBytes(back+backRtts, full), before)
	var points []experiment.Point
	for i := range o.Bins {
		share, _ := experiment.Share(o.Bins[i], line)
		points = append(points, experiment.Point{X: experiment.Micros(uint64(i) * uint64(o.Bin)), Y: share})
	}
	plot := "goodput-" + experiment.Count.Format(planes)
	return experiment.Output{Rows: []experiment.Row{o.paths(o.common(r))}, Traces: []experiment.Trace{{Plot: plot, Label: o.trial.who, Points: points}}}
}

// downBound is the time within which the rest of the planes has to be full again: round trips, or timeouts, of which the
// least that the run's constants allow is taken.
func downBound(v experiment.Values) sim.Picos {
	rto := sim.Picos(v.Number(knobPrefix+"rto_min")) * preset.TickPs
	return max(downRtts*sim.Picos(v.Number(pRtt))*1000, downRtos*rto)
}

// fullBins is how many bins have passed when the first host has nothing more to post: until then the load is full.
func (o *outcome) fullBins() int {
	last := map[uint16]sim.Picos{}
	for i := range o.Flows {
		last[o.Flows[i].Src] = max(last[o.Flows[i].Src], o.Flows[i].Posted)
	}
	first := o.End
	for _, at := range last {
		first = min(first, at)
	}
	return min(len(o.Bins), int((first-o.Start)/o.Bin))
}

// meanBytes is the mean of bins from..to-1.
func (o *outcome) meanBytes(from, to int) uint64 {
	sum, n := uint64(0), uint64(0)
	for i := from; i < min(to, len(o.Bins)); i++ {
		sum += o.Bins[i]
		n++
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// steadyFrom is the time from the beginning of bin `from` to that of the first one from which on all, up to `to`, have
// the gate's share of what is wanted. False if not even the last one has it.
func (o *outcome) steadyFrom(from, to int, want uint64) (sim.Picos, bool) {
	at := to
	for at > from && o.Bins[at-1]*1000 >= want*fullShare {
		at--
	}
	return sim.Picos(at-from) * o.Bin, at < to
}
