package catalog

import (
	"slices"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/sim"
	"metaroce/tandem/model/workload"
)

// Messages of the fairness flows: small, so that what a host gets can be seen over time.
const (
	fairMessage = 64 << 10
	fairDepth   = 32 // under way at once, of one stream: several times rate x round trip
)

// rivalry is a case of hosts that send to the same one.
type rivalry struct {
	name, what string
	flows      func(v experiment.Values, count int) []workload.Flow
}

var rivalries = []rivalry{
	{"equal", "all alike", func(v experiment.Values, count int) []workload.Flow {
		return fairFlows(v, count, func(int) int { return 1 }, func(int) sim.Picos { return 0 })
	}},
	{"late", "each begins a fiftieth of a run behind the one before", func(v experiment.Values, count int) []workload.Flow {
		gap := fairTime(v) / 50
		return fairFlows(v, count, func(int) int { return 1 }, func(i int) sim.Picos { return sim.Picos(i) * gap })
	}},
	{"greedy", "the first host sends on 8 streams, the others on one", func(v experiment.Values, count int) []workload.Flow {
		return fairFlows(v, count, func(i int) int {
			if i == 0 {
				return 8
			}
			return 1
		}, func(int) sim.Picos { return 0 })
	}},
	{"near", "half of the hosts sit on the receiver's leaf, with half the round trip", func(v experiment.Values, count int) []workload.Flow {
		return fairFlows(v, count, func(int) int { return 1 }, func(int) sim.Picos { return 0 })
	}},
}

func rivalryNames() []string {
	var names []string
	for _, r := range rivalries {
		names = append(names, r.name)
	}
	return names
}

func rivalryOf(name string) rivalry {
	for _, r := range rivalries {
		if r.name == name {
			return r
		}
	}
	panic("catalog BUG: rivalry " + name)
}

// fairness: who gets what of one port.
func fairness() *experiment.Experiment {
	about := "Several hosts send to one for a fixed time, always with enough under way. Cases: "
	for _, r := range rivalries {
		about += r.name + ": " + r.what + "; "
	}
	return &experiment.Experiment{
		Name: "fairness", Short: "shares of one port: late comers, greedy hosts, near and far",
		Claim:  "Senders get fair shares of the receiver: with better fairness than from searching for them.",
		Source: "ann:cc-receiver, ann:incast",
		About: about + "the messages that a host completes are counted in the window in which all of them send, its first fifth left out. Jain is (sum x)^2 / (n sum x^2): 1 when all have the same, 1/n when one has all. " +
			"Least over greatest is of the same window. A host's share does not grow with its streams: they share one connection.",
		Headline: []string{"jain", "least"},
		Params: withNetwork(experiment.Params{
			{Name: "cases", Kind: experiment.Choices, Options: rivalryNames(), Default: "equal,late,greedy,near", Why: "what makes shares unequal elsewhere"},
			{Name: "senders", Min: 2, Max: 64, Default: "8", Why: "to one host"},
			{Name: "time", Unit: experiment.Nanos, Min: 100_000, Max: 1_000_000_000, Default: "3ms", Why: "of a run at full rate: what searches for its share needs the time"},
			{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2,rocev2-pfc", Why: "RoCEv2 both as it is run"},
		}),
		Plan: planFairness,
	}
}

// fairTime is that of a run.
func fairTime(v experiment.Values) sim.Picos { return sim.Picos(v.Number("time")) * 1000 }

// fairFlows are those of every host: streams of each, and when it begins. Each has far more to send than it can.
func fairFlows(v experiment.Values, count int, streams func(int) int, at func(int) sim.Picos) []workload.Flow {
	var flows []workload.Flow
	for i := range int(v.Number("senders")) {
		n := streams(i)
		for s := range n {
			flows = append(flows, workload.Flow{Src: i + 1, Dst: 0, Stream: s, Bytes: fairMessage, Count: count / n, Depth: fairDepth, At: at(i)})
		}
	}
	return flows
}

func planFairness(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	n := int(v.Number("senders"))
	for _, name := range v.Words("cases") {
		net := shape(fabric.LeafSpine, n+1, 1)
		// hosts 1..n on other leaves than host 0, but in case near half of them beside it
		net.HostsPerLeaf, net.Spines = 1, n+1
		if name == "near" {
			net.HostsPerLeaf = 1 + n/2
		}
		if err := fit(&net, v); err != nil {
			b.bad.add(err)
			continue
		}
		b.addRivalry(v, net, rivalryOf(name))
	}
	return b.plan(fairnessPlan(v))
}

func (b *builder) addRivalry(v experiment.Values, net fabric.Config, c rivalry) {
	n := v.Number("senders")
	count := int(max(fairDepth, sim.MulDiv(uint64(fairTime(v)), uint64(net.LinkMbps), 8_000_000*fairMessage*n)))
	b.add(trial{
		name: c.name, net: net,
		work: func(uint64) (*workload.Graph, error) { return workload.Flows(net.Hosts, c.flows(v, count)) },
		row: func(o *outcome) experiment.Output {
			got, span := o.shares(int(n))
			sum, squares, n := jain(got)
			r := o.start().Word("case", c.name).Share("jain", sum*sum, n*squares).Share("least", slices.Min(got), slices.Max(got)).
				Num("window", experiment.Micros(uint64(span))).Share("used", o.Goodput(), o.line())
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	})
}

// shares are the messages that each host completed while all of them sent, without the first fifth of that time, and how
// long that was.
func (o *outcome) shares(hosts int) (got []uint64, span sim.Picos) {
	begin, end := sim.Picos(0), o.End
	last := make([]sim.Picos, hosts)
	for i := range o.Flows {
		f := &o.Flows[i]
		begin = max(begin, o.graph.At(f.Tag))
		last[f.Src-1] = max(last[f.Src-1], f.Done)
	}
	for _, at := range last {
		end = min(end, at)
	}
	begin = min(begin, end)
	begin += (end - begin) / 5
	got = make([]uint64, hosts)
	for i := range o.Flows {
		if f := &o.Flows[i]; f.Done > begin && f.Done <= end {
			got[f.Src-1]++
		}
	}
	return got, end - begin
}

// jain are the parts of Jain's index: the sum, the sum of squares, and how many there are.
func jain(x []uint64) (sum, squares, n uint64) {
	for _, v := range x {
		sum += v
		squares += v * v
	}
	return sum, squares, uint64(len(x))
}

func fairnessPlan(v experiment.Values) experiment.Plan {
	return experiment.Plan{
		Columns: append([]experiment.Column{
			{Name: "case", Key: true, What: "who the hosts are"},
			transportColumn(),
			{Name: "jain", Unit: "index", What: "(sum x)^2 / (n sum x^2) of what the hosts completed while all of them sent"},
			{Name: "least", Unit: "of greatest", What: "least of that over greatest"},
			{Name: "window", Unit: "us", What: "time in which that was counted"},
			{Name: "used", Unit: "of line", What: "payload of the whole run over its time, over the rate of the receiver"},
		}, commonColumns()...),
		Gates: []experiment.Gate{{Name: "fairer than RoCEv2", Rule: "in every case Jain's index of MetaRoCE is not below that of the better RoCEv2", Judge: func(rows []experiment.Row) []experiment.Check {
			var checks []experiment.Check
			for _, r := range experiment.Pick(rows, experiment.Where{"transport": metaName}) {
				bound, ok := baseline(rows, experiment.Where{"case": r.Text("case")}, "jain", more)
				if v, here := r.Number("jain"); ok {
					checks = append(checks, experiment.Check{What: experiment.Label(r, "jain", "case"), Value: v, Bound: bound, Missing: !here})
				}
			}
			return checks
		}}},
		Plots: []experiment.Plot{
			{Name: "jain", Title: "Fairness of the shares of one port", Kind: experiment.Bars, X: "case", Y: "jain", YUnit: "Jain's index", Series: []string{"transport"}, Levels: atLimit, Published: "published: better fairness (ann:incast)"},
			{Name: "least", Title: "Least over greatest share", Kind: experiment.Bars, X: "case", Y: "least", Series: []string{"transport"}, Levels: atLimit},
		},
		Compare: func(rows []experiment.Row) []experiment.Comparison {
			var list []experiment.Comparison
			one := experiment.Decimal("1.0000")
			for _, name := range v.Words("cases") {
				w := experiment.Where{"case": name}
				j, l := sideBySide(rows, w, "jain", more), sideBySide(rows, w, "least", more)
				j.What, j.Unit, j.Limit, j.Why, j.Published = name+": Jain's index", "index", &one, rivalryOf(name).what, "better fairness (ann:incast)"
				l.What, l.Unit, l.Limit = name+": least over greatest", "ratio", &one
				list = append(list, j, l)
			}
			return list
		},
	}
}
