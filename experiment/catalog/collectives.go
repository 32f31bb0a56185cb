package catalog

import (
	"metaroce/tandem/experiment"
	"metaroce/tandem/model/fabric"
	"metaroce/tandem/model/workload"
)

// collective is a workload of the experiment.
type collective struct {
	name string
	// shared: flows meet on links, with any transport that does not spray.
	shared bool
	// kept: the gate on what is left of the throughput at 1 % loss holds for it.
	kept  bool
	graph func(v experiment.Values, seed uint64) (*workload.Graph, error)
}

func ring(v experiment.Values, slices int, bytes, seed uint64, shuffle bool) workload.Ring {
	return workload.Ring{Hosts: int(v.Number(pHosts)), Slices: slices, Bytes: bytes, Shuffle: shuffle, Seed: seed}
}

var collectiveKinds = []collective{
	{"all-to-all", true, true, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.AllToAll{Hosts: int(v.Number(pHosts)), Bytes: v.Number("pair"), Depth: int(v.Number("depth")), Seed: seed}.Graph()
	}},
	{"ring", true, true, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.RingAllReduce{Ring: ring(v, int(v.Number("slices")), v.Number("slice"), seed, true)}.Graph()
	}},
	{"ring-near", false, true, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.RingAllReduce{Ring: ring(v, int(v.Number("slices")), v.Number("slice"), seed, false)}.Graph()
	}},
	{"ring-whole", true, false, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.RingAllReduce{Ring: ring(v, 1, v.Number("slices")*v.Number("slice"), seed, true)}.Graph()
	}},
	{"all-gather", true, true, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.AllGather{Ring: ring(v, int(v.Number("slices")), v.Number("slice"), seed, true)}.Graph()
	}},
	{"tree", true, false, func(v experiment.Values, seed uint64) (*workload.Graph, error) {
		return workload.TreeAllReduce{Hosts: int(v.Number(pHosts)), Slices: 4 * int(v.Number("slices")), Bytes: v.Number("slice"), Trees: 2, Shuffle: true, Seed: seed}.Graph()
	}},
}

func collectiveNames() []string {
	var names []string
	for _, c := range collectiveKinds {
		names = append(names, c.name)
	}
	return names
}

func collectiveOf(name string) collective {
	for _, c := range collectiveKinds {
		if c.name == name {
			return c
		}
	}
	panic("catalog BUG: collective " + name)
}

// collectives: what training does, over 64 hosts.
func collectives() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "collectives", Short: "all-reduce, all-gather and all-to-all over 64 hosts, 0 to 10 % loss",
		Claim:  "On 64 nodes, higher throughput and lower flow completion time than RoCEv2, on all-reduce and on all-to-all.",
		Source: "ann:r-rccl",
		About: "64 hosts on a leaf-spine fabric with as many uplinks as hosts on every leaf. all-to-all: a message for every pair. ring: all-reduce on a ring whose neighbours sit on other leaves, in slices that go on one by one; ring-near: neighbours side by side, so that no two flows meet; " +
			"ring-whole: the same bytes unsliced, so that each step waits for the last packet of the step before; all-gather: half a ring; tree: all-reduce along two binary trees. " +
			"A flow is all that one stream carries from a host to another, from its first post to its last completion: with messages that wait for each other, one message may be quick only because the others are late. Time is from the start to the last completion. Ahead is a figure of the better RoCEv2 over ours: above 1 we are faster. Kept is the time without loss over that with it. With flow control RoCEv2 is run without loss only: a lost packet costs it a timeout.",
		Headline: []string{"limit", "p99"},
		Params: withNetwork(experiment.Params{
			{Name: "work", Kind: experiment.Choices, Options: collectiveNames(), Default: "all-to-all,ring,ring-near,ring-whole,all-gather,tree", Why: "what collective libraries do"},
			{Name: "loss", Kind: experiment.Numbers, Unit: experiment.PerMill, Max: 500_000, Default: "0%,0.1%,1%,10%", Why: "random loss on the whole way, of data and of control packets each"},
			{Name: pHosts, Min: 4, Max: 1024, Default: "64", Why: "as announced"},
			kindParam("leaf-spine", "as many uplinks as hosts on every leaf"),
			{Name: "pair", Unit: experiment.Bytes, Min: 1, Max: workload.MaxBytes, Default: "256k", Why: "all-to-all: from each host to each other"},
			{Name: "depth", Max: 1023, Default: "0", Why: "all-to-all: messages of a host under way at once; 0: all"},
			{Name: "slice", Unit: experiment.Bytes, Min: 1, Max: 1 << 28, Default: "256k", Why: "of a chunk of a ring, and of a tree"},
			{Name: "streams", Min: 1, Max: 64, Default: "1", Why: "that slices of a ring or tree are spread over: on one they go one behind the other, as in a channel of a collective library; on many side by side, and all of them end late"},
			{Name: "slices", Min: 1, Max: 64, Default: "4", Why: "of a chunk: while one is repaired the others go on"},
			{Name: pTransports, Kind: experiment.Choices, Options: transportNames(), Default: "metaroce,rocev2,rocev2-pfc", Why: "RoCEv2 both as it is run"},
			{Name: pLossy, Unit: experiment.PerMill, Max: 500_000, Default: "1%", Why: "RoCEv2 is run up to this loss, all-to-all to any: beyond, most of what it sends is sent again, which takes minutes to simulate"},
		}),
		Plan: planCollectives,
	}
}

func planCollectives(v experiment.Values) (*experiment.Plan, error) {
	b := &builder{v: v}
	for _, name := range v.Words("work") {
		c := collectiveOf(name)
		for _, ppm := range v.Numbers("loss") {
			net := shape(kindOf(v.Word(pKind)), int(v.Number(pHosts)), 1)
			if err := fit(&net, v); err != nil {
				b.bad.add(err)
				continue
			}
			net.Loss = fabric.Loss{Data: uint32(ppm), Control: uint32(ppm), Where: fabric.LastLink}
			b.addCollective(v, c, net, ppm)
		}
	}
	return b.plan(collectivesPlan(v))
}

func (b *builder) addCollective(v experiment.Values, c collective, net fabric.Config, ppm uint64) {
	text := experiment.PerMill.Format(ppm)
	t := trial{
		name: c.name + "/" + keyed("loss", text), net: net, streams: int(v.Number("streams")),
		work: func(seed uint64) (*workload.Graph, error) { return c.graph(v, seed) },
		row: func(o *outcome) experiment.Output {
			d, each := o.streamTimes(), o.Durations(nil)
			r := o.start().Word("work", c.name).Word("loss", text).Num("time", experiment.Micros(uint64(o.Makespan()))).
				Num("p50", experiment.Micros(uint64(d.Rank(500)))).Num("p99", experiment.Micros(uint64(d.Rank(990)))).
				Num("message-p50", experiment.Micros(uint64(each.Rank(500)))).Num("message-p99", experiment.Micros(uint64(each.Rank(990)))).
				Num("least", experiment.Micros(uint64(o.graph.Limit(o.link())))).Share("limit", uint64(o.graph.Limit(o.link())), uint64(o.Makespan()))
			return experiment.Output{Rows: []experiment.Row{o.common(r)}}
		},
	}
	if c.name == "all-to-all" {
		t.streams = 0
	}
	b.addBut(t, func(who string) bool { return !compared(v, who, c.name, ppm) })
}

// compared says whether a transport is run with so much loss: RoCEv2 with flow control without any, without it up to some,
// all-to-all to any.
func compared(v experiment.Values, who, work string, ppm uint64) bool {
	switch who {
	case rocePfc:
		return ppm == 0
	case roceLossy:
		return work == "all-to-all" || ppm <= v.Number(pLossy)
	}
	return true
}
